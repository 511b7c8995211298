import { type Answer, Refusal } from "../../http/answer.ts";
import { textAt, valueAt } from "../../http/json.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { userOf } from "../../users/human-user.ts";
import { acceptBareUserCall, changedAnswer, changeUser, eventsOf, missingUser } from "./target.ts";

/** `POST /v2/users/{id}/password_reset` with `sendLink` (service behaviour 9.21). */
export async function resetPassword(call: Call, instance: Instance): Promise<Answer> {
  const { user, caller } = acceptBareUserCall(call, instance, missingUser("COMMAND-SAF4f"));
  changeUser(instance, user, { events: [eventsOf(user, caller)("user.human.password.code.added")] });
  return changedAnswer(instance, user);
}

/** `POST /v2/users/{id}/invite_code` with `sendCode` (service behaviour 9.21). */
export async function createInviteCode(call: Call, instance: Instance): Promise<Answer> {
  const { user, caller } = acceptBareUserCall(call, instance, missingUser("COMMAND-SAF4f"));
  const entry = userOf(user.entry);
  const hasPassword = textAt(entry, "hashedPassword", "value") !== "";
  const isVerified = valueAt(entry, "email", "isEmailVerified") === true;
  if (hasPassword || (isVerified && !instance.traits.invitesVerified)) {
    throw new Refusal("failedPrecondition", "User is already initialized", "COMMAND-EF34g");
  }
  changeUser(instance, user, { events: [eventsOf(user, caller)("user.human.invite.code.added")] });
  return changedAnswer(instance, user);
}
