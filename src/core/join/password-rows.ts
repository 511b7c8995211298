import type { HashRule } from "../../problem.ts";
import { HASH_LAST_WORD_BITS, HASH_WORDS } from "./bcrypt.ts";

/** What a password row holds: a good hash, none, a bad one, or anything at all in a row that was rejected. */
export type RowKind = 0 | 1 | 2 | 3;
export const GOOD_HASH: RowKind = 0;
export const NO_HASH: RowKind = 1;
export const BAD_HASH: RowKind = 2;
export const REJECTED_ROW: RowKind = 3;

/** What has become of a row; an open one has found nobody. */
export type RowFate = 0 | 1 | 2 | 3;
export const OPEN: RowFate = 0;
export const USED: RowFate = 1;
/** With its user, who was rejected. */
export const GOES_ALONG: RowFate = 2;
export const SUPERSEDED: RowFate = 3;

/** The rules a bad hash may break, as numbers. */
export const hashRules = ["type", "prefix", "cost", "length", "alphabet"] as const satisfies readonly HashRule[];

const STRIDE = 3 + HASH_WORDS;
const LINE = 2;
const HASH = 3;
const LAST = STRIDE - 1;
// Above the hash: two bits of kind, two of fate, one each for "its user is in the profile file" and "bears an id".
const KIND_SHIFT = HASH_LAST_WORD_BITS;
const FATE_SHIFT = KIND_SHIFT + 2;
const OWNED = 1 << (FATE_SHIFT + 2);
const HAS_ID = OWNED << 1;

/** The password rows, 56 bytes each, numbered in the order of their file. */
export class PasswordRows {
  #words: Uint32Array;
  #dates: Float64Array;
  #count = 0;

  /** @param expected how many rows there will be, about; more only cost a copy. */
  constructor(expected: number) {
    const buffer = new ArrayBuffer(Math.max(1024, expected) * STRIDE * 4);
    this.#words = new Uint32Array(buffer);
    this.#dates = new Float64Array(buffer);
  }

  /** The words that hold hashes; `hashAt` tells where. */
  get words(): Uint32Array {
    return this.#words;
  }

  hashAt(row: number): number {
    return row * STRIDE + HASH;
  }

  /**
   * Adds a row and returns its number.
   *
   * @param dateMs when the password was set, milliseconds since 1970; -Infinity when the row does not say.
   * @param rule index in `hashRules`, of a bad hash.
   * @param hash packed words from `hashAt` on, read only for a good hash.
   */
  add(
    row: { line: number; dateMs: number; kind: RowKind; rule: number },
    hasId: boolean,
    hash: Uint32Array,
    hashAt: number,
  ): number {
    const index = this.#count;
    if ((index + 1) * STRIDE > this.#words.length) this.#grow();
    const words = this.#words;
    const base = index * STRIDE;
    this.#dates[base / 2] = row.dateMs;
    words[base + LINE] = row.line;
    if (row.kind === GOOD_HASH) {
      for (let word = 0; word < HASH_WORDS; word += 1) words[base + HASH + word] = hash[hashAt + word] as number;
    } else {
      words[base + HASH] = row.rule;
    }
    words[base + LAST] = ((words[base + LAST] as number) | (row.kind << KIND_SHIFT) | (hasId ? HAS_ID : 0)) >>> 0;
    this.#count = index + 1;
    return index;
  }

  line(row: number): number {
    return this.#words[row * STRIDE + LINE] as number;
  }

  dateMs(row: number): number {
    return this.#dates[(row * STRIDE) / 2] as number;
  }

  kind(row: number): RowKind {
    return ((this.#last(row) >>> KIND_SHIFT) & 3) as RowKind;
  }

  /** Which rule the hash of a bad row breaks. */
  rule(row: number): HashRule {
    return hashRules[this.#words[row * STRIDE + HASH] as number] as HashRule;
  }

  fate(row: number): RowFate {
    return ((this.#last(row) >>> FATE_SHIFT) & 3) as RowFate;
  }

  setFate(row: number, fate: RowFate): void {
    this.#words[row * STRIDE + LAST] = ((this.#last(row) & ~(3 << FATE_SHIFT)) | (fate << FATE_SHIFT)) >>> 0;
  }

  /** True when a profile of the file bears the row's id, so that no other user may get it. */
  isOwned(row: number): boolean {
    return (this.#last(row) & OWNED) !== 0;
  }

  setOwned(row: number): void {
    this.#words[row * STRIDE + LAST] = (this.#last(row) | OWNED) >>> 0;
  }

  hasId(row: number): boolean {
    return (this.#last(row) & HAS_ID) !== 0;
  }

  #last(row: number): number {
    return this.#words[row * STRIDE + LAST] as number;
  }

  #grow(): void {
    const buffer = new ArrayBuffer(this.#words.byteLength * 2);
    const grown = new Uint32Array(buffer);
    grown.set(this.#words);
    this.#words = grown;
    this.#dates = new Float64Array(buffer);
  }
}
