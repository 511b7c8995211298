import { grown } from "../json/words.ts";
import { IdTable } from "./id-table.ts";

/** A piece of the input that belongs to a key. */
export interface IndexedExtent {
  /** Its place in the order of sending. */
  readonly item: number;
  readonly start: number;
  readonly end: number;
}

/** The end of a chain. */
const NONE = 0xffffffff;

/** Finds pieces of the input by a key, of which a fingerprint is kept: 20 bytes a piece, and what the table takes a key. */
export class ExtentIndex {
  /** The mark of a key is the last piece that was added for it, which leads to the one before. */
  readonly #last = new IdTable();
  #before = new Uint32Array(1024);
  #item = new Uint32Array(1024);
  #length = new Uint32Array(1024);
  #start = new Float64Array(1024);
  #size = 0;

  add(key: string, { item, start, end }: IndexedExtent): void {
    if (this.#size === this.#item.length) this.#grow();
    const at = this.#size;
    this.#size += 1;
    this.#before[at] = this.#last.get(key) ?? NONE;
    this.#last.set(key, at);
    this.#item[at] = item;
    this.#start[at] = start;
    this.#length[at] = end - start;
  }

  /** The pieces of a key, in the order in which they were added. */
  find(key: string): IndexedExtent[] {
    const found: IndexedExtent[] = [];
    let at = this.#last.get(key) ?? NONE;
    while (at !== NONE) {
      const start = this.#start[at] as number; // the arrays have one length
      found.push({ item: this.#item[at] as number, start, end: start + (this.#length[at] as number) });
      at = this.#before[at] as number;
    }
    return found.reverse();
  }

  #grow(): void {
    const length = this.#item.length * 2;
    this.#before = grown(this.#before, length);
    this.#item = grown(this.#item, length);
    this.#length = grown(this.#length, length);
    this.#start = grown(this.#start, length);
  }
}
