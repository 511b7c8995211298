import { isTextAt, type Text, textOf } from "../words.ts";
import { BAIL, byteAt, isDigit, skipAnyString, skipInteger, skipSpace, skipString } from "./json-bytes.ts";

/**
 * What follows a fixed part of a row: a string that is wanted, without escapes; any other string; a whole number; or nothing. The
 * quotes belong to the fixed parts.
 */
type Hole = 0 | 1 | 2 | 3;
const FIELD: Hole = 0;
const STRING: Hole = 1;
const INTEGER: Hole = 2;
const END: Hole = 3;

/** A fixed part of rows, and what follows it. */
interface Step {
  readonly text: Text;
  readonly hole: Hole;
  /** Where the hole's start and end go in `spans`. */
  readonly span: number;
  /** What was told of the row, at its end. */
  readonly flags: number;
  /** What may stand here as well. */
  other: Step | undefined;
  next: Step | undefined;
}

/** As many steps are remembered. A file whose rows differ more than that gains nothing by more. */
const MAX_STEPS = 1_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const MINUS = 0x2d;

/**
 * The shapes of the rows seen so far. The rows of a file are nearly all built alike: the same keys in the same order, with other
 * values. A shape is such a row without its strings and whole numbers; a row that fits it is compared four bytes at a time, and
 * only its values are looked at one by one.
 *
 * A row that fits differs from the row that was learned in nothing but the insides of strings, those of fields being without
 * escapes, and in whole numbers. So whoever took that one by its structure would take this one, with its fields in the same places.
 */
export class RowShapes {
  /** Start and end of each field of the row that was read last, inside its quotes; 0 and 0: the row has no such string. */
  readonly spans: Int32Array;
  /** What `learn` was told of the shape. */
  flags = 0;
  /** Where the places of strings go that nobody wants. */
  readonly #unwanted: number;
  #first: Step | undefined;
  #steps = 0;

  /** @param fields how many strings of a row are wanted. */
  constructor(fields: number) {
    this.#unwanted = 2 * fields;
    this.spans = new Int32Array(2 * fields + 2);
  }

  /** True when the row has a shape that was learned; then `spans` and `flags` tell of it. */
  read(view: DataView, start: number, end: number): boolean {
    const { spans } = this;
    for (let at = 0; at < this.#unwanted; at += 1) spans[at] = 0; // a call of `fill` takes longer
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
        return true;
      }
      spans[step.span] = from;
      spans[step.span + 1] = to;
      at = to;
      step = step.next;
    }
    return false;
  }

  /** Remembers the shape of a row that was read by its structure, and whose fields `spans` tells. */
  learn(view: DataView, start: number, end: number, flags: number): void {
    if (this.#steps >= MAX_STEPS) return;
    let before: Step | undefined;
    let from = start;
    for (let at = start; at < end; ) {
      const byte = view.getUint8(at);
      if (byte === QUOTE) {
        const behind = skipAnyString(view, at, end);
        const isKey = byteAt(view, skipSpace(view, behind, end), end) === COLON;
        if (!isKey) {
          const span = this.#spanAt(at + 1);
          const hole = span === this.#unwanted ? STRING : FIELD;
          before = this.#add(before, slice(view, from, at + 1), hole, span, flags);
          from = behind - 1;
        }
        at = behind;
      } else if (byte === MINUS || isDigit(byte)) {
        before = this.#add(before, slice(view, from, at), INTEGER, this.#unwanted, flags);
        from = at = skipInteger(view, at, end);
      } else at += 1;
    }
    this.#add(before, slice(view, from, end), END, this.#unwanted, flags);
  }

  /** Where `spans` has the place of the string that begins at `start`. */
  #spanAt(start: number): number {
    for (let span = 0; span < this.#unwanted; span += 2) if (this.spans[span] === start) return span;
    return this.#unwanted;
  }

  /** The step behind `before` that is like this one, made if there is none. */
  #add(before: Step | undefined, text: Text, hole: Hole, span: number, flags: number): Step {
    let last: Step | undefined;
    for (let step = before === undefined ? this.#first : before.next; step !== undefined; step = step.other) {
      if (step.hole === hole && step.span === span && isSame(step.text, text)) return step;
      last = step;
    }
    const added: Step = { text, hole, span, flags, other: undefined, next: undefined };
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
  return from === end ? end : BAIL;
}

function slice(view: DataView, from: number, to: number): Text {
  return textOf(new Uint8Array(view.buffer, view.byteOffset + from, to - from));
}

function isSame(a: Text, b: Text): boolean {
  return a.length === b.length && a.words.every((word, at) => word === b.words[at]);
}
