import {
  BAIL,
  byteAt,
  isFalse,
  isNull,
  isTrue,
  skipAnyString,
  skipInteger,
  skipSpace,
  skipString,
  skipValue,
} from "../../json/bytes.ts";
import {
  ANY_ITEMS,
  ANY_TEXT,
  BASE64,
  base64End,
  END,
  FIELD,
  type FixedPart,
  type Hole,
  INTEGER,
  RowShapes,
  SOME_TEXT,
  slice,
} from "./row-shapes.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const EQUALS = 0x3d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** What is done with a value of a row. A value without a use is part of the row's shape. A row that breaks a rule below has no shape. */
export type ValueUse =
  /** A string without escapes, or null; the place of one that is not empty goes into `spans` under this number. */
  | { readonly use: "wanted"; readonly field: number /** Default: true. */; readonly mayBeEmpty?: boolean }
  /** A string that holds a JSON object whose strings are base64: their places go into `spans`, in order. */
  | { readonly use: "base64" }
  /** A string that is not empty matches any other; all other values are part of the shape. */
  | { readonly use: "any-text" }
  /** An integer matches any other; all other values are part of the shape. */
  | { readonly use: "any-number" }
  /** A string, an integer, a list or an object matches any other of its kind; all other values are part of the shape. */
  | { readonly use: "any" }
  /** A string, which matches any other, or null. */
  | { readonly use: "text" }
  /** true, false or null. */
  | { readonly use: "flag" }
  /** null, false, [] or {}. */
  | { readonly use: "empty" }
  /** An object with all of the named members and no others, or null. */
  | { readonly use: "whole-object" }
  /** No value at all: the row must not have the key. */
  | { readonly use: "unusual" };

/** The uses at and below one value of a row. */
export interface RowUses {
  readonly use: ValueUse | undefined;
  readonly members: ReadonlyMap<string, RowUses>;
  /** Of all other members of an object. */
  readonly others: RowUses | undefined;
  readonly elements: RowUses | undefined;
}

const MAX_DEPTH = 16;

/**
 * Reads a row as bytes by its shape. Two rows of one shape differ in nothing but the values that the uses name, so both mean the
 * same apart from those values. The first row of a shape is taken apart key by key; the rows after it are only compared.
 */
export class ShapedRow {
  readonly #shapes: RowShapes;
  readonly #root: RowUses;
  readonly #builder: PartsBuilder;
  #learned = 0;

  /**
   * @param fields how many strings are wanted, besides those in base64.
   * @param base64 how many strings in base64 are wanted at most.
   */
  constructor(uses: RowUses, fields: number, base64 = 0) {
    this.#shapes = new RowShapes(fields + base64);
    this.#root = uses;
    this.#builder = new PartsBuilder(fields, base64, this.#shapes.unwanted);
  }

  /** Start and end of each wanted string, first the fields, then those in base64; 0 and 0: the row has no such string. */
  get spans(): Int32Array {
    return this.#shapes.spans;
  }

  /** The number of the row's shape, from 1; then `spans` describes the row. 0: the row has no known shape. */
  read(view: DataView, start: number, end: number): number {
    if (this.#shapes.read(view, start, end)) return this.#shapes.shape;
    if (!this.#shapes.canLearn(end - start)) return 0;
    const parts = this.#builder.partsOf(view, start, end, this.#root);
    if (parts === undefined) return 0;
    this.#learned += 1;
    this.#shapes.learn(parts, this.#learned);
    return this.#shapes.read(view, start, end) ? this.#shapes.shape : 0;
  }
}

/** Cuts a row into the fixed parts of its shape. */
class PartsBuilder {
  readonly #fields: number;
  readonly #mostBase64: number;
  readonly #unwanted: number;
  #parts: FixedPart[] = [];
  #seen = new Set<number>();
  #base64 = 0;
  /** Where the current fixed part begins. */
  #from = 0;

  constructor(fields: number, mostBase64: number, unwanted: number) {
    this.#fields = fields;
    this.#mostBase64 = mostBase64;
    this.#unwanted = unwanted;
  }

  /** undefined: the row is no JSON object, or breaks a rule of its uses. */
  partsOf(view: DataView, start: number, end: number, root: RowUses): readonly FixedPart[] | undefined {
    this.#parts = [];
    this.#seen = new Set();
    this.#base64 = 0;
    this.#from = start;
    if (byteAt(view, start, end) !== OPEN_BRACE || this.#value(view, start, end, root, 0) !== end) return undefined;
    this.#parts.push({ text: slice(view, this.#from, end), hole: END, span: this.#unwanted });
    return this.#parts;
  }

  /** Takes the value at `at`, and returns the position behind it, or BAIL. */
  #value(view: DataView, at: number, end: number, uses: RowUses | undefined, depth: number): number {
    if (at >= end || depth > MAX_DEPTH) return BAIL;
    if (uses === undefined) return skipValue(view, at, end);
    const byte = view.getUint8(at);
    if (!isAllowed(view, at, end, uses.use, byte)) return BAIL;
    if (byte === QUOTE) return this.#string(view, at, end, uses.use);
    const isOpen = byte === OPEN_BRACE || byte === OPEN_BRACKET;
    const isAny = uses.use?.use === "any";
    if (isOpen && !isAny) return this.#items(view, at, end, uses, depth, byte === OPEN_BRACE);
    const behind = skipValue(view, at, end);
    if (behind === BAIL) return BAIL;
    if (isOpen) this.#hole(view, at, behind, ANY_ITEMS, this.#unwanted);
    else if ((isAny || uses.use?.use === "any-number") && skipInteger(view, at, end) === behind)
      this.#hole(view, at, behind, INTEGER, this.#unwanted);
    return behind;
  }

  /** The members of an object, or the elements of a list. */
  #items(view: DataView, open: number, end: number, uses: RowUses, depth: number, isObject: boolean): number {
    const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET;
    const isWhole = uses.use?.use === "whole-object";
    const keys = new Set<string>();
    let at = skipSpace(view, open + 1, end);
    if (byteAt(view, at, end) === close) return isWhole ? BAIL : at + 1;
    while (at < end) {
      let inner = uses.elements;
      if (isObject) {
        const keyEnd = byteAt(view, at, end) === QUOTE ? skipString(view, at, end) : BAIL;
        if (keyEnd === BAIL) return BAIL;
        const key = textAt(view, at + 1, keyEnd - 1);
        if (keys.has(key)) return BAIL; // JSON.parse takes the last of two members with one key
        keys.add(key);
        inner = uses.members.get(key) ?? uses.others;
        if (isWhole && inner === undefined) return BAIL;
        at = skipSpace(view, keyEnd, end);
        if (byteAt(view, at, end) !== COLON) return BAIL;
        at = skipSpace(view, at + 1, end);
      }
      at = this.#value(view, at, end, inner, depth + 1);
      if (at === BAIL) return BAIL;
      at = skipSpace(view, at, end);
      const next = byteAt(view, at, end);
      if (next === close) return isWhole && keys.size < uses.members.size ? BAIL : at + 1;
      if (next !== COMMA) return BAIL;
      at = skipSpace(view, at + 1, end);
    }
    return BAIL;
  }

  #string(view: DataView, at: number, end: number, use: ValueUse | undefined): number {
    const behind = use?.use === "wanted" ? skipString(view, at, end) : skipAnyString(view, at, end);
    if (behind === BAIL || use === undefined) return behind;
    const [from, to] = [at + 1, behind - 1];
    if (use.use === "base64") return this.#inJson(view, from, to) ? behind : BAIL;
    if (use.use === "text" || use.use === "any") this.#hole(view, from, to, ANY_TEXT, this.#unwanted);
    if (from === to) return use.use === "wanted" && use.mayBeEmpty === false ? BAIL : behind; // it is part of the shape
    if (use.use === "any-text") this.#hole(view, from, to, SOME_TEXT, this.#unwanted);
    if (use.use !== "wanted") return behind;
    if (this.#seen.has(use.field)) return BAIL; // one span has room for one string
    this.#seen.add(use.field);
    this.#hole(view, from, to, FIELD, 2 * use.field);
    return behind;
  }

  /** The strings of a JSON object that stands in a string, between quotes that are escaped; its keys are fixed. */
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
    for (let at = end; at < to; at += 1) if (view.getUint8(at) !== EQUALS) return false;
    if (end === from) return true;
    if (this.#base64 === this.#mostBase64) return false;
    this.#hole(view, from, end, BASE64, 2 * (this.#fields + this.#base64));
    this.#base64 += 1;
    return true;
  }

  /** Ends the current fixed part: other rows may have another value in [from, to). */
  #hole(view: DataView, from: number, to: number, hole: Hole, span: number): void {
    this.#parts.push({ text: slice(view, this.#from, from), hole, span });
    this.#from = to;
  }
}

/** False: the value at `at`, which begins with `byte`, breaks the rule of its use. */
function isAllowed(view: DataView, at: number, end: number, use: ValueUse | undefined, byte: number): boolean {
  switch (use?.use) {
    case "wanted":
    case "text":
      return byte === QUOTE || isNull(view, at, end);
    case "flag":
      return isTrue(view, at, end) || isFalse(view, at, end) || isNull(view, at, end);
    case "empty":
      return isNull(view, at, end) || isFalse(view, at, end) || isEmptyList(view, at, end, byte);
    case "whole-object":
      return byte === OPEN_BRACE || isNull(view, at, end);
    case "unusual":
      return false;
    default:
      return true;
  }
}

/** [] or {}. */
function isEmptyList(view: DataView, at: number, end: number, byte: number): boolean {
  if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) return false;
  return byteAt(view, skipSpace(view, at + 1, end), end) === (byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET);
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
