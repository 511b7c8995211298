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
import { isText, isTextAt, type Text, textOf } from "../../json/words.ts";

/**
 * What follows a fixed part of a row: a string that is wanted, without escapes; any other string; a whole number; nothing; some letters
 * of base64 that are wanted; a string that is not empty; or an object that is not empty. The quotes belong to the fixed parts.
 */
export type Hole = 0 | 1 | 2 | 3 | 4 | 5 | 6;
export const FIELD: Hole = 0;
const STRING: Hole = 1;
export const INTEGER: Hole = 2;
export const END: Hole = 3;
export const BASE64: Hole = 4;
export const SOME: Hole = 5;
const OBJECT: Hole = 6;

/**
 * A value of a row whose shape says more than usual. "text": a string is empty, or not; "object": an object is empty, or not; "literal":
 * the strings of the named keys are part of the shape; "prefix": so is a string up to `to`.
 */
export interface Region {
  readonly kind: "text" | "object" | "literal" | "prefix";
  readonly from: number;
  readonly to: number;
}
const NO_REGIONS: readonly Region[] = [];

/** A fixed part of rows, and what follows it. */
export interface Part {
  readonly text: Text;
  readonly hole: Hole;
  /** Where the hole's start and end go in `spans`. */
  readonly span: number;
  /** How many bytes at the end of `text` belong to the string in the hole; absent: none. */
  readonly back?: number;
}

/** A part that was learned. A class, so that all of them have one hidden class: copies of parts have many, which costs a tenth of all. */
class Step implements Part {
  readonly text: Text;
  readonly hole: Hole;
  readonly span: number;
  /** Bytes from the begin of the fixed part to the string in the hole. */
  readonly begin: number;
  /** The flags of the row, at its end. */
  readonly flags: number;
  /** What may stand here as well. */
  other: Step | undefined = undefined;
  next: Step | undefined = undefined;

  constructor({ text, hole, span, back = 0 }: Part, flags: number) {
    this.text = text;
    this.hole = hole;
    this.span = span;
    this.begin = text.length - back;
    this.flags = flags;
  }
}

/** Limits of what is remembered, so that no file costs memory or time for nothing. */
const MAX_STEPS = 1_000;
const MAX_OTHERS = 64;
const MAX_PARTS = 200;
const MAX_ROW_BYTES = 8_192;
/** So many more rows without a known shape than with one: the rows of this file are not alike. */
const MAX_MISSES = 1_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const MINUS = 0x2d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * The shapes of the rows seen so far. The rows of a file are nearly all built alike: the same keys in the same order, with other
 * values. A shape is such a row without its strings and whole numbers; a row that fits it is compared four bytes at a time, and
 * only its values are looked at one by one.
 *
 * A row that fits differs from the learned row only in the contents of strings and in whole numbers; the strings of fields have no
 * escapes. So it has the same structure, with its fields in the same places.
 */
export class RowShapes {
  /** Start and end of each field of the row that was read last, inside its quotes; 0 and 0: the row has no such string. */
  readonly spans: Int32Array;
  /** The flags that `learn` got with the shape. */
  flags = 0;
  /** Where in `spans` the places of unwanted values go. */
  readonly unwanted: number;
  #first: Step | undefined;
  #steps = 0;
  #misses = 0;

  readonly #maxSteps: number;

  /** @param fields how many strings of a row are wanted. */
  constructor(fields: number, maxSteps = MAX_STEPS) {
    this.#maxSteps = maxSteps;
    this.unwanted = 2 * fields;
    this.spans = new Int32Array(2 * fields + 2);
  }

  /** True when the row has a shape that was learned; then `spans` and `flags` tell of it. */
  read(view: DataView, start: number, end: number): boolean {
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
      if (step.hole === END) {
        this.flags = step.flags;
        if (this.#misses > 0) this.#misses -= 1;
        return true;
      }
      spans[step.span] = at + step.begin;
      spans[step.span + 1] = to;
      at = to;
      step = step.next;
    }
    this.#missed();
    return false;
  }

  /** After too many misses nothing is known any more, and nothing learned. */
  #missed(): void {
    this.#misses += 1;
    if (this.#misses < MAX_MISSES) return;
    this.#first = undefined;
    this.#steps = this.#maxSteps;
  }

  /** True while a shape as long as this may be remembered. */
  canLearn(rowBytes: number): boolean {
    return this.#steps < this.#maxSteps && rowBytes <= MAX_ROW_BYTES;
  }

  /**
   * Remembers the shape of a row that was read by its structure, and whose fields `spans` tells, within limits.
   * @param regions in order. @param literalKeys of the regions of the kind "literal".
   */
  learn(
    view: DataView,
    start: number,
    end: number,
    flags: number,
    regions: readonly Region[] = NO_REGIONS,
    literalKeys: readonly Text[] = [],
  ): void {
    if (this.canLearn(end - start)) this.remember(this.#partsOf(view, start, end, regions, literalKeys), flags);
  }

  /** Remembers a shape whose parts were found in a row, within limits. */
  remember(parts: readonly Part[], flags: number): void {
    if (this.#steps >= this.#maxSteps || parts.length > MAX_PARTS) return;
    let step: Step | undefined;
    for (const part of parts) {
      step = this.#add(step, part, flags);
      if (step === undefined) return;
    }
  }

  #partsOf(
    view: DataView,
    start: number,
    end: number,
    regions: readonly Region[],
    literalKeys: readonly Text[],
  ): readonly Part[] {
    const parts: Part[] = [];
    let from = start;
    let isLiteral = false;
    const hole = (to: number, kind: Hole, span: number, behind: number, back = 0): void => {
      parts.push({ text: slice(view, from, to), hole: kind, span, back });
      from = behind;
    };
    for (let at = start; at < end; ) {
      const byte = view.getUint8(at);
      const region = regions.find((one) => one.from <= at && at < one.to);
      if (region?.kind === "object" && region.from === at && isFilledObject(view, at, end)) {
        hole(at, OBJECT, this.unwanted, region.to);
        at = region.to;
      } else if (byte === QUOTE) {
        const behind = skipAnyString(view, at, end);
        const isKey = byteAt(view, skipSpace(view, behind, end), end) === COLON;
        if (isKey) {
          // An escape in a key may spell a named one.
          const isPlainKey = skipString(view, at, end) === behind;
          isLiteral =
            region?.kind === "literal" &&
            (!isPlainKey || literalKeys.some((key) => isText(view, at + 1, behind - 1, key)));
        } else if (region?.kind === "prefix") {
          hole(region.to, FIELD, this.#spanAt(at + 1), behind - 1, region.to - at - 1);
        } else if (region?.kind === "text") {
          if (behind - at > 2) hole(at + 1, SOME, this.unwanted, behind - 1);
        } else if (!isLiteral) {
          const span = this.#spanAt(at + 1);
          hole(at + 1, span === this.unwanted ? STRING : FIELD, span, behind - 1);
        }
        at = behind;
      } else if (byte === MINUS || isDigit(byte)) {
        const behind = skipInteger(view, at, end);
        hole(at, INTEGER, this.unwanted, behind);
        at = behind;
      } else at += 1;
    }
    return [...parts, { text: slice(view, from, end), hole: END, span: this.unwanted }];
  }

  /** Where `spans` has the place of the string that begins at `start`. */
  #spanAt(start: number): number {
    for (let span = 0; span < this.unwanted; span += 2) if (this.spans[span] === start) return span;
    return this.unwanted;
  }

  /** The step behind `before` that is like this one, made if there is none; undefined when there are too many. */
  #add(before: Step | undefined, part: Part, flags: number): Step | undefined {
    let last: Step | undefined;
    let others = 0;
    for (let step = before === undefined ? this.#first : before.next; step !== undefined; step = step.other) {
      if (isSame(step, part)) return step;
      last = step;
      others += 1;
    }
    if (others === MAX_OTHERS || this.#steps === this.#maxSteps) return undefined;
    const added = new Step(part, flags);
    this.#steps += 1;
    if (last !== undefined) last.other = added;
    else if (before !== undefined) before.next = added;
    else this.#first = added;
    return added;
  }
}

/** One past the value that begins at `from`, a string's without its closing quote; below 0 when there is no such value. */
function holeEnd(view: DataView, from: number, end: number, { hole }: Step): number {
  if (hole === FIELD) return skipString(view, from - 1, end) - 1;
  if (hole === STRING) return skipAnyString(view, from - 1, end) - 1;
  if (hole === INTEGER) return from < end ? skipInteger(view, from, end) : BAIL;
  if (hole === END) return from === end ? end : BAIL;
  if (hole === OBJECT) return isFilledObject(view, from, end) ? skipValue(view, from, end) : BAIL;
  const to = hole === BASE64 ? base64End(view, from, end) : skipAnyString(view, from - 1, end) - 1;
  return to === from ? BAIL : to;
}

/** True for an object with a member. */
function isFilledObject(view: DataView, from: number, end: number): boolean {
  return byteAt(view, from, end) === OPEN_BRACE && byteAt(view, skipSpace(view, from + 1, end), end) !== CLOSE_BRACE;
}

/**
 * One past the letters of base64 that begin at `from`; the signs that fill it up at its end are none of them. BAIL for letters that are no
 * whole bytes: the parser path says what they are.
 */
export function base64End(view: DataView, from: number, end: number): number {
  let at = from;
  while (at < end && sixBitsOf[view.getUint8(at)] !== NOT_IN_BASE64) at += 1;
  const left = (at - from) & 3;
  if (left === 0) return at;
  const rest = left === 2 ? 0b1111 : 0b11;
  return left === 1 || ((sixBitsOf[view.getUint8(at - 1)] as number) & rest) !== 0 ? BAIL : at;
}

const NOT_IN_BASE64 = 0xff;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const sixBitsOf = new Uint8Array(256).fill(NOT_IN_BASE64);
for (let bits = 0; bits < LETTERS.length; bits += 1) sixBitsOf[LETTERS.charCodeAt(bits)] = bits;

/** The bytes in [from, to), to be compared with others. */
export function slice(view: DataView, from: number, to: number): Text {
  return textOf(new Uint8Array(view.buffer, view.byteOffset + from, to - from));
}

function isSame(a: Step, b: Part): boolean {
  if (a.hole !== b.hole || a.span !== b.span || a.begin !== b.text.length - (b.back ?? 0)) return false;
  if (a.text.length !== b.text.length) return false;
  return a.text.words.every((word, at) => word === b.text.words[at]);
}
