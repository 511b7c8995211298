/** Appends bytes to memory that is reused. */
export class ByteStore {
  #buffer: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;

  /** Forgets what is in it; the memory stays. */
  clear(): void {
    this.#length = 0;
  }

  /** Copies the bytes in and returns where they begin. */
  append(bytes: Uint8Array): number {
    const start = this.#length;
    if (start + bytes.length > this.#buffer.length) this.#grow(start + bytes.length);
    this.#buffer.set(bytes, start);
    this.#length = start + bytes.length;
    return start;
  }

  /** A view that holds until the store is cleared or appended to. */
  view(start = 0, end = this.#length): Buffer {
    return this.#buffer.subarray(start, end);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
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
