import { HASH_WORDS } from "../join/bcrypt.ts";
import { blankCredential, blankUser, type PackedCredential, type PackedUser } from "../join/join-rows.ts";
import { type CredentialKind, GOOD_HASH } from "../join/person-table.ts";

/**
 * A row as words: how many there are, the row's number, its line, flags, then what the flags say that it has: the keys of id, address
 * and user name; of a user the file's number; of a row of credentials date and hash; the label.
 */
export const NUMBER = 1;
const LINE = 2;
const FLAGS = 3;
const KEYS = 4;

const CREDENTIAL = 1;
const HAS_ID = 2;
const HAS_EMAIL = 4;
const HAS_NAME = 8;
/** The user name is the address. */
const NAME_IS_EMAIL = 16;
const HAS_LABEL = 32;
const IS_OWN = 64;
const MUST_WAIT = 128;
const HAS_HASH = 256;
const VALID = 512;
const SHARED = 1024;
const HAS_TEXT = 2048;
/** Two bits: the kind of a row of credentials. */
const KIND_AT = 12;
const IS_LAST = 16_384;

const ID_WORDS = 3;
const NAME_WORDS = 2;
/** Words of a label: which part a record is in follows from it. */
export const LABEL_WORDS = 2;
/** Longest of a record without a text. */
const MOST_WORDS = KEYS + ID_WORDS + 2 * NAME_WORDS + 2 + HASH_WORDS + LABEL_WORDS;
/** Bytes of a text in UTF-8 for each of its characters, at most. */
const UTF8_BYTES = 3;

export function isCredential(words: Uint32Array, at: number): boolean {
  return ((words[at + FLAGS] as number) & CREDENTIAL) !== 0;
}

/** A user whose name was found with others as well. */
export function isShared(words: Uint32Array, at: number): boolean {
  return ((words[at + FLAGS] as number) & SHARED) !== 0;
}

/** Writes rows as words, one at a time. */
export class RecordWriter {
  /** The record last written: its first `count` words. */
  words = new Uint32Array(MOST_WORDS);
  count = 0;
  readonly #dates = new Float64Array(1);
  readonly #dateWords = new Uint32Array(this.#dates.buffer);

  credential(number: number, row: PackedCredential): void {
    const { keys, idAt, emailAt, line, dateMs, kind, rule, text, hash, hashAt } = row;
    if (text !== undefined) this.#reserve(MOST_WORDS + 1 + Math.ceil((text.length * UTF8_BYTES) / 4));
    let flags = CREDENTIAL | (kind << KIND_AT);
    flags |= this.#begin(number, line, keys, idAt, emailAt);
    this.#dates[0] = dateMs;
    this.#copy(this.#dateWords, 0, 2);
    if (text !== undefined) {
      flags |= HAS_TEXT;
      this.#text(text);
    } else if (kind === GOOD_HASH) this.#copy(hash, hashAt, HASH_WORDS);
    else this.#word(rule);
    this.#end(flags);
  }

  /** @param file number of the user's file. @param isShared several users have the name. */
  user(user: PackedUser, file: number, isShared: boolean): void {
    const { keys, idAt, emailAt, nameAt } = user;
    let flags = this.#begin(user.number, user.line, keys, idAt, emailAt);
    if (nameAt !== -1 && nameAt === emailAt) flags |= NAME_IS_EMAIL;
    else if (nameAt !== -1) {
      flags |= HAS_NAME;
      this.#copy(keys, nameAt, NAME_WORDS);
    }
    this.#word(file);
    flags |= user.isOwn ? IS_OWN : 0;
    flags |= user.mustWait ? MUST_WAIT : 0;
    flags |= user.isLast ? IS_LAST : 0;
    flags |= user.hasHash ? HAS_HASH : 0;
    flags |= user.valid ? VALID : 0;
    this.#end(flags | (isShared ? SHARED : 0));
  }

  /** Copies a record and puts a label behind it. */
  labelled(record: Uint32Array, at: number, labels: Uint32Array, labelAt: number): void {
    const count = record[at] as number;
    this.#reserve(count + LABEL_WORDS);
    this.count = 0;
    this.#copy(record, at, count);
    this.#copy(labels, labelAt, LABEL_WORDS);
    this.#end((record[at + FLAGS] as number) | HAS_LABEL);
  }

  /** Returns the flags of what the row has. */
  #begin(number: number, line: number, keys: Uint32Array, idAt: number, emailAt: number): number {
    this.words[NUMBER] = number;
    this.words[LINE] = line;
    this.count = KEYS;
    if (idAt !== -1) this.#copy(keys, idAt, ID_WORDS);
    if (emailAt !== -1) this.#copy(keys, emailAt, NAME_WORDS);
    return (idAt === -1 ? 0 : HAS_ID) | (emailAt === -1 ? 0 : HAS_EMAIL);
  }

  #end(flags: number): void {
    this.words[0] = this.count;
    this.words[FLAGS] = flags;
  }

  #reserve(count: number): void {
    if (count > this.words.length) this.words = new Uint32Array(count);
  }

  #word(word: number): void {
    this.words[this.count] = word;
    this.count += 1;
  }

  #copy(from: Uint32Array, at: number, count: number): void {
    for (let word = 0; word < count; word += 1) this.words[this.count + word] = from[at + word] as number;
    this.count += count;
  }

  #text(text: string): void {
    const words = textWords(text);
    this.#copy(words, 0, words.length);
  }
}

/** Reads records back, one at a time. */
export class RecordReader {
  readonly #user = blankUser();
  readonly #credential = blankCredential();
  /** Where the keys are of what was last read; -1 = it has none. */
  idAt = -1;
  emailAt = -1;
  nameAt = -1;
  /** Of the user that was last read. */
  fileNumber = 0;
  readonly #dates = new Float64Array(1);
  readonly #dateWords = new Uint32Array(this.#dates.buffer);

  /** Reads the keys alone. Returns where what follows them begins. */
  keys(words: Uint32Array, at: number): number {
    const flags = words[at + FLAGS] as number;
    let next = at + KEYS;
    this.idAt = -1;
    this.emailAt = -1;
    this.nameAt = -1;
    if ((flags & HAS_ID) !== 0) {
      this.idAt = next;
      next += ID_WORDS;
    }
    if ((flags & HAS_EMAIL) !== 0) {
      this.emailAt = next;
      next += NAME_WORDS;
    }
    if ((flags & NAME_IS_EMAIL) !== 0) this.nameAt = this.emailAt;
    if ((flags & HAS_NAME) !== 0) {
      this.nameAt = next;
      next += NAME_WORDS;
    }
    return next;
  }

  /** Where the label of the record is whose keys were read last: what it was given, or its address, or its name; -1 = it has none. */
  labelAt(words: Uint32Array, at: number): number {
    if (((words[at + FLAGS] as number) & HAS_LABEL) !== 0) return at + (words[at] as number) - LABEL_WORDS;
    return this.emailAt === -1 ? this.nameAt : this.emailAt;
  }

  /** The row of credentials that begins at `at`; valid until the next one. */
  readCredential(words: Uint32Array, at: number): PackedCredential {
    const from = this.keys(words, at);
    const row = this.#credential;
    const flags = words[at + FLAGS] as number;
    this.#dateWords[0] = words[from] as number;
    this.#dateWords[1] = words[from + 1] as number;
    row.keys = words;
    row.idAt = this.idAt;
    row.emailAt = this.emailAt;
    row.line = words[at + LINE] as number;
    row.dateMs = this.#dates[0] as number;
    row.kind = ((flags >>> KIND_AT) & 3) as CredentialKind;
    row.text = (flags & HAS_TEXT) === 0 ? undefined : textAt(words, from + 2);
    row.rule = row.kind === GOOD_HASH ? 0 : (words[from + 2] as number);
    row.hash = words;
    row.hashAt = from + 2;
    return row;
  }

  /** The user that begins at `at`, for a round; valid until the next one. @param files by their numbers. */
  readUser(words: Uint32Array, at: number, round: number, files: readonly (string | undefined)[]): PackedUser {
    const from = this.keys(words, at);
    const user = this.#user;
    const flags = words[at + FLAGS] as number;
    user.keys = words;
    user.idAt = this.idAt;
    user.emailAt = this.emailAt;
    user.nameAt = this.nameAt;
    user.number = words[at + NUMBER] as number;
    user.line = words[at + LINE] as number;
    this.fileNumber = words[from] as number;
    user.file = files[this.fileNumber];
    user.isOwn = (flags & IS_OWN) !== 0;
    user.mustWait = (flags & MUST_WAIT) !== 0;
    user.isLast = (flags & IS_LAST) !== 0;
    user.hasHash = (flags & HAS_HASH) !== 0;
    user.valid = (flags & VALID) !== 0;
    user.round = round;
    return user;
  }
}

/** The words of a text: how many bytes, then they. */
export function textWords(text: string): Uint32Array {
  const bytes = Buffer.from(text);
  const words = new Uint32Array(1 + Math.ceil(bytes.length / 4));
  words[0] = bytes.length;
  Buffer.from(words.buffer, 4).set(bytes);
  return words;
}

/** The text that `textWords` put there. */
export function textAt(words: Uint32Array, at: number): string {
  return Buffer.from(words.buffer, words.byteOffset + (at + 1) * 4, words[at] as number).toString();
}
