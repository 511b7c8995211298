import { type RowBlock, RowList } from "../../core/rows/row-block.ts";
import type { RowSpool } from "../../core/rows/row-file.ts";
import type { CleanUp } from "../clean-up.ts";
import { EncryptedSpool } from "../encrypted-spool.ts";

const CHUNK_BYTES = 2 ** 18;
/** As many chunks stay in memory; what is more goes to an encrypted file. */
const CHUNKS_IN_MEMORY = 64;

interface Chunk {
  /** undefined: in the file. */
  bytes: Buffer | undefined;
  readonly rows: RowList;
  used: number;
}

/** Rows set aside in memory, and from a certain amount on in an encrypted file. */
export class FileRowSpool implements RowSpool {
  readonly #cleanUp: CleanUp;
  readonly #signal: AbortSignal;
  readonly #chunks: Chunk[] = [];
  #copy: EncryptedSpool | undefined;

  constructor(cleanUp: CleanUp, signal: AbortSignal) {
    this.#cleanUp = cleanUp;
    this.#signal = signal;
  }

  add(bytes: Buffer, number: number): void {
    const { length } = bytes;
    let chunk = this.#chunks.at(-1);
    if (chunk?.bytes === undefined || chunk.bytes.length - chunk.used < length) {
      if (chunk !== undefined) this.#toOutcome(chunk);
      chunk = { bytes: Buffer.allocUnsafe(Math.max(CHUNK_BYTES, length)), rows: new RowList(), used: 0 };
      this.#chunks.push(chunk);
    }
    bytes.copy(chunk.bytes as Buffer, chunk.used);
    chunk.rows.add(chunk.used, chunk.used + length, number);
    chunk.used += length;
  }

  /** Writes a full chunk to the file if there are enough in memory. */
  #toOutcome(chunk: Chunk): void {
    if (this.#chunks.length <= CHUNKS_IN_MEMORY || chunk.bytes === undefined) return;
    this.#copy ??= new EncryptedSpool(this.#cleanUp);
    this.#copy.write(chunk.bytes.subarray(0, chunk.used));
    chunk.bytes = undefined;
  }

  async *blocks(): AsyncGenerator<RowBlock> {
    const file = this.#copy?.readFrom();
    for (const { bytes, rows, used } of this.#chunks) {
      this.#signal.throwIfAborted();
      const filled = bytes ?? Buffer.allocUnsafe(used);
      if (bytes === undefined) await file?.read(filled);
      const { count, starts, ends, lines } = rows;
      yield { bytes: filled, count, starts, ends, lines };
    }
  }

  remove(): void {
    this.#copy?.remove();
  }
}
