import type { SkippingList } from "../api.ts";
import type { Call } from "../state/instance.ts";
import { hasUser } from "../state/lookup.ts";
import type { State } from "../state/state.ts";
import { datesOfUser } from "./details.ts";
import { type Lag, lagOf } from "./lag.ts";

/** Users, and login names of users, that reads and sign-ins do not find yet. */
export interface Gaps extends Lag {
  /** Users without a login name: the service's projection skipped their event (service behaviour 0.41). */
  readonly nameless: ReadonlySet<string>;
}

/** The gaps of a call, from the faults that strike it. */
export function gapsOf(state: State, { lagUsers, namelessUsers }: Pick<Call, "lagUsers" | "namelessUsers">): Gaps {
  const { hidden, until } = lagOf(state, lagUsers);
  const nameless = namelessOf(state, namelessUsers);
  if (state.skipped.size === 0) return { hidden, until, nameless };
  const creations = [...state.skipped].filter(([, list]) => list === "users" || list === "login names");
  const unlisted = creations.flatMap(([id, list]) => (list === "users" ? [id] : []));
  return {
    hidden: new Set([...hidden, ...unlisted]),
    until,
    nameless: new Set([...nameless, ...creations.map(([id]) => id)]),
  };
}

/** The oldest human users that still exist. A recreated user has a login name. */
function namelessOf(state: State, users: number): ReadonlySet<string> {
  if (users === 0) return new Set();
  const first = state.events.all.filter(({ type }) => type === "user.human.added").slice(0, users);
  const nameless = first.filter(
    (event) => datesOfUser(state, event.aggregateId).added === event && hasUser(state, event.aggregateId),
  );
  return new Set(nameless.map(({ aggregateId }) => aggregateId));
}

const LISTS: Readonly<Record<string, SkippingList>> = {
  userMetadata: "metadata",
  userLinks: "links",
  userGrants: "grants",
  orgMembers: "memberships",
  projectMembers: "memberships",
  projectGrantMembers: "memberships",
};

/** True if the list of these entries, named as in an export, has skipped those of the user. */
export function isSkipped(field: string, userId: string, { skipped }: Pick<State, "skipped">): boolean {
  const list = skipped.get(userId);
  return list !== undefined && list === LISTS[field];
}
