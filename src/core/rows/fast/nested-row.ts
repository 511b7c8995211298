import { BAIL, byteAt, skipAnyString, skipInteger, skipSpace, skipString, skipValue } from "../../json/bytes.ts";
import { BASE64, base64End, END, FIELD, type Hole, INTEGER, type Part, RowShapes, SOME, slice } from "./row-shapes.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const EQUALS = 0x3d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** What is done with a text or a number of a row. What has no use is part of the row's shape, with its value. */
export type NestedUse =
  /** A string whose place is wanted, under this number. */
  | { readonly use: "wanted"; readonly field: number }
  /** A string that is not empty: what it says does not matter. */
  | { readonly use: "any-text" }
  /** A whole number: which one does not matter. */
  | { readonly use: "any-number" }
  /** A string that holds a JSON object whose texts are base64: they are wanted, in order. */
  | { readonly use: "base64" };

/** The uses at and below a place in a row. */
export interface NestedUses {
  readonly use: NestedUse | undefined;
  readonly members: ReadonlyMap<string, NestedUses>;
  /** Of members that have none of their own. */
  readonly others: NestedUses | undefined;
  readonly elements: NestedUses | undefined;
}

/** How many texts in base64 a row may have. */
export const BASE64_FIELDS = 4;
/** Shapes of rows with lists in them are many, and most rows have one of a few. */
const MAX_STEPS = 4_000;
const MAX_DEPTH = 16;

/**
 * Reads a row with lists and objects as bytes: by its shape, if the shape is known. Two rows of one shape differ in nothing but the
 * strings and numbers that the uses name, so both mean the same apart from these.
 */
export class NestedRow {
  readonly #shapes: RowShapes;
  readonly #root: NestedUses;
  readonly #builder: PartsBuilder;
  #learned = 0;

  /**
   * @param fields how many strings are wanted, besides those in base64.
   */
  constructor(uses: NestedUses, fields: number) {
    this.#shapes = new RowShapes(fields + BASE64_FIELDS, MAX_STEPS);
    this.#root = uses;
    this.#builder = new PartsBuilder(fields, this.#shapes.unwanted);
  }

  /** Start and end of each wanted string, first the fields, then those in base64; 0 and 0: the row has no such string. */
  get spans(): Int32Array {
    return this.#shapes.spans;
  }

  /** The number of the row's shape, from 1; 0: it has none that is known. Then `spans` tells of it. */
  read(view: DataView, start: number, end: number): number {
    if (this.#shapes.read(view, start, end)) return this.#shapes.flags;
    if (!this.#shapes.canLearn(end - start)) return 0;
    const parts = this.#builder.partsOf(view, start, end, this.#root);
    if (parts === undefined) return 0;
    this.#learned += 1;
    this.#shapes.remember(parts, this.#learned);
    return this.#shapes.read(view, start, end) ? this.#shapes.flags : 0;
  }
}

/** Cuts a row into the fixed parts of its shape. */
class PartsBuilder {
  readonly #fields: number;
  readonly #unwanted: number;
  #parts: Part[] = [];
  #seen = new Set<number>();
  #base64 = 0;
  /** Where the fixed part at hand begins. */
  #from = 0;

  constructor(fields: number, unwanted: number) {
    this.#fields = fields;
    this.#unwanted = unwanted;
  }

  /** undefined: the row is no JSON object, or one that is out of the ordinary. */
  partsOf(view: DataView, start: number, end: number, root: NestedUses): readonly Part[] | undefined {
    this.#parts = [];
    this.#seen = new Set();
    this.#base64 = 0;
    this.#from = start;
    if (byteAt(view, start, end) !== OPEN_BRACE || this.#value(view, start, end, root, 0) !== end) return undefined;
    this.#parts.push({ text: slice(view, this.#from, end), hole: END, span: this.#unwanted });
    return this.#parts;
  }

  /** Takes the value at `at`, and returns the position behind it, or BAIL. */
  #value(view: DataView, at: number, end: number, node: NestedUses | undefined, depth: number): number {
    if (at >= end || depth > MAX_DEPTH) return BAIL;
    if (node === undefined) return skipValue(view, at, end);
    const byte = view.getUint8(at);
    if (byte === OPEN_BRACE) return this.#items(view, at, end, node, depth, true);
    if (byte === OPEN_BRACKET) return this.#items(view, at, end, node, depth, false);
    if (byte === QUOTE) return this.#string(view, at, end, node.use);
    const behind = skipValue(view, at, end);
    if (behind !== BAIL && node.use?.use === "any-number" && skipInteger(view, at, end) === behind)
      this.#hole(view, at, behind, INTEGER, this.#unwanted);
    return behind;
  }

  /** The members of an object, or the elements of a list. */
  #items(view: DataView, open: number, end: number, node: NestedUses, depth: number, isObject: boolean): number {
    const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
    let at = skipSpace(view, open + 1, end);
    if (byteAt(view, at, end) === close) return at + 1;
    while (at < end) {
      let inner = node.elements;
      if (isObject) {
        const keyEnd = byteAt(view, at, end) === QUOTE ? skipString(view, at, end) : BAIL;
        if (keyEnd === BAIL) return BAIL;
        inner = node.members.get(textAt(view, at + 1, keyEnd - 1)) ?? node.others;
        at = skipSpace(view, keyEnd, end);
        if (byteAt(view, at, end) !== COLON) return BAIL;
        at = skipSpace(view, at + 1, end);
      }
      at = this.#value(view, at, end, inner, depth + 1);
      if (at === BAIL) return BAIL;
      at = skipSpace(view, at, end);
      const next = byteAt(view, at, end);
      if (next === close) return at + 1;
      if (next !== COMMA) return BAIL;
      at = skipSpace(view, at + 1, end);
    }
    return BAIL;
  }

  #string(view: DataView, at: number, end: number, use: NestedUse | undefined): number {
    const behind = use?.use === "wanted" ? skipString(view, at, end) : skipAnyString(view, at, end);
    if (behind === BAIL || use === undefined || use.use === "any-number") return behind;
    const [from, to] = [at + 1, behind - 1];
    if (use.use === "base64") return this.#inJson(view, from, to) ? behind : BAIL;
    if (from === to) return behind; // an empty one is what it is
    if (use.use === "any-text") this.#hole(view, from, to, SOME, this.#unwanted);
    else if (this.#seen.has(use.field))
      return BAIL; // of two with one name, the last counts
    else {
      this.#seen.add(use.field);
      this.#hole(view, from, to, FIELD, 2 * use.field);
    }
    return behind;
  }

  /** The texts of a JSON object that stands in a string, between quotes that are escaped; its keys are fixed. */
  #inJson(view: DataView, from: number, to: number): boolean {
    for (let at = from; ; ) {
      const open = escapedQuote(view, at, to);
      if (open === to) return true;
      const close = open === BAIL ? BAIL : escapedQuote(view, open + 2, to);
      if (close === BAIL || close === to) return false;
      at = close + 2;
      if (byteAt(view, at, to) !== COLON && !this.#base64Text(view, open + 2, close)) return false;
    }
  }

  #base64Text(view: DataView, from: number, to: number): boolean {
    const end = base64End(view, from, to);
    if (end === BAIL) return false;
    for (let at = end; at < to; at += 1) if (view.getUint8(at) !== EQUALS) return false;
    if (end === from) return true;
    if (this.#base64 === BASE64_FIELDS) return false;
    this.#hole(view, from, end, BASE64, 2 * (this.#fields + this.#base64));
    this.#base64 += 1;
    return true;
  }

  /** What stands in [from, to) may be something else in other rows. */
  #hole(view: DataView, from: number, to: number, hole: Hole, span: number): void {
    this.#parts.push({ text: slice(view, this.#from, from), hole, span });
    this.#from = to;
  }
}

/** The first `\"` from `from` on, `to` when there is none; BAIL when another escape stands before it. */
function escapedQuote(view: DataView, from: number, to: number): number {
  let at = from;
  while (at < to && view.getUint8(at) !== BACKSLASH) at += 1;
  return at === to || byteAt(view, at + 1, to) === QUOTE ? at : BAIL;
}

function textAt(view: DataView, start: number, end: number): string {
  return Buffer.from(view.buffer, view.byteOffset + start, end - start).toString();
}
