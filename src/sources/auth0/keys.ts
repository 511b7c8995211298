import type { Fingerprints } from "../../core/join/fingerprint.ts";

/** Ids of users of Auth0's own database begin with it; all others sign in with another provider. */
export const DATABASE_PREFIX = "auth0|";

const OBJECT_ID_DIGITS = 24;

/** Value of a lower-case hexadecimal digit, 255 of any other byte. */
const DIGIT = new Uint8Array(256).fill(255);
for (const [value, byte] of Buffer.from("0123456789abcdef").entries()) DIGIT[byte] = value;

const prefix = Buffer.from(DATABASE_PREFIX);

/** Turns ids and addresses of Auth0's files into the keys of the join: the same key from both files for the same user. */
export class Auth0Keys {
  readonly #fingerprints: Fingerprints;
  #prefixed = Buffer.from(DATABASE_PREFIX);

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  /** Key (three words) of a whole `user_id`. */
  userId(bytes: Uint8Array, start: number, end: number, key: Uint32Array, at: number): void {
    const isObjectId = end - start === prefix.length + OBJECT_ID_DIGITS && startsWithPrefix(bytes, start);
    if (isObjectId && packHex(bytes, start + prefix.length, key, at)) return;
    this.#fingerprints.id(bytes, start, end, key, at);
  }

  /** Key (three words) of the database user with this id, as password rows name one. */
  databaseId(bytes: Uint8Array, start: number, end: number, key: Uint32Array, at: number): void {
    if (end - start === OBJECT_ID_DIGITS && packHex(bytes, start, key, at)) return;
    const length = prefix.length + end - start;
    if (this.#prefixed.length < length) this.#prefixed = Buffer.concat([prefix], length * 2);
    this.#prefixed.set(bytes.subarray(start, end), prefix.length);
    this.#fingerprints.id(this.#prefixed, 0, length, key, at);
  }

  /** Key (two words) of an address in ASCII, upper and lower case being the same. */
  asciiEmail(bytes: Uint8Array, start: number, end: number, key: Uint32Array, at: number): void {
    this.#fingerprints.withoutCase(bytes, start, end, key, at);
  }

  /** Key (two words) of any address, upper and lower case being the same. */
  email(address: string, key: Uint32Array, at: number): void {
    const bytes = Buffer.from(address.toLowerCase());
    this.asciiEmail(bytes, 0, bytes.length, key, at);
  }

  /** Keys of a password row, the id's at `idAt` and the address's at `emailAt`; answers -1 for what the row does not have. */
  ofPassword(
    { id, email }: { readonly id: string | undefined; readonly email: string | undefined },
    key: Uint32Array,
    idAt: number,
    emailAt: number,
  ): { idAt: number; emailAt: number } {
    if (id !== undefined) {
      const bytes = Buffer.from(id);
      this.databaseId(bytes, 0, bytes.length, key, idAt);
    }
    if (email !== undefined) this.email(email, key, emailAt);
    return { idAt: id === undefined ? -1 : idAt, emailAt: email === undefined ? -1 : emailAt };
  }
}

/** True when the `user_id` that begins at `start` is that of a database user. */
export function startsWithPrefix(bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < prefix.length; at += 1) if (bytes[start + at] !== prefix[at]) return false;
  return true;
}

/** Packs 24 hexadecimal digits into three words, exactly; false when a byte is no such digit. */
function packHex(bytes: Uint8Array, start: number, key: Uint32Array, at: number): boolean {
  let seen = 0;
  for (let word = 0; word < 3; word += 1) {
    let packed = 0;
    const from = start + word * 8;
    for (let digit = from; digit < from + 8; digit += 1) {
      const value = DIGIT[bytes[digit] as number] as number;
      seen |= value;
      packed = (packed << 4) | value;
    }
    key[at + word] = packed;
  }
  return seen < 16;
}
