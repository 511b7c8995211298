import { isTextAt, type Text, TextScratch, textOf, viewOf } from "../../json/words.ts";
import type { Fingerprints } from "../../tables/fingerprint.ts";

/** Ids of this many hexadecimal digits (Mongo's object ids) are packed exactly; all others are fingerprinted. */
const PACKED_DIGITS = 24;

/** Value of two lower-case hexadecimal digits, read as a little-endian number of two bytes; NO_DIGITS of any others. */
const NO_DIGITS = 0x100;
const byteOf = new Uint16Array(0x10000).fill(NO_DIGITS);
const digits = Buffer.from("0123456789abcdef");
for (let byte = 0; byte < 256; byte += 1) {
  byteOf[(digits[byte >> 4] as number) | ((digits[byte & 15] as number) << 8)] = byte;
}

/** Turns ids and addresses into the keys of the join: the same key from both files for the same user. */
export class UserKeys {
  readonly #fingerprints: Fingerprints;
  readonly #prefix: Text;
  readonly #prefixBytes: Buffer;
  readonly #scratch = new TextScratch();
  /** Scratch that begins with the prefix. */
  #prefixed: DataView;

  /** @param ownIdPrefix prefix of the ids of users that sign in at the provider itself. */
  constructor(fingerprints: Fingerprints, ownIdPrefix: string) {
    this.#fingerprints = fingerprints;
    this.#prefix = textOf(ownIdPrefix);
    this.#prefixBytes = Buffer.from(ownIdPrefix);
    this.#prefixed = viewOf(Buffer.from(ownIdPrefix));
  }

  /** True when the id in [start, end) belongs to a user that signs in at the provider itself. */
  isOwnId(view: DataView, start: number, end: number): boolean {
    return isTextAt(view, start, end, this.#prefix);
  }

  /** Key (three words) of a whole id. */
  userId(view: DataView, start: number, end: number, key: Uint32Array, to: number): void {
    const isPackable = end - start === this.#prefix.length + PACKED_DIGITS && this.isOwnId(view, start, end);
    if (isPackable && packHex(view, start + this.#prefix.length, key, to)) return;
    this.#fingerprints.id(view, start, end, key, to);
  }

  /** Key (three words) of the id that is the prefix and what stands in [start, end). */
  ownId(view: DataView, start: number, end: number, key: Uint32Array, to: number): void {
    if (end - start === PACKED_DIGITS && packHex(view, start, key, to)) return;
    const { length: prefixLength } = this.#prefix;
    const length = prefixLength + end - start;
    if (this.#prefixed.byteLength < length) {
      this.#prefixed = viewOf(Buffer.concat([this.#prefixBytes], length * 2));
    }
    for (let at = start; at < end; at += 1) this.#prefixed.setUint8(prefixLength + at - start, view.getUint8(at));
    this.#fingerprints.id(this.#prefixed, 0, length, key, to);
  }

  /** Key (two words) of an address or user name in ASCII, the same in any case. */
  asciiName(view: DataView, start: number, end: number, key: Uint32Array, to: number): void {
    this.#fingerprints.withoutCase(view, start, end, key, to);
  }

  /** As `userId`, of a string. */
  ofId(userId: string, key: Uint32Array, to: number): void {
    const length = this.#scratch.put(userId);
    this.userId(this.#scratch.view, 0, length, key, to);
  }

  /** As `asciiName`, of any string. */
  ofName(name: string, key: Uint32Array, to: number): void {
    const length = this.#scratch.put(name.toLowerCase());
    this.asciiName(this.#scratch.view, 0, length, key, to);
  }
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
