import type { ServiceEvent } from "../../../contract/events.ts";
import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { shown } from "../../../problem/format.ts";
import { unseenLine } from "../../../ui/summary/import-summary.ts";
import { type LogReading, readLog } from "../../shared/read-log.ts";
import { isAlive, LOOKED_UP, lastLifeEvent, lifeEvents } from "../../shared/user-life.ts";
import type { Ledger } from "../ledger.ts";
import { type Items, readSection } from "../plan/plan.ts";
import type { JobProgress } from "../progress.ts";

/** Marks a user who is not known to exist. */
const NOWHERE = 0;

/** What the check reads: the input, the log, and which items the screen settled as the target's built-in objects. */
interface Search {
  readonly items: Items;
  readonly reading: LogReading;
  readonly progress: JobProgress;
  readonly builtIn: ReadonlySet<number>;
}

/**
 * Turns "already exists" into a failure for users whose id belongs to a user of another organization of the target: the service gives the
 * same answer for both (service behaviour 0.42), but these users of the input have not arrived. If events could not be read when the job
 * began, which was reported, nothing changes. Raises what reading events raises: without this check a run must not end with 0.
 */
export async function failInOtherOrgs(search: Search, ledger: Ledger): Promise<void> {
  const { items, reading, progress } = search;
  const { state } = progress;
  if (state.users.alreadyThere === 0 || state.job?.mark === undefined) return;
  const homes = await readHomes(search);
  const orgOf = ({ org }: Item): string => items.scan.orgs[org]?.orgId ?? "";
  const isAtHome = (item: Item): boolean => homes.of(userIdOf(item.bytes)) === orgOf(item);
  let away = 0;
  for await (const item of existingUsers(search)) if (!isAtHome(item)) away += 1;
  if (away === 0) return;
  const homeOf = await locateUsers(away, homes, reading);
  let unseen = 0;
  for await (const item of existingUsers(search)) {
    const home = isAtHome(item) ? orgOf(item) : await homeOf(userIdOf(item.bytes));
    if (home === undefined) unseen += 1;
    if (home === undefined || home === orgOf(item)) continue;
    ledger.failExisting(toFailure(item, reading.api.redactor.clean(home)));
  }
  if (unseen > 0) reading.ui.warn(unseenLine(unseen));
}

function toFailure({ bytes, index: item, line }: Item, home: string): Failure {
  return {
    type: "human_user",
    id: userIdOf(bytes),
    message: `organization ${shown(home)}`,
    cause: "in-other-org",
    item,
    line,
  };
}

/** Users of the input with an id that were sent, and that this job neither created nor saw fail. */
async function* existingUsers({ items, reading, progress: { state }, builtIn }: Search): AsyncGenerator<Item> {
  const others = new Set([...state.failedItems, ...builtIn]);
  const open = new Set(state.unknown);
  const isOther = (first: number, count: number): boolean => !state.made.covers(first, count);
  for await (const portion of readSection(items, "humanUsers", reading.signal, isOther)) {
    for (const item of portion) {
      const { index } = item;
      if (!state.done.has(index) || state.made.has(index) || others.has(index)) continue;
      const id = userIdOf(item.bytes);
      if (id !== "" && !open.has(id)) yield item;
    }
  }
}

/** Finds the existing users of the input in the log of its own organizations. */
async function readHomes(search: Search): Promise<HomeTable> {
  const homes = new HomeTable();
  for await (const item of existingUsers(search)) homes.want(userIdOf(item.bytes));
  const filter = { eventTypes: lifeEvents, orgIds: search.items.scan.orgs.map(({ orgId }) => orgId) };
  await readLog("looking for users", filter, search.reading, (event) => homes.take(event));
  return homes;
}

/** Returns a function that finds the organization of each of `count` users; undefined for a user without events. */
async function locateUsers(
  count: number,
  homes: HomeTable,
  reading: LogReading,
): Promise<(userId: string) => Promise<string | undefined>> {
  if (count > LOOKED_UP) {
    // All organizations in one reading: a user may have been deleted in one and created in another.
    await readLog("looking for users", { eventTypes: lifeEvents, orgIds: [] }, reading, (event) => homes.take(event));
    return async (userId) => homes.of(userId);
  }
  return async (userId) => {
    const last = await lastLifeEvent(userId, reading);
    return isAlive(last) ? last.aggregate.resourceOwner : undefined;
  };
}

/** The organization in which each wanted user exists, by the events taken so far. */
class HomeTable {
  readonly #homes = new IdTable();
  readonly #orgIds: string[] = [];
  readonly #numbers = new Map<string, number>();

  want(userId: string): void {
    this.#homes.set(userId, NOWHERE);
  }

  take(event: ServiceEvent): void {
    const { id, resourceOwner } = event.aggregate;
    const home = this.#homes.get(id);
    if (home === undefined) return;
    if (isAlive(event)) this.#homes.set(id, this.#numberOf(resourceOwner));
    // Organizations are read in order: this may be a removal from an earlier one.
    else if (home === this.#numberOf(resourceOwner)) this.#homes.set(id, NOWHERE);
  }

  of(userId: string): string | undefined {
    return this.#orgIds[(this.#homes.get(userId) ?? NOWHERE) - 1];
  }

  #numberOf(orgId: string): number {
    const known = this.#numbers.get(orgId);
    if (known !== undefined) return known;
    const number = this.#orgIds.push(orgId);
    this.#numbers.set(orgId, number);
    return number;
  }
}
