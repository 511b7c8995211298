import type { Way } from "../rules/route.ts";
import { RangeSet } from "../tables/range-set.ts";
import { addCounts, type Counts, countOne, type Failure, type Open } from "./answer/batch-result.ts";
import { isReference } from "./answer/cause.ts";
import type { DoneEntry, HealingEntry, JobEntry, JournalEntry, Places } from "./journal-entries.ts";

/** Failures that a report lists; all of them are in the journal. */
const LISTED_FAILURES = 1_000;

/** As many ids of failed users and objects are remembered, to recognize failures that follow from them. */
const REMEMBERED_IDS = 100_000;

/** Where a job stands: what its journal says, folded. The same entries give the same state, live or after a crash. */
export class JobState {
  job: JobEntry | undefined = undefined;
  /** Items that are settled. */
  readonly done = new RangeSet();
  /** Calls that earlier runs of the job made. */
  calls = 0;
  /** Items that an attempt may have sent without an outcome; what is done since is done nevertheless. */
  readonly lost = new RangeSet();
  /** A run of the job was discarded: it may have written concurrently. */
  isRestarted = false;
  /** Places of the users that this job created. */
  readonly made = new RangeSet();
  /** Those of them that count as created: users that a job created before its restart count as existing. */
  readonly counted = new RangeSet();
  /** Ids of users that this job created, by a look at the target. */
  readonly madeIds: string[] = [];
  readonly users = { settled: 0, created: 0, alreadyThere: 0, failed: 0 };
  readonly unknown: string[] = [];
  /** Everything else whose outcome is open. */
  readonly open: Open[] = [];
  /** Of the existing users: how many an attempt of this job may have created. */
  untold = 0;
  /** Users that were sent, by the way they went. */
  readonly via: Record<Way, number> = { import: 0, users: 0 };
  /** Why nothing goes into an organization, by the place of its head. */
  readonly closedHeads = new Map<number, Failure>();
  readonly others = new Map<string, Counts>();
  readonly causes = new Map<string, { count: number; readonly sample: Failure }>();
  readonly failures: Failure[] = [];
  /** Ids of failed users and objects. */
  readonly failedIds = new Set<string>();
  /** Ids of users of this job that another account or job replaced. */
  readonly takenIds = new Set<string>();
  /** Ids of users that were not created: another account may create a user with such an id at any time. */
  readonly uncreatedIds = new Set<string>();
  /** Places of all failed users in the order of sending. */
  readonly failedItems: number[] = [];
  /** Failures of any type. */
  failed = 0;
  /** Users that are being deleted and recreated, by their items. */
  readonly healing = new Map<number, HealingEntry>();
  /** Users that were deleted and recreated: the numbers of the events that recreated them, by id. */
  readonly healed = new Map<string, number>();
}

/** Takes one entry into the state. An entry of kind "sending" is only folded when it is read back. */
export function fold(state: JobState, entry: JournalEntry): void {
  switch (entry.kind) {
    case "job":
      state.job = entry;
      return;
    case "earlier":
      state.isRestarted = true;
      for (const [from, to] of entry.made) state.made.add(from, to);
      for (const [from, to] of entry.lost) state.lost.add(from, to);
      return;
    case "sending":
      // From a journal: the process ended before it wrote the outcome.
      addPlaces(state.lost, entry);
      state.calls += 1;
      return;
    case "done":
      foldDone(state, entry);
      return;
    case "healing":
      state.healing.set(entry.item, entry);
      return;
    case "healed":
      state.healing.delete(entry.item);
      if (entry.outcome === "recreated") state.healed.set(entry.id, entry.sequence ?? 0);
      if (entry.failure === undefined) return;
      state.users.created -= 1;
      state.users.failed += 1;
      foldFailure(state, entry.failure);
      return;
    default:
      entry satisfies never;
  }
}

/** Adds the places of an entry to a set. */
export function addPlaces(set: RangeSet, { from, to, gaps = [] }: Places): void {
  let next = from;
  for (const [first, last] of [...gaps, [to + 1, to + 1] as const]) {
    if (next < first) set.add(next, first - 1);
    next = last + 1;
  }
}

function foldDone(state: JobState, entry: DoneEntry): void {
  addPlaces(state.done, entry);
  for (const item of entry.carried) state.done.add(item, item);
  state.via[entry.way] += entry.users;
  state.untold += entry.untold;
  state.users.settled += entry.users;
  state.users.created += entry.created;
  for (const [from, to] of entry.made) {
    state.made.add(from, to);
    state.counted.add(from, to);
  }
  state.users.alreadyThere += entry.alreadyThere;
  state.users.failed += entry.failed;
  for (const id of entry.unknown) state.unknown.push(id);
  for (const open of entry.open) state.open.push(open);
  for (const [type, counts] of Object.entries(entry.others)) addToOthers(state, type, counts);
  for (const failure of entry.failures) {
    foldFailure(state, failure);
    if (isUncreated(failure) && state.uncreatedIds.size < REMEMBERED_IDS) state.uncreatedIds.add(failure.id);
  }
}

/** Failures of users who exist. */
const AFTER_CREATION: ReadonlySet<string> = new Set([
  "state",
  "state-changed",
  "otp",
  "already-there",
  "there-or-ours",
]);

function isUncreated({ type, id, cause }: Failure): boolean {
  return (type === "human_user" || type === "machine_user") && id !== "" && !AFTER_CREATION.has(cause);
}

/** Takes one failure into the state. */
export function foldFailure(state: JobState, given: Failure): void {
  const failure: Failure = follows(state, given) ? { ...given, cause: "consequence" } : given;
  state.failed += 1;
  if (state.failedIds.size < REMEMBERED_IDS) state.failedIds.add(failure.id);
  if (failure.cause === "taken-over" || failure.cause === "removed-by-other") state.takenIds.add(failure.id);
  if (failure.item !== undefined && failure.type === "human_user") state.failedItems.push(failure.item);
  if (failure.item !== undefined && failure.type === "org") state.closedHeads.set(failure.item, failure);
  if (state.failures.length < LISTED_FAILURES) state.failures.push(failure);
  const cause = state.causes.get(failure.cause);
  if (cause === undefined) state.causes.set(failure.cause, { count: 1, sample: failure });
  else cause.count += 1;
}

/** Adds to the failure of a user whose name is taken who has the name. */
export function foldHolder({ failures, causes }: JobState, userId: string, holder: string): void {
  const at = failures.findIndex(({ id, cause }) => id === userId && cause === "user-name-taken");
  const failure = failures[at];
  if (failure === undefined) return;
  const named = { ...failure, holder };
  failures[at] = named;
  const known = causes.get(failure.cause);
  if (known?.sample === failure) causes.set(failure.cause, { ...known, sample: named });
}

/** The failure of a user whose name is taken has another cause: another run has created the user. */
export function foldMadeMeanwhile({ failures, causes }: JobState, userId: string): void {
  const at = failures.findIndex(({ id, cause }) => id === userId && cause === "user-name-taken");
  const failure = failures[at];
  const taken = causes.get("user-name-taken");
  if (failure === undefined || taken === undefined) return;
  const named: Failure = { ...failure, cause: "made-meanwhile" };
  failures[at] = named;
  const known = causes.get(named.cause);
  causes.set(named.cause, { count: (known?.count ?? 0) + 1, sample: known?.sample ?? named });
  const sample = failures.find(({ cause }) => cause === "user-name-taken") ?? taken.sample;
  if (taken.count > 1) causes.set("user-name-taken", { count: taken.count - 1, sample });
  else causes.delete("user-name-taken");
}

/** True for an object that refers to a failed one: its id is made of the ids of the objects that it refers to, with "_" between them. */
function follows({ failedIds }: JobState, { cause, id }: Failure): boolean {
  if (!isReference(cause)) return false;
  for (let at = id.indexOf("_"); at !== -1; at = id.indexOf("_", at + 1)) {
    if (failedIds.has(id.slice(0, at)) || failedIds.has(id.slice(at + 1))) return true;
  }
  return failedIds.has(id);
}

/** Adds to the counts of what is no human user. */
export function addToOthers(state: JobState, type: string, counts: Counts): void {
  state.others.set(type, addCounts(state.others.get(type), counts));
}

/** Counts an existing object that is not sent. */
export function foldExisting(state: JobState, type: string): void {
  countOne(state.others, type, "alreadyThere");
}

/** Why something that no answer mentions is a failure: it does not exist; or it does, and another account or job replaced it. */
const failedBy = { missing: "not-made", taken: "taken-over" } as const;

/** What a look at the target said of something that no answer mentions. */
export type Resolution = "created" | "alreadyThere" | keyof typeof failedBy | "unknown";

/** Settles a user whose outcome was open. */
export function resolveUser(state: JobState, id: string, resolution: Resolution): void {
  if (resolution === "unknown") return;
  state.unknown.splice(state.unknown.indexOf(id), 1);
  if (resolution === "created" || resolution === "alreadyThere") {
    state.users[resolution] += 1;
    if (resolution === "created") state.madeIds.push(id);
    return;
  }
  state.users.failed += 1;
  foldFailure(state, { type: "human_user", id, message: "", cause: failedBy[resolution] });
}

/** Settles anything else whose outcome was open. */
export function resolveOpen(state: JobState, open: Open, resolution: Resolution): void {
  if (resolution === "unknown") return;
  state.open.splice(state.open.indexOf(open), 1);
  const counts = { created: 0, alreadyThere: 0, failed: 0, unknown: -1 };
  const isDone = resolution === "created" || resolution === "alreadyThere";
  counts[isDone ? resolution : "failed"] = 1;
  addToOthers(state, open.type, counts);
  if (isDone) return;
  const { type, id, item, line } = open;
  const failure: Failure = { type, id, message: "", cause: failedBy[resolution], item, line };
  foldFailure(state, failure);
}
