import type { HashRule } from "../../problem.ts";

/** `$2b$10$` + 22 characters of salt + 31 of hash (service behaviour 4). */
const LENGTH = 60;
const ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const NOT_IN_ALPHABET = 0xff;
const DOLLAR = 0x24;
const ZERO = 0x30;
/** By the number `variantOf` gives. */
const VARIANTS = Buffer.from("?aby");

const sixBitsOf = new Uint8Array(256).fill(NOT_IN_ALPHABET);
const byteOf = Buffer.from(ALPHABET);
for (const [index, byte] of byteOf.entries()) sixBitsOf[byte] = index;

/** Two characters, as a little-endian number of two bytes, of twelve bits. */
const pairOf = Uint16Array.from(
  { length: 64 * 64 },
  (_, bits) => (byteOf[bits >>> 6] as number) | ((byteOf[bits & 63] as number) << 8),
);

/** Words that a packed hash takes: ten of five characters each, then three characters and `form`. */
export const HASH_WORDS = 11;

/**
 * Packs the bcrypt hash in [start, end) into `words[at …]`, exactly and reversibly, or says which rule it breaks.
 * The service takes a hash unchecked and then nobody can sign in with it, so the check is ours (service behaviour 2.6, 4).
 */
export function packBcrypt(
  bytes: Uint8Array,
  start: number,
  end: number,
  words: Uint32Array,
  at: number,
): HashRule | undefined {
  const variant = variantOf(bytes, start, end);
  if (variant === 0) return "prefix";
  const cost = costOf(bytes, start, end);
  if (cost === undefined) return "cost";
  if (end - start !== LENGTH) return "length";
  let seen = 0;
  let from = start + 7;
  for (let word = 0; word < HASH_WORDS; word += 1) {
    let packed = 0;
    const to = Math.min(from + 5, end);
    for (; from < to; from += 1) {
      const six = sixBitsOf[bytes[from] as number] as number;
      seen |= six;
      packed = (packed << 6) | six;
    }
    words[at + word] = packed;
  }
  // Every six-bit value is below 64; the mark of a foreign byte is not.
  if (seen > 63) return "alphabet";
  const last = at + HASH_WORDS - 1;
  words[last] = ((words[last] as number) | (cost << 18) | (variant << 23)) >>> 0;
  return undefined;
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
function variantOf(bytes: Uint8Array, start: number, end: number): 0 | 1 | 2 | 3 {
  if (end - start < 4 || bytes[start] !== DOLLAR || bytes[start + 1] !== ZERO + 2 || bytes[start + 3] !== DOLLAR)
    return 0;
  switch (bytes[start + 2]) {
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
function costOf(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end - start < 7 || bytes[start + 6] !== DOLLAR) return undefined;
  const tens = (bytes[start + 4] as number) - ZERO;
  const ones = (bytes[start + 5] as number) - ZERO;
  if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return undefined;
  const cost = tens * 10 + ones;
  return cost >= 4 && cost <= 31 ? cost : undefined;
}
