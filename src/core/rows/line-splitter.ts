import type { RowList } from "./row-block.ts";

const NEWLINE = 0x0a;

/** JSON's white space: space, tab, carriage return, newline. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === NEWLINE;
}

/** Cuts bytes at newlines; blank lines are no rows. Keeps count of the lines. */
export class LineSplitter {
  #line = 1;

  /** The line that comes next. */
  get line(): number {
    return this.#line;
  }

  /** Adds the rows of the complete lines in [from, to) and returns where the first incomplete one starts. */
  split(bytes: Buffer, from: number, to: number, rows: RowList): number {
    let start = from;
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, start);
      if (newline === -1 || newline >= to) return start;
      this.#add(bytes, start, newline, rows);
      this.#line += 1;
      start = newline + 1;
    }
  }

  /** Adds what follows the last newline, at the end of the input. */
  finish(bytes: Buffer, from: number, to: number, rows: RowList): void {
    this.#add(bytes, from, to, rows);
  }

  #add(bytes: Buffer, from: number, to: number, rows: RowList): void {
    let start = from;
    let end = to;
    while (start < end && isSpace(bytes[start])) start += 1;
    while (end > start && isSpace(bytes[end - 1])) end -= 1;
    if (start < end) rows.add(start, end, this.#line);
  }
}
