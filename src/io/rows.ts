import { Framer } from "../core/rows/framer.ts";
import { type ParsedRow, parseRow, splitLine } from "../core/rows/parse-row.ts";
import type { RowBlock, Shape } from "../core/rows/row-block.ts";
import { ProblemError } from "../problem.ts";
import type { Input } from "./input.ts";

/** One row of a block, parsed or at fault. */
export type RowVisitor = (row: ParsedRow, start: number, end: number, line: number) => void;

/** Where blocks come from. */
export interface BlockSource {
  /** Each block is valid until the next one is asked for. Raises input.* problems. */
  blocks(): AsyncGenerator<RowBlock>;
  /** Known once a block was read. */
  shape(): Shape | undefined;
  /** Ends what works ahead, whether or not a block was asked for. */
  close(): Promise<void>;
}

/** Cuts an input into blocks of whole rows. @param strictLines one object per line whatever the file looks like (--multiline). */
export function blocksOf(input: Input, strictLines: boolean, blockBytes?: number): BlockSource {
  const framer = new Framer(input.file, strictLines, blockBytes);
  return {
    shape: () => framer.shape,
    async close() {},
    async *blocks() {
      for (;;) {
        const length = await input.read(framer.free());
        if (length === 0) break;
        const block = framer.filled(length);
        if (block.count > 0) yield block;
      }
      const last = framer.end();
      if (last.count > 0) yield last;
      framer.check();
    },
  };
}

/** The rows of one pass over an input. */
export class RowReader {
  readonly input: Input;
  readonly strictLines: boolean;
  readonly #source: BlockSource;
  #rows = 0;
  #unreadable = 0;
  #hasSplitLines = false;

  constructor(input: Input, strictLines: boolean, source: BlockSource = blocksOf(input, strictLines)) {
    this.input = input;
    this.strictLines = strictLines;
    this.#source = source;
  }

  /** Raises input.* problems; at the end input.no-rows and input.no-readable-row, by what was counted. */
  async *blocks(): AsyncGenerator<RowBlock> {
    yield* this.#source.blocks();
    const { file } = this.input;
    if (this.#rows === 0) throw new ProblemError({ code: "input.no-rows", file });
    if (this.#unreadable === this.#rows) {
      throw new ProblemError({ code: "input.no-readable-row", file, rows: this.#rows });
    }
  }

  /** Ends what reads ahead; the input itself is its owner's to close. */
  close(): Promise<void> {
    return this.#source.close();
  }

  /** True when a line was found to hold several objects, so that rows are more than lines. */
  get hasSplitLines(): boolean {
    return this.#hasSplitLines;
  }

  /**
   * Parses one row of a block, and returns how many it turned out to be. A broken element of an array ends the run
   * (input.malformed): what follows it cannot be trusted.
   */
  parse(bytes: Buffer, start: number, end: number, line: number, visit: RowVisitor): number {
    const row = parseRow(bytes, start, end);
    const isMalformed = "fault" in row && row.fault.code === "row.malformed";
    if (isMalformed && this.#source.shape() === "array") {
      throw new ProblemError({ code: "input.malformed", file: this.input.file, line });
    }
    const several = isMalformed && !this.strictLines ? splitLine(bytes, start, end) : undefined;
    if (several === undefined) {
      if ("fault" in row) this.#unreadable += 1;
      visit(row, start, end, line);
      return 1;
    }
    this.#hasSplitLines = true;
    for (let part = 0; part < several.count; part += 1) {
      this.parse(bytes, several.starts[part] as number, several.ends[part] as number, line, visit);
    }
    return several.count;
  }

  /** Counts rows that were read. */
  counted(rows: number): void {
    this.#rows += rows;
  }

  /** A second pass over the same input, in this thread. */
  async again(): Promise<RowReader> {
    return new RowReader(await this.input.again(), this.strictLines);
  }
}
