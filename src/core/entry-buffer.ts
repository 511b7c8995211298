import { unpackBcrypt } from "./join/bcrypt.ts";
import type { SourceUser } from "./source-user.ts";

/** `at` of a user without a hash. */
export const NO_PACKED_HASH = -1;

/** What stands between the fields of an entry. */
const PIECES = {
  userId: Buffer.from(',\n{"userId":"'),
  userName: Buffer.from('","user":{"userName":"'),
  firstName: Buffer.from('","profile":{"firstName":"'),
  lastName: Buffer.from('","lastName":"'),
  email: Buffer.from('"},"email":{"email":"'),
  verified: Buffer.from('","isEmailVerified":true}'),
  unverified: Buffer.from('","isEmailVerified":false}'),
  hash: Buffer.from(',"hashedPassword":{"value":"'),
  hashEnd: Buffer.from('"}'),
  end: Buffer.from("}}"),
};
/** More than an entry has besides its fields. */
const FRAME_BYTES = 320;

/**
 * Entries of `humanUsers` as bytes, each led by a comma and a line break. Keys stand in the specification's order, and a user
 * without a hash has no `hashedPassword` (spec: Import body for users). The same users always give the same bytes.
 */
export class EntryBuffer {
  #bytes = Buffer.allocUnsafe(2 ** 18);
  #length = 0;
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
    const hasName = (ranges[at + 5] as number) > (ranges[at + 4] as number);
    const nameStart = hasName ? (ranges[at + 4] as number) : emailStart;
    const nameEnd = hasName ? (ranges[at + 5] as number) : emailEnd;
    this.#reserve(idEnd - idStart + 2 * (emailEnd - emailStart) + 2 * (nameEnd - nameStart) + FRAME_BYTES);
    this.#put(PIECES.userId);
    this.#range(bytes, idStart, idEnd);
    this.#put(PIECES.userName);
    this.#range(bytes, emailStart, emailEnd);
    this.#put(PIECES.firstName);
    this.#range(bytes, nameStart, nameEnd);
    this.#put(PIECES.lastName);
    this.#range(bytes, nameStart, nameEnd);
    this.#put(PIECES.email);
    this.#range(bytes, emailStart, emailEnd);
    this.#put(isEmailVerified ? PIECES.verified : PIECES.unverified);
    this.#end(hashes, hashAt);
  }

  #put(piece: Uint8Array): void {
    this.#range(piece, 0, piece.length);
  }

  /** A loop beats a call of `copy` for so few bytes. */
  #range(from: Uint8Array, start: number, end: number): void {
    const into = this.#bytes;
    let at = this.#length;
    for (let byte = start; byte < end; byte += 1) {
      into[at] = from[byte] as number;
      at += 1;
    }
    this.#length = at;
  }

  #end(hashes: Uint32Array, hashAt: number): void {
    if (hashAt !== NO_PACKED_HASH) {
      this.#put(PIECES.hash);
      this.#length = unpackBcrypt(hashes, hashAt, this.#bytes, this.#length);
      this.#put(PIECES.hashEnd);
    }
    this.#put(PIECES.end);
    this.#ends.push(this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#bytes.length - this.#length >= bytes) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
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
