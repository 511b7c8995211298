/** Chance that can be repeated: the same seed gives the same numbers on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
    // Seeds that are next to each other shall have nothing in common.
    for (let round = 0; round < 4; round += 1) this.next();
  }

  /** 0 ≤ x < 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 … limit - 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  pick<T>(all: readonly T[]): T {
    if (all.length === 0) throw new Error("nothing to pick from");
    return all[this.below(all.length)] as T; // within its length
  }

  /** Some of all, in their order. */
  some<T>(all: readonly T[], part: number): T[] {
    return all.filter(() => this.chance(part));
  }

  shuffled<T>(all: readonly T[]): T[] {
    const left = [...all];
    const taken: T[] = [];
    while (left.length > 0) taken.push(...left.splice(this.below(left.length), 1));
    return taken;
  }

  text(alphabet: string, length: number): string {
    let text = "";
    for (let at = 0; at < length; at += 1) text += alphabet[this.below(alphabet.length)];
    return text;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** Chance of its own, so that what it is used for can change without changing what comes after. */
  fork(): Random {
    return new Random(this.below(2 ** 32));
  }
}

export const letters = "abcdefghijklmnopqrstuvwxyz";
export const digits = "0123456789";
export const hexDigits = "0123456789abcdef";
