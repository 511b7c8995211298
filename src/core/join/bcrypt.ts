import type { HashRule } from "../../problem.ts";

/** `$2b$10$` + 22 characters of salt + 31 of hash (service behaviour 4). */
const LENGTH = 60;
const ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const NOT_IN_ALPHABET = 0xff;
const DOLLAR = 0x24;
const ZERO = 0x30;

const sixBitsOf = new Uint8Array(256).fill(NOT_IN_ALPHABET);
const byteOf = Buffer.from(ALPHABET);
for (const [index, byte] of byteOf.entries()) sixBitsOf[byte] = index;

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
export function unpackBcrypt(words: Uint32Array, at: number, into: Uint8Array, offset: number): number {
  const last = words[at + HASH_WORDS - 1] as number;
  const cost = (last >>> 18) & 31;
  into[offset] = DOLLAR;
  into[offset + 1] = ZERO + 2;
  into[offset + 2] = "?aby".charCodeAt((last >>> 23) & 3);
  into[offset + 3] = DOLLAR;
  into[offset + 4] = ZERO + Math.floor(cost / 10);
  into[offset + 5] = ZERO + (cost % 10);
  into[offset + 6] = DOLLAR;
  let to = offset + 7;
  for (let word = 0; word < HASH_WORDS - 1; word += 1) {
    const packed = words[at + word] as number;
    into[to] = byteOf[(packed >>> 24) & 63] as number;
    into[to + 1] = byteOf[(packed >>> 18) & 63] as number;
    into[to + 2] = byteOf[(packed >>> 12) & 63] as number;
    into[to + 3] = byteOf[(packed >>> 6) & 63] as number;
    into[to + 4] = byteOf[packed & 63] as number;
    to += 5;
  }
  into[to] = byteOf[(last >>> 12) & 63] as number;
  into[to + 1] = byteOf[(last >>> 6) & 63] as number;
  into[to + 2] = byteOf[last & 63] as number;
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
