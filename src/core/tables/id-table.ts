import { randomFillSync } from "node:crypto";
import { SEEDS, TextFingerprints } from "./fingerprint.ts";
import { KeyTable } from "./key-table.ts";

/** Words of a record: the key, then the mark. */
export const ID_WORDS = 4;
const STRIDE = ID_WORDS;
const MARK = ID_WORDS - 1;

/** The seeds and the records of a table. */
export interface SavedTable {
  readonly seeds: Uint32Array;
  readonly records: Uint32Array;
}

/**
 * A table of ids with a mark each, which remembers fingerprints of 96 bits instead of texts: about 22 bytes an id. The seeds are
 * random in each run, so no input can contain two ids chosen to share one; by chance two of a million do with probability 6e-18.
 */
export class IdTable {
  readonly #seeds: Uint32Array;
  readonly #fingerprints: TextFingerprints;
  readonly #table = new KeyTable({ stride: STRIDE, words: 3 });

  /** @param saved a table as `save` gave it; without one it is empty. */
  constructor(saved?: SavedTable) {
    this.#seeds = saved?.seeds ?? randomFillSync(new Uint32Array(SEEDS));
    this.#fingerprints = new TextFingerprints(this.#seeds);
    if (saved === undefined) return;
    for (let at = 0; at < saved.records.length; at += STRIDE) {
      this.#mark(this.#table.add(saved.records, at), saved.records[at + MARK] as number);
    }
  }

  /** What the same table can be made from again. */
  save(): SavedTable {
    return { seeds: this.#seeds, records: this.#table.records.slice(0, this.size * STRIDE) };
  }

  get size(): number {
    return this.#table.size;
  }

  /** Puts an id in with a mark (a whole number from 0 on), or changes its mark. */
  set(id: string, mark: number): void {
    const key = this.#fingerprints.of(id);
    const known = this.#table.find(key, 0);
    this.#mark(known === -1 ? this.#table.add(key, 0) : known, mark);
  }

  /** The mark of an id, undefined when it is not in the table. */
  get(id: string): number | undefined {
    const record = this.#table.find(this.#fingerprints.of(id), 0);
    return record === -1 ? undefined : this.#table.records[record * STRIDE + MARK];
  }

  #mark(record: number, mark: number): void {
    this.#table.records[record * STRIDE + MARK] = mark;
  }
}
