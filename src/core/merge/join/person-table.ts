import { hashCostNames } from "../../../contract/hash-limits.ts";
import type { HashRule } from "../../../problem.ts";
import { grown } from "../../json/words.ts";
import { KeyIndex } from "../../tables/key-index.ts";
import { HASH_WORDS } from "./bcrypt.ts";

/** What a row of credentials holds: a good hash, none, a bad one, or anything at all in a row that was rejected. */
export type CredentialKind = 0 | 1 | 2 | 3;
export const GOOD_HASH: CredentialKind = 0;
export const NO_HASH: CredentialKind = 1;
export const BAD_HASH: CredentialKind = 2;
export const REJECTED_ROW: CredentialKind = 3;

/** In place of a rule, of a row without a hash: it had one, which was dropped. */
export const DROPPED_HASH = 1;

/** What has become of a row; an open one has found no user. */
export type RowFate = 0 | 1 | 2 | 3;
export const OPEN: RowFate = 0;
export const USED: RowFate = 1;
export const REJECTED_WITH_USER: RowFate = 2;
export const SUPERSEDED: RowFate = 3;

/** Marks of a record. The lowest four bits are kind and fate of its password row. */
export const IS_ROW = 1 << 4;
/** The row has an id. */
export const HAS_ID = 1 << 5;
/** A profile of the file has the row's id, so that no other user may get it. */
export const OWNED = 1 << 6;
/** The record holds the key of an e-mail address or user name. */
export const HAS_NAME_KEY = 1 << 7;
/** One of the id's password rows was rejected. */
export const POISONED = 1 << 8;
/** Two password rows have the address. */
export const SHARED_BY_ROWS = 1 << 9;
/** Two database profiles have the address. */
export const SHARED_BY_PROFILES = 1 << 10;
/** A database profile that has the address was rejected, so a row of the address is rejected with it. */
export const OWNER_REJECTED = 1 << 11;
/** A user of another provider has the address. */
export const OTHER_PROVIDER = 1 << 12;

/** The address whose key the record holds is that of its row. */
export const NAME_OF_ROW = 1 << 13;

/** A password row that has the address, and no id that could be read, was rejected. */
export const POISONED_EMAIL = 1 << 14;

/** The row's hash is not bcrypt: the first word of the packed one is its number among the texts. */
export const TEXT_HASH = 1 << 15;

/** A user of the file has the name; and: several have it. Found out beforehand, only where that is asked for. */
export const NAME_SEEN = 1 << 16;
export const NAME_SHARED = 1 << 17;

/** The rules a bad hash may break, as numbers. */
export const hashRules = [
  "type",
  "empty",
  "prefix",
  ...hashCostNames,
  "damaged",
  "length",
  "alphabet",
  "not-enabled",
  "not-convertible",
  "ambiguous",
  "apr1",
  "argon2d",
  "argon2-version",
  "des",
  "firebase-scrypt",
  "keyed",
  "ntlm",
  "plain",
  "pre-hashed",
  "salt",
  "salt-blanks",
  "salt-place",
  "salt-unread",
  "sha",
  "unknown-kind",
  "unknown-name",
  "users-api-length",
  "out-of-limits",
] as const satisfies readonly HashRule[];

// Words of a record.
const ID_KEY = 0;
const NAME_KEY = 3;
export const LINE = 5;
/** Number of the profile that holds the id. */
export const ID_CLAIM = 6;
/** Number of the profile that holds the address as its user name. */
export const NAME_CLAIM = 7;
/** The first database profile that has the address: its id's record + 1. */
export const ADDRESS_OWNER = 8;
const MARKS = 9;
const STRIDE = 10;

const ROOM = 1024;

/** Rows to prefetch at once. With more, the first are out of the caches again. */
export const PREFETCHED = 64;
/** As few records are in the caches anyway. */
const IN_CACHE = 20_000;

/**
 * One record a person, for both files: 40 bytes of keys, lines and marks, and 52 of date and packed hash for those who have a
 * password row. A record is found by the id and by the e-mail address whose keys it holds; nearly always that is one record, and
 * so one place in memory. Password rows come first and are numbered as in their file.
 */
export class PersonTable {
  #records: Uint32Array<ArrayBuffer>;
  #hashes: Uint32Array<ArrayBuffer>;
  #dates: Float64Array<ArrayBuffer>;
  #count = 0;
  /** Records of password rows: the first ones. */
  #rows = 0;
  /** A use of what was prefetched, so that the compiler does not remove the reads. */
  seen = 0;
  /** Records that the ids of some rows are likely to find. */
  readonly #prefetched = new Int32Array(PREFETCHED);
  readonly #ids: KeyIndex;
  readonly #names: KeyIndex;

  /** @param expected about how many rows there will be: more cost a copy, and unused room costs no memory. */
  constructor(expected: { readonly users: number; readonly credentials: number }) {
    const people = Math.max(expected.users, expected.credentials);
    this.#records = new Uint32Array((ROOM + Math.ceil(people * 1.25)) * STRIDE);
    this.#hashes = new Uint32Array((ROOM + expected.credentials) * HASH_WORDS);
    this.#dates = new Float64Array(ROOM + expected.credentials);
    this.#ids = new KeyIndex({ stride: STRIDE, offset: ID_KEY, words: 3 }, people * 1.05);
    this.#names = new KeyIndex({ stride: STRIDE, offset: NAME_KEY, words: 2 }, people * 1.05);
  }

  /** The words that hold hashes, each from `hashAt` on. */
  get hashes(): Uint32Array {
    return this.#hashes;
  }

  hashAt(row: number): number {
    return row * HASH_WORDS;
  }

  /**
   * Adds a password row, without keys, and returns its number. All rows come before any `addPerson`.
   *
   * @param dateMs when the password was set, milliseconds since 1970; -Infinity when the row does not say.
   * @param rule index in `hashRules`, of a bad hash; `DROPPED_HASH` where it was dropped.
   * @param hash packed words from `hashAt` on, read only for a good hash.
   */
  addRow(line: number, dateMs: number, kind: CredentialKind, rule: number, hash: Uint32Array, hashAt: number): number {
    const row = this.addPerson();
    this.#rows += 1;
    if (row >= this.#dates.length) this.#growRows();
    this.#dates[row] = dateMs;
    const to = row * HASH_WORDS;
    if (kind === GOOD_HASH) {
      for (let word = 0; word < HASH_WORDS; word += 1) this.#hashes[to + word] = hash[hashAt + word] as number;
    } else this.#hashes[to] = rule;
    this.set(row, LINE, line);
    this.set(row, MARKS, kind | IS_ROW);
    return row;
  }

  /** As `addRow`, with a good hash that is not bcrypt. @param text its number. */
  addText(line: number, dateMs: number, text: number): number {
    const row = this.addRow(line, dateMs, NO_HASH, text, this.#hashes, 0);
    this.set(row, MARKS, GOOD_HASH | IS_ROW | TEXT_HASH);
    return row;
  }

  /** Adds an empty record and returns its number. */
  addPerson(): number {
    if ((this.#count + 1) * STRIDE > this.#records.length)
      this.#records = grown(this.#records, this.#records.length * 2);
    this.#count += 1;
    return this.#count - 1;
  }

  /**
   * Brings what the look-ups of the next rows need into the processor's caches; call it before every `PREFETCHED`th row. It waits
   * for many places of memory at once, where each look-up would wait for one. Changes nothing.
   *
   * @param step words from the keys of one row to those of the next.
   * @param rows how many rows there still are.
   * @param deep true: also the records and hashes, for rows that are likely to be found.
   */
  prefetch(keys: Uint32Array, idAt: number, nameAt: number, step: number, rows: number, deep: boolean): void {
    if (this.#count < IN_CACHE) return;
    const found = this.#prefetched;
    const count = Math.min(rows, PREFETCHED);
    this.#names.prefetch(keys, nameAt, step, count, found);
    this.#ids.prefetch(keys, idAt, step, count, found);
    for (let row = 0; deep && row < count; row += 1) {
      const record = found[row] as number;
      if (record === -1) continue;
      this.seen ^= this.get(record, MARKS);
      if (record < this.#rows) this.seen ^= this.#hashes[record * HASH_WORDS] as number;
    }
  }

  /** The record that holds the id's key (three words from `at` on), or -1. */
  findId(key: Uint32Array, at: number): number {
    return this.#ids.find(this.#records, key, at);
  }

  /** The record that holds the key of an address or user name (two words from `at` on), or -1. */
  findName(key: Uint32Array, at: number): number {
    return this.#names.find(this.#records, key, at);
  }

  /** Makes `record` the one that the id finds. */
  putId(record: number, key: Uint32Array, at: number): void {
    const to = record * STRIDE + ID_KEY;
    for (let word = 0; word < 3; word += 1) this.#records[to + word] = key[at + word] as number;
    this.#ids.put(this.#records, record);
  }

  /** Makes `record` the one that the address or user name finds. */
  putName(record: number, key: Uint32Array, at: number): void {
    const to = record * STRIDE + NAME_KEY;
    for (let word = 0; word < 2; word += 1) this.#records[to + word] = key[at + word] as number;
    this.mark(record, HAS_NAME_KEY);
    this.#names.put(this.#records, record);
  }

  get(record: number, word: number): number {
    return this.#records[record * STRIDE + word] as number;
  }

  set(record: number, word: number, value: number): void {
    this.#records[record * STRIDE + word] = value;
  }

  has(record: number, mark: number): boolean {
    return (this.get(record, MARKS) & mark) !== 0;
  }

  mark(record: number, mark: number): void {
    this.set(record, MARKS, this.get(record, MARKS) | mark);
  }

  kind(row: number): CredentialKind {
    return (this.get(row, MARKS) & 3) as CredentialKind;
  }

  fate(row: number): RowFate {
    return ((this.get(row, MARKS) >>> 2) & 3) as RowFate;
  }

  setFate(row: number, fate: RowFate): void {
    this.set(row, MARKS, (this.get(row, MARKS) & ~(3 << 2)) | (fate << 2));
  }

  line(row: number): number {
    return this.get(row, LINE);
  }

  dateMs(row: number): number {
    return this.#dates[row] as number;
  }

  /** True when the row's hash is no bcrypt hash: the first of its words is the number of a text. */
  isTextHash(row: number): boolean {
    return this.has(row, TEXT_HASH);
  }

  /** Which rule the hash of a bad row breaks. */
  rule(row: number): HashRule {
    return hashRules[this.#hashes[row * HASH_WORDS] as number] as HashRule;
  }

  /** True when the row has no hash, because it was dropped. */
  wasDropped(row: number): boolean {
    return this.kind(row) === NO_HASH && this.#hashes[row * HASH_WORDS] === DROPPED_HASH;
  }

  #growRows(): void {
    this.#hashes = grown(this.#hashes, this.#hashes.length * 2);
    this.#dates = grown(this.#dates, this.#dates.length * 2);
  }
}
