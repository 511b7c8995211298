import { finish } from "./fingerprint.ts";

/** Above this share of used slots the probes get long. */
const MAX_LOAD = 0.8;
const MIN_SLOTS = 2048;
const GROWTH = 1.6;
const PER_WORD = 2 ** -32;

/** Where an index finds the key of a record: `words` words from `offset` on, of records `stride` words long. */
export interface KeyPlace {
  readonly stride: number;
  readonly offset: number;
  readonly words: 2 | 3;
}

/**
 * An open-addressing hash index of records that lie in one typed array and hold their keys themselves: five bytes a record
 * where a Map of strings takes over 200.
 */
export class KeyIndex {
  readonly #stride: number;
  readonly #offset: number;
  readonly #words: 2 | 3;
  /** Record + 1; 0 = free. */
  #slots: Uint32Array;
  #count = 0;

  /** @param expected how many records there will be, about; more only cost time. */
  constructor({ stride, offset, words }: KeyPlace, expected: number) {
    this.#stride = stride;
    this.#offset = offset;
    this.#words = words;
    this.#slots = new Uint32Array(Math.max(MIN_SLOTS, Math.ceil(expected / MAX_LOAD)));
  }

  /** The record with this key, or -1. */
  find(records: Uint32Array, key: Uint32Array, at: number): number {
    return (this.#slots[this.#slotOf(records, key, at)] as number) - 1;
  }

  /** Makes `record`, which holds its key already, the one that the key finds. */
  put(records: Uint32Array, record: number): void {
    const slot = this.#slotOf(records, records, record * this.#stride + this.#offset);
    if (this.#slots[slot] === 0) this.#count += 1;
    this.#slots[slot] = record + 1;
    if (this.#count > this.#slots.length * MAX_LOAD) this.#grow(records);
  }

  /** The slot that holds the key, or the free one where it belongs. */
  #slotOf(records: Uint32Array, key: Uint32Array, at: number): number {
    const slots = this.#slots;
    const a = key[at] as number;
    const b = key[at + 1] as number;
    const c = this.#words === 3 ? (key[at + 2] as number) : 0;
    // Scaled rather than masked, so that the table need not be a power of two.
    let slot = Math.floor((finish(a, b + c) >>> 0) * PER_WORD * slots.length);
    for (;;) {
      const record = slots[slot] as number;
      if (record === 0) return slot;
      const base = (record - 1) * this.#stride + this.#offset;
      if (records[base] === a && records[base + 1] === b && (this.#words === 2 || records[base + 2] === c)) return slot;
      slot = slot + 1 === slots.length ? 0 : slot + 1;
    }
  }

  #grow(records: Uint32Array): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(Math.ceil(old.length * GROWTH));
    for (const record of old) {
      if (record === 0) continue;
      const slot = this.#slotOf(records, records, (record - 1) * this.#stride + this.#offset);
      this.#slots[slot] = record;
    }
  }
}
