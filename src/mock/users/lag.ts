import type { State } from "../state/state.ts";

/**
 * Lists, exports and sign-ins lag behind the event log (service behaviour 0.15, 0.26). A fault sets the number of users.
 */
export interface Lag {
  /** Users that reads do not return yet. */
  readonly hidden: ReadonlySet<string>;
  /** Reads return events up to this time, in microseconds; undefined: all events. */
  readonly until: number | undefined;
}

export const noLag: Lag = { hidden: new Set(), until: undefined };

/** Hides the newest human users. */
export function lagOf({ events, userOrgs }: State, users: number): Lag {
  if (users === 0) return noLag;
  const hidden = new Set<string>();
  let until: number | undefined;
  for (const { type, aggregateId, at } of events.all.toReversed()) {
    if (hidden.size === users) break;
    if (type !== "user.human.added" || hidden.has(aggregateId) || !userOrgs.has(aggregateId)) continue;
    hidden.add(aggregateId);
    until = at - 1;
  }
  return { hidden, until };
}
