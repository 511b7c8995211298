import { Newlines } from "./newlines.ts";
import { createValueScan, MAX_DEPTH, type ValueScan } from "./value-scan.ts";

/**
 * Which containers of a document are walked into. A value without a layout, or of the other kind than its layout, is cut out
 * whole; the elements and members of a container with one are visited one by one.
 */
export type Layout =
  | { readonly members: (key: string) => Layout | undefined }
  | { readonly elements: Layout | undefined };

/** Keys and indexes from the root to the current value. One array for the whole walk: copy what is to be kept. */
export type JsonPath = readonly (string | number)[];

export interface WalkListener {
  /** A container that the layout walks into begins; `line` counts from 1, `offset` is that of its first byte. */
  opened?(path: JsonPath, line: number, offset: number): void;
  /** Its last member or element has been seen; `offset` is that of the byte after it. */
  closed?(path: JsonPath, offset: number): void;
  /** A value cut out whole. `bytes` may share memory with the chunk pushed: it holds until the next one. */
  value(path: JsonPath, bytes: Buffer, line: number, offset: number): void;
}

/** The document is not one JSON value; `line` is where that shows, for "unclosed" where the innermost open value begins. */
export class BrokenJson extends Error {
  override readonly name = "BrokenJson";
  readonly line: number;
  readonly reason: "malformed" | "unclosed" | "too-long" | "too-deep";

  /** The most bytes of a value, for "too-long". */
  readonly limitBytes: number;

  constructor(line: number, reason: BrokenJson["reason"], limitBytes = MAX_VALUE_BYTES) {
    super(reason);
    this.line = line;
    this.reason = reason;
    this.limitBytes = limitBytes;
  }
}

/** Walks one JSON document that comes in pieces. A piece may be overwritten once the next one is due. */
export interface Walker {
  /** Raises BrokenJson. */
  push(chunk: Buffer): void;
  /** Raises BrokenJson when the document is not complete. */
  end(): void;
}

interface Frame {
  readonly layout: Layout;
  readonly line: number;
}

type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const NEWLINE = 0x0a;

/**
 * A walker for one document. Pure: it keeps no more than the value that is being cut (at most `maxValueBytes`). It checks the
 * structure it walks; the inside of a cut value is only balanced, so the listener parses it where its validity matters.
 */
export function createWalker(layout: Layout, listener: WalkListener, maxValueBytes = MAX_VALUE_BYTES): Walker {
  return new JsonWalker(layout, listener, maxValueBytes);
}

/** No single value of a body or an export comes near it; it bounds the memory that a hostile document can take. */
export const MAX_VALUE_BYTES = 64 * 2 ** 20;

const MARK = [0xef, 0xbb, 0xbf];

class JsonWalker implements Walker {
  readonly #root: Layout;
  readonly #listener: WalkListener;
  readonly #maxValueBytes: number;
  readonly #frames: Frame[] = [];
  readonly #path: (string | number)[] = [];
  readonly #scan: ValueScan = createValueScan(MAX_DEPTH);
  readonly #newlines = new Newlines();
  #expected: Expected = "value";
  #isKey = false;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #valueLine = 1;
  #valueOffset = 0;
  #line = 1;
  /** Offset in the document of the first byte of the current chunk. */
  #base = 0;
  /** How much of a byte order mark is still to come; 0 when there is none, or all of it has come. */
  #markLeft = MARK.length;

  constructor(root: Layout, listener: WalkListener, maxValueBytes: number) {
    this.#root = root;
    this.#listener = listener;
    this.#maxValueBytes = maxValueBytes;
  }

  push(chunk: Buffer): void {
    this.#newlines.restart(chunk);
    let at = this.#markLeft === 0 ? 0 : this.#skipMark(chunk);
    if (this.#scan.active) at = this.#continueValue(chunk, at);
    while (at < chunk.length) {
      const byte = chunk[at] as number; // at < length
      if (byte === NEWLINE) this.#line += 1;
      if (byte === NEWLINE || byte === 0x20 || byte === 0x0d || byte === 0x09) at += 1;
      else at = this.#token(byte, chunk, at);
    }
    this.#base += chunk.length;
  }

  end(): void {
    if (this.#scan.active && this.#scan.finish()) this.#emit(Buffer.alloc(0));
    if (this.#scan.active) throw new BrokenJson(this.#valueLine, "unclosed");
    if (this.#expected !== "nothing") throw new BrokenJson(this.#frames.at(-1)?.line ?? this.#line, "unclosed");
  }

  /** A byte order mark may come in pieces, too. Returns where to go on. */
  #skipMark(chunk: Buffer): number {
    let at = 0;
    while (this.#markLeft > 0 && at < chunk.length) {
      if (chunk[at] === MARK[MARK.length - this.#markLeft]) {
        at += 1;
        this.#markLeft -= 1;
      } else if (this.#markLeft < MARK.length) throw new BrokenJson(this.#line, "malformed");
      else this.#markLeft = 0;
    }
    return at;
  }

  /** Handles the token that begins with `byte`; returns where to go on. */
  #token(byte: number, chunk: Buffer, at: number): number {
    switch (this.#expected) {
      case "value":
        return this.#beginValue(byte, chunk, at);
      case "value-or-end":
        return byte === CLOSE_BRACKET ? this.#close(at) : this.#beginValue(byte, chunk, at);
      case "key-or-end":
        return byte === CLOSE_BRACE ? this.#close(at) : this.#beginKey(byte, chunk, at);
      case "key":
        return this.#beginKey(byte, chunk, at);
      case "colon":
        if (byte !== COLON) throw new BrokenJson(this.#line, "malformed");
        this.#expected = "value";
        return at + 1;
      case "comma-or-end":
        return this.#afterValue(byte, at);
      case "nothing":
        throw new BrokenJson(this.#line, "malformed");
      default:
        return this.#expected satisfies never;
    }
  }

  #afterValue(byte: number, at: number): number {
    const inObject = "members" in (this.#frames.at(-1) as Frame).layout; // comma-or-end: some container is open
    if (byte === (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) return this.#close(at);
    if (byte !== COMMA) throw new BrokenJson(this.#line, "malformed");
    this.#expected = inObject ? "key" : "value";
    const last = this.#path.length - 1;
    if (!inObject) this.#path[last] = (this.#path[last] as number) + 1;
    return at + 1;
  }

  #beginKey(byte: number, chunk: Buffer, at: number): number {
    if (byte !== QUOTE) throw new BrokenJson(this.#line, "malformed");
    this.#isKey = true;
    return this.#capture(byte, chunk, at);
  }

  #beginValue(byte: number, chunk: Buffer, at: number): number {
    const layout = this.#layoutHere();
    const opens = layout !== undefined && byte === ("members" in layout ? OPEN_BRACE : OPEN_BRACKET);
    if (!opens) return this.#capture(byte, chunk, at);
    this.#listener.opened?.(this.#path, this.#line, this.#base + at);
    this.#frames.push({ layout, line: this.#line });
    const isObject = "members" in layout;
    this.#path.push(isObject ? "" : 0);
    this.#expected = isObject ? "key-or-end" : "value-or-end";
    return at + 1;
  }

  #layoutHere(): Layout | undefined {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#root;
    return "members" in frame.layout ? frame.layout.members(this.#path.at(-1) as string) : frame.layout.elements;
  }

  #close(at: number): number {
    this.#frames.pop();
    this.#path.pop();
    this.#listener.closed?.(this.#path, this.#base + at + 1);
    this.#expectNext();
    return at + 1;
  }

  #expectNext(): void {
    this.#expected = this.#frames.length === 0 ? "nothing" : "comma-or-end";
  }

  #capture(byte: number, chunk: Buffer, at: number): number {
    if (!this.#scan.begin(byte)) throw new BrokenJson(this.#line, "malformed");
    this.#valueLine = this.#line;
    this.#valueOffset = this.#base + at;
    return this.#continueValue(chunk, at);
  }

  #continueValue(chunk: Buffer, from: number): number {
    const end = this.#scan.advance(chunk, from);
    const stop = end === -1 ? chunk.length : end;
    this.#line += this.#newlines.count(from, stop);
    this.#partBytes += stop - from;
    if (this.#scan.isTooDeep) throw new BrokenJson(this.#valueLine, "too-deep");
    if (this.#partBytes > this.#maxValueBytes) throw new BrokenJson(this.#valueLine, "too-long", this.#maxValueBytes);
    const part = chunk.subarray(from, stop);
    if (end === -1) this.#parts.push(Buffer.from(part));
    else this.#emit(part);
    return stop;
  }

  #emit(last: Buffer): void {
    const bytes = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    if (this.#parts.length > 0) this.#parts = [];
    this.#partBytes = 0;
    if (this.#isKey) {
      this.#isKey = false;
      this.#path[this.#path.length - 1] = this.#keyOf(bytes);
      this.#expected = "colon";
      return;
    }
    this.#listener.value(this.#path, bytes, this.#valueLine, this.#valueOffset);
    this.#expectNext();
  }

  #keyOf(bytes: Buffer): string {
    try {
      return JSON.parse(bytes.toString()) as string; // a captured string
    } catch {
      throw new BrokenJson(this.#valueLine, "malformed");
    }
  }
}
