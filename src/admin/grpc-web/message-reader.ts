/**
 * Gets the fields of a protobuf message in wire order. The message arrives in chunks and may be larger than memory: only the field that
 * is being read is kept. Messages that the listener enters are read field by field.
 */
export interface FieldListener {
  /** True if this field is a message to read field by field; `path` has the field numbers from the root. */
  enters(path: readonly number[]): boolean;
  opened(path: readonly number[]): void;
  closed(path: readonly number[]): void;
  /** A complete field: `bytes` is its value without the length, `raw` the field with its tag. */
  field(path: readonly number[], bytes: Buffer, raw: Buffer): void;
}

/** The bytes are no protobuf message, or one with a field of more than 64 MiB. */
export class BrokenMessage extends Error {
  override readonly name = "BrokenMessage";
}

export interface MessageReader {
  /** Raises BrokenMessage. The listener's buffers are valid until the next push. */
  push(chunk: Buffer): void;
  /** Raises BrokenMessage if the message is not complete. */
  end(): void;
}

export function createMessageReader(listener: FieldListener): MessageReader {
  return new StreamingReader(listener);
}

const MAX_FIELD_BYTES = 64 * 2 ** 20;

interface Header {
  readonly number: number;
  /** Start of the value, after tag and length. */
  readonly at: number;
  readonly length: number;
  readonly isDelimited: boolean;
}

class StreamingReader implements MessageReader {
  readonly #listener: FieldListener;
  readonly #path: number[] = [];
  /** Missing bytes of each open message. */
  readonly #left: number[] = [];
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the incomplete field. */
  #needed = 0;
  #chunks: Buffer[] = [];
  #chunkBytes = 0;

  constructor(listener: FieldListener) {
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    // The chunks of a large field are joined once.
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    if (this.#rest.length + this.#chunkBytes < this.#needed) {
      this.#chunks[this.#chunks.length - 1] = Buffer.from(chunk);
      return;
    }
    const bytes = Buffer.concat([this.#rest, ...this.#chunks]);
    this.#chunks = [];
    this.#chunkBytes = 0;
    this.#rest = Buffer.from(bytes.subarray(this.#read(bytes)));
  }

  end(): void {
    if (this.#rest.length + this.#chunkBytes > 0 || this.#left.length > 0) throw new BrokenMessage("unclosed");
  }

  /** Reads complete fields; returns the start of the first incomplete one. */
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

  /** Counts bytes of the innermost open message. Raises BrokenMessage if a field is longer than its message. */
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

/** undefined for an incomplete header. Raises BrokenMessage. */
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

/** The value is exact up to 2^53; larger values are only skipped. */
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
