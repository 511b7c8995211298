import { type Text, textOf, viewOf } from "../json/words.ts";
import { unpackBcrypt } from "./join/bcrypt.ts";
import type { SourceUser } from "./source-user.ts";

/** `at` of a user without a hash. */
export const NO_PACKED_HASH = -1;

/** What stands between the fields of an entry. */
const PIECES = {
  userId: textOf(',\n{"userId":"'),
  userName: textOf('","user":{"userName":"'),
  firstName: textOf('","profile":{"firstName":"'),
  lastName: textOf('","lastName":"'),
  email: textOf('"},"email":{"email":"'),
  verified: textOf('","isEmailVerified":true}'),
  unverified: textOf('","isEmailVerified":false}'),
  hash: textOf(',"hashedPassword":{"value":"'),
  hashEnd: textOf('"}'),
  end: textOf("}}"),
};

/** More than an entry has besides its fields. */
const FRAME_BYTES = 320;

/**
 * Entries of `humanUsers` as bytes, each led by a comma and a line break. Keys stand in the specification's order, and a user
 * without a hash has no `hashedPassword` (spec: Import body for users). The same users always give the same bytes.
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

  get count(): number {
    return this.#ends.length;
  }

  /** The bytes of entries [from, to). Valid until the next `add` or `clear`. */
  slice(from: number, to: number): Buffer {
    const start = from === 0 ? 0 : (this.#ends[from - 1] as number);
    return this.#bytes.subarray(start, to === 0 ? 0 : (this.#ends[to - 1] as number));
  }

  clear(): void {
    this.#length = 0;
    this.#ends.length = 0;
  }

  /** @param hashAt where in `hashes` the user's packed hash begins, or NO_PACKED_HASH. */
  add(user: SourceUser, hashes: Uint32Array, hashAt: number): void {
    const userId = JSON.stringify(user.userId);
    const email = JSON.stringify(user.email);
    const name = JSON.stringify(user.name);
    const head =
      `,\n{"userId":${userId},"user":{"userName":${email},"profile":{"firstName":${name},"lastName":${name}}` +
      `,"email":{"email":${email},"isEmailVerified":${user.isEmailVerified}}`;
    this.#reserve(head.length * 3 + FRAME_BYTES);
    this.#length += this.#bytes.write(head, this.#length);
    this.#end(hashes, hashAt);
  }

  /**
   * As `add`, for fields that are the insides of JSON strings without escapes; the same bytes come out.
   *
   * @param ranges from `at` on: start and end in `bytes` of id, e-mail address and name; an empty name is none.
   */
  addBytes(
    bytes: Uint8Array,
    ranges: Uint32Array,
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
    const hasName = (ranges[at + 5] as number) > (ranges[at + 4] as number);
    const nameStart = hasName ? (ranges[at + 4] as number) : emailStart;
    const nameEnd = hasName ? (ranges[at + 5] as number) : emailEnd;
    this.#reserve(idEnd - idStart + 2 * (emailEnd - emailStart) + 2 * (nameEnd - nameStart) + FRAME_BYTES);
    this.#put(PIECES.userId);
    this.#range(idStart, idEnd);
    this.#put(PIECES.userName);
    this.#range(emailStart, emailEnd);
    this.#put(PIECES.firstName);
    this.#range(nameStart, nameEnd);
    this.#put(PIECES.lastName);
    this.#range(nameStart, nameEnd);
    this.#put(PIECES.email);
    this.#range(emailStart, emailEnd);
    this.#put(isEmailVerified ? PIECES.verified : PIECES.unverified);
    this.#end(hashes, hashAt);
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

  #end(hashes: Uint32Array, hashAt: number): void {
    if (hashAt !== NO_PACKED_HASH) {
      this.#put(PIECES.hash);
      this.#length = unpackBcrypt(hashes, hashAt, this.#view, this.#length);
      this.#put(PIECES.hashEnd);
    }
    this.#put(PIECES.end);
    this.#ends.push(this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#bytes.length - this.#length >= bytes) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + bytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    this.#view = viewOf(grown);
  }
}

/** How every body begins, whatever it is for. */
export const BODY_BEGIN = '{"dataOrgs":{"orgs":[{"orgId":';

/** What stands before the first entry of a body for one organization (spec: Import body for users). */
export function bodyHead(orgId: string): string {
  return `${BODY_BEGIN}${JSON.stringify(orgId)},"humanUsers":[`;
}

/** What stands behind the last entry; the timeout is passed on verbatim. */
export function bodyTail(timeout: string): string {
  return `\n]}]},"timeout":${JSON.stringify(timeout)}}\n`;
}
