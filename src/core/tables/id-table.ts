import { randomFillSync } from "node:crypto";
import { Fingerprints } from "./fingerprint.ts";
import { KeyIndex } from "./key-index.ts";

/** Words of a record: the key, then the mark. */
export const ID_WORDS = 4;
/** Words of the seeds. */
export const SEEDS = 3;
const STRIDE = ID_WORDS;
const MARK = ID_WORDS - 1;
/** Bytes that a character takes at most, of those that a string counts. */
const UTF8_BYTES = 3;

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
  readonly #fingerprints: Fingerprints;
  readonly #index = new KeyIndex({ stride: STRIDE, offset: 0, words: 3 }, 0);
  #records = new Uint32Array(1024 * STRIDE);
  #size = 0;
  readonly #key = new Uint32Array(3);
  #text = Buffer.allocUnsafe(1024);
  #view = new DataView(this.#text.buffer, this.#text.byteOffset, this.#text.length);

  /** @param saved a table as `save` gave it; without one it is empty. */
  constructor(saved?: SavedTable) {
    this.#seeds = saved?.seeds ?? randomFillSync(new Uint32Array(SEEDS));
    this.#fingerprints = new Fingerprints(this.#seeds);
    for (let at = 0; at < (saved?.records.length ?? 0); at += STRIDE) {
      if ((this.#size + 1) * STRIDE > this.#records.length) this.#grow();
      this.#records.set((saved as SavedTable).records.subarray(at, at + STRIDE), at); // it has records
      this.#size += 1;
      this.#index.put(this.#records, this.#size - 1);
    }
  }

  /** What the same table can be made from again. */
  save(): SavedTable {
    return { seeds: this.#seeds, records: this.#records.slice(0, this.#size * STRIDE) };
  }

  get size(): number {
    return this.#size;
  }

  /** Puts an id in with a mark (a whole number from 0 on), or changes its mark. */
  set(id: string, mark: number): void {
    const known = this.#find(id);
    if (known !== -1) {
      this.#records[known * STRIDE + MARK] = mark;
      return;
    }
    if ((this.#size + 1) * STRIDE > this.#records.length) this.#grow();
    const record = this.#size;
    this.#records.set(this.#key, record * STRIDE);
    this.#records[record * STRIDE + MARK] = mark;
    this.#size += 1;
    this.#index.put(this.#records, record);
  }

  /** The mark of an id, undefined when it is not in the table. */
  get(id: string): number | undefined {
    const record = this.#find(id);
    return record === -1 ? undefined : this.#records[record * STRIDE + MARK];
  }

  /** The id's record, or -1; its key stays in the scratch. */
  #find(id: string): number {
    const room = id.length * UTF8_BYTES;
    if (room > this.#text.length) {
      this.#text = Buffer.allocUnsafe(room * 2);
      this.#view = new DataView(this.#text.buffer, this.#text.byteOffset, this.#text.length);
    }
    this.#fingerprints.id(this.#view, 0, this.#text.write(id), this.#key, 0);
    return this.#index.find(this.#records, this.#key, 0);
  }

  #grow(): void {
    const grown = new Uint32Array(this.#records.length * 2);
    grown.set(this.#records);
    this.#records = grown;
  }
}
