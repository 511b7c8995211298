import type { Item } from "../../core/document/items.ts";
import { userIdOf } from "../../core/document/user-id.ts";
import type { Way } from "../../core/rules/route.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import type { BatchResult, Existing, Failure } from "../../core/transfer/answer/batch-result.ts";
import { toOutcome, type Verdict } from "../../core/transfer/answer/outcome.ts";
import { foldFailure } from "../../core/transfer/job-state.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import type { Journal } from "../../io/journal/journal.ts";
import { type JobProgress, rangeOf } from "./progress.ts";

/** What the target answered about some neighbouring items. */
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
  /** An existing user counts as a failure. */
  readonly failOnExisting: boolean;
  onFailures(failures: readonly Failure[]): void;
  /** Called after each settlement. */
  onSettled(): void;
}

/** Takes the outcome of items, as soon as it is known. */
export type Take = (settlement: Settlement) => void;

/** The one place where the outcomes of items become progress, journal and rejects. */
export class Ledger {
  readonly #progress: JobProgress;
  readonly #journal: Journal;
  readonly #options: LedgerOptions;
  /** Ids of users that were sent; kept only if they can make a difference, because they take memory. */
  readonly #sentIds = new IdTable();

  constructor(progress: JobProgress, journal: Journal, options: LedgerOptions) {
    this.#progress = progress;
    this.#journal = journal;
    this.#options = options;
  }

  /** Writes to the disk that a call with these items is about to be made. Raises output.unwritable, output.full, journal.locked. */
  announce(items: readonly Item[]): void {
    this.#journal.append({ kind: "sending", ...rangeOf(items) });
  }

  /** Items have their outcome; the journal writes it soon. Raises what the journal raises. */
  settle({ items, way, result, whose, carried = [] }: Settlement): void {
    const { failOnExisting, onFailures, onSettled } = this.#options;
    const repeated = failOnExisting ? this.#repeatedUsers(items) : undefined;
    const isRepeat = ({ item }: Existing): boolean => item !== undefined && repeated?.has(item) === true;
    const { unknown, open, failures, made, ...numbers } = toOutcome(result, { whose, isRepeat, failOnExisting });
    const lists = { unknown: [...unknown], open: [...open], failures: [...failures], carried: [...carried] };
    const entry: DoneEntry = {
      kind: "done",
      ...rangeOf(items),
      way,
      users: countUsers(items),
      ...numbers,
      made: toRanges(made),
      ...lists,
    };
    this.#progress.settle(items, entry);
    try {
      this.#journal.appendSoon(entry);
    } finally {
      // The outcome counts even if the disk is full.
      onFailures(entry.failures);
      onSettled();
    }
  }

  /** An existing user turns out to be a failure. No journal entry: a resumed run finds it again. */
  failExisting(failure: Failure): void {
    const { state } = this.#progress;
    state.users.alreadyThere -= 1;
    state.users.failed += 1;
    foldFailure(state, failure);
    this.#options.onFailures([failure]);
  }

  /** Writes every outcome to the disk. Raises as `announce`. */
  flush(): void {
    this.#journal.flush();
  }

  /** Indexes of users whose id this job has sent before: for them an existing id is no conflict. Remembers the other ids. */
  #repeatedUsers(items: readonly Item[]): ReadonlySet<number> {
    const repeated = new Set<number>();
    for (const { key, index, bytes } of items) {
      const id = key === "humanUsers" ? userIdOf(bytes) : "";
      if (id === "") continue;
      if (this.#sentIds.get(id) !== undefined) repeated.add(index);
      this.#sentIds.set(id, 0);
    }
    return repeated;
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
