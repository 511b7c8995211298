import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { Existing } from "../../../core/transfer/answer/batch-result.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { type Items, readSection } from "../plan/plan.ts";

/** Claims are checked for settled users whenever there are so many. */
const MOST_CLAIMS = 1_000;

/** User ids that occur several times in the input. At most one of the users with an id was created by this job. */
export class RepeatedIds {
  readonly #items: Items;
  readonly #signal: AbortSignal;
  readonly #state: JobState;
  /** The indexes of each repeated id; read after the first lost answer. */
  #indexes: ReadonlyMap<string, readonly number[]> | undefined;
  /** The index of the user that may have been created, by id, until that user is settled. */
  readonly #claims = new Map<string, number>();

  constructor(items: Items, signal: AbortSignal, state: JobState) {
    this.#items = items;
    this.#signal = signal;
    this.#state = state;
  }

  /** An answer says that this user was created. */
  noteCreated({ index, bytes }: Item): void {
    this.#claims.set(userIdOf(bytes), index);
    if (this.#claims.size < MOST_CLAIMS) return;
    for (const [id, claim] of this.#claims) if (this.#state.done.has(claim)) this.#claims.delete(id);
  }

  /**
   * Finds the one user with an id that this job may have created: none if another one is known to be created, otherwise the first that is
   * asked about. An id that was found existing was not created. True for users without an id.
   */
  async firstOfItsId(entries: readonly Existing[]): Promise<(entry: Existing) => boolean> {
    if (!entries.some(({ type, id }) => type === "human_user" && id !== "")) return () => true;
    const indexes = await this.#readIndexes();
    const { made, done, unknown } = this.#state;
    return ({ type, id, item = -1 }) => {
      const same = type === "human_user" ? indexes.get(id) : undefined;
      if (same === undefined) return true;
      if (same.some((index) => index !== item && made.has(index)) || unknown.includes(id)) return false;
      const claim = this.#claims.get(id);
      if (claim !== undefined && !done.has(claim)) return claim === item;
      this.#claims.set(id, item);
      return true;
    };
  }

  /** True when this job is known to have created a user with this id. */
  async isCreated(id: string): Promise<boolean> {
    const indexes = await this.#readIndexes();
    const { made, madeIds } = this.#state;
    return madeIds.includes(id) || indexes.get(id)?.some((index) => made.has(index)) === true;
  }

  async #readIndexes(): Promise<ReadonlyMap<string, readonly number[]>> {
    this.#indexes ??= await readRepeated(this.#items, this.#signal);
    return this.#indexes;
  }
}

/** The indexes of every user id that occurs more than once in the input. Reads all users. */
async function readRepeated(items: Items, signal: AbortSignal): Promise<ReadonlyMap<string, readonly number[]>> {
  const first = new IdTable();
  const indexes = new Map<string, number[]>();
  for await (const portion of readSection(items, "humanUsers", signal)) {
    for (const { index, bytes } of portion) {
      const id = userIdOf(bytes);
      if (id === "") continue;
      const before = first.get(id);
      if (before === undefined) first.set(id, index);
      else indexes.set(id, [...(indexes.get(id) ?? [before]), index]);
    }
  }
  return indexes;
}
