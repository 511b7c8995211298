import type { Absence } from "../../admin/users-api.ts";
import type { Item } from "../../core/document/items.ts";
import type { Part } from "../../core/document/parts.ts";
import { userIdOf } from "../../core/document/user-id.ts";
import type { Way } from "../../core/rules/route.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import type { Failure } from "../../core/transfer/answer/batch-result.ts";
import type { Batch } from "../../core/transfer/batches.ts";
import { fold, type JobState } from "../../core/transfer/job-state.ts";
import type { DoneEntry } from "../../core/transfer/journal-entries.ts";
import type { UpdateResult } from "../../core/update/update-result.ts";
import type { KnownOnes } from "./provenance/same-object.ts";

/** A user whose outcome is open. */
interface InFlight {
  readonly id: string;
  readonly way: Way;
}

/** How far a job is: what is settled, what is under way, and what was lost on the way. */
export class JobProgress {
  /** What the journal says. */
  readonly state: JobState;
  /** Users whose outcome is open, by their place in the order of sending. What is left at the end is unknown. */
  readonly inFlight = new Map<number, InFlight>();
  /** Calls of this run. */
  calls = 0;
  /** The target's clock by its last answer. */
  clock: Date | undefined;
  /** The target's clock before the first attempt whose outcome was lost; the beginning of time when that is not known. */
  lostSince: Date | undefined;
  /** Places of what is the instance's own, and there already. */
  readonly leftAlone = new Set<number>();
  /** Places of users who were removed from this very organization, and are sent to come back. */
  readonly comingBack = new Set<number>();
  /** What has been read of things that the service does not tell apart. */
  readonly knownOnes: KnownOnes = new Map();
  /** The places of ids that stand several times in the input, once somebody has looked, and which of them may have made the user. */
  readonly repeated: { places?: ReadonlyMap<string, readonly number[]>; readonly given: Map<string, number> } = {
    given: new Map(),
  };
  /** Something has gone wrong that ends the run: whoever waits for a turn is not sent any more. */
  isStopping = false;
  /** The users API has made somebody. */
  hasUsersApi = false;
  /** Why the target turned out not to know the users API. */
  usersApiAbsence: Absence | undefined;
  /** What bringing users up to date has come to; undefined where that is not wanted. */
  updates: UpdateResult | undefined;
  /** Ids of users that were sent, as far as somebody asked for them. */
  readonly #sentIds = new IdTable();

  /** The place of each organization's head. */
  readonly #heads: ReadonlyMap<number, number>;

  constructor(state: JobState, resumed: boolean, parts: readonly Part[]) {
    this.state = state;
    this.#heads = new Map(parts.filter(({ section }) => section === undefined).map(({ org, first }) => [org, first]));
    this.lostSince = resumed ? new Date(0) : undefined;
  }

  /** A user goes out: from here on the outcome is open. */
  begin({ index, bytes }: Item, way: Way): void {
    this.open(index, userIdOf(bytes), way);
  }

  /** The same, for somebody whose id is known. */
  open(index: number, id: string, way: Way): void {
    this.inFlight.set(index, { id, way });
  }

  /** The service may have worked on these; `begun` is its clock before that. */
  lose(items: readonly Item[], begun: Date | undefined): void {
    const { from, to } = rangeOf(items);
    this.state.lost.add(from, to);
    const since = begun ?? new Date(0);
    if (this.lostSince === undefined || since < this.lostSince) this.lostSince = since;
  }

  /** Nothing was done with these, unless by an earlier attempt. */
  forget(items: readonly Item[]): void {
    for (const { index } of items) if (!this.state.lost.has(index)) this.inFlight.delete(index);
  }

  /** An answer says that this user was made: of an id that stands several times, no other place has made it. Kept until it is settled. */
  noteMade({ index, bytes }: Item): void {
    this.repeated.given.set(userIdOf(bytes), index);
  }

  /** These have their outcome. */
  settle(items: readonly Item[], entry: DoneEntry): void {
    fold(this.state, entry);
    for (const { index } of items) this.inFlight.delete(index);
    const { given } = this.repeated;
    for (const [id, place] of given) if (this.state.done.has(place)) given.delete(id);
  }

  /** Nothing can go into an organization, for that reason. */
  closeOrg(org: number, failure: Failure): void {
    const head = this.#heads.get(org);
    if (head !== undefined && !this.state.closedHeads.has(head)) this.state.closedHeads.set(head, failure);
  }

  /** Why nothing can go into the organization of an item; undefined when it can. */
  whyClosed({ org }: Item): Failure | undefined {
    return this.state.closedHeads.get(this.#heads.get(org) ?? -1);
  }

  /** Places of users whose id this job has sent before: that it is there already is no conflict. Remembers the others. */
  repeatedUsers({ items }: Pick<Batch, "items">): ReadonlySet<number> {
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

/** The places of the first and the last of some items. */
export function rangeOf(items: readonly Item[]): { readonly from: number; readonly to: number } {
  return { from: (items[0] as Item).index, to: (items.at(-1) as Item).index }; // never asked of none
}

/** How many of some items are users. */
export function countUsers(items: readonly Item[]): number {
  return items.reduce((sum, { key }) => (key === "humanUsers" ? sum + 1 : sum), 0);
}
