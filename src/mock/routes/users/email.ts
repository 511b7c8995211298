import { type Answer, Refusal } from "../../http/answer.ts";
import { textAt } from "../../http/json.ts";
import type { Call, Instance } from "../../state/instance.ts";
import type { StoredUser } from "../../state/lookup.ts";
import { checkedEmail } from "../../users/email-address.ts";
import { stateOf } from "../../users/human-user.ts";
import { acceptUserCall, changeUser, eventsOf, missingUser } from "./target.ts";
import { addressStep } from "./update-human.ts";

/** `POST /v2/users/{id}/email`; refused for users who have not completed their account (service behaviour 0.2). */
export async function setEmail(call: Call, instance: Instance): Promise<Answer> {
  const missing = missingUser("COMMAND-ieJ2e", "Email not found");
  const { user, caller, request } = await acceptUserCall(call, instance, "zitadel.user.v2.SetEmailRequest", missing);
  if (stateOf(user.entry) === "USER_STATE_INITIAL" || awaitsFirstCode(user, instance)) {
    throw new Refusal("failedPrecondition", "User is not yet initialized", "COMMAND-uz0Uu");
  }
  const email = checkedEmail(textAt(request, "email"), instance.traits.emailRule);
  if (email === textAt(user.entry, "user", "email", "email")) {
    throw new Refusal("failedPrecondition", "Email not changed", "COMMAND-Uch5e");
  }
  const { code, ...change } = addressStep("email", user.entry, { ...request, email }, eventsOf(user, caller));
  return changeUser(instance, user, { ...change, answer: { verificationCode: code } });
}

/** Whether the account was never completed with its code; later changes of the state do not count (recording users2 82). */
function awaitsFirstCode({ id }: StoredUser, { store }: Instance): boolean {
  const code = "user.human.initialization.code.added";
  return store.state.events.latest(id, code, "user.human.added")?.type === code;
}
