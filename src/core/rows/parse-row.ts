import { isUtf8 } from "node:buffer";
import { isTooDeep, MAX_DEPTH } from "../json/value-scan.ts";
import { type ParsedRow, type RowBlock, RowList } from "./row-block.ts";
import { ValueSplitter } from "./value-splitter.ts";

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Parses a row. The fault holds nothing of it: JSON.parse's own message would. */
export function parseRow(bytes: Buffer): ParsedRow {
  if (!isUtf8(bytes)) return { fault: { code: "row.invalid-utf8" } };
  // Cut off, the most frequent fault of all: JSON.parse takes ten times as long to say no as to say yes.
  if (bytes[0] === OPEN_BRACE && bytes.at(-1) !== CLOSE_BRACE) return { fault: { code: "row.malformed", isCut: true } };
  if (isTooDeep(bytes)) return { fault: { code: "row.too-deep", limit: MAX_DEPTH } };
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return { fault: { code: "row.malformed" } };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: { code: "row.not-object" } };
  return { value };
}

/**
 * The objects of a line that holds several without a break between them (two files put together, the first without a final
 * newline), or undefined when it is no such line.
 */
export function splitLine(bytes: Buffer): readonly Buffer[] | undefined {
  if (bytes.at(-1) !== CLOSE_BRACE) return undefined;
  const rows = new RowList(4);
  const splitter = new ValueSplitter("values");
  splitter.split(bytes, 0, bytes.length, rows);
  if (splitter.finish(bytes.length, rows) !== undefined || rows.count < 2) return undefined;
  const parts = Array.from({ length: rows.count }, (_, row) => bytes.subarray(rows.starts[row], rows.ends[row]));
  return parts.some((part) => "fault" in parseRow(part)) ? undefined : parts;
}

/** True when all rows of the block are valid UTF-8. */
export function isUtf8Block({ bytes, count, starts, ends }: RowBlock): boolean {
  return count === 0 || isUtf8(bytes.subarray(starts[0], ends[count - 1]));
}
