import type { RowBlock } from "../core/rows/row-block.ts";
import type { CleanUp } from "./clean-up.ts";
import { PrivateCopy } from "./private-copy.ts";
import { StreamReader } from "./stream-reader.ts";

const CHUNK_BYTES = 2 ** 20;
/** As much stays in memory; what is more goes to an encrypted file. */
const MEMORY_BYTES = 16 * CHUNK_BYTES;

/** Rows set aside to be looked at once more, in the order they came. */
export class RowSpool {
  readonly #cleanUp: CleanUp;
  readonly #signal: AbortSignal;
  readonly #inMemory: Buffer[] = [];
  #chunk = Buffer.allocUnsafe(0);
  #used = 0;
  #held = 0;
  #copy: PrivateCopy | undefined;
  readonly #lengths: number[] = [];
  readonly #lines: number[] = [];

  constructor(cleanUp: CleanUp, signal: AbortSignal) {
    this.#cleanUp = cleanUp;
    this.#signal = signal;
  }

  get count(): number {
    return this.#lines.length;
  }

  /** Sets the row in [start, end) aside. */
  add(bytes: Buffer, start: number, end: number, line: number): void {
    const length = end - start;
    if (this.#chunk.length - this.#used < length) {
      this.#flush();
      this.#chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, length));
    }
    bytes.copy(this.#chunk, this.#used, start, end);
    this.#used += length;
    this.#lengths.push(length);
    this.#lines.push(line);
  }

  #flush(): void {
    const full = this.#chunk.subarray(0, this.#used);
    this.#used = 0;
    if (full.length === 0) return;
    if (this.#copy === undefined && this.#held + full.length <= MEMORY_BYTES) {
      this.#inMemory.push(full);
      this.#held += full.length;
      return;
    }
    this.#copy ??= new PrivateCopy(this.#cleanUp);
    this.#copy.write(full);
  }

  /** The rows, one a block. Nothing may be added any more. */
  async *blocks(): AsyncGenerator<RowBlock> {
    this.#flush();
    this.#chunk = Buffer.allocUnsafe(0);
    const file = this.#copy === undefined ? undefined : new StreamReader("", this.#copy.read(), this.#signal);
    let chunk = 0;
    let at = 0;
    for (const [index, length] of this.#lengths.entries()) {
      if (at === this.#inMemory[chunk]?.length) {
        chunk += 1;
        at = 0;
      }
      const memory = this.#inMemory[chunk];
      const line = this.#lines[index] as number;
      if (memory !== undefined) {
        yield oneRow(memory, at, at + length, line);
        at += length;
      } else {
        const row = Buffer.allocUnsafe(length);
        await file?.fill(row);
        yield oneRow(row, 0, length, line);
      }
    }
    await file?.close();
  }

  remove(): void {
    this.#copy?.remove();
  }
}

function oneRow(bytes: Buffer, start: number, end: number, line: number): RowBlock {
  return { bytes, count: 1, starts: Uint32Array.of(start), ends: Uint32Array.of(end), lines: Uint32Array.of(line) };
}
