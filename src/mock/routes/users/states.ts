import { type Answer, Refusal } from "../../http/answer.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { gapsOf } from "../../users/gaps.ts";
import { stateOf, type UserState } from "../../users/human-user.ts";
import { removeUser } from "../../users/remove.ts";
import { acceptBareUserCall, changedAnswer, changeUser, eventsOf, type MissingUser, missingUser } from "./target.ts";

interface StateChange {
  readonly missing: MissingUser;
  readonly event: string;
  /** The new state; undefined: active. */
  readonly to?: UserState;
  /** The error for a user in that state; undefined where the change is possible. */
  readonly refuses: (state: UserState) => readonly [message: string, id: string] | undefined;
}

const changes = {
  lock: {
    missing: missingUser("COMMAND-450yxuqrh1"),
    event: "user.locked",
    to: "USER_STATE_LOCKED",
    refuses: (state) =>
      state === "USER_STATE_ACTIVE" || state === "USER_STATE_INITIAL"
        ? undefined
        : ["User is not active or initial", "COMMAND-lgws8wtsqf"],
  },
  unlock: {
    missing: missingUser("COMMAND-x377t913pw"),
    event: "user.unlocked",
    refuses: (state) => (state === "USER_STATE_LOCKED" ? undefined : ["User is not locked", "COMMAND-olb9vb0oca"]),
  },
  deactivate: {
    missing: missingUser("COMMAND-5gp2p62iin"),
    event: "user.deactivated",
    to: "USER_STATE_INACTIVE",
    refuses(state) {
      if (state === "USER_STATE_INITIAL") {
        return ["User with state initial can only be deleted not deactivated", "COMMAND-gvx4kct9r2"];
      }
      return state === "USER_STATE_INACTIVE" ? ["User already inactive", "COMMAND-5gunjw0cd7"] : undefined;
    },
  },
  reactivate: {
    missing: missingUser("COMMAND-9hy5kzbuk6"),
    event: "user.reactivated",
    refuses: (state) => (state === "USER_STATE_INACTIVE" ? undefined : ["User is not inactive", "COMMAND-s5qqcz97hf"]),
  },
} as const satisfies Record<string, StateChange>;

export type StateCall = keyof typeof changes;

/** `POST /v2/users/{id}/lock|unlock|deactivate|reactivate` (service behaviour 0.28; errors probed on v4). */
export function changeState(name: StateCall): (call: Call, instance: Instance) => Promise<Answer> {
  const change: StateChange = changes[name];
  return async (call, instance) => {
    const { user, caller } = acceptBareUserCall(call, instance, change.missing);
    const refusal = change.refuses(stateOf(user.entry));
    if (refusal !== undefined) throw new Refusal("failedPrecondition", ...refusal);
    const { state: _before, ...entry } = user.entry;
    changeUser(instance, user, {
      entry: { ...entry, ...(change.to === undefined ? {} : { state: change.to }) },
      events: [eventsOf(user, caller)(change.event)],
    });
    return changedAnswer(instance, user);
  };
}

/** `DELETE /v2/users/{id}`. */
export async function deleteUser(call: Call, instance: Instance): Promise<Answer> {
  const missing = missingUser("COMMAND-bd4ir1mblj");
  const { user, caller } = acceptBareUserCall(call, instance, missing, instance.traits.removalRefusalId);
  const { nameless } = gapsOf(instance.store.state, call);
  removeUser(instance.store, user.id, caller.userId, nameless.has(user.id));
  return changedAnswer(instance, user);
}
