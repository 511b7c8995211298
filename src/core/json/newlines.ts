const NEWLINE = 0x0a;

/** Counts the newlines of a chunk, range by range from left to right, looking at no byte twice. */
export class Newlines {
  #chunk: Buffer = Buffer.alloc(0);
  /** The first newline that has not been counted; Infinity when there is none. */
  #next = -1;

  /** Begins with a chunk. */
  restart(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#next = -1;
  }

  /** How many there are in [from, to); ranges must not go back. */
  count(from: number, to: number): number {
    let newlines = 0;
    if (this.#next < from) this.#next = this.#after(from);
    while (this.#next < to) {
      newlines += 1;
      this.#next = this.#after(this.#next + 1);
    }
    return newlines;
  }

  #after(from: number): number {
    const at = this.#chunk.indexOf(NEWLINE, from);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  }
}
