import { PartMemory, type PartSettings, type PartStore } from "./part-store.ts";

/** A small part costs a look at the store for little. */
const LEAST_ROWS = 2 ** 14;
/** How many parts there are at most. */
const PARTS = 256;

/**
 * Records by the numbers of rows, which come in any order and are asked for in the order of the rows. A record begins with how many
 * words it has and its row's number.
 */
export class NumberedRecords {
  readonly #store: PartStore;
  readonly #memory = new PartMemory();
  readonly #rowsEach: number;
  /** By the number in the part: where its record begins + 1; 0 = there is none. */
  readonly #places: Uint32Array;
  #part = -1;
  #words: Uint32Array = new Uint32Array(0);

  /** @param rows no number is larger. */
  constructor({ createStore }: PartSettings, rows: number) {
    this.#store = createStore();
    this.#rowsEach = Math.max(LEAST_ROWS, Math.ceil((rows + 1) / PARTS));
    this.#places = new Uint32Array(this.#rowsEach);
  }

  /** The words in which a found record is; valid until the next look. */
  get words(): Uint32Array {
    return this.#words;
  }

  /** Everything is added before the first look. */
  add(words: Uint32Array, count: number): void {
    this.#store.append(Math.floor((words[1] as number) / this.#rowsEach), words, count);
  }

  /** Where in `words` the record of a row begins, or -1. */
  find(number: number): number {
    const part = Math.floor(number / this.#rowsEach);
    if (part !== this.#part) this.#load(part);
    return (this.#places[number - part * this.#rowsEach] as number) - 1;
  }

  remove(): void {
    this.#store.remove();
  }

  #load(part: number): void {
    this.#part = part;
    this.#words = this.#memory.load(this.#store, part);
    this.#places.fill(0);
    const first = part * this.#rowsEach;
    for (let at = 0; at < this.#words.length; at += this.#words[at] as number) {
      this.#places[(this.#words[at + 1] as number) - first] = at + 1;
    }
  }
}
