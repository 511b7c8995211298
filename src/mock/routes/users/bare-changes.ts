import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import { type JsonObject, textAt, valueAt } from "../../http/json.ts";
import type { Call, Handler, Instance } from "../../state/instance.ts";
import type { Traits } from "../../state/traits.ts";
import { changeDetails } from "../../users/details.ts";
import { gapsOf } from "../../users/gaps.ts";
import { stateOf, type UserState, userOf } from "../../users/human-user.ts";
import { removeUser } from "../../users/remove.ts";
import { acceptCaller } from "../shared/accept.ts";
import { acceptBareUserCall, changeUser, eventsOf, type MissingUser, missingUser } from "./target.ts";

/** A change of one user that needs no body. */
interface BareChange {
  readonly method?: "DELETE";
  readonly missing: MissingUser;
  readonly event: string;
  /** The changed entry; absent: the event is all. */
  readonly changed?: (entry: JsonObject) => JsonObject;
  /** The error for a user in that condition; undefined where the change is possible. */
  readonly refuses?: (entry: JsonObject, traits: Traits) => readonly [message: string, id: string] | undefined;
}

/** undefined: active. */
const inState =
  (state?: UserState) =>
  ({ state: _before, ...entry }: JsonObject): JsonObject => ({ ...entry, ...(state === undefined ? {} : { state }) });

/** By the end of the path `/v2/users/{id}/…` (service behaviour 0.28, 9.21; errors probed on v4, the phone on v2 too). */
export const bareChanges: Readonly<Record<string, BareChange>> = {
  lock: {
    missing: missingUser("COMMAND-450yxuqrh1"),
    event: "user.locked",
    changed: inState("USER_STATE_LOCKED"),
    refuses: (entry) =>
      ["USER_STATE_ACTIVE", "USER_STATE_INITIAL"].includes(stateOf(entry))
        ? undefined
        : ["User is not active or initial", "COMMAND-lgws8wtsqf"],
  },
  unlock: {
    missing: missingUser("COMMAND-x377t913pw"),
    event: "user.unlocked",
    changed: inState(),
    refuses: (entry) =>
      stateOf(entry) === "USER_STATE_LOCKED" ? undefined : ["User is not locked", "COMMAND-olb9vb0oca"],
  },
  deactivate: {
    missing: missingUser("COMMAND-5gp2p62iin"),
    event: "user.deactivated",
    changed: inState("USER_STATE_INACTIVE"),
    refuses(entry) {
      if (stateOf(entry) === "USER_STATE_INITIAL") {
        return ["User with state initial can only be deleted not deactivated", "COMMAND-gvx4kct9r2"];
      }
      return stateOf(entry) === "USER_STATE_INACTIVE" ? ["User already inactive", "COMMAND-5gunjw0cd7"] : undefined;
    },
  },
  reactivate: {
    missing: missingUser("COMMAND-9hy5kzbuk6"),
    event: "user.reactivated",
    changed: inState(),
    refuses: (entry) =>
      stateOf(entry) === "USER_STATE_INACTIVE" ? undefined : ["User is not inactive", "COMMAND-s5qqcz97hf"],
  },
  /** With `sendLink`. */
  password_reset: { missing: missingUser("COMMAND-SAF4f"), event: "user.human.password.code.added" },
  /** With `sendCode`. */
  invite_code: {
    missing: missingUser("COMMAND-SAF4f"),
    event: "user.human.invite.code.added",
    refuses(entry, { invitesVerified }) {
      const hasPassword = textAt(entry, "user", "hashedPassword", "value") !== "";
      const isVerified = valueAt(entry, "user", "email", "isEmailVerified") === true;
      const isDone = hasPassword || (isVerified && !invitesVerified);
      return isDone ? ["User is already initialized", "COMMAND-EF34g"] : undefined;
    },
  },
  phone: {
    method: "DELETE",
    missing: missingUser("COMMAND-ieJ2e", "Phone not found"),
    event: "user.human.phone.removed",
    changed(entry) {
      const { phone: _before, ...user } = userOf(entry);
      return { ...entry, user };
    },
    refuses: (entry) =>
      textAt(entry, "user", "phone", "phone") === "" ? ["Phone not found", "COMMAND-ieJ2e"] : undefined,
  },
};

/** The handler of such a change. */
export function changeWithoutBody({ missing, event, changed, refuses }: BareChange): Handler {
  return async (call, instance) => {
    const { user, caller } = acceptBareUserCall(call, instance, missing);
    const refusal = refuses?.(user.entry, instance.traits);
    if (refusal !== undefined) throw new Refusal("failedPrecondition", ...refusal);
    const events = [eventsOf(user, caller)(event)];
    return changeUser(instance, user, { entry: changed?.(user.entry), events });
  };
}

/** `DELETE /v2/users/{id}`. It finds users by the event log: also those who were deleted with their organization (service behaviour 9.48). */
export async function deleteUser(call: Call, instance: Instance): Promise<Answer> {
  const expected = { permission: "user.write", refusalId: instance.traits.removalRefusalId } as const;
  const caller = acceptCaller(call, instance, expected);
  const { state } = instance.store;
  const [id = ""] = call.parameters;
  const orgId = state.userOrgs.get(id);
  if (orgId === undefined) throw missingUser("COMMAND-bd4ir1mblj")();
  const { nameless } = gapsOf(state, call);
  removeUser(instance.store, id, caller.userId, nameless.has(id));
  return jsonAnswer({ details: changeDetails(state, id, orgId) });
}
