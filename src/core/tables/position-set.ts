import { grown } from "../json/words.ts";

/** A set of small whole numbers, one bit each: positions in a list of any length. */
export class PositionSet {
  #bits = new Uint8Array(128);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(position: number): void {
    const byte = position >>> 3;
    if (byte >= this.#bits.length) this.#bits = grown(this.#bits, Math.max(byte + 1, this.#bits.length * 2));
    const before = this.#bits[byte] as number; // grown to hold it
    const bit = 1 << (position & 7);
    if ((before & bit) !== 0) return;
    this.#bits[byte] = before | bit;
    this.#size += 1;
  }

  has(position: number): boolean {
    return ((this.#bits[position >>> 3] ?? 0) & (1 << (position & 7))) !== 0;
  }
}
