import { Newlines } from "../json/newlines.ts";
import { createValueScan } from "../json/value-scan.ts";
import { isSpace } from "./line-splitter.ts";
import type { RowList } from "./row-block.ts";

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const QUOTE = 0x22;

/** Where the scan stands between two values. */
const beforeArray = 0;
const beforeFirst = 1;
const beforeValue = 2;
const inBalanced = 3;
const inScalar = 4;
const afterValue = 5;
const afterArray = 6;
type State = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** What is wrong with the structure between rows, and on which line. */
export interface StructureFault {
  readonly fault: "malformed" | "unclosed";
  readonly line: number;
}

/**
 * Cuts bytes into JSON values by their structure alone (depth, strings, escapes): the elements of one array, or a sequence of values.
 * It does not check the inside of a value; parsing the row does. State survives any chunk boundary.
 */
export class ValueSplitter {
  readonly #array: boolean;
  #state: State;
  /** Looks for the end of an object, a list or a string. */
  readonly #scan = createValueScan();
  readonly #newlines = new Newlines();
  #line = 1;
  #rowLine = 0;
  #rowStart = -1;
  #arrayLine = 0;

  constructor(shape: "array" | "values") {
    this.#array = shape === "array";
    this.#state = this.#array ? beforeArray : beforeValue;
  }

  /**
   * Adds the rows that end in [from, to) and returns the first byte still needed: the start of an unfinished row, else `to`.
   * A caller that moves the unfinished row in its buffer says so with `moved`, and continues behind what was scanned.
   */
  split(bytes: Buffer, from: number, to: number, rows: RowList): number | StructureFault {
    this.#newlines.restart(bytes.subarray(0, to));
    let at = from;
    while (at < to) {
      const byte = bytes[at] as number;
      if (this.#state === inBalanced) {
        at = this.#skipBalanced(bytes, at, to);
        if (!this.#scan.active) this.#close(at, rows);
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
      if (!this.#scan.active) at += 1; // a scan begins with the first byte
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
    const isBalanced = byte === OPEN_BRACE || byte === OPEN_BRACKET || byte === QUOTE;
    if (isBalanced) this.#scan.begin(byte);
    this.#state = isBalanced ? inBalanced : inScalar;
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

  /** Returns one past the last byte of the object, list or string, or `to` when it continues. */
  #skipBalanced(bytes: Buffer, from: number, to: number): number {
    const end = this.#scan.advance(bytes, from, to);
    const stop = end === -1 ? to : end;
    this.#line += this.#newlines.count(from, stop);
    return stop;
  }
}
