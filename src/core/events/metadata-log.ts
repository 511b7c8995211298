import { isSavedTable, RecordTable, type SavedRecords } from "../tables/record-table.ts";
import type { Digest } from "./digest.ts";
import type { Actor } from "./user-log.ts";

/**
 * The state of one entry of a user's metadata. "stale": the log holds the value, and the user does not, because the user was recreated or
 * this job's service user removed the entry. The service writes such a value only after a removal (service behaviour 0.28).
 */
export type EntryState = "same" | "different" | "foreign" | "stale";

const USER = 0;
const KEY = 1;
const FIRST = 2;
const SECOND = 3;
const MARKS = 4;
/** The number of the event that wrote it. */
const WRITTEN = 5;
const STRIDE = 6;

const IS_THERE = 1;
const IS_FOREIGN = 2;
const IS_WANTED = 4;
/** This job's service user set or removed it since the job began, and no other account after that. */
const IS_TOUCHED = 8;
const OF_ONE_JOB = IS_WANTED | IS_TOUCHED;

interface UserKey {
  readonly user: number;
  readonly key: string;
}

/** A log outside of memory. */
export interface SavedMetadata extends SavedRecords {
  readonly texts: {
    readonly keys: readonly string[];
    readonly cleared: readonly (readonly [number, number])[];
    readonly events: number;
  };
}

/** True for a log that `save` may have given, of so many users. */
export function isSavedMetadata(saved: SavedMetadata, users: number): boolean {
  const { records, texts } = saved;
  if (!isSavedTable(saved, STRIDE) || new Set(texts.keys).size !== texts.keys.length) return false;
  for (let base = 0; base < records.length; base += STRIDE) {
    const [user = 0, key = 0, written = 0] = [records[base + USER], records[base + KEY], records[base + WRITTEN]];
    if (user >= users || key >= texts.keys.length || written > texts.events) return false;
  }
  return texts.cleared.every(([user, at]) => user < users && at <= texts.events);
}

/** The metadata of users on the target, as digests: some 50 bytes per entry. A user is known by its number in the user log. */
export class MetadataLog {
  readonly #digest: (field: string, value: string) => Digest;
  readonly #records: RecordTable;
  readonly #keys: string[];
  readonly #keyNumbers: Map<string, number>;
  /** The number of the event that removed all entries of a user. */
  readonly #cleared: Map<number, number>;
  #events: number;

  /** @param saved a log as `save` gave it, with digests under the same key; without one it is empty. */
  constructor(digest: (field: string, value: string) => Digest, saved?: SavedMetadata) {
    this.#digest = digest;
    this.#records = new RecordTable(STRIDE, { saved });
    this.#keys = [...(saved?.texts.keys ?? [])];
    this.#keyNumbers = new Map(this.#keys.map((key, number) => [key, number]));
    this.#cleared = new Map(saved?.texts.cleared);
    this.#events = saved?.texts.events ?? 0;
  }

  /** A copy from which the same log can be created, without the marks of one job. */
  save(): SavedMetadata {
    const { ids, records } = this.#records.save();
    for (let base = 0; base < records.length; base += STRIDE) {
      records[base + MARKS] = (records[base + MARKS] as number) & ~OF_ONE_JOB;
    }
    return { ids, records, texts: { keys: this.#keys, cleared: [...this.#cleared], events: this.#events } };
  }

  /** `value` in base64. */
  set(user: number, key: string, value: string, actor: Actor): void {
    const base = this.#recordOf(user, key);
    const [first, second] = this.#digest("metadata", value);
    this.#records.set(base + FIRST, first);
    this.#records.set(base + SECOND, second);
    this.#write(base, IS_THERE | marksBy(actor));
  }

  remove(user: number, key: string, actor: Actor): void {
    this.#write(this.#recordOf(user, key), marksBy(actor));
  }

  /** Removes all entries of a user, also of one who is recreated. */
  clear(user: number): void {
    this.#cleared.set(user, this.#events);
  }

  /** True if the user has an entry with this key. */
  has(user: number, key: string): boolean {
    return (this.#marksOf(this.#recordOf(user, key)) & IS_THERE) !== 0;
  }

  /** Compares an entry with the wanted value, and marks it as wanted. */
  compare(user: number, key: string, value: string): EntryState {
    const base = this.#recordOf(user, key);
    const marks = this.#marksOf(base);
    const ever = this.#records.word(base + MARKS);
    this.#records.mark(base + MARKS, IS_WANTED);
    const [first, second] = this.#digest("metadata", value);
    const isEqual = this.#records.word(base + FIRST) === first && this.#records.word(base + SECOND) === second;
    if (isEqual && (marks & IS_THERE) !== 0) return "same";
    if (isEqual && (ever & IS_THERE) !== 0) return "stale";
    if ((marks & IS_FOREIGN) !== 0) return "foreign";
    // An earlier run removed it to set it again, and was interrupted in between.
    return isEqual ? "stale" : "different";
  }

  /** Entries that this job's service user set and that are not wanted: the numbers of their users, and their keys. */
  unwanted(): Generator<UserKey> {
    return this.#having((marks) => (marks & ~IS_TOUCHED) === IS_THERE);
  }

  /** Entries that this job has set or removed. */
  touched(): Generator<UserKey> {
    return this.#having((marks) => (marks & IS_TOUCHED) !== 0);
  }

  *#having(isAsked: (marks: number) => boolean): Generator<UserKey> {
    for (const base of this.#records.places()) {
      if (!isAsked(this.#marksOf(base))) continue;
      yield { user: this.#records.word(base + USER), key: this.#keys[this.#records.word(base + KEY)] ?? "" };
    }
  }

  #write(base: number, marks: number): void {
    this.#events += 1;
    this.#records.set(base + MARKS, marks);
    this.#records.set(base + WRITTEN, this.#events);
  }

  #marksOf(base: number): number {
    const cleared = this.#cleared.get(this.#records.word(base + USER)) ?? -1;
    return this.#records.word(base + WRITTEN) > cleared ? this.#records.word(base + MARKS) : 0;
  }

  #recordOf(user: number, key: string): number {
    const id = `${user} ${key}`;
    const known = this.#records.find(id);
    if (known !== undefined) return known;
    const base = this.#records.placeOf(id);
    const keyNumber = this.#keyNumbers.get(key) ?? this.#keys.push(key) - 1;
    this.#keyNumbers.set(key, keyNumber);
    this.#records.set(base + USER, user);
    this.#records.set(base + KEY, keyNumber);
    return base;
  }
}

function marksBy({ isOurs, isSince }: Actor): number {
  if (!isOurs) return IS_FOREIGN;
  return isSince ? IS_TOUCHED : 0;
}
