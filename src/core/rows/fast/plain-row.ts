import { BAIL, byteAt, skipSpace, skipString, stringEnd } from "../../json/bytes.ts";
import { RowShapes } from "./row-shapes.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * A row that is read as bytes, without making a string of it: by its shape if one like it was read before, else key by key.
 * What its fields are is its subclass's.
 */
export abstract class PlainRow {
  readonly #shapes: RowShapes;
  /** Start and end of each field, inside the quotes of a string without escapes; 0 and 0: the row has no such string. */
  protected readonly spans: Int32Array;
  /** What else is to be known of the row, told by nothing but its structure. */
  protected flags = 0;

  /** @param fields how many strings of a row are wanted; they are known by their numbers. */
  constructor(fields: number) {
    this.#shapes = new RowShapes(fields);
    this.spans = this.#shapes.spans;
  }

  /** False: this row is for the careful path. True: the row has no fault, and the careful path would read the same. */
  read(view: DataView, start: number, end: number): boolean {
    if (this.#shapes.read(view, start, end)) this.flags = this.#shapes.flags;
    else if (this.#readKeys(view, start, end)) this.#shapes.learn(view, start, end, this.flags);
    else return false;
    return this.isPlain(view);
  }

  #readKeys(view: DataView, start: number, end: number): boolean {
    this.spans.fill(0);
    this.flags = 0;
    if (byteAt(view, start, end) !== OPEN_BRACE) return false;
    let at = skipSpace(view, start + 1, end);
    while (byteAt(view, at, end) === QUOTE) {
      const keyStart = at + 1;
      at = skipString(view, at, end);
      if (at === BAIL) return false;
      const keyEnd = at - 1;
      at = skipSpace(view, at, end);
      if (byteAt(view, at, end) !== COLON) return false;
      at = skipSpace(view, at + 1, end);
      at = at < end ? this.value(view, keyStart, keyEnd, at, end) : BAIL;
      if (at === BAIL) return false;
      at = skipSpace(view, at, end);
      const next = byteAt(view, at, end);
      if (next === CLOSE_BRACE) return at + 1 === end;
      if (next !== COMMA) return false;
      at = skipSpace(view, at + 1, end);
    }
    return false;
  }

  /** Takes the string at `at` as a field; returns the position behind it, or BAIL. */
  protected text(view: DataView, field: number, at: number, end: number): number {
    this.spans[2 * field] = at + 1;
    this.spans[2 * field + 1] = stringEnd(view, at, end);
    return (this.spans[2 * field + 1] as number) + 1;
  }

  /** Forgets a field: of one key twice in a row the last counts, as for JSON.parse. */
  protected forget(field: number): void {
    this.spans[2 * field] = 0;
    this.spans[2 * field + 1] = 0;
  }

  /** Start of a field, 0 when the row has no such string. */
  protected start(field: number): number {
    return this.spans[2 * field] as number;
  }

  protected end(field: number): number {
    return this.spans[2 * field + 1] as number;
  }

  /**
   * Takes the value at `at` of the key in [keyStart, keyEnd) and returns the position behind it, or BAIL. It may decide by nothing
   * but the structure of the row: keys, kinds of values, true, false and null.
   */
  protected abstract value(view: DataView, keyStart: number, keyEnd: number, at: number, end: number): number;

  /** Has the last word, when the whole row was read: decides by what is in the fields. */
  protected abstract isPlain(view: DataView): boolean;
}
