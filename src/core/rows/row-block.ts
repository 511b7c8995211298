import type { RowFault } from "../../problem.ts";
import { grown } from "../json/words.ts";

/** A parsed row, or why it cannot be parsed. */
export type ParsedRow = { readonly value: object } | { readonly fault: RowFault };

/** So few rows that each pass sees the same ones, however the bytes come. */
const FIRST = 100;

/** What the first rows of the first block of a table are; none of another input. */
export function firstValues({ parsed = [] }: Pick<RowBlock, "parsed">): readonly object[] {
  return parsed.slice(0, FIRST).flatMap((row) => ("value" in row ? [row.value] : []));
}

/**
 * Some whole rows of an input, as byte ranges of one buffer. The buffer and the columns are reused: a block is valid until
 * the framer is asked for the next one.
 */
export interface RowBlock {
  readonly bytes: Buffer;
  /** How many rows; the columns may be longer. */
  count: number;
  /** First byte of each row. */
  starts: Uint32Array;
  /** One past the last byte of each row; no row ends in white space. */
  ends: Uint32Array;
  /** Line of the input, from 1, on which each row starts. */
  lines: Uint32Array;
  /** The file the rows are in, where the input is a folder of files. */
  readonly file?: string;
  /** What the rows mean, where the form of the input is no JSON. */
  readonly parsed?: readonly ParsedRow[];
}

/** How an input holds its rows (design: migrate auth0, --multiline). */
export type Shape =
  /** Records of a table. */
  | "table"
  /** The elements of a list inside a document. */
  | "document"
  /** One row a line (NDJSON). */
  | "lines"
  /** One JSON array whose elements are the rows. */
  | "array"
  /** JSON values in a row: pretty-printed, or several on a line. */
  | "values";

/** Grows with what is added to it; the columns keep what they hold. */
export class RowList {
  count = 0;
  starts: Uint32Array<ArrayBuffer>;
  ends: Uint32Array<ArrayBuffer>;
  lines: Uint32Array<ArrayBuffer>;

  /** @param room rows that fit before it grows. */
  constructor(room = 1024) {
    this.starts = new Uint32Array(room);
    this.ends = new Uint32Array(room);
    this.lines = new Uint32Array(room);
  }

  add(start: number, end: number, line: number): void {
    if (this.count === this.starts.length) this.#grow();
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.lines[this.count] = line;
    this.count += 1;
  }

  #grow(): void {
    const room = this.starts.length * 2;
    this.starts = grown(this.starts, room);
    this.ends = grown(this.ends, room);
    this.lines = grown(this.lines, room);
  }
}
