import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { UserHistory } from "../../../core/events/user-history.ts";
import { isAlive, lifeEvents, ORG_REMOVED } from "../../../core/events/user-life.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { shown } from "../../../problem/format.ts";
import { unseenLine } from "../../../ui/summary/import-summary.ts";
import { type LogReading, readLog } from "../../shared/read-log.ts";
import { LOOKED_UP, lastLifeEvent } from "../../shared/user-life.ts";
import type { Ledger } from "../ledger.ts";
import { type Items, readSection } from "../plan/plan.ts";

/** What the check reads: the input and the log. */
interface Search {
  readonly items: Items;
  readonly reading: LogReading;
  readonly ledger: Ledger;
}

/**
 * Turns "already exists" into a failure for users whose id belongs to a user of another organization of the target, or to one who was
 * removed with an organization: the service gives the same answer for all (service behaviour 0.42, 9.48), but these users of the input have
 * not arrived. If events could not be read when the job began, which was reported, nothing changes. Raises what reading events raises: without this check a run must not end with 0.
 */
export async function failInOtherOrgs(search: Search): Promise<void> {
  const { items, reading, ledger } = search;
  if (ledger.state.job?.mark === undefined) return;
  const history = await readHomes(search);
  const orgOf = ({ org }: Item): string => items.scan.orgs[org]?.orgId ?? "";
  const isAtHome = (item: Item): boolean => history.homeOf(userIdOf(item.bytes)) === orgOf(item);
  let away = 0;
  for await (const item of existingUsers(items, ledger, reading.signal)) if (!isAtHome(item)) away += 1;
  if (away === 0) return;
  const homeOf = await locateUsers(away, history, reading);
  let unseen = 0;
  for await (const item of existingUsers(items, ledger, reading.signal)) {
    // An update has compared the user, and counts it as unchanged, updated or a conflict.
    if (ledger.isLeft(item)) continue;
    const home = isAtHome(item) ? { orgId: orgOf(item) } : await homeOf(userIdOf(item.bytes));
    if (home === undefined) unseen += 1;
    const isGone = home !== undefined && "isGone" in home;
    if (home === undefined || (home.orgId === orgOf(item) && !isGone)) continue;
    const cause = isGone ? "removed-with-org" : "in-other-org";
    ledger.failExisting(toFailure(item, reading.api.redactor.clean(home.orgId), cause));
  }
  if (unseen > 0) reading.ui.warn(unseenLine(unseen));
}

function toFailure({ bytes, index: item, line }: Item, home: string, cause: Failure["cause"]): Failure {
  return {
    type: "human_user",
    id: userIdOf(bytes),
    message: `organization ${shown(home)}`,
    cause,
    item,
    line,
  };
}

/**
 * Users of the input with an id that exist: they were sent, and no run of this job created them or saw them fail. The target's built-in
 * users have other ids.
 */
export async function* existingUsers(
  items: Items,
  { state, builtIn }: Pick<Ledger, "state" | "builtIn">,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const failed = new Set(state.failedItems);
  const others = new Set([...state.unknown, ...state.madeIds]);
  const isOther = (first: number, count: number): boolean => !state.made.covers(first, count);
  for await (const portion of readSection(items, "humanUsers", signal, isOther)) {
    for (const item of portion) {
      const { index } = item;
      if (!state.done.has(index) || state.made.has(index) || failed.has(index) || builtIn.has(index)) continue;
      const id = userIdOf(item.bytes);
      if (id !== "" && !others.has(id)) yield item;
    }
  }
}

/** Finds the existing users of the input in the log of its own organizations. */
async function readHomes({ items, ledger, reading }: Search): Promise<UserHistory> {
  const history = new UserHistory([]);
  for await (const item of existingUsers(items, ledger, reading.signal)) history.follow(userIdOf(item.bytes));
  const filter = { eventTypes: EVENTS, orgIds: items.scan.orgs.map(({ orgId }) => orgId) };
  await readLog("looking for users", filter, reading, (event) => history.take(event));
  return history;
}

const EVENTS = [...lifeEvents, ORG_REMOVED];

/** The organization of a user, also of one who was removed with it. */
interface LastHome {
  readonly orgId: string;
  readonly isGone?: true;
}

/** Returns a function that finds the organization of each of `count` users; undefined for a user without events, and a removed one. */
async function locateUsers(
  count: number,
  history: UserHistory,
  reading: LogReading,
): Promise<(userId: string) => Promise<LastHome | undefined>> {
  if (count > LOOKED_UP) {
    // All organizations in one reading: a user may have been deleted in one and created in another.
    await readLog("looking for users", { eventTypes: EVENTS, orgIds: [] }, reading, (event) => history.take(event));
    return async (userId) => {
      const facts = history.of(userId);
      if (facts?.isGoneWithOrg === true) return { orgId: facts.orgId, isGone: true };
      return facts?.isThere === true ? { orgId: facts.orgId } : undefined;
    };
  }
  return async (userId) => {
    const last = await lastLifeEvent(userId, reading);
    const orgId = last?.aggregate.resourceOwner ?? "";
    if (last?.type.type === ORG_REMOVED) return { orgId, isGone: true };
    return isAlive(last) ? { orgId } : undefined;
  };
}
