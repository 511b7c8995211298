import { finish } from "./fingerprint.ts";

/** Above this share of used slots the probes get long. */
const MAX_LOAD = 0.8;
/** Small tables have room to spare: their probes are short. */
const MIN_SLOTS = 2 ** 16;
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
 *
 * A slot holds a record's number + 1 in its lower bits, 0 being free, and in those that are left some bits of the key's hash.
 * Nearly every record that is not the one looked for differs in these, so it need not be fetched from memory, which is what a
 * look-up costs.
 */
export class KeyIndex {
  readonly #stride: number;
  readonly #offset: number;
  readonly #words: 2 | 3;
  #slots: Uint32Array;
  /** Lower bits of a slot, for a record's number + 1. */
  #recordBits: number;
  #count = 0;

  /** @param expected how many records there will be, about; more only cost time. */
  constructor({ stride, offset, words }: KeyPlace, expected: number) {
    this.#stride = stride;
    this.#offset = offset;
    this.#words = words;
    this.#slots = new Uint32Array(Math.max(MIN_SLOTS, Math.ceil(expected / MAX_LOAD)));
    this.#recordBits = bitsOf(this.#slots.length);
  }

  /** The record with this key, or -1. */
  find(records: Uint32Array, key: Uint32Array, at: number): number {
    return this.#recordIn(this.#slotOf(records, key, at, this.#hash(key, at)));
  }

  /**
   * Reads the slots that `count` look-ups will read first, of keys `step` words apart from `at` on, and puts the records in them
   * into `records`, -1 for none. They are only likely to be the right ones.
   */
  prefetch(keys: Uint32Array, at: number, step: number, count: number, records: Int32Array): void {
    for (let row = 0, from = at; row < count; row += 1, from += step) {
      records[row] = this.#recordIn(this.#firstSlot(this.#hash(keys, from)));
    }
  }

  /** Makes `record`, which holds its key already, the one that the key finds. */
  put(records: Uint32Array, record: number): void {
    if (bitsOf(record + 1) > this.#recordBits) this.#rebuild(records, this.#slots.length, bitsOf(record + 1) + 1);
    const at = record * this.#stride + this.#offset;
    const hash = this.#hash(records, at);
    const slot = this.#slotOf(records, records, at, hash);
    if (this.#slots[slot] === 0) this.#count += 1;
    this.#slots[slot] = (hash << this.#recordBits) | (record + 1);
    if (this.#count > this.#slots.length * MAX_LOAD) {
      this.#rebuild(records, Math.ceil(this.#slots.length * GROWTH), this.#recordBits);
    }
  }

  #hash(key: Uint32Array, at: number): number {
    const b = key[at + 1] as number;
    return finish(key[at] as number, this.#words === 3 ? b + (key[at + 2] as number) : b);
  }

  /** The upper bits of the hash choose it, scaled rather than masked, so that the table need not be a power of two. */
  #firstSlot(hash: number): number {
    return ((hash >>> 0) * PER_WORD * this.#slots.length) >>> 0;
  }

  #recordIn(slot: number): number {
    return (((this.#slots[slot] as number) << (32 - this.#recordBits)) >>> (32 - this.#recordBits)) - 1;
  }

  /** The slot that holds the key, or the free one where it belongs. */
  #slotOf(records: Uint32Array, key: Uint32Array, at: number, hash: number): number {
    const slots = this.#slots;
    const bits = this.#recordBits;
    const tag = hash << bits;
    let slot = this.#firstSlot(hash);
    for (;;) {
      const held = slots[slot] as number;
      if (held === 0) return slot;
      if ((held ^ tag) >>> bits === 0 && this.#holds(records, this.#recordIn(slot), key, at)) return slot;
      slot = slot + 1 === slots.length ? 0 : slot + 1;
    }
  }

  #holds(records: Uint32Array, record: number, key: Uint32Array, at: number): boolean {
    const base = record * this.#stride + this.#offset;
    if (records[base] !== key[at] || records[base + 1] !== key[at + 1]) return false;
    return this.#words === 2 || records[base + 2] === key[at + 2];
  }

  #rebuild(records: Uint32Array, slots: number, recordBits: number): void {
    const old = this.#slots;
    const mask = (1 << this.#recordBits) - 1;
    this.#slots = new Uint32Array(slots);
    this.#recordBits = recordBits;
    for (const held of old) {
      if (held === 0) continue;
      const record = (held & mask) - 1;
      const at = record * this.#stride + this.#offset;
      const hash = this.#hash(records, at);
      this.#slots[this.#slotOf(records, records, at, hash)] = (hash << recordBits) | (record + 1);
    }
  }
}

/** Bits that a number takes, at most 31: more records would not fit into memory either. */
function bitsOf(number: number): number {
  return 32 - Math.clz32(number);
}
