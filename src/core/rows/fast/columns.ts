import { isUtf8Block } from "../parse-row.ts";
import type { RowBlock } from "../row-block.ts";

/** A block whose ordinary rows have been read into columns; a row whose first word is 0 is to be parsed. */
export interface ParsedBlock extends RowBlock {
  readonly columns: Uint32Array;
}

/** Reads what it can of a block's rows into `words` words of columns each. */
export interface ColumnParser {
  readonly words: number;
  parse(block: RowBlock, into: Uint32Array): void;
}

/** Reads the columns of each block. */
export class Columns {
  readonly #parser: ColumnParser;
  #columns: Uint32Array;

  constructor(parser: ColumnParser) {
    this.#parser = parser;
    this.#columns = new Uint32Array(1024 * parser.words);
  }

  /** Valid until the next call. Columns that a thread has read ahead are returned as they are. */
  of(block: RowBlock): Uint32Array {
    const needed = block.count * this.#parser.words;
    if (isParsed(block, needed)) return block.columns;
    if (this.#columns.length < needed) this.#columns = new Uint32Array(2 * needed);
    parseInto(this.#parser, block, this.#columns);
    return this.#columns;
  }
}

/** A thread that only finds rows has none. */
function isParsed(block: RowBlock, words: number): block is ParsedBlock {
  return "columns" in block && (block as ParsedBlock).columns.length >= words; // only such a block has any
}

/** Reads a block's ordinary rows into columns; none are in a block that is not UTF-8. */
export function parseInto(parser: ColumnParser, block: RowBlock, columns: Uint32Array): void {
  if (isUtf8Block(block)) parser.parse(block, columns);
  else columns.fill(0, 0, block.count * parser.words);
}
