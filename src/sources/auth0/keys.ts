import { isText, textOf, viewOf } from "../../core/json/words.ts";
import type { Fingerprints } from "../../core/tables/fingerprint.ts";

/** Ids of users of Auth0's own database begin with it; all others sign in with another provider. */
export const DATABASE_PREFIX = "auth0|";

const OBJECT_ID_DIGITS = 24;

/** Value of two lower-case hexadecimal digits, read as a little-endian number of two bytes; NO_DIGITS of any others. */
const NO_DIGITS = 0x100;
const byteOf = new Uint16Array(0x10000).fill(NO_DIGITS);
const digits = Buffer.from("0123456789abcdef");
for (let byte = 0; byte < 256; byte += 1) {
  byteOf[(digits[byte >> 4] as number) | ((digits[byte & 15] as number) << 8)] = byte;
}

const prefix = textOf(DATABASE_PREFIX);

/** Turns ids and addresses of Auth0's files into the keys of the join: the same key from both files for the same user. */
export class Auth0Keys {
  readonly #fingerprints: Fingerprints;
  /** Scratch that begins with the prefix. */
  #prefixed = viewOf(Buffer.from(DATABASE_PREFIX));

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  /** Key (three words) of a whole `user_id`. */
  userId(view: DataView, start: number, end: number, key: Uint32Array, to: number): void {
    const isObjectId = end - start === prefix.length + OBJECT_ID_DIGITS && isDatabaseId(view, start, end);
    if (isObjectId && packHex(view, start + prefix.length, key, to)) return;
    this.#fingerprints.id(view, start, end, key, to);
  }

  /** Key (three words) of the database user with this id, as password rows name one. */
  databaseId(view: DataView, start: number, end: number, key: Uint32Array, to: number): void {
    if (end - start === OBJECT_ID_DIGITS && packHex(view, start, key, to)) return;
    const length = prefix.length + end - start;
    if (this.#prefixed.byteLength < length)
      this.#prefixed = viewOf(Buffer.concat([Buffer.from(DATABASE_PREFIX)], length * 2));
    for (let at = start; at < end; at += 1) this.#prefixed.setUint8(prefix.length + at - start, view.getUint8(at));
    this.#fingerprints.id(this.#prefixed, 0, length, key, to);
  }

  /** Key (two words) of an address in ASCII, upper and lower case being the same. */
  asciiEmail(view: DataView, start: number, end: number, key: Uint32Array, to: number): void {
    this.#fingerprints.withoutCase(view, start, end, key, to);
  }

  /** Key (two words) of any address, upper and lower case being the same. */
  email(address: string, key: Uint32Array, to: number): void {
    const view = viewOf(Buffer.from(address.toLowerCase()));
    this.asciiEmail(view, 0, view.byteLength, key, to);
  }

  /** Keys of a password row, the id's at `idAt` and the address's at `emailAt`; answers -1 for what the row does not have. */
  ofPassword(
    { id, email }: { readonly id: string | undefined; readonly email: string | undefined },
    key: Uint32Array,
    idAt: number,
    emailAt: number,
  ): { idAt: number; emailAt: number } {
    if (id !== undefined) {
      const view = viewOf(Buffer.from(id));
      this.databaseId(view, 0, view.byteLength, key, idAt);
    }
    if (email !== undefined) this.email(email, key, emailAt);
    return { idAt: id === undefined ? -1 : idAt, emailAt: email === undefined ? -1 : emailAt };
  }
}

/** True when the `user_id` in [start, end) is that of a database user. */
export function isDatabaseId(view: DataView, start: number, end: number): boolean {
  return end - start >= prefix.length && isText(view, start, start + prefix.length, prefix);
}

/** Packs 24 hexadecimal digits into three words, exactly; false when a byte is no such digit. */
function packHex(view: DataView, start: number, key: Uint32Array, to: number): boolean {
  let seen = 0;
  for (let word = 0, at = start; word < 3; word += 1, at += 8) {
    const a = byteOf[view.getUint16(at, true)] as number;
    const b = byteOf[view.getUint16(at + 2, true)] as number;
    const c = byteOf[view.getUint16(at + 4, true)] as number;
    const d = byteOf[view.getUint16(at + 6, true)] as number;
    seen |= a | b | c | d;
    key[to + word] = (a << 24) | (b << 16) | (c << 8) | d;
  }
  return seen < NO_DIGITS;
}
