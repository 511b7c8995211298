import { grown } from "../json/words.ts";
import { TextFingerprints } from "../tables/fingerprint.ts";
import { RecordTable } from "../tables/record-table.ts";
import type { NamedText } from "./element-fields.ts";

/** The result for one expected object. */
export interface ElementResult {
  readonly isThere: boolean;
  /** Names of the fields whose values differ. */
  readonly different: readonly string[];
  /** Of these, fields with a value that the other export has alone; of an object that was compared as a whole. */
  readonly added: readonly string[];
}

/** Words of a record: where its fields begin and end, a bit for each of its first fields that was found, and marks. */
const FIRST = 0;
const END = 1;
const FOUND = 2;
const MARKS = 3;
const STRIDE = 4;
const MASKED = 32;

const IS_THERE = 1;
const IS_TAKEN = 2;

/**
 * Expected objects, compared with those of another export, in any number: it keeps a digest of four bytes per field, and some 40 bytes
 * per object. An object that only the other export has is no difference.
 */
export class ElementComparison {
  readonly #records = new RecordTable(STRIDE);
  readonly #digests = new TextFingerprints();
  /** Fields that only the other export has, by key: few. */
  readonly #more = new Map<string, readonly string[]>();
  #fields = new Uint32Array(8192);
  #fieldCount = 0;

  /** The number of expected objects. */
  get size(): number {
    return this.#records.size;
  }

  /** Adds an expected object; of two with one key the first counts. */
  expect(key: string, fields: readonly NamedText[]): void {
    if (this.#records.find(key) !== undefined) return;
    const base = this.#records.placeOf(key);
    const end = this.#fieldCount + fields.length;
    if (end > this.#fields.length) this.#fields = grown(this.#fields, Math.ceil(end * 1.5));
    this.#records.set(base + FIRST, this.#fieldCount);
    this.#records.set(base + END, end);
    for (const field of fields) {
      this.#fields[this.#fieldCount] = this.#digest(field);
      this.#fieldCount += 1;
    }
  }

  /**
   * Compares an object of the other export; false for one that is not expected. @param isWhole a field that only this object has is a
   * difference, too: an export leaves out the default values, such as false.
   */
  find(key: string, fields: readonly NamedText[], isWhole = false): boolean {
    const base = this.#records.find(key);
    if (base === undefined) return false;
    const present = new Set(fields.map((field) => this.#digest(field)));
    const [first, end] = [this.#records.word(base + FIRST), this.#records.word(base + END)];
    let found = 0;
    // Beyond the first fields, the last bit stands for all of them.
    let rest = true;
    for (let at = first; at < end; at += 1) {
      const isFound = present.has(this.#fields[at] as number);
      if (at - first < MASKED - 1) found |= isFound ? 1 << (at - first) : 0;
      else rest &&= isFound;
    }
    this.#records.set(base + FOUND, rest ? found | (1 << (MASKED - 1)) : found);
    this.#records.set(base + MARKS, IS_THERE);
    if (!isWhole) return true;
    const expected = new Set(this.#fields.subarray(first, end));
    const more = fields.filter((field) => !expected.has(this.#digest(field))).map(([name]) => name);
    if (more.length > 0) this.#more.set(key, more);
    return true;
  }

  /** True for an expected object that the other export has. */
  isThere(key: string): boolean {
    const base = this.#records.find(key);
    return base !== undefined && this.#records.has(base + MARKS, IS_THERE);
  }

  /** The result for an object, given its fields once more; undefined for an unknown object, and at the second call for the same one. */
  takeVerdict(key: string, fields: readonly NamedText[]): ElementResult | undefined {
    const base = this.#records.find(key);
    if (base === undefined || this.#records.has(base + MARKS, IS_TAKEN)) return undefined;
    this.#records.mark(base + MARKS, IS_TAKEN);
    const isThere = this.#records.has(base + MARKS, IS_THERE);
    const found = this.#records.word(base + FOUND);
    const isFound = (index: number): boolean => (found & (1 << Math.min(index, MASKED - 1))) !== 0;
    const names = isThere ? fields.filter((_, index) => !isFound(index)).map(([name]) => name) : [];
    const added = this.#more.get(key) ?? [];
    return { isThere, different: [...new Set([...names, ...added])], added };
  }

  #digest([name, value]: NamedText): number {
    return this.#digests.wordOf(`${name}\u0000${value}`);
  }
}
