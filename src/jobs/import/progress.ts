import type { Item } from "../../core/document/items.ts";
import { userIdOf } from "../../core/document/user-id.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import type { Batch } from "../../core/transfer/batches.ts";
import { fold, type JobState } from "../../core/transfer/job-state.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";

/** How far a job is: what is settled, what is under way, and what was lost on the way. */
export class JobProgress {
  /** What the journal says. */
  readonly state: JobState;
  /** Users of batches whose outcome is open: place in the order of sending → id. What is left at the end is unknown. */
  readonly inFlight = new Map<number, string>();
  /** Calls of this run. */
  calls = 0;
  /** The target's clock by its last answer. */
  clock: Date | undefined;
  /** The target's clock before the first attempt whose outcome was lost; the beginning of time when that is not known. */
  lostSince: Date | undefined;
  /** Ids of users that were sent, as far as somebody asked for them. */
  readonly #sentIds = new IdTable();

  constructor(state: JobState, resumed: boolean) {
    this.state = state;
    this.lostSince = resumed ? new Date(0) : undefined;
  }

  /** A batch goes out: from here on its outcome is open. Returns how many users it has. */
  begin({ items }: Batch): number {
    this.calls += 1;
    let users = 0;
    for (const { key, index, bytes } of items) {
      if (key !== "humanUsers") continue;
      users += 1;
      this.inFlight.set(index, userIdOf(bytes));
    }
    return users;
  }

  /** The service may have worked on the batch; `begun` is its clock before that. */
  lose(batch: Batch, begun: Date | undefined): void {
    const { from, to } = rangeOf(batch);
    this.state.lost.add(from, to);
    const since = begun ?? new Date(0);
    if (this.lostSince === undefined || since < this.lostSince) this.lostSince = since;
  }

  /** Refused as a whole: nothing was done, unless by an earlier attempt. */
  forget({ items }: Batch): void {
    for (const { index } of items) if (!this.state.lost.has(index)) this.inFlight.delete(index);
  }

  /** The batch has its outcome. */
  settle({ items }: Batch, entry: DoneEntry): void {
    fold(this.state, entry);
    for (const { index } of items) this.inFlight.delete(index);
  }

  /** Places of users whose id this job has sent before: that it is there already is no conflict. Remembers the others. */
  repeatedUsers({ items }: Batch): ReadonlySet<number> {
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

/** The places of the first and the last item of a batch. */
export function rangeOf({ items }: Batch): { readonly from: number; readonly to: number } {
  return { from: (items[0] as Item).index, to: (items.at(-1) as Item).index }; // a batch has at least one item
}
