import type { State } from "../state/state.ts";

/**
 * What lists, exports and sign-ins read lags behind what was written (service behaviour 0.15, 0.26); the event log does not. A
 * fault says by how many users.
 */
export interface Lag {
  /** Users that are not seen yet. */
  readonly hidden: ReadonlySet<string>;
  /** The moment up to which everything is seen, in microseconds; undefined: up to now. */
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
