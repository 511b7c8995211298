import type { Item } from "../../core/document/items.ts";
import type { Part } from "../../core/document/parts.ts";
import { userIdOf } from "../../core/document/user-id.ts";
import type { Way } from "../../core/rules/route.ts";
import { RangeSet } from "../../core/tables/range-set.ts";
import type { BatchResult, Existing, Failure, Open } from "../../core/transfer/answer/batch-result.ts";
import { toOutcome, type Verdict } from "../../core/transfer/answer/outcome.ts";
import {
  addPlaces,
  addToOthers,
  fold,
  foldExisting,
  foldFailure,
  foldHolder,
  foldMadeMeanwhile,
  type JobState,
  type Resolution,
  resolveOpen,
  resolveUser,
} from "../../core/transfer/job-state.ts";
import type {
  DoneEntry,
  HealedEntry,
  HealingEntry,
  JournalEntry,
  Places,
} from "../../core/transfer/journal-entries.ts";
import { noteLeft, noteUser, UpdateResult, type UserUpdate } from "../../core/update/update-result.ts";
import { type Journal, noJournal } from "../../io/journal/journal.ts";

/** The target's answer about some neighbouring items. */
export interface Settlement {
  readonly items: readonly Item[];
  readonly way: Way;
  readonly result: BatchResult;
  /** Who created an existing object. */
  readonly whose: (existing: Existing) => Verdict;
  /** Indexes of other items that were sent with these. */
  readonly carried?: readonly number[];
}

interface LedgerOptions {
  /** A run of this job has sent items before. */
  readonly isResumed?: boolean;
  /** An existing user counts as a failure. */
  readonly failOnExisting: boolean;
  /** The time for the journal. */
  readonly now?: () => Date;
  onFailures(failures: readonly Failure[]): void;
  /** Called after each settlement. */
  onSettled?(): void;
}

/** A user whose outcome is open. */
interface InFlight {
  readonly id: string;
  readonly way: Way;
  /** The user exists, and is changed. */
  readonly isChange?: true;
}

/** Takes the outcome of items, as soon as it is known. */
export type Take = (settlement: Settlement) => void;

/** What is known of a job: which items are settled, which calls are under way or lost. The only writer of the job's state and journal. */
export class Ledger {
  /** The folded journal. */
  readonly state: JobState;
  /** Users whose outcome is open, by their index in the order of sending. Users that remain at the end are unknown. */
  readonly inFlight = new Map<number, InFlight>();
  /** Indexes of items that every instance has its own of. */
  builtIn: ReadonlySet<number> = new Set();
  #journal: Journal = noJournal;
  #calls = 0;
  #updates: UpdateResult | undefined;
  /** Items that were left. */
  readonly #left = new RangeSet();
  #clock: Date | undefined;
  #lostSince: Date | undefined;
  /** The index of each organization's head. */
  readonly #heads: ReadonlyMap<number, number>;
  readonly #options: LedgerOptions;

  constructor(state: JobState, parts: readonly Part[], options: LedgerOptions) {
    this.state = state;
    this.#options = options;
    this.#heads = new Map(parts.filter(({ section }) => section === undefined).map(({ org, first }) => [org, first]));
    this.#lostSince = options.isResumed === true ? new Date(0) : undefined;
  }

  /** Calls of all runs of the job. */
  get calls(): number {
    return this.state.calls + this.#calls;
  }

  /** The result of the update; undefined without --update. */
  get updates(): UpdateResult | undefined {
    return this.#updates;
  }

  /** The target's clock by its last answer. */
  get clock(): Date | undefined {
    return this.#clock;
  }

  /** The target's clock before the first call with an unknown outcome; 1970 when it is not known. */
  get lostSince(): Date | undefined {
    return this.#lostSince;
  }

  /** True if the target has got nothing of this job, and no user was changed or deleted. */
  get isUntouched(): boolean {
    if (this.#updates?.hasChanges === true) return false;
    return this.state.done.isEmpty && this.state.lost.isEmpty && this.inFlight.size === 0;
  }

  /** Keeps outcomes in this journal from now on; `entries` are new in it. */
  keepIn(journal: Journal, entries: readonly JournalEntry[] = []): void {
    this.#journal = journal;
    for (const entry of entries) fold(this.state, entry);
    if (!this.state.lost.isEmpty) this.#lostSince ??= new Date(0);
  }

  /** Writes to the disk that a call with these items is about to be made. Raises output.unwritable, output.full, journal.locked. */
  announce(items: readonly Item[]): void {
    this.#journal.append({ kind: "sending", ...this.#placesOf(items), ...this.#at() });
  }

  /** A call begins, with these items. */
  begin(items: readonly Item[], way: Way): void {
    this.#calls += 1;
    this.open(items, way);
  }

  /** The outcome of the users among these items is open. */
  open(items: readonly Item[], way: Way): void {
    for (const { index, key, bytes } of items)
      if (key === "humanUsers") this.inFlight.set(index, { id: userIdOf(bytes), way });
  }

  /** The target answered with this date. */
  answered(date: Date | undefined): void {
    this.#clock = date ?? this.#clock;
  }

  /** The service may have worked on these items; `begun` is its clock before that. */
  lose(items: readonly Item[], begun: Date | undefined): void {
    addPlaces(this.state.lost, this.#placesOf(items));
    const since = begun ?? new Date(0);
    if (this.#lostSince === undefined || since < this.#lostSince) this.#lostSince = since;
  }

  /** The service did nothing with these items, unless in an earlier attempt. */
  release(items: readonly Item[]): void {
    for (const { index } of items) if (!this.state.lost.has(index)) this.inFlight.delete(index);
  }

  /** Items have their outcome; the journal writes it soon. Raises what the journal raises. */
  settle({ items, way, result, whose, carried = [] }: Settlement): void {
    const { failOnExisting, onFailures, onSettled } = this.#options;
    const { unknown, open, failures, made, ...numbers } = toOutcome(result, { whose, failOnExisting });
    const lists = { unknown: [...unknown], open: [...open], failures: [...failures], carried: [...carried] };
    const entry: DoneEntry = {
      kind: "done",
      ...this.#placesOf(items),
      ...this.#at(),
      way,
      users: countUsers(items),
      ...numbers,
      made: toRanges(made),
      ...lists,
    };
    fold(this.state, entry);
    for (const { index } of items) this.inFlight.delete(index);
    try {
      this.#journal.appendSoon(entry);
    } finally {
      // The outcome counts even if the disk is full.
      onFailures(entry.failures);
      onSettled?.();
    }
  }

  /** Writes every outcome to the disk. Raises as `announce`. */
  flush(): void {
    this.#journal.flush();
  }

  /** The organization takes no items, for this reason. */
  closeOrg(org: number, failure: Failure): void {
    const head = this.#heads.get(org);
    if (head !== undefined && !this.state.closedHeads.has(head)) this.state.closedHeads.set(head, failure);
  }

  /** Why the organization of an item takes no items; undefined when it does. */
  whyClosed({ org }: Item): Failure | undefined {
    return this.state.closedHeads.get(this.#heads.get(org) ?? -1);
  }

  // These have no journal entry: the target has them, and a resumed run reads them there.

  /** An item that exists is not sent; `type` if it is counted by its type. */
  leave(index: number, type?: string): void {
    if (!this.state.done.has(index)) this.#left.add(index, index);
    this.state.done.add(index, index);
    // An earlier run may have counted it with a call that had no answer.
    this.inFlight.delete(index);
    if (type !== undefined) foldExisting(this.state, type);
  }

  /** True for an item that exists and is not sent. */
  isLeft({ index }: Item): boolean {
    return this.#left.has(index);
  }

  /** The update of existing users begins; returns its result, which grows. */
  beginUpdate(): UpdateResult {
    this.#updates = new UpdateResult();
    return this.#updates;
  }

  /** Users that an earlier run created and left open, and this run has made inactive or locked: their login names by id. */
  readonly closedNow = new Map<string, string>();

  /** Users with a password in the state INITIAL that a killed run may have created: no report names these. Login names by id. */
  readonly leftInitial = new Map<string, string>();

  /** A call begins that is about this user of the input; undefined: a user, or a part of one, that is in no number of the sent. */
  beginChange(user?: { readonly index: number; readonly userId: string }): void {
    this.#calls += 1;
    if (user !== undefined) this.inFlight.set(user.index, { id: user.userId, way: "users", isChange: true });
  }

  /** The changes of an existing user wait for those of others, or were not made. */
  postpone(index: number): void {
    this.inFlight.delete(index);
  }

  /** An existing user is as the plan says. */
  settleUpdate(index: number, update: UserUpdate): void {
    this.inFlight.delete(index);
    if (this.#updates !== undefined && noteUser(update, this.#updates) === "update") this.state.via.users += 1;
  }

  /** The service refuses a change of an existing user. */
  failUpdate(index: number, failure: Failure, update: UserUpdate): void {
    this.inFlight.delete(index);
    if (this.#updates !== undefined) noteLeft(update, this.#updates);
    this.state.users.settled += 1;
    this.state.users.failed += 1;
    this.state.via.users += 1;
    this.fail(failure);
  }

  /** True for a user that existed before the run, and is no failure and no conflict. */
  isExisting({ index, bytes }: Item): boolean {
    const { done, counted, failedItems, failedIds, unknown } = this.state;
    const id = userIdOf(bytes);
    const isConflict = this.#updates?.conflict.some(({ userId }) => userId === id) === true;
    const isOther = counted.has(index) || failedItems.includes(index) || failedIds.has(id) || unknown.includes(id);
    return done.has(index) && !isOther && !isConflict;
  }

  /** A user that existed before the run was deleted, or replaced, since. */
  failGone({ index: item, bytes, line }: Item, cause: "gone" | "taken-over"): void {
    const failure: Failure = { type: "human_user", id: userIdOf(bytes), message: "", cause, item, line };
    // The numbers of an update have a list for each user.
    if (this.#updates === undefined) this.failExisting(failure);
    else this.fail(failure);
  }

  /** An existing user turns out to be a failure. */
  failExisting(failure: Failure): void {
    this.state.users.alreadyThere -= 1;
    this.state.users.failed += 1;
    this.fail(failure);
  }

  /** Writes to the disk that a user is about to be deleted and recreated. Raises as `announce`. */
  beginHealing(entry: Omit<HealingEntry, "kind">): void {
    this.#keep({ kind: "healing", ...entry });
  }

  /** Writes the outcome of a healing to the disk. Raises as `announce`. */
  endHealing(entry: Omit<HealedEntry, "kind">): void {
    this.#keep({ kind: "healed", ...entry });
  }

  /** A user that this job created was deleted, or replaced, by another account or job. Raises as `announce`. */
  failReplaced({ index: item, bytes, line }: Item): void {
    const id = userIdOf(bytes);
    const failure: Failure = { type: "human_user", id, message: "", cause: "taken-over", item, line };
    this.endHealing({ item, id, outcome: "failed", failure });
  }

  /** The same for a machine user, which counts among the other objects. */
  failMachine(id: string, { index: item, line }: Item): void {
    this.failCreated("machine_user");
    this.fail({ type: "machine_user", id, message: "", cause: "taken-over", item, line });
  }

  #keep(entry: HealingEntry | HealedEntry): void {
    this.#journal.append(entry);
    fold(this.state, entry);
    if (entry.kind === "healed" && entry.failure !== undefined) this.#options.onFailures([entry.failure]);
  }

  /** An object that the service reported as created, or as existing, does not exist. Its failure is reported apart. */
  failCreated(type: string): void {
    const isCreated = (this.state.others.get(type)?.created ?? 0) > 0;
    addToOthers(this.state, type, { created: isCreated ? -1 : 0, alreadyThere: isCreated ? 0 : -1, failed: 1 });
  }

  /** Objects that the service reported as existing did not exist, and were created. */
  createExisting(type: string, count: number): void {
    const created = Math.min(count, this.state.others.get(type)?.alreadyThere ?? 0);
    if (created > 0) addToOthers(this.state, type, { created, alreadyThere: -created, failed: 0 });
  }

  /** A part of a head is not sent. Its head has the journal entry. */
  holdBack(type: string): void {
    addToOthers(this.state, type, { created: 0, alreadyThere: 0, failed: 0, heldBack: 1 });
  }

  /** A failure of something that is in no number of users. */
  fail(failure: Failure): void {
    foldFailure(this.state, failure);
    this.#options.onFailures([failure]);
  }

  /** The name of a failed user is taken by the user itself. */
  madeMeanwhile(userId: string): void {
    foldMadeMeanwhile(this.state, userId);
  }

  /** Adds to the failure of a user whose name is taken who has the name. */
  nameHolder(userId: string, holder: string): void {
    foldHolder(this.state, userId, holder);
  }

  /** A look at the target decides about a user without an outcome. */
  resolveUser(id: string, resolution: Resolution): void {
    resolveUser(this.state, id, resolution);
  }

  /** The same for anything else. */
  resolveOpen(open: Open, resolution: Resolution): void {
    resolveOpen(this.state, open, resolution);
  }

  #at(): { at?: number } {
    const { now } = this.#options;
    return now === undefined ? {} : { at: now().getTime() };
  }

  /** The places of some items, at least one. Items between them that were left have no journal entry. */
  #placesOf(items: readonly Item[]): Places & { gaps?: [number, number][] } {
    const [from, to] = [(items[0] as Item).index, (items.at(-1) as Item).index];
    if (this.#left.isEmpty) return { from, to };
    const gaps: [number, number][] = [];
    let next = from;
    for (const { index } of items) {
      if (index > next) for (const gap of this.#left.within(next, index - 1)) gaps.push(gap);
      next = index + 1;
    }
    return gaps.length === 0 ? { from, to } : { from, to, gaps };
  }
}

function countUsers(items: readonly Item[]): number {
  return items.reduce((sum, { key }) => (key === "humanUsers" ? sum + 1 : sum), 0);
}

/** Indexes as ranges of neighbours, in order. */
function toRanges(indexes: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges;
}

/** The wanted items, in runs of neighbours. */
export function runsOf(items: readonly Item[], isWanted: (item: Item) => boolean): Item[][] {
  const runs: Item[][] = [];
  let open: Item[] | undefined;
  for (const item of items) {
    if (!isWanted(item)) open = undefined;
    else if (open === undefined) {
      open = [item];
      runs.push(open);
    } else open.push(item);
  }
  return runs;
}
