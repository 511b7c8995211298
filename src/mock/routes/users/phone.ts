import { type Answer, Refusal } from "../../http/answer.ts";
import { textAt } from "../../http/json.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { userOf } from "../../users/human-user.ts";
import { acceptBareUserCall, changedAnswer, changeUser, eventsOf, missingUser } from "./target.ts";

const NO_PHONE = { message: "Phone not found", id: "COMMAND-ieJ2e" } as const;

/** `DELETE /v2/users/{id}/phone` (probed on v4 and v2). */
export async function removePhone(call: Call, instance: Instance): Promise<Answer> {
  const { user, caller } = acceptBareUserCall(call, instance, missingUser(NO_PHONE.id, NO_PHONE.message));
  const { phone, ...rest } = userOf(user.entry);
  if (textAt(phone, "phone") === "") throw new Refusal("failedPrecondition", NO_PHONE.message, NO_PHONE.id);
  changeUser(instance, user, {
    entry: { ...user.entry, user: rest },
    events: [eventsOf(user, caller)("user.human.phone.removed")],
  });
  return changedAnswer(instance, user);
}
