import { firstOf, stopsOf, viewOf } from "./words.ts";

const QUOTE = 0x22;
const NEWLINE = 0x0a;
/** Four of them. */
const SPACES = 0x20202020;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Finds where one JSON value ends that may span several chunks. It balances; it does not check what stands inside. */
export interface ValueScan {
  /** A value has begun and not ended. */
  readonly active: boolean;
  /** Starts a value with its first byte; false when no value begins with it. `advance` then starts at that same byte. */
  begin(byte: number): boolean;
  /** The index after the value's last byte, or -1 when it continues behind `to`. */
  advance(chunk: Buffer, from: number, to?: number): number;
  /** The document has ended: true when that ends the value as well (a bare number). */
  finish(): boolean;
  /** The value is nested deeper than it may be; it was given up where that showed. */
  readonly isTooDeep: boolean;
}

export function createValueScan(maxDepth = Number.POSITIVE_INFINITY): ValueScan {
  return new Scan(maxDepth);
}

class Scan implements ValueScan {
  active = false;
  isTooDeep = false;
  readonly #maxDepth: number;
  #scalar = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** What is scanned, and the same as a view. */
  #chunk: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#chunk);

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  begin(byte: number): boolean {
    const nested = byte === 0x7b || byte === 0x5b || byte === QUOTE;
    // - 0-9 t f n
    const scalar = byte === 0x2d || (byte >= 0x30 && byte <= 0x39) || byte === 0x74 || byte === 0x66 || byte === 0x6e;
    if (!nested && !scalar) return false;
    this.active = true;
    this.#scalar = scalar;
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    return true;
  }

  advance(chunk: Buffer, from: number, to = chunk.length): number {
    const end = this.#scalar ? scalarEnd(chunk, from, to) : this.#balancedEnd(chunk, from, to);
    if (end !== -1) this.active = false;
    return end;
  }

  finish(): boolean {
    if (this.#scalar) this.active = false;
    return this.#scalar;
  }

  /** The hot loop: every byte of every value passes here. */
  #balancedEnd(chunk: Buffer, from: number, to: number): number {
    const view = this.#viewOf(chunk);
    let depth = this.#depth;
    let at = from;
    while (at < to) {
      if (this.#inString) {
        at = this.#stringEnd(view, at, to);
        if (!this.#inString && depth === 0) return at;
        continue;
      }
      const byte = view.getUint8(at);
      at += 1;
      if (byte === QUOTE) this.#inString = true;
      // { and [ differ from } and ] by 2, and from each other by 0x20.
      else if ((byte | 0x20) === 0x7b) {
        depth += 1;
        if (depth <= this.#maxDepth) continue;
        this.isTooDeep = true;
        return at;
      } else if ((byte | 0x20) === 0x7d) {
        depth -= 1;
        if (depth === 0) return at;
      } else if (byte === NEWLINE) {
        while (at + 4 <= to && view.getInt32(at, true) === SPACES) at += 4;
      }
    }
    this.#depth = depth;
    return -1;
  }

  /** One past the closing quote, or `to` when the string continues. */
  #stringEnd(view: DataView, from: number, to: number): number {
    let at = from;
    if (this.#escaped && at < to) {
      this.#escaped = false;
      at += 1;
    }
    while (at < to) {
      at = this.#plainEnd(view, at, to);
      if (at === to) return to;
      const byte = view.getUint8(at);
      at += 1;
      if (byte === QUOTE) {
        this.#inString = false;
        return at;
      }
      if (byte !== BACKSLASH) continue;
      if (at === to) this.#escaped = true;
      at += 1;
    }
    return to;
  }

  /** The first byte that may be a quote or a backslash, or `to`. */
  #plainEnd(view: DataView, from: number, to: number): number {
    let at = from;
    for (; at + 4 <= to; at += 4) {
      const stops = stopsOf(view.getInt32(at, true));
      if (stops !== 0) return at + firstOf(stops);
    }
    return at;
  }

  #viewOf(chunk: Buffer): DataView {
    if (chunk !== this.#chunk) {
      this.#chunk = chunk;
      this.#view = viewOf(chunk);
    }
    return this.#view;
  }
}

/** A number or literal ends before the first comma, closing bracket or white space. */
function scalarEnd(chunk: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at += 1) {
    const byte = chunk[at] as number; // at < to
    if (byte === COMMA || (byte | 0x20) === 0x7d || byte <= 0x20) return at;
  }
  return -1;
}

/** No value of a row, a body or an export comes near it. What is nested much deeper can be parsed and not be written again. */
export const MAX_DEPTH = 1_000;

/** True for one JSON value that is nested more than MAX_DEPTH levels. A short value is not scanned, so it costs nothing. */
export function isTooDeep(bytes: Buffer): boolean {
  if (bytes.length <= MAX_DEPTH) return false;
  const scan = createValueScan(MAX_DEPTH);
  if (scan.begin(bytes[0] as number)) scan.advance(bytes, 0); // it is not empty
  return scan.isTooDeep;
}
