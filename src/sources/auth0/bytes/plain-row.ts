import { BAIL, skipSpace, skipString } from "./json-bytes.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A row that is read as bytes, key by key, without making a string of it. What it holds afterwards is its subclass's. */
export abstract class PlainRow {
  /** False: this row is for the careful path. True: the row has no fault, and the careful path would read the same. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    this.reset();
    if (bytes[start] !== OPEN_BRACE) return false;
    let at = skipSpace(bytes, start + 1, end);
    while (at < end && bytes[at] === QUOTE) {
      const keyStart = at + 1;
      at = skipString(bytes, at, end);
      if (at === BAIL) return false;
      const keyEnd = at - 1;
      at = skipSpace(bytes, at, end);
      if (at >= end || bytes[at] !== COLON) return false;
      at = skipSpace(bytes, at + 1, end);
      at = at < end ? this.value(bytes, keyStart, keyEnd, at, end) : BAIL;
      if (at === BAIL) return false;
      at = skipSpace(bytes, at, end);
      if (at >= end) return false;
      if (bytes[at] === CLOSE_BRACE) return at + 1 === end && this.isPlain(bytes);
      if (bytes[at] !== COMMA) return false;
      at = skipSpace(bytes, at + 1, end);
    }
    return false;
  }

  /** Forgets the row before. */
  protected abstract reset(): void;

  /**
   * Takes the value at `at` of the key in [keyStart, keyEnd) and returns the position behind it, or BAIL. Of one key twice in a row
   * the last counts, as for JSON.parse.
   */
  protected abstract value(bytes: Uint8Array, keyStart: number, keyEnd: number, at: number, end: number): number;

  /** Has the last word, when the whole row was read. */
  protected abstract isPlain(bytes: Uint8Array): boolean;
}
