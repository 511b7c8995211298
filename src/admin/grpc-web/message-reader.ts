/**
 * Takes a protobuf message apart that comes in pieces and may be larger than memory: fields in the order of the wire, of which those
 * that the listener enters are taken apart themselves. Nothing is kept but the field that is being read.
 */
export interface FieldListener {
  /** Whether this field is a message to be taken apart in turn; `path` are field numbers from the root. */
  enters(path: readonly number[]): boolean;
  opened(path: readonly number[]): void;
  closed(path: readonly number[]): void;
  /** A whole field: `bytes` is its value without the length that precedes it, `raw` the field as it stands, its tag first. */
  field(path: readonly number[], bytes: Buffer, raw: Buffer): void;
}

/** What came is no protobuf message, or one with a field of more than 64 MiB. */
export class BrokenMessage extends Error {
  override readonly name = "BrokenMessage";
}

export interface MessageReader {
  /** Raises BrokenMessage. The listener's buffers hold until the next push. */
  push(chunk: Buffer): void;
  /** Raises BrokenMessage when the message is not complete. */
  end(): void;
}

export function createMessageReader(listener: FieldListener): MessageReader {
  return new StreamingReader(listener);
}

const MAX_FIELD_BYTES = 64 * 2 ** 20;

interface Header {
  readonly number: number;
  /** Where the value begins, after tag and length. */
  readonly at: number;
  readonly length: number;
  readonly isDelimited: boolean;
}

class StreamingReader implements MessageReader {
  readonly #listener: FieldListener;
  readonly #path: number[] = [];
  /** For each open message, how many of its bytes are still to come. */
  readonly #left: number[] = [];
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes that must be there before it is worth another look. */
  #needed = 0;
  #parts: Buffer[] = [];
  #partBytes = 0;

  constructor(listener: FieldListener) {
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    // A field of megabytes is put together once, not with every piece of it.
    this.#parts.push(chunk);
    this.#partBytes += chunk.length;
    if (this.#rest.length + this.#partBytes < this.#needed) {
      this.#parts[this.#parts.length - 1] = Buffer.from(chunk);
      return;
    }
    const bytes = Buffer.concat([this.#rest, ...this.#parts]);
    this.#parts = [];
    this.#partBytes = 0;
    this.#rest = Buffer.from(bytes.subarray(this.#read(bytes)));
  }

  end(): void {
    if (this.#rest.length + this.#partBytes > 0 || this.#left.length > 0) throw new BrokenMessage("unclosed");
  }

  /** Reads whole fields; returns where the first one begins that is not whole. */
  #read(bytes: Buffer): number {
    let at = 0;
    this.#closeFinished();
    for (;;) {
      const header = readHeader(bytes, at);
      if (header === undefined) {
        this.#needed = 0;
        return at;
      }
      const path = [...this.#path, header.number];
      if (header.isDelimited && this.#listener.enters(path)) {
        this.#consume(header.at - at);
        this.#enter(path, header.length);
        at = header.at;
      } else {
        if (header.length > MAX_FIELD_BYTES) throw new BrokenMessage("too-long");
        const end = header.at + header.length;
        if (end > bytes.length) {
          this.#needed = end - at;
          return at;
        }
        this.#consume(end - at);
        this.#listener.field(path, bytes.subarray(header.at, end), bytes.subarray(at, end));
        at = end;
      }
      this.#closeFinished();
    }
  }

  #enter(path: readonly number[], length: number): void {
    this.#consume(length);
    this.#path.push(path.at(-1) as number); // a path has at least one number
    this.#left.push(length);
    this.#listener.opened(this.#path);
  }

  /** Takes bytes off the innermost open message; raises BrokenMessage when a field is longer than what it stands in. */
  #consume(length: number): void {
    const depth = this.#left.length - 1;
    if (depth < 0) return;
    const left = (this.#left[depth] as number) - length;
    if (left < 0) throw new BrokenMessage("malformed");
    this.#left[depth] = left;
  }

  #closeFinished(): void {
    while (this.#left.at(-1) === 0) {
      this.#listener.closed(this.#path);
      this.#left.pop();
      this.#path.pop();
    }
  }
}

/** Undefined when it is not whole. Raises BrokenMessage. */
function readHeader(bytes: Buffer, from: number): Header | undefined {
  const tag = readVarint(bytes, from);
  if (tag === undefined) return undefined;
  const number = Math.floor(tag.value / 8);
  if (number === 0) throw new BrokenMessage("malformed");
  switch (tag.value % 8) {
    case 0: {
      const value = readVarint(bytes, tag.end);
      return value && { number, at: tag.end, length: value.end - tag.end, isDelimited: false };
    }
    case 1:
      return { number, at: tag.end, length: 8, isDelimited: false };
    case 2: {
      const length = readVarint(bytes, tag.end);
      return length && { number, at: length.end, length: length.value, isDelimited: true };
    }
    case 5:
      return { number, at: tag.end, length: 4, isDelimited: false };
    default:
      throw new BrokenMessage("malformed");
  }
}

/** The value is exact up to 2^53; a larger one only has to be passed over. */
function readVarint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let at = from; at < from + 10; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * (at - from));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  throw new BrokenMessage("malformed");
}
