import type { ServiceEvent } from "../../../contract/events.ts";
import { type Item, readItems } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { foldFailure } from "../../../core/transfer/job-state.ts";
import { shown } from "../../../problem/format.ts";
import { unseenLine } from "../../../ui/summary/import-summary.ts";
import { type LogReading, readLog } from "../../shared/read-log.ts";
import { isAlive, LOOKED_UP, lastLifeEvent, lifeEvents } from "../../shared/user-life.ts";
import type { JobProgress } from "../progress.ts";
import type { SendContext } from "../ways/way.ts";

/** The mark of a user who is not known to exist. */
const NOWHERE = 0;

type Context = LogReading &
  Pick<SendContext, "scan" | "parts" | "read"> & { onFailures(failures: readonly Failure[]): void };

/**
 * Turns "already there" into a failure for users whose id belongs to a user of another organization of the target: the service answers
 * alike for both (service behaviour 0.42), and these users of the input have not arrived. Where events could not be read when the job
 * began, which was reported, nothing changes. Raises what reading events raises: a run that could not check this must not end with 0.
 */
export async function failElsewhere(context: Context, progress: JobProgress): Promise<void> {
  const { state } = progress;
  if (state.users.alreadyThere === 0 || state.job?.mark === undefined) return;
  const homes = await readHomes(context, progress);
  const isAtHome = (item: Item): boolean => homes.of(userIdOf(item.bytes)) === orgOf(item, context);
  let away = 0;
  for await (const item of existing(context, progress)) if (!isAtHome(item)) away += 1;
  if (away === 0) return;
  const homeOf = await locateUsers(away, homes, context);
  let unseen = 0;
  for await (const item of existing(context, progress)) {
    const home = isAtHome(item) ? orgOf(item, context) : await homeOf(userIdOf(item.bytes));
    if (home === undefined) unseen += 1;
    if (home === undefined || home === orgOf(item, context)) continue;
    const failure = toFailure(item, context.api.redactor.clean(home));
    state.users.alreadyThere -= 1;
    state.users.failed += 1;
    foldFailure(state, failure);
    context.onFailures([failure]);
  }
  if (unseen > 0) context.ui.warn(unseenLine(unseen));
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

function orgOf({ org }: Item, { scan }: Pick<Context, "scan">): string {
  return scan.orgs[org]?.orgId ?? "";
}

/** Users of the input with an id who were sent, and whom this job neither created nor saw fail. */
async function* existing(
  { scan, parts, read, signal }: Pick<Context, "scan" | "parts" | "read" | "signal">,
  { state, leftAlone }: Pick<JobProgress, "state" | "leftAlone">,
): AsyncGenerator<Item> {
  const others = new Set([...state.failedItems, ...leftAlone]);
  const open = new Set(state.unknown);
  const users = parts.filter(({ section }) => section?.key === "humanUsers");
  for await (const items of readItems(users, scan, read, (first, count) => !state.made.covers(first, count))) {
    signal.throwIfAborted();
    for (const item of items) {
      const { index } = item;
      if (!state.done.has(index) || state.made.has(index) || others.has(index)) continue;
      const id = userIdOf(item.bytes);
      if (id !== "" && !open.has(id)) yield item;
    }
  }
}

/** Which of the existing users of the input are in one of its organizations, by the log of these alone. */
async function readHomes(context: Context, progress: JobProgress): Promise<HomeTable> {
  const homes = new HomeTable();
  for await (const item of existing(context, progress)) homes.want(userIdOf(item.bytes));
  const filter = { eventTypes: lifeEvents, orgIds: context.scan.orgs.map(({ orgId }) => orgId) };
  await readLog("looking for users", filter, context, (event) => homes.take(event));
  return homes;
}

/** Returns a function that tells in which organization each of so many users exists; undefined where no event says so. */
async function locateUsers(
  count: number,
  homes: HomeTable,
  context: Context,
): Promise<(userId: string) => Promise<string | undefined>> {
  if (count > LOOKED_UP) {
    // Of all organizations in one row: a user may have been deleted in one and created in another.
    await readLog("looking for users", { eventTypes: lifeEvents, orgIds: [] }, context, (event) => homes.take(event));
    return async (userId) => homes.of(userId);
  }
  return async (userId) => {
    const last = await lastLifeEvent(userId, context);
    return isAlive(last) ? last.aggregate.resourceOwner : undefined;
  };
}

/** In which organization each of some users exists, by the events that were taken. */
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
    // Organizations are read one after the other: this may be a removal from an earlier one.
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
