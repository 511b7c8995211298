import { randomFillSync } from "node:crypto";
import { Fingerprints } from "../tables/fingerprint.ts";
import { IdTable } from "../tables/id-table.ts";
import type { NamedText } from "./element-fields.ts";

/** The result for one expected object. */
export interface ElementResult {
  readonly isThere: boolean;
  /** Names of the fields whose values differ. */
  readonly different: readonly string[];
}

/** Words of a record: the position of its fields, a bit for each of its first fields that was found, and marks. */
const FIRST = 0;
const FOUND = 1;
const MARKS = 2;
const STRIDE = 3;
const MASKED = 32;

const IS_THERE = 1;
const IS_TAKEN = 2;

/**
 * Expected objects, compared with those of another export, in any number: it keeps a digest of four bytes per field, and some 35 bytes
 * per object. An object that only the other export has is no difference.
 */
export class ElementComparison {
  readonly #numbers = new IdTable();
  readonly #digests = new Fingerprints(randomFillSync(new Uint32Array(3)));
  readonly #key = new Uint32Array(3);
  #text = Buffer.allocUnsafe(4096);
  #records = new Uint32Array(1024 * STRIDE);
  #fields = new Uint32Array(8192);
  #fieldCount = 0;

  /** The number of expected objects. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Adds an expected object; of two with one key the first counts. */
  expect(key: string, fields: readonly NamedText[]): void {
    if (this.#numbers.get(key) !== undefined) return;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    // One record more: the fields of a record end where those of the next one begin.
    this.#records = grown(this.#records, (number + 2) * STRIDE);
    this.#fields = grown(this.#fields, this.#fieldCount + fields.length);
    this.#records[number * STRIDE + FIRST] = this.#fieldCount;
    for (const field of fields) {
      this.#fields[this.#fieldCount] = this.#digest(field);
      this.#fieldCount += 1;
    }
    this.#records[(number + 1) * STRIDE + FIRST] = this.#fieldCount;
  }

  /** Compares an object of the other export; false for one that is not expected. */
  find(key: string, fields: readonly NamedText[]): boolean {
    const number = this.#numbers.get(key);
    if (number === undefined) return false;
    const base = number * STRIDE;
    const present = new Set(fields.map((field) => this.#digest(field)));
    const [first, end] = this.#extent(base);
    let found = 0;
    // Beyond the first fields, the last bit stands for all of them.
    let rest = true;
    for (let at = first; at < end; at += 1) {
      const isFound = present.has(this.#fields[at] as number);
      if (at - first < MASKED - 1) found |= isFound ? 1 << (at - first) : 0;
      else rest &&= isFound;
    }
    this.#records[base + FOUND] = rest ? found | (1 << (MASKED - 1)) : found;
    this.#records[base + MARKS] = IS_THERE;
    return true;
  }

  /** True for an expected object that the other export has. */
  isThere(key: string): boolean {
    const number = this.#numbers.get(key);
    return number !== undefined && ((this.#records[number * STRIDE + MARKS] as number) & IS_THERE) !== 0;
  }

  /** The result for an object, given its fields once more; undefined for an unknown object, and at the second call for the same one. */
  takeVerdict(key: string, fields: readonly NamedText[]): ElementResult | undefined {
    const number = this.#numbers.get(key);
    if (number === undefined) return undefined;
    const base = number * STRIDE;
    const marks = this.#records[base + MARKS] as number;
    if ((marks & IS_TAKEN) !== 0) return undefined;
    this.#records[base + MARKS] = marks | IS_TAKEN;
    const isThere = (marks & IS_THERE) !== 0;
    const found = this.#records[base + FOUND] as number;
    const isFound = (index: number): boolean => (found & (1 << Math.min(index, MASKED - 1))) !== 0;
    const names = isThere ? fields.filter((_, index) => !isFound(index)).map(([name]) => name) : [];
    return { isThere, different: [...new Set(names)] };
  }

  #extent(base: number): readonly [number, number] {
    return [this.#records[base + FIRST] as number, this.#records[base + STRIDE + FIRST] as number];
  }

  #digest([name, value]: NamedText): number {
    const text = `${name}\u0000${value}`;
    const room = text.length * 3;
    if (room > this.#text.length) this.#text = Buffer.allocUnsafe(room * 2);
    const view = new DataView(this.#text.buffer, this.#text.byteOffset, this.#text.length);
    this.#digests.id(view, 0, this.#text.write(text), this.#key, 0);
    return this.#key[0] as number;
  }
}

/** The same words in an array that holds at least `needed`. */
function grown(words: Uint32Array<ArrayBuffer>, needed: number): Uint32Array<ArrayBuffer> {
  if (needed <= words.length) return words;
  const larger = new Uint32Array(Math.ceil(needed * 1.5));
  larger.set(words);
  return larger;
}
