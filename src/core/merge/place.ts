import type { Join, UserPlace } from "./join/join.ts";

/** Where in the users' input the row at hand is. */
export class Place implements UserPlace {
  number = 0;
  line = 0;
  settled = false;
  readonly #join: Join;

  constructor(join: Join) {
    this.#join = join;
  }

  /**
   * The next row is at hand. A row that waited carries its number where others carry their line, since that tells it from every
   * other.
   */
  next(lineOrNumber: number): void {
    this.number = this.settled ? lineOrNumber : this.number + 1;
    this.line = this.settled ? this.#join.packed.lineOf(lineOrNumber) : lineOrNumber;
  }
}
