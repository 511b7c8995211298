const SLAB_BYTES = 1024 * 1024;

/** Texts outside the garbage-collected heap: a million entries cost their bytes, and nothing to look after. */
export interface TextHeap {
  /** Keeps a text for good and gives the number to ask for it with. */
  keep(text: string): number;
  textOf(slot: number): string;
}

/** Keys in the order they were first set, each with a text. */
export interface EntryList extends Iterable<readonly [key: string, text: string]> {
  readonly size: number;
  has(key: string): boolean;
  get(key: string): string | undefined;
  /** The number to ask the heap for the text of a key with. */
  slotOf(key: string): number | undefined;
  /** The place of a text that is replaced is not used again. */
  set(key: string, text: string): void;
  delete(key: string): void;
  values(): Iterable<string>;
  keys(): Iterable<string>;
}

export function createTextHeap(): TextHeap {
  let slab = Buffer.alloc(0);
  let used = 0;
  let slots = 0;
  const slabs: Buffer[] = [];
  let slabOf = new Uint32Array(64);
  let starts = new Uint32Array(64);
  let ends = new Uint32Array(64);
  const place = (bytes: number): void => {
    if (used + bytes > slab.length) {
      slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
      slabs.push(slab);
      used = 0;
    }
    if (slots < starts.length) return;
    [slabOf, starts, ends] = [grown(slabOf), grown(starts), grown(ends)];
  };
  return {
    keep(text) {
      const bytes = Buffer.byteLength(text);
      place(bytes);
      slab.write(text, used);
      slabOf[slots] = slabs.length - 1;
      starts[slots] = used;
      used += bytes;
      ends[slots] = used;
      slots += 1;
      return slots - 1;
    },
    textOf: (slot) => (slabs[slabOf[slot] ?? 0] ?? slab).toString("utf8", starts[slot], ends[slot]),
  };
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

export function createEntryList(heap: TextHeap): EntryList {
  const slots = new Map<string, number>();
  const textOf = (slot: number): string => heap.textOf(slot);
  return {
    get size() {
      return slots.size;
    },
    has: (key) => slots.has(key),
    get(key) {
      const slot = slots.get(key);
      return slot === undefined ? undefined : textOf(slot);
    },
    slotOf: (key) => slots.get(key),
    set: (key, text) => void slots.set(key, heap.keep(text)),
    delete: (key) => void slots.delete(key),
    keys: () => slots.keys(),
    *values() {
      for (const slot of slots.values()) yield textOf(slot);
    },
    *[Symbol.iterator]() {
      for (const [key, slot] of slots) yield [key, textOf(slot)] as const;
    },
  };
}
