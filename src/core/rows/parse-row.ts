import { isUtf8 } from "node:buffer";
import type { RowFault } from "../../problem.ts";
import { type RowBlock, RowList } from "./row-block.ts";
import { ValueSplitter } from "./value-splitter.ts";

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A row as JSON, or what keeps it from being some user's object. */
export type ParsedRow = { readonly value: object } | { readonly fault: RowFault };

/** Parses the row in [start, end). The fault holds nothing of the row: JSON.parse's own message would. */
export function parseRow(bytes: Buffer, start: number, end: number): ParsedRow {
  if (!isUtf8(bytes.subarray(start, end))) return { fault: { code: "row.invalid-utf8" } };
  // Cut off, the most frequent fault of all: JSON.parse takes ten times as long to say no as to say yes.
  if (bytes[start] === OPEN_BRACE && bytes[end - 1] !== CLOSE_BRACE) return { fault: { code: "row.malformed" } };
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8", start, end));
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
export function splitLine(bytes: Buffer, start: number, end: number): RowList | undefined {
  if (bytes[end - 1] !== CLOSE_BRACE) return undefined;
  const rows = new RowList(4);
  const splitter = new ValueSplitter("values");
  splitter.split(bytes, start, end, rows);
  if (splitter.finish(end, rows) !== undefined || rows.count < 2) return undefined;
  for (let row = 0; row < rows.count; row += 1) {
    if ("fault" in parseRow(bytes, rows.starts[row] as number, rows.ends[row] as number)) return undefined;
  }
  return rows;
}

/** True when all rows of the block are valid UTF-8. */
export function isUtf8Block({ bytes, count, starts, ends }: RowBlock): boolean {
  return count === 0 || isUtf8(bytes.subarray(starts[0], ends[count - 1]));
}
