/**
 * Storage outside of memory for records that are processed part by part. It holds personal data and hashes, so an implementation
 * must keep other users of the machine from reading them.
 */
export interface PartStore {
  /** Copies the first `count` words, which belong together, behind those of the part. Raises output.full. */
  append(part: number, words: Uint32Array, count: number): void;
  /** How many words a part has. */
  words(part: number): number;
  /** Copies all words of a part into the beginning of `into`, in the order they came. */
  read(part: number, into: Uint32Array): void;
  /** Frees the storage. May be called twice. */
  remove(): void;
}

/** How a join is kept in parts. */
export interface PartSettings {
  /** How many: each has to fit into memory, together with the tables of its people. */
  readonly parts: number;
  createStore(): PartStore;
  /** Lets signals and other threads run. Raises what interrupts the run. */
  pause(): Promise<void>;
}

/** Memory that is reused for each part. */
export class PartMemory {
  #words = new Uint32Array(0);

  /** A whole part; valid until the next one is read. */
  load(store: PartStore, part: number): Uint32Array {
    const count = store.words(part);
    if (count > this.#words.length) this.#words = new Uint32Array(Math.ceil(count * 1.1));
    store.read(part, this.#words);
    return this.#words.subarray(0, count);
  }
}
