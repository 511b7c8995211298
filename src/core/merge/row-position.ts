import type { RawRow } from "../rows/row-file.ts";
import type { Join, UserPosition } from "./join/join.ts";

/** Where in the users' input the current row is. */
export class RowPosition implements UserPosition {
  number = 0;
  line = 0;
  file: string | undefined = undefined;
  round = 1;
  readonly #join: Join;

  constructor(join: Join) {
    this.#join = join;
  }

  /**
   * Goes to the next row. A row that waited carries its number in place of its line, since several rows may share a line.
   */
  next(lineOrNumber: number, file: string | undefined): void {
    const { packed } = this.#join;
    this.number = this.round > 1 ? lineOrNumber : this.number + 1;
    this.line = this.round > 1 ? packed.lineOf(lineOrNumber, this.round) : lineOrNumber;
    this.file = this.round > 1 ? packed.fileOf(lineOrNumber, this.round) : file;
  }

  /** The current row. */
  rowOf(bytes: Buffer): RawRow {
    return this.file === undefined ? { bytes, line: this.line } : { bytes, line: this.line, file: this.file };
  }
}
