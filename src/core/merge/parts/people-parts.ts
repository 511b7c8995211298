import { finish } from "../../tables/fingerprint.ts";
import { KeyIndex } from "../../tables/key-index.ts";
import type { PackedCredential, PackedUser } from "../join/join-rows.ts";
import { Groups } from "./groups.ts";
import { LABEL_WORDS, RecordReader, RecordWriter } from "./join-record.ts";
import { PartMemory, type PartSettings, type PartStore } from "./part-store.ts";

/** Words of what is remembered of an id besides its record: the key, the label. */
const SEEN_WORDS = 5;
const SEEN_LABEL = 3;
const PER_WORD = 2 ** -32;

/**
 * Divides rows of credentials and users into parts. Rows that share an id, an address or a user name, directly or through other rows,
 * are in one part.
 *
 * Each row has a label, its address or else its user name, and the label says in which part it is. So all rows of one address are
 * in one part already. Where one id comes with several labels, or one row has two of them, the labels form a group, and the rows of
 * groups go to separate parts, by group. A row with an id alone goes where its id goes.
 */
export class PeopleParts {
  readonly #settings: PartSettings;
  /** Rows by their labels; behind these parts as many again, by groups. */
  readonly #people: PartStore;
  /** Which id came with which label, by ids. */
  readonly #seen: PartStore;
  /** Rows without a label, by ids. */
  readonly #unlabelled: PartStore;
  readonly #groups = new Groups();
  readonly #writer = new RecordWriter();
  readonly #reader = new RecordReader();
  readonly #memory = new PartMemory();
  readonly #sight = new Uint32Array(SEEN_WORDS);
  /** The label of rows that have neither id nor label, and so are independent of all others. */
  readonly #noLabel = new Uint32Array(LABEL_WORDS);

  constructor(settings: PartSettings) {
    this.#settings = settings;
    this.#people = settings.createStore();
    this.#seen = settings.createStore();
    this.#unlabelled = settings.createStore();
  }

  addCredential(number: number, row: PackedCredential): void {
    this.#writer.credential(number, row);
    this.#add(row.keys, row.idAt, row.emailAt);
  }

  /** @param file number of the user's file. @param isShared several users have the name. */
  addUser(user: PackedUser, file: number, isShared: boolean): void {
    const { keys, idAt, emailAt, nameAt } = user;
    this.#writer.user(user, file, isShared);
    this.#add(keys, idAt, emailAt === -1 ? nameAt : emailAt);
    if (emailAt !== -1 && nameAt !== -1 && emailAt !== nameAt) this.#groups.unite(keys, emailAt, keys, nameAt);
  }

  /** Call it after the last row: finds out which labels belong together, and gives a label to rows that have none. */
  async close(): Promise<void> {
    const unlabelled = new PartMemory();
    for (let part = 0; part < this.#settings.parts; part += 1) {
      const seen = this.#memory.load(this.#seen, part);
      const index = this.#group(seen);
      const rows = unlabelled.load(this.#unlabelled, part);
      for (let at = 0; at < rows.length; at += rows[at] as number) this.#label(rows, at, seen, index);
      await this.#settings.pause();
    }
    this.#seen.remove();
    this.#unlabelled.remove();
  }

  /** The records of each part in turn; valid until the next part is asked for. */
  async *parts(): AsyncGenerator<Uint32Array> {
    const { parts, pause } = this.#settings;
    for (let part = 0; part < 2 * parts; part += 1) {
      if (this.#people.words(part) === 0) continue;
      const rows = this.#memory.load(this.#people, part);
      yield part < parts && !this.#groups.isEmpty ? this.#withoutGrouped(rows) : rows;
      await pause();
    }
  }

  remove(): void {
    for (const store of [this.#people, this.#seen, this.#unlabelled]) store.remove();
  }

  #add(keys: Uint32Array, idAt: number, labelAt: number): void {
    const { words, count } = this.#writer;
    if (labelAt === -1) {
      if (idAt === -1) this.#people.append(this.#partOf(this.#noLabel, 0), words, count);
      else this.#unlabelled.append(this.#partOf(keys, idAt), words, count);
      return;
    }
    this.#people.append(this.#partOf(keys, labelAt), words, count);
    if (idAt === -1) return;
    const sight = this.#sight;
    for (let word = 0; word < SEEN_LABEL; word += 1) sight[word] = keys[idAt + word] as number;
    for (let word = 0; word < LABEL_WORDS; word += 1) sight[SEEN_LABEL + word] = keys[labelAt + word] as number;
    this.#seen.append(this.#partOf(keys, idAt), sight, SEEN_WORDS);
  }

  /** Groups the labels of each id, and returns an index of the ids. */
  #group(seen: Uint32Array): KeyIndex {
    const count = seen.length / SEEN_WORDS;
    const index = new KeyIndex({ stride: SEEN_WORDS, offset: 0, words: 3 }, count);
    for (let record = 0, at = 0; record < count; record += 1, at += SEEN_WORDS) {
      const known = index.find(seen, seen, at);
      if (known === -1) index.put(seen, record);
      else {
        const knownAt = known * SEEN_WORDS + SEEN_LABEL;
        const labelAt = at + SEEN_LABEL;
        const isSame = seen[knownAt] === seen[labelAt] && seen[knownAt + 1] === seen[labelAt + 1];
        if (!isSame) this.#groups.unite(seen, knownAt, seen, labelAt);
      }
    }
    return index;
  }

  /** Adds a row that has only an id to the part of the id's label. The id itself is the label if no row gives it one. */
  #label(rows: Uint32Array, at: number, seen: Uint32Array, index: KeyIndex): void {
    this.#reader.keys(rows, at);
    const { idAt } = this.#reader;
    const known = index.find(seen, rows, idAt);
    const [labels, labelAt] = known === -1 ? [rows, idAt] : [seen, known * SEEN_WORDS + SEEN_LABEL];
    this.#writer.labelled(rows, at, labels, labelAt);
    this.#people.append(this.#partOf(labels, labelAt), this.#writer.words, this.#writer.count);
  }

  /** Moves rows of groups to the parts of these, and returns the others. */
  #withoutGrouped(rows: Uint32Array): Uint32Array {
    const { parts } = this.#settings;
    let kept = 0;
    for (let at = 0, next = 0; at < rows.length; at = next) {
      const count = rows[at] as number;
      next = at + count;
      this.#reader.keys(rows, at);
      const labelAt = this.#reader.labelAt(rows, at);
      const group = labelAt === -1 ? -1 : this.#groups.find(rows, labelAt);
      if (group === -1) {
        if (kept !== at) rows.copyWithin(kept, at, next);
        kept += count;
      } else this.#people.append(parts + (group % parts), rows.subarray(at, next), count);
    }
    return rows.subarray(0, kept);
  }

  #partOf(key: Uint32Array, at: number): number {
    return partOfKey(key, at, this.#settings.parts);
  }
}

/** Not by the hash that indexes use: all keys of a part would look for the same few slots. */
export function partOfKey(key: Uint32Array, at: number, parts: number): number {
  return Math.floor((finish(key[at + 1] as number, key[at] as number) >>> 0) * PER_WORD * parts);
}
