import type { HashRule } from "../../../problem.ts";

/** `$2b$10$` + 22 characters of salt + 31 of hash (service behaviour 4). */
const LENGTH = 60;
const ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const NOT_IN_ALPHABET = 0xff;
const NO_PAIR = 0xffff;
const DOLLAR = 0x24;
const ZERO = 0x30;
/** By the number `variantOf` gives. */
const VARIANTS = Buffer.from("?aby");

const byteOf = Buffer.from(ALPHABET);
const sixBitsOf = new Uint8Array(256).fill(NOT_IN_ALPHABET);
/** Two characters, as a little-endian number of two bytes, of twelve bits; and the reverse. */
const pairOf = new Uint16Array(64 * 64);
const twelveBitsOf = new Uint16Array(0x10000).fill(NO_PAIR);
for (let first = 0; first < 64; first += 1) {
  sixBitsOf[byteOf[first] as number] = first;
  for (let second = 0; second < 64; second += 1) {
    const pair = (byteOf[first] as number) | ((byteOf[second] as number) << 8);
    pairOf[(first << 6) | second] = pair;
    twelveBitsOf[pair] = (first << 6) | second;
  }
}

/** Words that a packed hash takes: ten of five characters each, then three characters and `form`. */
export const HASH_WORDS = 11;

/**
 * Packs the bcrypt hash in [start, end) into `words[at …]`, exactly and reversibly, or says which rule it breaks.
 * The service accepts a broken hash, and its user then cannot sign in, so the check is ours (service behaviour 2.6, 4).
 */
export function packBcrypt(
  view: DataView,
  start: number,
  end: number,
  words: Uint32Array,
  at: number,
): HashRule | undefined {
  const variant = variantOf(view, start, end);
  if (variant === 0) return "prefix";
  const cost = costOf(view, start, end);
  if (cost === undefined) return "bcrypt";
  if (end - start !== LENGTH) return "length";
  let seen = 0;
  for (let word = 0, from = start + 7; word < HASH_WORDS - 1; word += 1, from += 5) {
    const first = twelveBitsOf[view.getUint16(from, true)] as number;
    const second = twelveBitsOf[view.getUint16(from + 2, true)] as number;
    const last = sixBitsOf[view.getUint8(from + 4)] as number;
    seen |= first | second | (last << 6);
    words[at + word] = (first << 18) | (second << 6) | last;
  }
  const first = twelveBitsOf[view.getUint16(end - 3, true)] as number;
  const last = sixBitsOf[view.getUint8(end - 1)] as number;
  // Twelve bits are below 4096, six bits times 64 as well; the marks of foreign bytes are not.
  if ((seen | first | (last << 6)) > 4095) return "alphabet";
  words[at + HASH_WORDS - 1] = ((first << 6) | last | (cost << 18) | (variant << 23)) >>> 0;
  return undefined;
}

/** The cost of a packed hash. */
export function packedCost(words: Uint32Array, at: number): number {
  return ((words[at + HASH_WORDS - 1] as number) >>> 18) & 31;
}

/** Writes the packed hash as its 60 characters and returns one past the last. */
export function unpackBcrypt(words: Uint32Array, at: number, into: DataView, offset: number): number {
  const last = words[at + HASH_WORDS - 1] as number;
  const cost = (last >>> 18) & 31;
  into.setUint8(offset, DOLLAR);
  into.setUint8(offset + 1, ZERO + 2);
  into.setUint8(offset + 2, VARIANTS[(last >>> 23) & 3] as number);
  into.setUint8(offset + 3, DOLLAR);
  into.setUint8(offset + 4, ZERO + Math.floor(cost / 10));
  into.setUint8(offset + 5, ZERO + (cost % 10));
  into.setUint8(offset + 6, DOLLAR);
  let to = offset + 7;
  for (let word = 0; word < HASH_WORDS - 1; word += 1, to += 5) {
    const packed = words[at + word] as number;
    into.setUint16(to, pairOf[packed >>> 18] as number, true);
    into.setUint16(to + 2, pairOf[(packed >>> 6) & 4095] as number, true);
    into.setUint8(to + 4, byteOf[packed & 63] as number);
  }
  into.setUint16(to, pairOf[(last >>> 6) & 4095] as number, true);
  into.setUint8(to + 2, byteOf[last & 63] as number);
  return to + 3;
}

/** 1 = $2a$, 2 = $2b$, 3 = $2y$, 0 = none of them. */
function variantOf(view: DataView, start: number, end: number): 0 | 1 | 2 | 3 {
  if (
    end - start < 4 ||
    view.getUint8(start) !== DOLLAR ||
    view.getUint8(start + 1) !== ZERO + 2 ||
    view.getUint8(start + 3) !== DOLLAR
  )
    return 0;
  switch (view.getUint8(start + 2)) {
    case 0x61:
      return 1;
    case 0x62:
      return 2;
    case 0x79:
      return 3;
    default:
      return 0;
  }
}

/** Two digits from 04 to 31 and a dollar sign. */
function costOf(view: DataView, start: number, end: number): number | undefined {
  if (end - start < 7 || view.getUint8(start + 6) !== DOLLAR) return undefined;
  const tens = view.getUint8(start + 4) - ZERO;
  const ones = view.getUint8(start + 5) - ZERO;
  if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return undefined;
  const cost = tens * 10 + ones;
  return cost >= 4 && cost <= 31 ? cost : undefined;
}
