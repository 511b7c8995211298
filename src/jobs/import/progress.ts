import type { Item } from "../../core/document/items.ts";
import type { Part } from "../../core/document/parts.ts";
import { userIdOf } from "../../core/document/user-id.ts";
import type { Way } from "../../core/rules/route.ts";
import type { Failure } from "../../core/transfer/answer/batch-result.ts";
import { fold, type JobState } from "../../core/transfer/job-state.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import type { UpdateResult } from "../../core/update/update-result.ts";

/** A user whose outcome is open. */
interface InFlight {
  readonly id: string;
  readonly way: Way;
}

/** How far a job is: which items are settled, which calls are under way, and which calls have an unknown outcome. */
export class JobProgress {
  /** The folded journal. */
  readonly state: JobState;
  /** Users whose outcome is open, by their index in the order of sending. Users that remain at the end are unknown. */
  readonly inFlight = new Map<number, InFlight>();
  /** Calls of this run. */
  calls = 0;
  /** The result of the update; undefined without --update. */
  updates: UpdateResult | undefined;
  #clock: Date | undefined;
  #lostSince: Date | undefined;
  /** The index of each organization's head. */
  readonly #heads: ReadonlyMap<number, number>;

  constructor(state: JobState, resumed: boolean, parts: readonly Part[]) {
    this.state = state;
    this.#heads = new Map(parts.filter(({ section }) => section === undefined).map(({ org, first }) => [org, first]));
    this.#lostSince = resumed ? new Date(0) : undefined;
  }

  /** The target's clock by its last answer. */
  get clock(): Date | undefined {
    return this.#clock;
  }

  /** The target's clock before the first call with an unknown outcome; 1970 when it is not known. */
  get lostSince(): Date | undefined {
    return this.#lostSince;
  }

  /** The target answered with this date. */
  answered(date: Date | undefined): void {
    this.#clock = date ?? this.#clock;
  }

  /** A user is sent: its outcome is open. */
  begin({ index, bytes }: Item, way: Way): void {
    this.open(index, userIdOf(bytes), way);
  }

  /** The same, for a user whose id is known. */
  open(index: number, id: string, way: Way): void {
    this.inFlight.set(index, { id, way });
  }

  /** The service may have worked on these items; `begun` is its clock before that. */
  lose(items: readonly Item[], begun: Date | undefined): void {
    const { from, to } = rangeOf(items);
    this.state.lost.add(from, to);
    const since = begun ?? new Date(0);
    if (this.#lostSince === undefined || since < this.#lostSince) this.#lostSince = since;
  }

  /** The service did nothing with these items, unless in an earlier attempt. */
  release(items: readonly Item[]): void {
    for (const { index } of items) if (!this.state.lost.has(index)) this.inFlight.delete(index);
  }

  /** These items have their outcome. */
  settle(items: readonly Item[], entry: DoneEntry): void {
    fold(this.state, entry);
    for (const { index } of items) this.inFlight.delete(index);
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
}

/** The indexes of the first and the last of some items; there must be one. */
export function rangeOf(items: readonly Item[]): { readonly from: number; readonly to: number } {
  return { from: (items[0] as Item).index, to: (items.at(-1) as Item).index };
}
