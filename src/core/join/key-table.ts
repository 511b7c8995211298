import { finish } from "./fingerprint.ts";

/** Above this share of used slots the probes get long. */
const MAX_LOAD = 0.8;
const MIN_SLOTS = 2048;
const PER_WORD = 2 ** -32;

/**
 * An open-addressing hash table of fixed-size entries in one typed array: a few words of key, then a few words of value.
 * About 30 bytes an entry where a Map of strings takes over 200. Entries are numbered in the order they were added.
 */
export class KeyTable {
  readonly #keyWords: 2 | 3;
  readonly #stride: number;
  #slots: Uint32Array;
  #entries: Uint32Array;
  #count = 0;

  /**
   * @param keyWords 32-bit words of a key.
   * @param valueWords words kept with it, zero at first.
   * @param expected how many entries there will be, about; more only cost a copy.
   */
  constructor(keyWords: 2 | 3, valueWords: number, expected: number) {
    this.#keyWords = keyWords;
    this.#stride = keyWords + valueWords;
    this.#slots = new Uint32Array(Math.max(MIN_SLOTS, Math.ceil(expected / MAX_LOAD)));
    // Untouched pages of a typed array take no memory, so a generous guess costs nothing.
    this.#entries = new Uint32Array(Math.max(1024, expected) * this.#stride);
  }

  get count(): number {
    return this.#count;
  }

  /** The entry of a key, or -1. */
  find(key: Uint32Array, at: number): number {
    return (this.#slots[this.#slotOf(key, at)] as number) - 1;
  }

  /** The entry of a key; made when there is none. */
  findOrAdd(key: Uint32Array, at: number): number {
    const slot = this.#slotOf(key, at);
    const found = this.#slots[slot] as number;
    if (found !== 0) return found - 1;
    const entry = this.#count;
    if ((entry + 1) * this.#stride > this.#entries.length) this.#growEntries();
    const base = entry * this.#stride;
    for (let word = 0; word < this.#keyWords; word += 1) this.#entries[base + word] = key[at + word] as number;
    this.#count = entry + 1;
    this.#slots[slot] = entry + 1;
    if (this.#count > this.#slots.length * MAX_LOAD) this.#growSlots();
    return entry;
  }

  /** A value word of an entry, from 0. */
  get(entry: number, word: number): number {
    return this.#entries[entry * this.#stride + this.#keyWords + word] as number;
  }

  set(entry: number, word: number, value: number): void {
    this.#entries[entry * this.#stride + this.#keyWords + word] = value;
  }

  /** The slot that holds the key, or the empty one where it belongs. */
  #slotOf(key: Uint32Array, at: number): number {
    const slots = this.#slots.length;
    const hash = finish(
      key[at] as number,
      (key[at + 1] as number) + (this.#keyWords === 3 ? (key[at + 2] as number) : 0),
    );
    // Scaled rather than masked, so that the table need not be a power of two.
    let slot = Math.floor((hash >>> 0) * PER_WORD * slots);
    for (;;) {
      const entry = this.#slots[slot] as number;
      if (entry === 0 || this.#holds(entry - 1, key, at)) return slot;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
  }

  #holds(entry: number, key: Uint32Array, at: number): boolean {
    const base = entry * this.#stride;
    if (this.#entries[base] !== key[at] || this.#entries[base + 1] !== key[at + 1]) return false;
    return this.#keyWords === 2 || this.#entries[base + 2] === key[at + 2];
  }

  #growEntries(): void {
    const grown = new Uint32Array(this.#entries.length * 2);
    grown.set(this.#entries);
    this.#entries = grown;
  }

  #growSlots(): void {
    this.#slots = new Uint32Array(Math.ceil(this.#slots.length * 1.6));
    for (let entry = 0; entry < this.#count; entry += 1) {
      this.#slots[this.#slotOf(this.#entries, entry * this.#stride)] = entry + 1;
    }
  }
}
