import { enlarged, type Text, textOf, viewOf } from "../../json/words.ts";
import { userFields, type WrittenField } from "../../user-fields.ts";
import { unpackBcrypt } from "../join/bcrypt.ts";
import type { SourceUser } from "../source-user.ts";
import { type BesideList, besideLists, besidesOf, hasBesides, plainLayout, toEntry } from "./entry-layout.ts";
import { type EntryPieces, SEPARATOR } from "./entry-pieces.ts";

/** `hashAt` of a user without a hash. */
export const NO_PACKED_HASH = -1;

const [ID, USER_NAME, FIRST_NAME, LAST_NAME, EMAIL] = [...plainLayout.before] as const;
const { verified, unverified } = plainLayout.tail;
const PIECES = {
  userId: textOf(`${SEPARATOR}${ID}`),
  userName: textOf(USER_NAME ?? ""),
  firstName: textOf(FIRST_NAME ?? ""),
  lastName: textOf(LAST_NAME ?? ""),
  email: textOf(EMAIL ?? ""),
  verified: { end: textOf(verified.end), hash: textOf(verified.hash) },
  unverified: { end: textOf(unverified.end), hash: textOf(unverified.hash) },
  afterHash: textOf(plainLayout.afterHash),
};

const PLAIN: ReadonlySet<WrittenField> = new Set([
  "userId",
  "userName",
  "firstName",
  "lastName",
  "email",
  "isEmailVerified",
  "isPhoneVerified",
  "hash",
]);
const others = userFields.map(({ name }) => name as WrittenField).filter((name) => !PLAIN.has(name)); // of those, a user has no others

/** True for a user who has no more than id, user name, names, address and hash. */
function isPlain(user: SourceUser): boolean {
  return others.every((name) => user[name] === undefined);
}

/** The entry of a plain user: what JSON.stringify makes of `toEntry`, in a third of the time. */
function plainEntry({ userId, userName, firstName, lastName, email, isEmailVerified, hash }: SourceUser): string {
  const { end, hash: beforeHash } = isEmailVerified === true ? verified : unverified;
  const head = `${ID}${inner(userId)}${USER_NAME}${inner(userName)}${FIRST_NAME}${inner(firstName)}`;
  const names = `${head}${LAST_NAME}${inner(lastName)}${EMAIL}${inner(email)}`;
  return hash === undefined ? names + end : names + beforeHash + inner(hash) + plainLayout.afterHash;
}

/** A text as it stands between the quotes of a JSON string. */
function inner(text: string): string {
  return AS_IT_IS.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** Neither quotes, backslashes, control characters nor halves of surrogate pairs, which JSON writes otherwise (or whole pairs). */
const AS_IT_IS = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** More than a plain entry has besides its fields. */
const FRAME_BYTES = 320;
/** Texts and ranges are copied in words, so that the last may reach beyond the end. */
const ROUNDED_UP = 4;
/** Bytes that a character takes at most, of those that a string counts. */
const UTF8_BYTES = 3;

/** Where the fields of a plain entry are: from `at` on, start and end of id, address, first and last name. */
export type PlainRanges = Uint32Array;

/**
 * Entries of `humanUsers` as bytes, each led by a comma and a line break, and what stands of them in other lists likewise. The same users
 * always give the same bytes. All of them belong to one organization.
 */
export class EntryBuffer {
  #bytes = Buffer.allocUnsafeSlow(2 ** 18);
  #view = viewOf(this.#bytes);
  #length = 0;
  /** The bytes that fields were last taken from, and the same as a view. */
  #source: Uint8Array = this.#bytes;
  #sourceView = this.#view;
  /** One past the last byte of each entry. */
  readonly #ends: number[] = [];
  /** Elements of the lists beside the entries, and which entry each belongs to. */
  readonly #beside: { readonly list: BesideList; readonly entry: number; readonly text: string }[] = [];

  get count(): number {
    return this.#ends.length;
  }

  /** The bytes of entries [from, to). Valid until the next `add` or `clear`. */
  slice(from: number, to: number): Buffer {
    const start = from === 0 ? 0 : (this.#ends[from - 1] as number);
    return this.#bytes.subarray(start, to === 0 ? 0 : (this.#ends[to - 1] as number));
  }

  /** What a list says of entries [from, to), "" when it says nothing. */
  beside(list: BesideList, from: number, to: number): string {
    if (this.#beside.length === 0) return "";
    return this.#beside
      .filter((element) => element.list === list && element.entry >= from && element.entry < to)
      .map(({ text }) => text)
      .join("");
  }

  clear(): void {
    this.#length = 0;
    this.#ends.length = 0;
    this.#beside.length = 0;
  }

  /** Adds any user. */
  add(user: SourceUser): void {
    const text = SEPARATOR + (isPlain(user) ? plainEntry(user) : JSON.stringify(toEntry(user)));
    this.#reserve(text.length * UTF8_BYTES);
    this.#length += this.#bytes.write(text, this.#length);
    if (hasBesides(user)) this.#addBeside(user);
    this.#ends.push(this.#length);
  }

  #addBeside(user: SourceUser): void {
    for (const list of besideLists) {
      for (const element of besidesOf[list](user)) {
        this.#beside.push({ list, entry: this.count, text: SEPARATOR + JSON.stringify(element) });
      }
    }
  }

  /**
   * Adds a plain user whose fields are the insides of JSON strings without escapes: the same bytes as `add` makes.
   *
   * @param ranges where in `bytes` they are, from `at` on; an empty first or last name is the address.
   * @param hashAt where in `hashes` the packed hash begins, or NO_PACKED_HASH.
   */
  addPlain(
    bytes: Uint8Array,
    ranges: PlainRanges,
    at: number,
    isEmailVerified: boolean,
    hashes: Uint32Array,
    hashAt: number,
  ): void {
    const idStart = ranges[at] as number;
    const idEnd = ranges[at + 1] as number;
    const emailStart = ranges[at + 2] as number;
    const emailEnd = ranges[at + 3] as number;
    if (bytes !== this.#source) {
      this.#source = bytes;
      this.#sourceView = viewOf(bytes);
    }
    const hasFirst = (ranges[at + 5] as number) > (ranges[at + 4] as number);
    const firstStart = hasFirst ? (ranges[at + 4] as number) : emailStart;
    const firstEnd = hasFirst ? (ranges[at + 5] as number) : emailEnd;
    const hasLast = (ranges[at + 7] as number) > (ranges[at + 6] as number);
    const lastStart = hasLast ? (ranges[at + 6] as number) : emailStart;
    const lastEnd = hasLast ? (ranges[at + 7] as number) : emailEnd;
    const names = firstEnd - firstStart + lastEnd - lastStart;
    this.#reserve(idEnd - idStart + 2 * (emailEnd - emailStart) + names + FRAME_BYTES);
    this.#put(PIECES.userId);
    this.#range(idStart, idEnd);
    this.#put(PIECES.userName);
    this.#range(emailStart, emailEnd);
    this.#put(PIECES.firstName);
    this.#range(firstStart, firstEnd);
    this.#put(PIECES.lastName);
    this.#range(lastStart, lastEnd);
    this.#put(PIECES.email);
    this.#range(emailStart, emailEnd);
    const tail = isEmailVerified ? PIECES.verified : PIECES.unverified;
    if (hashAt === NO_PACKED_HASH) this.#put(tail.end);
    else {
      this.#put(tail.hash);
      this.#length = unpackBcrypt(hashes, hashAt, this.#view, this.#length);
      this.#put(PIECES.afterHash);
    }
    this.#ends.push(this.#length);
  }

  /**
   * Adds a user whose strings are the insides of JSON strings without escapes: the same bytes as `add` makes.
   *
   * @param spans where in `bytes` they are, from `at` on: start and end of each.
   */
  addPieces(pieces: EntryPieces, bytes: Buffer, spans: Uint32Array, at: number): void {
    const { texts, holes, beside } = pieces;
    if (bytes !== this.#source) {
      this.#source = bytes;
      this.#sourceView = viewOf(bytes);
    }
    let length = pieces.length + ROUNDED_UP;
    for (const hole of holes) length += (spans[at + 2 * hole + 1] as number) - (spans[at + 2 * hole] as number);
    this.#reserve(length);
    for (let hole = 0; hole < holes.length; hole += 1) {
      this.#put(texts[hole] as Text);
      const span = at + 2 * (holes[hole] as number);
      this.#range(spans[span] as number, spans[span + 1] as number);
    }
    this.#put(texts[holes.length] as Text);
    for (const { list, texts: around } of beside) {
      this.#beside.push({
        list,
        entry: this.count,
        text: around.join(bytes.toString("utf8", spans[at], spans[at + 1])),
      });
    }
    this.#ends.push(this.#length);
  }

  #put({ words, length }: Text): void {
    const view = this.#view;
    const to = this.#length;
    for (let word = 0; word < words.length; word += 1) view.setInt32(to + 4 * word, words[word] as number, true);
    this.#length = to + length;
  }

  /** Copies a field four bytes at a time; what is copied too much is written over by what follows. */
  #range(start: number, end: number): void {
    const from = this.#sourceView;
    const into = this.#view;
    let to = this.#length;
    this.#length = to + end - start;
    if (end + 3 > from.byteLength) {
      for (let byte = start; byte < end; byte += 1, to += 1) into.setUint8(to, from.getUint8(byte));
      return;
    }
    for (let byte = start; byte < end; byte += 4, to += 4) into.setInt32(to, from.getInt32(byte, true), true);
  }

  #reserve(bytes: number): void {
    if (this.#bytes.length - this.#length >= bytes) return;
    this.#bytes = enlarged(this.#bytes, this.#length, Math.max(this.#bytes.length * 2, this.#length + bytes));
    this.#view = viewOf(this.#bytes);
  }
}
