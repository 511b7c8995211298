import {
  BAIL,
  byteAt,
  isDigit,
  skipAnyString,
  skipInteger,
  skipSpace,
  skipString,
  skipValue,
} from "../../json/bytes.ts";
import { isTextAt, type Text, textOf } from "../../json/words.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const MINUS = 0x2d;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** What follows a fixed part of a row. Quotes belong to the fixed parts. */
export type Hole = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
/** A string that is wanted: without escapes, and not empty. */
export const FIELD: Hole = 0;
/** Any string. */
export const ANY_TEXT: Hole = 1;
export const INTEGER: Hole = 2;
/** Nothing: the end of the row. */
export const END: Hole = 3;
/** Letters of base64 that are wanted. */
export const BASE64: Hole = 4;
/** Any string that is not empty. */
export const SOME_TEXT: Hole = 5;
/** Any list or object. */
export const ANY_ITEMS: Hole = 6;
/** Nothing: the end of a value inside a row. */
const VALUE_END: Hole = 7;

/** A fixed part of rows, and what follows it. */
export interface FixedPart {
  readonly text: Text;
  readonly hole: Hole;
  /** Where the hole's start and end go in `spans`. */
  readonly span: number;
}

/** A learned part. A class, so that all steps have one hidden class: copies of parts have many, which costs a tenth of the run. */
class Step implements FixedPart {
  readonly text: Text;
  readonly hole: Hole;
  readonly span: number;
  /** The number of the shape that ends here. */
  readonly shape: number;
  /** The next alternative at the same position. */
  other: Step | undefined = undefined;
  next: Step | undefined = undefined;
  /** The shapes of the lists and objects that have stood in the hole, where any may. */
  readonly values: RowShapes | undefined;

  constructor({ text, hole, span }: FixedPart, shape: number) {
    this.text = text;
    this.hole = hole;
    this.span = span;
    this.shape = shape;
    this.values = hole === ANY_ITEMS ? new RowShapes(0) : undefined;
  }
}

/** Limits of what is learned, so that a file of unlike rows costs neither memory nor time. */
const MAX_STEPS = 4_000;
const MAX_OTHERS = 16;
const MAX_PARTS = 200;
const MAX_ROW_BYTES = 8_192;
/** After so many more rows without a known shape than with one, the rows of the file are taken to be unlike. */
const MAX_MISSES = 1_000;

/**
 * The shapes of the rows seen so far. Nearly all rows of a file are built alike: the same keys in the same order, with other
 * values. A shape is a row with holes in place of some values. A row is compared with it four bytes at a time; only the values in
 * the holes are looked at one by one.
 *
 * A row that fits differs from the learned row in nothing but those values, each of the kind that its hole allows.
 */
export class RowShapes {
  /** Start and end of each field of the row that was read last, inside its quotes; 0 and 0: the row has no such string. */
  readonly spans: Int32Array;
  /** The number of that row's shape, as given to `learn`. */
  shape = 0;
  /** Where in `spans` the places of values go that are not wanted. */
  readonly unwanted: number;
  #first: Step | undefined;
  #steps = 0;
  #misses = 0;

  /** @param fields how many strings of a row are wanted. */
  constructor(fields: number) {
    this.unwanted = 2 * fields;
    this.spans = new Int32Array(2 * fields + 2);
  }

  /** True when the row has a learned shape; then `spans` and `shape` describe it. */
  read(view: DataView, start: number, end: number): boolean {
    return this.#match(view, start, end) !== BAIL;
  }

  /** The position behind a list or object, BAIL when it cannot be read. One like an earlier one is only compared. */
  skip(view: DataView, start: number, end: number): number {
    const known = this.#match(view, start, end);
    if (known !== BAIL) return known;
    const behind = skipValue(view, start, end);
    if (behind !== BAIL && this.canLearn(behind - start)) this.learn(partsOfValue(view, start, behind), 0);
    return behind;
  }

  /** The position behind what has a learned shape, or BAIL. */
  #match(view: DataView, start: number, end: number): number {
    const { spans } = this;
    for (let at = 0; at < this.unwanted; at += 1) spans[at] = 0; // a call of `fill` takes longer
    let at = start;
    let step = this.#first;
    while (step !== undefined) {
      const from = at + step.text.length;
      const to = isTextAt(view, at, end, step.text) ? holeEnd(view, from, end, step) : BAIL;
      if (to < 0) {
        step = step.other;
        continue;
      }
      if (step.hole === END || step.hole === VALUE_END) {
        this.shape = step.shape;
        if (this.#misses > 0) this.#misses -= 1;
        return to;
      }
      spans[step.span] = from;
      spans[step.span + 1] = to;
      at = to;
      step = step.next;
    }
    this.#missed();
    return BAIL;
  }

  /** After too many misses all shapes are forgotten, and no more are learned. */
  #missed(): void {
    this.#misses += 1;
    if (this.#misses < MAX_MISSES) return;
    this.#first = undefined;
    this.#steps = MAX_STEPS;
  }

  /** True while the shape of a row of this length may be learned. */
  canLearn(rowBytes: number): boolean {
    return this.#steps < MAX_STEPS && rowBytes <= MAX_ROW_BYTES;
  }

  /** Learns a shape, within limits. */
  learn(parts: readonly FixedPart[], shape: number): void {
    if (this.#steps >= MAX_STEPS || parts.length > MAX_PARTS) return;
    let step: Step | undefined;
    for (const part of parts) {
      step = this.#add(step, part, shape);
      if (step === undefined) return;
    }
  }

  /** The step behind `before` that equals this part, created if there is none; undefined when there are too many. */
  #add(before: Step | undefined, part: FixedPart, shape: number): Step | undefined {
    let last: Step | undefined;
    let others = 0;
    for (let step = before === undefined ? this.#first : before.next; step !== undefined; step = step.other) {
      if (isSame(step, part)) return step;
      last = step;
      others += 1;
    }
    if (others === MAX_OTHERS || this.#steps === MAX_STEPS) return undefined;
    const added = new Step(part, shape);
    this.#steps += 1;
    if (last !== undefined) last.other = added;
    else if (before !== undefined) before.next = added;
    else this.#first = added;
    return added;
  }
}

/** One past the value that begins at `from`, a string's without its closing quote; below 0 when the hole does not allow it. */
function holeEnd(view: DataView, from: number, end: number, { hole, values }: Step): number {
  if (hole === FIELD) return orNothing(from, skipString(view, from - 1, end) - 1);
  if (hole === ANY_TEXT) return skipAnyString(view, from - 1, end) - 1;
  if (hole === INTEGER) return from < end ? skipInteger(view, from, end) : BAIL;
  if (hole === END) return from === end ? end : BAIL;
  if (hole === VALUE_END) return from;
  if (values !== undefined) return isOpen(view, from, end) ? values.skip(view, from, end) : BAIL;
  return orNothing(from, hole === BASE64 ? base64End(view, from, end) : skipAnyString(view, from - 1, end) - 1);
}

/** The fixed parts of a list or object: all but its strings and integers. */
function partsOfValue(view: DataView, start: number, end: number): readonly FixedPart[] {
  const parts: FixedPart[] = [];
  let from = start;
  for (let at = start; at < end; ) {
    const byte = view.getUint8(at);
    if (byte === QUOTE) {
      const behind = skipAnyString(view, at, end);
      if (byteAt(view, skipSpace(view, behind, end), end) !== COLON) {
        parts.push({ text: slice(view, from, at + 1), hole: ANY_TEXT, span: 0 });
        from = behind - 1;
      }
      at = behind;
    } else if (byte === MINUS || isDigit(byte)) {
      parts.push({ text: slice(view, from, at), hole: INTEGER, span: 0 });
      from = at = skipInteger(view, at, end);
    } else at += 1;
  }
  return [...parts, { text: slice(view, from, end), hole: VALUE_END, span: 0 }];
}

function isOpen(view: DataView, at: number, end: number): boolean {
  const byte = byteAt(view, at, end);
  return byte === OPEN_BRACE || byte === OPEN_BRACKET;
}

function orNothing(from: number, to: number): number {
  return to === from ? BAIL : to;
}

/** One past the letters of base64 that begin at `from`; the padding at its end is not included. */
export function base64End(view: DataView, from: number, end: number): number {
  let at = from;
  while (at < end && IS_BASE64[view.getUint8(at)] === 1) at += 1;
  return at;
}

const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 && /[A-Za-z0-9+/]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** The bytes in [from, to), to be compared with others. */
export function slice(view: DataView, from: number, to: number): Text {
  return textOf(new Uint8Array(view.buffer, view.byteOffset + from, to - from));
}

function isSame(a: FixedPart, b: FixedPart): boolean {
  if (a.hole !== b.hole || a.span !== b.span || a.text.length !== b.text.length) return false;
  return a.text.words.every((word, at) => word === b.text.words[at]);
}
