import { isSpace } from "./line-splitter.ts";
import type { RowList } from "./row-block.ts";

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Where the scan stands between two values. */
const beforeArray = 0;
const beforeFirst = 1;
const beforeValue = 2;
const inNested = 3;
const inString = 4;
const inScalar = 5;
const afterValue = 6;
const afterArray = 7;
type State = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** What is wrong with the structure between rows, and on which line. */
export interface StructureFault {
  readonly fault: "malformed" | "unclosed";
  readonly line: number;
}

/**
 * Cuts bytes into JSON values by their structure alone (depth, strings, escapes): the elements of one array, or values one after
 * the other. It does not judge the inside of a value; whoever parses the row does. State survives any chunk boundary.
 */
export class ValueSplitter {
  readonly #array: boolean;
  #state: State;
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #line: number;
  #rowLine = 0;
  #rowStart = -1;
  #arrayLine = 0;

  constructor(shape: "array" | "values", firstLine = 1) {
    this.#array = shape === "array";
    this.#state = this.#array ? beforeArray : beforeValue;
    this.#line = firstLine;
  }

  /**
   * Adds the rows that end in [from, to) and returns the first byte still needed: the start of an unfinished row, else `to`.
   * A caller that moves the unfinished row in its buffer says so with `moved`, and goes on behind what was scanned.
   */
  split(bytes: Buffer, from: number, to: number, rows: RowList): number | StructureFault {
    let at = from;
    while (at < to) {
      const byte = bytes[at] as number;
      if (this.#state === inNested) {
        at = this.#skipNested(bytes, at, to);
        if (this.#depth === 0) this.#close(at, rows);
        continue;
      }
      if (this.#state === inString) {
        at = this.#skipQuoted(bytes, at, to);
        if (!this.#quoted) this.#close(at, rows);
        continue;
      }
      if (this.#state === inScalar && !this.#endsScalar(byte)) {
        at += 1;
        continue;
      }
      if (this.#state === inScalar) this.#close(at, rows);
      if (isSpace(byte)) {
        if (byte === NEWLINE) this.#line += 1;
        at += 1;
        continue;
      }
      if (!this.#between(byte, at)) return { fault: "malformed", line: this.#line };
      at += 1;
    }
    return this.#rowStart === -1 ? to : this.#rowStart;
  }

  /** Line on which the unfinished row starts. */
  get rowLine(): number {
    return this.#rowLine;
  }

  /** The bytes of the unfinished row now begin at `start` (after the caller moved them). */
  moved(start: number): void {
    if (this.#rowStart !== -1) this.#rowStart = start;
  }

  /** Says what is missing at the end of the input; a scalar that ends with it is a row. */
  finish(to: number, rows: RowList): StructureFault | undefined {
    if (this.#state === inScalar && !this.#array) this.#close(to, rows);
    if (this.#rowStart !== -1) return { fault: "unclosed", line: this.#rowLine };
    if (this.#array && this.#state !== afterArray) return { fault: "unclosed", line: this.#arrayLine || this.#line };
    return undefined;
  }

  /** One byte that is no white space, outside every value. False: it cannot stand here. */
  #between(byte: number, at: number): boolean {
    if (this.#array) {
      if (this.#state === beforeArray) {
        this.#state = beforeFirst;
        this.#arrayLine = this.#line;
        return byte === OPEN_BRACKET;
      }
      if (this.#state === afterArray) return false;
      if (byte === CLOSE_BRACKET && (this.#state === beforeFirst || this.#state === afterValue)) {
        this.#state = afterArray;
        return true;
      }
      if (this.#state === afterValue) {
        this.#state = beforeValue;
        return byte === COMMA;
      }
      if (byte === COMMA || byte === CLOSE_BRACKET) return false;
    }
    this.#open(byte, at);
    return true;
  }

  #open(byte: number, at: number): void {
    this.#rowStart = at;
    this.#rowLine = this.#line;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#state = inNested;
      this.#depth = 1;
    } else if (byte === QUOTE) {
      this.#state = inString;
      this.#quoted = true;
    } else {
      this.#state = inScalar;
    }
  }

  #close(end: number, rows: RowList): void {
    rows.add(this.#rowStart, end, this.#rowLine);
    this.#rowStart = -1;
    this.#state = afterValue;
  }

  #endsScalar(byte: number): boolean {
    if (isSpace(byte)) return true;
    return this.#array ? byte === COMMA || byte === CLOSE_BRACKET : byte === OPEN_BRACE;
  }

  /** Returns one past the closing bracket, or `to` when the value goes on. */
  #skipNested(bytes: Buffer, from: number, to: number): number {
    let depth = this.#depth;
    let at = from;
    while (at < to && depth > 0) {
      if (this.#quoted) {
        at = this.#skipQuoted(bytes, at, to);
        continue;
      }
      const byte = bytes[at] as number;
      at += 1;
      if (byte === QUOTE) this.#quoted = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
      else if (byte === NEWLINE) this.#line += 1;
    }
    this.#depth = depth;
    return at;
  }

  /** Returns one past the closing quote, or `to` when the string goes on. */
  #skipQuoted(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to) {
      const byte = bytes[at] as number;
      at += 1;
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#quoted = false;
        return at;
      }
      if (byte === NEWLINE) this.#line += 1;
    }
    return at;
  }
}
