import { grown } from "../json/words.ts";
import { KeyIndex } from "./key-index.ts";

/** Words of a record, and how many of them, from the first on, are its key. */
interface RecordForm {
  readonly stride: number;
  readonly words: 2 | 3;
}

/** Records of a fixed number of words in one array, each found by the key with which it begins. They are numbered from 0. */
export class KeyTable {
  readonly #form: RecordForm;
  readonly #index: KeyIndex;
  #records: Uint32Array<ArrayBuffer>;
  #size = 0;

  constructor(form: RecordForm) {
    this.#form = form;
    this.#index = new KeyIndex({ ...form, offset: 0 }, 0);
    this.#records = new Uint32Array(1024 * form.stride);
  }

  get size(): number {
    return this.#size;
  }

  /** The words of all records, and room behind them. Valid until the next `add`. */
  get records(): Uint32Array<ArrayBuffer> {
    return this.#records;
  }

  /** The number of the record with the key that begins at `at`, or -1. */
  find(key: Uint32Array, at: number): number {
    return this.#size === 0 ? -1 : this.#index.find(this.#records, key, at);
  }

  /** Adds a record with a new key, whose other words are 0, and returns its number. */
  add(key: Uint32Array, at: number): number {
    const { stride, words } = this.#form;
    const record = this.#size;
    this.#size += 1;
    if (this.#size * stride > this.#records.length) this.#records = grown(this.#records, this.#records.length * 2);
    for (let word = 0; word < words; word += 1) this.#records[record * stride + word] = key[at + word] as number;
    this.#index.put(this.#records, record);
    return record;
  }
}
