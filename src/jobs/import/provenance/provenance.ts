import { listEvents } from "../../../admin/events.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { BatchResult, Existing, Failure } from "../../../core/transfer/answer/batch-result.ts";
import type { Verdict } from "../../../core/transfer/answer/outcome.ts";
import type { Batch } from "../../../core/transfer/batches.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { ProblemError } from "../../../problem.ts";
import { isNotTold } from "../../shared/not-offered.ts";
import { isOwn, type OwnMarks } from "../../shared/user-life.ts";
import type { JobProgress } from "../progress.ts";
import type { SendContext } from "../ways/way.ts";
import { placesOfRepeated } from "./repeated-ids.ts";

/** Objects whose making leaves an event with their id as its aggregate (service behaviour 3). */
const tracedTypes: Readonly<Record<string, string>> = {
  human_user: "user.human.added",
  machine_user: "user.machine.added",
  org: "org.added",
  project: "project.added",
  action: "action.added",
};

/** Clocks of several servers behind one address differ a little. */
const CLOCK_MARGIN_MS = 5_000;
/** So many objects without an event since the job began are looked up one by one. */
const LOOKED_UP = 200;

/**
 * After an attempt without an outcome, "already there" may mean "made by that attempt". The target's events tell: what this job's service
 * user made since the job began, in the organization that the input names, is this job's; anything else is not. Where they cannot be
 * read, or there are none of the object at all, it cannot be told.
 */
export async function ownObjects(
  existing: readonly Existing[],
  batch: Batch,
  context: SendContext,
  progress: JobProgress,
): Promise<(entry: Existing) => Verdict> {
  const { lost } = progress.state;
  const batchLost = batch.items.some(({ index }) => lost.has(index));
  const isCandidate = ({ item }: Existing): boolean => (item === undefined ? batchLost : lost.has(item));
  const isTraced = ({ type }: Existing): boolean => Object.hasOwn(tracedTypes, type);
  const traced = existing.filter((entry) => isCandidate(entry) && isTraced(entry));
  if (traced.length === 0) return (entry) => (isCandidate(entry) ? "ours" : "theirs");
  const verdicts = await tellApart(traced, batch, context, progress);
  const isFirst = await firstOfItsId(traced, context, progress);
  return (entry) => {
    if (!isCandidate(entry)) return "theirs";
    if (!isTraced(entry)) return "ours";
    const verdict = verdicts.get(`${entry.type} ${entry.id}`) ?? "untold";
    // Of an id that stands several times in the input, only one can have been made.
    return verdict === "theirs" || isFirst(entry) ? verdict : "theirs";
  };
}

/**
 * A user without an id cannot come back as "already there": sent a second time, its name is taken, perhaps by itself. After a lost
 * attempt that is no failure but an open outcome.
 */
export function leaveOpenNames<T extends BatchResult>(result: T, { lost }: Pick<JobState, "lost">): T {
  const isOpen = ({ id, cause, item }: Failure): boolean =>
    id === "" && cause === "user-name-taken" && item !== undefined && lost.has(item);
  const open = result.failures.filter(isOpen);
  if (open.length === 0) return result;
  const failures = result.failures.filter((failure) => !isOpen(failure));
  return { ...result, failures, unknown: [...result.unknown, ...open.map(({ id }) => id)] };
}

/** Whose each of these is, by type and id. */
async function tellApart(
  entries: readonly Existing[],
  batch: Batch,
  context: SendContext,
  progress: JobProgress,
): Promise<ReadonlyMap<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const mark = progress.state.job?.mark;
  if (mark === undefined) return verdicts;
  try {
    const owner = await ownerOf(batch, mark, context);
    const made = await madeSince(entries, later(mark, progress.lostSince), owner, context);
    const open = entries.filter(({ id }) => !made.has(id));
    for (const { type, id } of entries) if (made.has(id)) verdicts.set(`${type} ${id}`, "ours");
    // A clock between us and the target may go wrong: what is not found by it is looked for without.
    if (open.length > LOOKED_UP && progress.lostSince !== undefined) {
      const madeAtAll = await madeSince(open, mark, owner, context);
      for (const { type, id } of open) verdicts.set(`${type} ${id}`, madeAtAll.has(id) ? "ours" : otherwise(context));
    } else for (const one of open) verdicts.set(`${one.type} ${one.id}`, await lookUp(one, owner, context));
    return verdicts;
  } catch (error) {
    if (error instanceof ProblemError && isNotTold(error.problem.code)) return verdicts;
    throw error;
  }
}

type MarksOf = (one: Existing) => OwnMarks;

/** What the event of the making of a thing must say to be this job's own. */
async function ownerOf({ items }: Batch, mark: string, { scan, self }: SendContext): Promise<MarksOf> {
  const orgs = new Map(items.map(({ index, org }) => [index, scan.orgs[org]?.orgId]));
  const user = await self();
  return ({ item = -1 }) => ({ mark, self: user, orgId: orgs.get(item) });
}

/** spec: Events; objects of an instance import may come without events, so having none says nothing. */
function otherwise({ scan }: Pick<SendContext, "scan">): Verdict {
  return scan.container === "dataOrgs" ? "theirs" : "untold";
}

/** Which of these ids came to be since the job began, looked for among the events after a time. Raises what reading events raises. */
async function madeSince(
  entries: readonly Existing[],
  after: string,
  marksOf: MarksOf,
  { api, retry, signal }: SendContext,
): Promise<ReadonlySet<string>> {
  const wanted = new Map(entries.map((one) => [one.id, one]));
  const eventTypes = [...new Set(entries.map(({ type }) => tracedTypes[type] as string))]; // filtered by the caller
  const made = new Set<string>();
  for await (const event of listEvents(api, { eventTypes, after }, retry, signal)) {
    const one = wanted.get(event.aggregate.id);
    if (one !== undefined && isOwn(event, marksOf(one))) made.add(one.id);
    if (made.size === wanted.size) break;
  }
  return made;
}

/** What the newest event of its making says of one thing. */
async function lookUp(one: Existing, marksOf: MarksOf, context: SendContext): Promise<Verdict> {
  const { type, id } = one;
  const { api, retry, signal } = context;
  const request = { limit: 1, asc: false, aggregate_id: id, event_types: [tracedTypes[type] as string] }; // of a traced type
  const { events } = await withRetry(() => api.searchEvents(request, signal), retry, signal);
  const made = events[0];
  if (made === undefined) return otherwise(context);
  return isOwn(made, marksOf(one)) ? "ours" : "theirs";
}

/**
 * Tells the one place of an id that may have made it: none, if another place of it has; else the first that asks. A place that found
 * it there has not made it. Of a user without an id nothing can be said.
 */
export async function firstOfItsId(
  entries: readonly Existing[],
  context: SendContext,
  { state, repeated }: JobProgress,
): Promise<(entry: Existing) => boolean> {
  const users = entries.filter(({ type, id }) => type === "human_user" && id !== "");
  if (users.length === 0) return () => true;
  repeated.places ??= await placesOfRepeated(context);
  const { places, given } = repeated;
  return ({ type, id, item = -1 }) => {
    const same = type === "human_user" ? places.get(id) : undefined;
    if (same === undefined) return true;
    if (same.some((place) => place !== item && state.made.has(place)) || state.unknown.includes(id)) return false;
    if (!given.has(id)) given.set(id, item);
    return given.get(id) === item;
  };
}

function later(mark: string, clock: Date | undefined): string {
  const recent = clock === undefined ? undefined : new Date(clock.getTime() - CLOCK_MARGIN_MS);
  return recent !== undefined && recent.getTime() > Date.parse(mark) ? recent.toISOString() : mark;
}
