import { Framer } from "../../core/rows/framer.ts";
import { type ParsedRow, parseRow, splitLine } from "../../core/rows/parse-row.ts";
import type { RowBlock, Shape } from "../../core/rows/row-block.ts";
import type { RawRow, RowFile } from "../../core/rows/row-file.ts";
import { ProblemError } from "../../problem.ts";
import { expectedBytes, type Input } from "../input.ts";

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

/** One pass over the rows of an input. */
export class RowReader implements RowFile {
  readonly input: Input;
  readonly strictLines: boolean;
  readonly #source: BlockSource;
  /** true: `input` is this reader's own to close. */
  readonly #ownsInput: boolean;
  #rows = 0;
  #unreadable = 0;
  #hasSplitLines = false;

  constructor(
    input: Input,
    strictLines: boolean,
    source: BlockSource = blocksOf(input, strictLines),
    ownsInput = false,
  ) {
    this.input = input;
    this.strictLines = strictLines;
    this.#source = source;
    this.#ownsInput = ownsInput;
  }

  get name(): string {
    return this.input.file;
  }

  get expectedBytes(): number {
    return expectedBytes(this.input);
  }

  get hasSplitLines(): boolean {
    return this.#hasSplitLines;
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

  async close(): Promise<void> {
    await this.#source.close();
    if (this.#ownsInput) await this.input.close();
  }

  parse(row: RawRow, visit: (parsed: ParsedRow, row: RawRow) => void): number {
    const { bytes, line } = row;
    const parsed = parseRow(bytes);
    const isMalformed = "fault" in parsed && parsed.fault.code === "row.malformed";
    if (isMalformed && this.#source.shape() === "array") {
      throw new ProblemError({ code: "input.malformed", file: this.input.file, line });
    }
    const several = isMalformed && !this.strictLines ? splitLine(bytes) : undefined;
    if (several === undefined) {
      if ("fault" in parsed) this.#unreadable += 1;
      visit(parsed, row);
      return 1;
    }
    this.#hasSplitLines = true;
    for (const part of several) this.parse({ bytes: part, line }, visit);
    return several.length;
  }

  counted(rows: number): void {
    this.#rows += rows;
  }

  /** A second pass over the same input, in this thread. */
  async again(): Promise<RowReader> {
    const input = await this.input.again();
    return new RowReader(input, this.strictLines, blocksOf(input, this.strictLines), true);
  }
}
