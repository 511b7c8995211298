const NEWLINE = 0x0a;

/** Counts the newlines of a chunk, range by range from left to right, looking at no byte twice. */
export class Newlines {
  /** The first newline that has not been counted; Infinity when there is none. */
  #next = -1;

  /** Begins with another chunk, or with one whose bytes have been moved. */
  restart(): void {
    this.#next = -1;
  }

  /** How many there are in [from, to); ranges must not go back. */
  count(chunk: Buffer, from: number, to: number): number {
    let newlines = 0;
    if (this.#next < from) this.#next = nextNewline(chunk, from);
    while (this.#next < to) {
      newlines += 1;
      this.#next = nextNewline(chunk, this.#next + 1);
    }
    return newlines;
  }
}

function nextNewline(chunk: Buffer, from: number): number {
  const at = chunk.indexOf(NEWLINE, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
