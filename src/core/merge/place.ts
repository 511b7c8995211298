import type { RawRow } from "../rows/row-file.ts";
import type { Join, UserPlace } from "./join/join.ts";

/** Where in the users' input the row at hand is. */
export class Place implements UserPlace {
  number = 0;
  line = 0;
  file: string | undefined = undefined;
  round = 1;
  readonly #join: Join;

  constructor(join: Join) {
    this.#join = join;
  }

  /**
   * The next row is at hand. A row that waited carries its number where others carry their line, since that tells it from every
   * other.
   */
  next(lineOrNumber: number, file: string | undefined): void {
    const { packed } = this.#join;
    this.number = this.round > 1 ? lineOrNumber : this.number + 1;
    this.line = this.round > 1 ? packed.lineOf(lineOrNumber, this.round) : lineOrNumber;
    this.file = this.round > 1 ? packed.fileOf(lineOrNumber, this.round) : file;
  }

  /** The row at hand, at this place. */
  rowOf(bytes: Buffer): RawRow {
    return this.file === undefined ? { bytes, line: this.line } : { bytes, line: this.line, file: this.file };
  }
}
