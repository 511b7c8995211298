import type { Call } from "../state/instance.ts";
import { hasUser } from "../state/lookup.ts";
import type { State } from "../state/state.ts";
import { datesOfUser } from "./details.ts";
import { type Lag, lagOf } from "./lag.ts";

/** What lists, single users and sign-ins lack of what was written. */
export interface Gaps extends Lag {
  /** Users without a login name: the reader that keeps these passed over their event (service behaviour 0.41). */
  readonly nameless: ReadonlySet<string>;
}

const nobody: ReadonlySet<string> = new Set();

/** What the faults that strike a call make it lack. */
export function gapsOf(state: State, { lagUsers, namelessUsers }: Pick<Call, "lagUsers" | "namelessUsers">): Gaps {
  return { ...lagOf(state, lagUsers), nameless: namelessOf(state, namelessUsers) };
}

/** Of the human users that were made first, those who are there still. Who was removed and made again is whole. */
function namelessOf(state: State, users: number): ReadonlySet<string> {
  if (users === 0) return nobody;
  const first = state.events.all.filter(({ type }) => type === "user.human.added").slice(0, users);
  const nameless = first.filter(
    (event) => datesOfUser(state, event.aggregateId).added === event && hasUser(state, event.aggregateId),
  );
  return new Set(nameless.map(({ aggregateId }) => aggregateId));
}
