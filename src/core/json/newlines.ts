import { viewOf } from "./words.ts";

const NEWLINE = 0x0a;
const NEWLINES = 0x0a0a0a0a;

/** Counts the newlines of a chunk, range by range from left to right. */
export class Newlines {
  #chunk: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#chunk);
  /** The first newline that has not been counted; Infinity when there is none. */
  #next = -1;

  /** Begins with a chunk. */
  restart(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#view = viewOf(chunk);
    this.#next = -1;
  }

  /** How many there are in [from, to); ranges must not go back. */
  count(from: number, to: number): number {
    if (this.#next < from) this.#next = this.#after(from);
    if (this.#next >= to) return 0;
    // Where there is one, there are many, as in what is indented: asking for each would take longer than looking at every byte.
    const newlines = 1 + newlinesOf(this.#view, this.#next + 1, to);
    this.#next = this.#after(to);
    return newlines;
  }

  #after(from: number): number {
    const at = this.#chunk.indexOf(NEWLINE, from);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  }
}

/** How many newlines are in [from, to). */
export function newlinesIn(bytes: Uint8Array, from = 0, to = bytes.length): number {
  return newlinesOf(viewOf(bytes), from, to);
}

function newlinesOf(view: DataView, from: number, to: number): number {
  let newlines = 0;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = view.getInt32(at, true) ^ NEWLINES;
    // The top bit of each byte that is zero now, and of no other.
    let zeros = ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f);
    for (; zeros !== 0; zeros &= zeros - 1) newlines += 1;
  }
  for (; at < to; at += 1) if (view.getUint8(at) === NEWLINE) newlines += 1;
  return newlines;
}
