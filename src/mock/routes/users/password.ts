import { type Answer, Refusal } from "../../http/answer.ts";
import { isObject, type JsonObject, textAt, valueAt } from "../../http/json.ts";
import type { Call, Instance } from "../../state/instance.ts";
import type { StoredUser } from "../../state/lookup.ts";
import type { MakeEvent } from "../../users/human-events.ts";
import { hashPassword, verifyPassword } from "../../users/verifiers.ts";
import { checkedHash, checkedPassword, checkInitialized, UNKNOWN_HASH } from "./rules.ts";
import { acceptUserCall, type ChangeStep, changeUser, eventsOf, existingUser, missingUser } from "./target.ts";

const MISSING = missingUser("COMMAND-G8dh3", "Password not found", "failedPrecondition");

/** A new password. */
export interface NewSecret {
  readonly hash: string;
  readonly changeRequired: boolean;
}

/** `POST /v2/users/{id}/password`. */
export async function setPassword(call: Call, instance: Instance): Promise<Answer> {
  const accepted = await acceptUserCall(call, instance, "zitadel.user.v2.SetPasswordRequest", MISSING);
  const { caller, request } = accepted;
  const { newPassword, ...verification } = request;
  const secret = await newSecret({ ...verification, password: newPassword ?? {} }, accepted.user, instance);
  const user = existingUser(instance, accepted.user.id, MISSING);
  return changeUser(instance, user, secretStep(secret, eventsOf(user, caller)));
}

/**
 * Reads `password`, `hashedPassword` and `currentPassword` of a change. Raises Refusal for a hash that the instance cannot verify, a
 * password that breaks the policy, a wrong current password, and a user who has not completed the account.
 */
export async function newSecret(given: JsonObject, user: StoredUser, instance: Instance): Promise<NewSecret> {
  checkInitialized(user.entry);
  const { verifiers, traits } = instance;
  const [current, password] = [textAt(given, "currentPassword"), textAt(given, "password", "password")];
  const stored = textAt(user.entry, "user", "hashedPassword", "value");
  if (current !== "" && stored === "") {
    throw new Refusal("failedPrecondition", "User has not set a password", "COMMAND-Fds3s");
  }
  if (current !== "" && current === password) {
    const same = "New password cannot be the same as your current password";
    throw new Refusal("failedPrecondition", same, "COMMAND-Aesh5");
  }
  if (current !== "" && (await verifyPassword(current, stored, verifiers)) !== "right") {
    throw new Refusal("invalidArgument", "Password is invalid", "COMMAND-3M0fs");
  }
  const hashed = given["hashedPassword"];
  // A change without any password is accepted, and no rule is checked (probed on v4).
  const hash = isObject(hashed)
    ? checkedHash(textAt(hashed, "hash"), instance, UNKNOWN_HASH)
    : await hashPassword(password === "" ? "" : checkedPassword(password, user.org, traits, "DOMAIN"));
  const changeRequired = valueAt(hashed ?? given["password"], "changeRequired") === true;
  return { hash, changeRequired };
}

export function secretStep({ hash, changeRequired }: NewSecret, event: MakeEvent): ChangeStep {
  return {
    user: { hashedPassword: { value: hash }, passwordChangeRequired: changeRequired },
    events: [event("user.human.password.changed", { changeRequired, encodedHash: hash })],
  };
}
