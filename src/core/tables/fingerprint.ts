import { randomFillSync } from "node:crypto";
import { lowerCase, partOfWord, TextScratch } from "../json/words.ts";

/** Words of the seeds. */
export const SEEDS = 3;

/**
 * Keyed fingerprints of ids and e-mail addresses, so that a table holds a few words a key instead of a string. The seeds are
 * random in each run: no input can contain two addresses chosen to collide. By chance two of a million keys share the 64 bits of an
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

  /** 96 bits of the bytes into `key[to]`, `key[to + 1]`, `key[to + 2]`. */
  id(view: DataView, start: number, end: number, key: Uint32Array, to: number): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    for (let at = start; at < end; at += 4) {
      const word = at + 4 <= end ? view.getInt32(at, true) : partOfWord(view, at, end);
      a = mixA(a, word);
      b = mixB(b, word);
      c = mixC(c, word);
    }
    const length = end - start;
    key[to] = finish(a ^ length, b);
    key[to + 1] = finish(b ^ length, c);
    key[to + 2] = finish(c ^ length, a);
  }

  /** 64 bits of the bytes, ASCII letters without case, into `key[to]`, `key[to + 1]`. */
  withoutCase(view: DataView, start: number, end: number, key: Uint32Array, to: number): void {
    let a = this.#b;
    let b = this.#c;
    for (let at = start; at < end; at += 4) {
      const word = lowerCase(at + 4 <= end ? view.getInt32(at, true) : partOfWord(view, at, end));
      a = mixA(a, word);
      b = mixB(b, word);
    }
    const length = end - start;
    key[to] = finish(a ^ length, b);
    key[to + 1] = finish(b ^ length, a);
  }
}

/** Fingerprints of texts, in memory that is used again. */
export class TextFingerprints {
  readonly #fingerprints: Fingerprints;
  readonly #text = new TextScratch();
  readonly #key = new Uint32Array(3);

  constructor(seeds: Uint32Array = randomFillSync(new Uint32Array(SEEDS))) {
    this.#fingerprints = new Fingerprints(seeds);
  }

  /** 96 bits of a text, as three words. Valid until the next call. */
  of(text: string): Uint32Array {
    const length = this.#text.put(text);
    this.#fingerprints.id(this.#text.view, 0, length, this.#key, 0);
    return this.#key;
  }

  /** 32 of these bits. */
  wordOf(text: string): number {
    return this.of(text)[0] as number;
  }
}

// Three lanes that differ in operation, multiplier and rotation, so that a collision in one makes none in the others likely.
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
