import { unpackBcrypt } from "./join/bcrypt.ts";
import type { SourceUser } from "./source-user.ts";

/** A packed hash: its words lie in `words` from `at` on. */
export interface PackedHash {
  readonly words: Uint32Array;
  readonly at: number;
}

/** Longest packed hash written out, with the keys around it. */
const HASH_BYTES = 128;

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

  add(user: SourceUser, hash: PackedHash | undefined): void {
    const userId = JSON.stringify(user.userId);
    const email = JSON.stringify(user.email);
    const name = JSON.stringify(user.name);
    const head =
      `,\n{"userId":${userId},"user":{"userName":${email},"profile":{"firstName":${name},"lastName":${name}}` +
      `,"email":{"email":${email},"isEmailVerified":${user.isEmailVerified}}`;
    this.#reserve(head.length * 3 + HASH_BYTES);
    this.#length += this.#bytes.write(head, this.#length);
    this.#end(hash);
  }

  #end(hash: PackedHash | undefined): void {
    if (hash !== undefined) {
      this.#ascii(',"hashedPassword":{"value":"');
      this.#length = unpackBcrypt(hash.words, hash.at, this.#bytes, this.#length);
      this.#ascii('"}');
    }
    this.#ascii("}}");
    this.#ends.push(this.#length);
  }

  #ascii(text: string): void {
    this.#length += this.#bytes.write(text, this.#length, "latin1");
  }

  #reserve(bytes: number): void {
    if (this.#bytes.length - this.#length >= bytes) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** What stands before the first entry of a body for one organization (spec: Import body for users). */
export function bodyHead(orgId: string): string {
  return `{"dataOrgs":{"orgs":[{"orgId":${JSON.stringify(orgId)},"humanUsers":[`;
}

/** What stands behind the last entry; the timeout is passed on verbatim. */
export function bodyTail(timeout: string): string {
  return `\n]}]},"timeout":${JSON.stringify(timeout)}}\n`;
}
