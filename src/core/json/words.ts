/**
 * Bytes handled four at a time, which costs no more than one at a time. Words are little-endian on every machine: each
 * access names the order.
 */
export interface Text {
  readonly length: number;
  /** The text's bytes; the last word is filled up with zeros. */
  readonly words: Int32Array;
}

/** Bytes to be written or compared again and again. */
export function textOf(text: string | Uint8Array): Text {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const words = new Int32Array(Math.ceil(bytes.length / 4));
  for (let at = 0; at < bytes.length; at += 1) {
    words[at >> 2] = (words[at >> 2] as number) | ((bytes[at] as number) << (8 * (at & 3)));
  }
  return { words, length: bytes.length };
}

type Numbers = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** The same numbers in a longer array, with zeros behind them. */
export function grown<T extends Numbers>(numbers: T, length: number): T {
  const longer = new (numbers.constructor as new (length: number) => T)(length); // of the same kind
  longer.set(numbers);
  return longer;
}

/** The first `length` bytes in a larger buffer. */
export function enlarged(bytes: Buffer, length: number, size: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(size);
  bytes.copy(larger, 0, 0, length);
  return larger;
}

/** The same memory, for access to words at any place. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The UTF-8 of one text after the other, in memory that is used again: what each of a million texts costs otherwise. */
export class TextScratch {
  #bytes = Buffer.allocUnsafeSlow(512);
  #view = viewOf(this.#bytes);

  /** Valid until the next `put`. */
  get view(): DataView {
    return this.#view;
  }

  /** Puts a text at the beginning of `view` and returns how many bytes it takes. */
  put(text: string): number {
    if (text.length * UTF8_BYTES > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafeSlow(text.length * UTF8_BYTES * 2);
      this.#view = viewOf(this.#bytes);
    }
    // Nearly all are short and ASCII, which takes a third of the time this way.
    if (text.length > SHORT) return this.#bytes.write(text);
    const bytes = this.#bytes;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= 0x80) return bytes.write(text);
      bytes[at] = code;
    }
    return text.length;
  }
}

const SHORT = 100;

/** Bytes that a character takes at most, of those that a string counts. */
const UTF8_BYTES = 3;

/** True when [start, end) is exactly `text`. */
export function isText(view: DataView, start: number, end: number, text: Text): boolean {
  return end - start === text.length && isTextAt(view, start, end, text);
}

/** True when `text` begins at `at` and does not reach beyond `end`. */
export function isTextAt(view: DataView, at: number, end: number, { words, length }: Text): boolean {
  if (at + length > end) return false;
  const whole = length >> 2;
  for (let word = 0; word < whole; word += 1) if (view.getInt32(at + 4 * word, true) !== words[word]) return false;
  return (length & 3) === 0 || partOfWord(view, at + 4 * whole, at + length) === words[whole];
}

/** The one to three bytes in [start, end) as a word whose upper bytes are zero. */
export function partOfWord(view: DataView, start: number, end: number): number {
  let word = view.getUint8(start);
  if (start + 1 < end) word |= view.getUint8(start + 1) << 8;
  if (start + 2 < end) word |= view.getUint8(start + 2) << 16;
  return word;
}

/** The word with its ASCII letters in lower case; every other byte as it is. */
export function lowerCase(word: number): number {
  const seven = word & 0x7f7f7f7f;
  // The top bit of each byte: set by adding 0x3f from "A" on, by adding 0x25 behind "Z".
  const isUpper = ((seven + 0x3f3f3f3f) ^ (seven + 0x25252525)) & ~word & 0x80808080;
  return word | (isUpper >>> 2);
}

/**
 * Non-zero when one of the word's bytes is a quote, a backslash or below space: where a string of JSON ends or has something
 * unusual. The lowest bit set is the top bit of the first such byte; what is above it means nothing.
 */
export function stopsOf(word: number): number {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  return (
    (((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word)) &
    0x80808080
  );
}

/** Which byte of a word, from 0, the lowest bit set in `stops` belongs to. */
export function firstOf(stops: number): number {
  return (31 - Math.clz32(stops & -stops)) >>> 3;
}
