/** ASCII letters in lower case; every other byte as it is. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte));

/**
 * Keyed fingerprints of ids and e-mail addresses, so that a table holds a few words a key instead of a string. The seeds are
 * random in each run: nobody can choose two addresses that collide. By chance two of a million keys share the 64 bits of an
 * address with probability 3e-8, the 96 bits of an id with 6e-18 (a Mongo object id is not fingerprinted but packed, exactly).
 */
export class Fingerprints {
  readonly #a: number;
  readonly #b: number;
  readonly #c: number;

  /** @param seeds three random 32-bit words. */
  constructor(seeds: Uint32Array) {
    [this.#a, this.#b, this.#c] = seeds as unknown as [number, number, number]; // the length is the caller's promise
  }

  /** 96 bits of the bytes into `key[at]`, `key[at + 1]`, `key[at + 2]`. */
  id(bytes: Uint8Array, start: number, end: number, key: Uint32Array, at: number): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    for (let i = start; i < end; i += 4) {
      const word = wordAt(bytes, i, end);
      a = mixA(a, word);
      b = mixB(b, word);
      c = mixC(c, word);
    }
    const length = end - start;
    key[at] = finish(a ^ length, b);
    key[at + 1] = finish(b ^ length, c);
    key[at + 2] = finish(c ^ length, a);
  }

  /** 64 bits of the bytes, ASCII letters without case, into `key[at]`, `key[at + 1]`. */
  withoutCase(bytes: Uint8Array, start: number, end: number, key: Uint32Array, at: number): void {
    let a = this.#b;
    let b = this.#c;
    for (let i = start; i < end; i += 4) {
      const word = lowerWordAt(bytes, i, end);
      a = mixA(a, word);
      b = mixB(b, word);
    }
    const length = end - start;
    key[at] = finish(a ^ length, b);
    key[at + 1] = finish(b ^ length, a);
  }
}

function wordAt(bytes: Uint8Array, at: number, end: number): number {
  let word = bytes[at] as number;
  if (at + 1 < end) word |= (bytes[at + 1] as number) << 8;
  if (at + 2 < end) word |= (bytes[at + 2] as number) << 16;
  if (at + 3 < end) word |= (bytes[at + 3] as number) << 24;
  return word;
}

function lowerWordAt(bytes: Uint8Array, at: number, end: number): number {
  let word = LOWER[bytes[at] as number] as number;
  if (at + 1 < end) word |= (LOWER[bytes[at + 1] as number] as number) << 8;
  if (at + 2 < end) word |= (LOWER[bytes[at + 2] as number] as number) << 16;
  if (at + 3 < end) word |= (LOWER[bytes[at + 3] as number] as number) << 24;
  return word;
}

// Three lanes that differ in operation, multiplier and rotation, so that a collision in one says nothing of the others.
// Each step is a bijection of the lane for a given word, and of the word for a given lane.
function mixA(lane: number, word: number): number {
  const x = Math.imul(lane ^ word, 0x9e3779b1);
  return (x << 15) | (x >>> 17);
}

function mixB(lane: number, word: number): number {
  const x = Math.imul((lane + word) | 0, 0x85ebca77);
  return (x << 13) | (x >>> 19);
}

function mixC(lane: number, word: number): number {
  const x = Math.imul(((lane << 7) | (lane >>> 25)) ^ word, 0xc2b2ae3d);
  return x ^ (x >>> 15);
}

/** Spreads what two lanes know over all 32 bits. */
export function finish(lane: number, other: number): number {
  let x = lane ^ Math.imul(other, 0x27d4eb2f);
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
