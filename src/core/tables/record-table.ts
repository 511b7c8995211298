import { grown } from "../json/words.ts";
import { SEEDS } from "./fingerprint.ts";
import { ID_WORDS, IdTable, type SavedTable } from "./id-table.ts";

/** A table of records outside of memory. */
export interface SavedRecords {
  readonly ids: SavedTable;
  readonly records: Uint32Array;
}

/** True for a table that `save` may have given: each id has the number of its own record. */
export function isSavedTable({ ids, records }: SavedRecords, stride: number): boolean {
  if (ids.seeds.length !== SEEDS || ids.records.length % ID_WORDS !== 0) return false;
  const size = ids.records.length / ID_WORDS;
  if (records.length !== size * stride) return false;
  for (let number = 0; number < size; number += 1)
    if (ids.records[number * ID_WORDS + ID_WORDS - 1] !== number) return false;
  return true;
}

/** Records of a fixed number of words, by key; a new record is all zeros. A record is known by the place of its first word. */
export class RecordTable {
  readonly #stride: number;
  readonly #numbers: IdTable;
  #words: Uint32Array<ArrayBuffer>;

  /**
   * @param stride words of a record.
   * @param expected how many records to expect, about.
   * @param saved a table as `save` gave it, of the same stride; without one the table is empty.
   */
  constructor(
    stride: number,
    { expected = 1024, saved }: { expected?: number; saved?: SavedRecords | undefined } = {},
  ) {
    this.#stride = stride;
    this.#numbers = new IdTable(saved?.ids);
    this.#words = new Uint32Array(Math.max(Math.max(1, expected) * stride, saved?.records.length ?? 0));
    if (saved !== undefined) this.#words.set(saved.records);
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** The place of a key's record; undefined without one. */
  find(key: string): number | undefined {
    const number = this.#numbers.get(key);
    return number === undefined ? undefined : number * this.#stride;
  }

  /** The place of a key's record, which is added if there is none. */
  placeOf(key: string): number {
    return this.find(key) ?? this.#add(key);
  }

  /** The places of all records, in the order in which they were added. */
  *places(): Generator<number> {
    for (let number = 0; number < this.size; number += 1) yield number * this.#stride;
  }

  word(at: number): number {
    return this.#words[at] as number; // callers stay within a record
  }

  set(at: number, word: number): void {
    this.#words[at] = word;
  }

  has(at: number, bits: number): boolean {
    return (this.word(at) & bits) !== 0;
  }

  mark(at: number, bits: number): void {
    this.#words[at] = this.word(at) | bits;
  }

  unmark(at: number, bits: number): void {
    this.#words[at] = this.word(at) & ~bits;
  }

  /** Sets the words of [from, to) to 0. */
  clear(from: number, to: number): void {
    this.#words.fill(0, from, to);
  }

  /** A copy from which the same table can be created. */
  save(): SavedRecords {
    return { ids: this.#numbers.save(), records: this.#words.slice(0, this.size * this.#stride) };
  }

  #add(key: string): number {
    const place = this.size * this.#stride;
    this.#numbers.set(key, this.size);
    if (place + this.#stride > this.#words.length) this.#words = grown(this.#words, this.#words.length * 2);
    return place;
  }
}
