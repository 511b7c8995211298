import { type RowBlock, RowList } from "../../core/rows/row-block.ts";
import type { RowSpool } from "../../core/rows/row-file.ts";
import type { CleanUp } from "../clean-up.ts";
import { Spool } from "../spool.ts";

const BLOCK_BYTES = 2 ** 18;

/** Rows that follow on each other in the spool; the places of the rows are relative to `start`. */
interface SpooledBlock {
  readonly start: number;
  readonly rows: RowList;
  bytes: number;
}

/** Rows set aside in a spool. */
export class FileRowSpool implements RowSpool {
  readonly #spool: Spool;
  readonly #signal: AbortSignal;
  readonly #blocks: SpooledBlock[] = [];

  constructor(cleanUp: CleanUp, signal: AbortSignal) {
    this.#spool = new Spool(cleanUp);
    this.#signal = signal;
  }

  add(bytes: Buffer, number: number): void {
    const { length } = bytes;
    let block = this.#blocks.at(-1);
    if (block === undefined || block.bytes + length > BLOCK_BYTES) {
      block = { start: this.#spool.bytes, rows: new RowList(), bytes: 0 };
      this.#blocks.push(block);
    }
    this.#spool.append(bytes);
    block.rows.add(block.bytes, block.bytes + length, number);
    block.bytes += length;
  }

  async *blocks(): AsyncGenerator<RowBlock> {
    for (const { start, rows, bytes: length } of this.#blocks) {
      this.#signal.throwIfAborted();
      const bytes = Buffer.allocUnsafe(length);
      this.#spool.readAt(start, bytes);
      const { count, starts, ends, lines } = rows;
      yield { bytes, count, starts, ends, lines };
    }
  }

  remove(): void {
    this.#spool.remove();
  }
}
