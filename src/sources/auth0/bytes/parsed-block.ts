import { isUtf8Block } from "../../../core/rows/parse-row.ts";
import type { RowBlock } from "../../../core/rows/row-block.ts";

/** A block whose ordinary rows have been read into columns; a row whose first word is 0 is for the careful path. */
export interface ParsedBlock extends RowBlock {
  readonly columns: Uint32Array;
}

/** Reads what it can of a block's rows into `words` words of columns each. */
export interface BlockParser {
  readonly words: number;
  parse(block: RowBlock, into: Uint32Array): void;
}

/** The blocks with their columns, valid until the next one is asked for. @param carefully true: every row is for the careful path. */
export async function* parsedBlocks(
  blocks: AsyncIterable<RowBlock>,
  parser: BlockParser,
  carefully: boolean,
): AsyncGenerator<ParsedBlock> {
  let columns = new Uint32Array(1024 * parser.words);
  for await (const block of blocks) {
    if ("columns" in block) {
      yield block as ParsedBlock; // a reading thread has done it already
      continue;
    }
    if (columns.length < block.count * parser.words) columns = new Uint32Array(2 * block.count * parser.words);
    if (carefully || !isUtf8Block(block)) columns.fill(0, 0, block.count * parser.words);
    else parser.parse(block, columns);
    const { bytes, count, starts, ends, lines } = block;
    yield { bytes, count, starts, ends, lines, columns };
  }
}
