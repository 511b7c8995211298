import { isSpace, LineSplitter } from "./line-splitter.ts";
import { RowList, type Shape } from "./row-block.ts";
import { ValueSplitter } from "./value-splitter.ts";

const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** As many lines at the head of an NDJSON file may be broken before another shape is tried. */
const BROKEN_LINES = 32;
const PIECE_BYTES = 1024;

/**
 * The shape of an input, detected from its beginning, or undefined when more of it is needed.
 *
 * - `[` first: an array.
 * - The first value ends on its line and nothing follows it there: NDJSON. Another value follows it: values.
 * - The first value spans lines: values, unless a line soon after is a whole object by itself, and those between begin one:
 *   then the first lines of an NDJSON file are broken, and only they are to be rejected.
 */
export function detectShape(bytes: Buffer, length: number, atEnd: boolean): Shape | undefined {
  let start = 0;
  while (start < length && isSpace(bytes[start])) start += 1;
  if (start === length) return atEnd ? "lines" : undefined;
  if (bytes[start] === OPEN_BRACKET) return "array";
  if (bytes[start] !== OPEN_BRACE) return "lines";
  const first = firstValueEnd(bytes, start, length);
  const newline = bytes.subarray(start, length).indexOf(NEWLINE);
  const lineEnd = newline === -1 ? length : start + newline;
  if (first !== undefined && first <= lineEnd) return afterFirstValue(bytes, first, lineEnd, newline === -1 && !atEnd);
  if (newline === -1) return atEnd ? "lines" : undefined;
  return secondLineShape(bytes, lineEnd, length, atEnd);
}

/**
 * True for a file of which it was said that each line is one object, and which begins otherwise.
 *
 * @param shape as `detectShape` has it: several objects on one line are "values" as well, and a broken row.
 */
export function isUnlikeLines(shape: Shape | undefined, bytes: Buffer, length: number): shape is "array" | "values" {
  if (shape === "array") return true;
  const start = bytes.subarray(0, length).findIndex((byte) => !isSpace(byte));
  const newline = bytes.subarray(0, length).indexOf(NEWLINE, start);
  return shape === "values" && newline !== -1 && firstValueEnd(bytes, start, newline) === undefined;
}

/** One past the end of the value that starts at `start`, if it ends. */
function firstValueEnd(bytes: Buffer, start: number, length: number): number | undefined {
  const rows = new RowList();
  const splitter = new ValueSplitter("values");
  // A piece at a time: values are short, and the rest of the block is not looked at.
  for (let from = start; from < length && rows.count === 0; from += PIECE_BYTES) {
    if (typeof splitter.split(bytes, from, Math.min(from + PIECE_BYTES, length), rows) !== "number") break;
  }
  return rows.count === 0 ? undefined : rows.ends[0];
}

function afterFirstValue(bytes: Buffer, end: number, lineEnd: number, lineGoesOn: boolean): Shape | undefined {
  let at = end;
  while (at < lineEnd && isSpace(bytes[at])) at += 1;
  if (at < lineEnd) return bytes[at] === OPEN_BRACE ? "values" : "lines";
  return lineGoesOn ? undefined : "lines";
}

function secondLineShape(bytes: Buffer, firstLineEnd: number, length: number, atEnd: boolean): Shape | undefined {
  const rows = new RowList();
  const lines = new LineSplitter();
  const rest = lines.split(bytes, firstLineEnd, length, rows);
  if (atEnd) lines.finish(bytes, rest, length, rows);
  for (let row = 0; row < Math.min(rows.count, BROKEN_LINES); row += 1) {
    const start = rows.starts[row] as number;
    // An object inside a pretty-printed one is indented, or followed by a comma.
    if (bytes[start - 1] !== NEWLINE || bytes[start] !== OPEN_BRACE) return "values";
    if (firstValueEnd(bytes, start, rows.ends[row] as number) === rows.ends[row]) return "lines";
  }
  if (rows.count >= BROKEN_LINES) return "values";
  if (!atEnd) return undefined;
  return rows.count === 0 ? "lines" : "values";
}
