import { enlarged } from "../json/words.ts";

/** Appends bytes to memory that is reused. */
export class ByteStore {
  #buffer: Buffer;
  #length = 0;

  /** @param room bytes that fit before it grows. */
  constructor(room = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(room);
  }

  get length(): number {
    return this.#length;
  }

  /** Forgets what is in it; the memory stays. */
  clear(): void {
    this.#length = 0;
  }

  /** Copies the bytes in and returns where they begin. */
  append(bytes: Uint8Array): number {
    const start = this.#length;
    const end = start + bytes.length;
    if (end > this.#buffer.length) this.#buffer = enlarged(this.#buffer, start, Math.max(end, this.#buffer.length * 2));
    this.#buffer.set(bytes, start);
    this.#length = end;
    return start;
  }

  /** A view that holds until the store is cleared or appended to. */
  view(start = 0, end = this.#length): Buffer {
    return this.#buffer.subarray(start, end);
  }
}

/** The memory of one batch: its items, and the body of its call. */
export interface BatchBuffers {
  readonly items: ByteStore;
  readonly body: ByteStore;
}

/**
 * Hands out buffers and takes them back when their batch is settled, so that a run needs as many as there are batches at a time.
 * Without it the garbage of a body of any size would pile up until the collector cares.
 */
export interface BufferPool {
  take(): BatchBuffers;
  give(buffers: BatchBuffers): void;
}

export function createBufferPool(): BufferPool {
  const free: BatchBuffers[] = [];
  return {
    take: () => free.pop() ?? { items: new ByteStore(), body: new ByteStore() },
    give(buffers) {
      buffers.items.clear();
      buffers.body.clear();
      free.push(buffers);
    },
  };
}
