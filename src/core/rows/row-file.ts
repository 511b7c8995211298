import type { ParsedRow, RowBlock, Shape } from "./row-block.ts";

/** One row as it stands in its input. The bytes are valid until the next block is asked for. */
export interface RawRow {
  readonly bytes: Buffer;
  /** Line of the input, from 1, on which it starts. */
  readonly line: number;
  /** The file it is in, where the input is a folder of files. */
  readonly file?: string | undefined;
  /** What it means, where the form of the input is no JSON. */
  readonly parsed?: ParsedRow | undefined;
}

/** One pass over the rows of an input. */
export interface RowFile {
  /** As problems name it. */
  readonly name: string;
  /** About how many bytes there are; 0 when it is unknown. */
  readonly expectedBytes: number;
  /** How rows are written into another file that is to be read as this one. */
  readonly frame: RowFrame;
  /** Names of the columns, of a table of which a block was read: its rows are lists of texts in this order. */
  readonly columns: readonly string[] | undefined;
  /** true: a line was found to hold several objects, so that rows are more than what blocks count. */
  readonly hasSplitLines: boolean;
  /** Each block is valid until the next one is asked for. Raises input.* problems. */
  blocks(): AsyncIterable<RowBlock>;
  /**
   * Parses a row of a block and returns how many it turned out to be; `visit` gets each, parsed or at fault. A broken element of an
   * array ends the run (input.malformed): what follows it cannot be trusted.
   */
  parse(row: RawRow, visit: (parsed: ParsedRow, row: RawRow) => void): number;
  /** Counts rows that were read; a file in which none could be is refused at its end. */
  counted(rows: number): void;
  /** The same rows again, after the end of this pass. The caller closes it. */
  again(): Promise<RowFile>;
  /** Ends what reads ahead. */
  close(): Promise<void>;
}

/** What stands around rows in a file. */
export interface RowFrame {
  /** The file's ending, without a dot. */
  readonly extension: "ndjson" | "json" | "csv";
  /** In front of the first row, such as the names of a table's columns. */
  readonly head: string;
  readonly separator: string;
  /** Behind the last row. */
  readonly end: string;
}

/** What is out of the ordinary about a table. */
export interface TableForm {
  /** Names of the columns of a table whose first row is a row like all others; it may have fewer of them, and more without names. */
  readonly columns?: readonly string[];
  /** A quote inside a value without quotes around it stands for itself. */
  readonly hasLooseQuotes?: boolean;
}

/** One row a line. */
export const LINES: RowFrame = { extension: "ndjson", head: "", separator: "\n", end: "\n" };

/** Rows set aside to be looked at once more, in the order they came. */
export interface RowSpool {
  /** Copies the row. @param number which row of its input it is; it comes back where a row's line is. */
  add(bytes: Buffer, number: number): void;
  /** Nothing may be added any more. */
  blocks(): AsyncIterable<RowBlock>;
  remove(): void;
}

/** The row of a block by its place. */
export function rowAt(block: RowBlock, at: number): RawRow {
  if (block.parsed !== undefined) return new ParsedBlockRow(block, at);
  const row = { bytes: block.bytes.subarray(block.starts[at], block.ends[at]), line: block.lines[at] ?? 0 };
  return block.file === undefined ? row : { ...row, file: block.file };
}

/** A row that was parsed with its block. Its bytes are only needed to keep it. */
class ParsedBlockRow implements RawRow {
  readonly #block: RowBlock;
  readonly #at: number;
  readonly line: number;

  constructor(block: RowBlock, at: number) {
    this.#block = block;
    this.#at = at;
    this.line = block.lines[at] ?? 0;
  }

  get bytes(): Buffer {
    const { bytes, starts, ends } = this.#block;
    return bytes.subarray(starts[this.#at], ends[this.#at]);
  }

  get file(): string | undefined {
    return this.#block.file;
  }

  get parsed(): ParsedRow | undefined {
    return this.#block.parsed?.[this.#at];
  }
}

/** Where the blocks of rows of one file come from. */
export interface BlockSource {
  /** Each block is valid until the next one is asked for. Raises input.* problems. */
  blocks(): AsyncGenerator<RowBlock>;
  /** Known once a block was read. */
  shape(): Shape | undefined;
  /** As `RowFile.frame`. */
  frame(): RowFrame;
  /** As `RowFile.columns`. */
  columns?(): readonly string[] | undefined;
  /** Parses the bytes of a row of a block once more, where the form of the input is no JSON. */
  parse?(bytes: Buffer): ParsedRow;
  /** Ends what works ahead, whether or not a block was asked for. */
  close(): Promise<void>;
}
