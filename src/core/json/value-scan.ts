const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;

/** Finds where one JSON value ends that may span several chunks. It balances; it does not check what stands inside. */
export interface ValueScan {
  /** A value has begun and not ended. */
  readonly active: boolean;
  /** Starts a value with its first byte; false when no value begins with it. `advance` then starts at that same byte. */
  begin(byte: number): boolean;
  /** The index after the value's last byte, or -1 when the chunk ends first. */
  advance(chunk: Buffer, from: number): number;
  /** The document has ended: true when that ends the value as well (a bare number). */
  finish(): boolean;
  /** Newlines passed since the last call. */
  takeNewlines(): number;
}

export function createValueScan(): ValueScan {
  return new Scan();
}

class Scan implements ValueScan {
  active = false;
  #scalar = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #newlines = 0;

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

  advance(chunk: Buffer, from: number): number {
    const end = this.#scalar ? scalarEnd(chunk, from) : this.#balancedEnd(chunk, from);
    if (end !== -1) this.active = false;
    return end;
  }

  finish(): boolean {
    if (this.#scalar) this.active = false;
    return this.#scalar;
  }

  takeNewlines(): number {
    const newlines = this.#newlines;
    this.#newlines = 0;
    return newlines;
  }

  /** The hot loop: every byte of every user passes here twice in a run, so its state lives in locals. */
  #balancedEnd(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    for (let at = from; at < length; at += 1) {
      const byte = chunk[at] as number; // at < length
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (depth === 0) return at + 1;
        }
      } else if (byte === QUOTE) inString = true;
      else if (byte === NEWLINE) this.#newlines += 1;
      // { and [ differ from } and ] by 2, and from each other by 0x20.
      else if ((byte | 0x20) === 0x7b) depth += 1;
      else if ((byte | 0x20) === 0x7d) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    return -1;
  }
}

/** A number or literal ends before the first comma, closing bracket or white space. */
function scalarEnd(chunk: Buffer, from: number): number {
  for (let at = from; at < chunk.length; at += 1) {
    const byte = chunk[at] as number; // at < length
    if (byte === COMMA || (byte | 0x20) === 0x7d || byte <= 0x20) return at;
  }
  return -1;
}
