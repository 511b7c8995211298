import {
  BAIL,
  byteAt,
  isFalse,
  isNull,
  isTrue,
  skipAnyString,
  skipSpace,
  skipString,
  skipValue,
  stringEnd,
} from "../../json/bytes.ts";
import { isText, type Text, textOf } from "../../json/words.ts";
import { type Region, RowShapes } from "./row-shapes.ts";

/** Flags below it are the row's own. */
export const SHAPE_SHIFT = 4;
/** Shapes that say more than usual are many. */
const NUMBERED_STEPS = 4_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** What is done with a field of a row. null counts as absent. */
export type FieldUse =
  /** A string whose place is wanted, under this number; with `prefix`, what stands in it in front of this byte is part of the shape. */
  | { readonly use: "wanted"; readonly field: number; readonly prefix?: number }
  /** Part of the shape: whether a text, or one in the value, is empty; or whether an object is. */
  | { readonly use: "counted-text" | "counted-object" }
  /** Part of the shape: the texts of these keys in the value. */
  | { readonly use: "literal"; readonly keys: readonly string[] }
  /** true or false; true sets these bits of the row's flags. */
  | { readonly use: "flag"; readonly bits: number }
  /** null and false say nothing, for "empty" also [] and {}; a row with anything else in this field is not ordinary. */
  | { readonly use: "false" | "empty" }
  /** A string that is only checked to be one. */
  | { readonly use: "text" }
  /** A row with this field is not ordinary. */
  | { readonly use: "unusual" };

/** The uses of fields that are only checked. */
export const OTHER_USES = {
  text: { use: "text" },
  flag: { use: "flag", bits: 0 },
  false: { use: "false" },
  empty: { use: "empty" },
  unusual: { use: "unusual" },
} as const satisfies Readonly<Record<string, FieldUse>>;

interface Field {
  readonly name: Text;
  /** The one key of an object that the value is in. */
  readonly inner: Text | undefined;
  readonly use: FieldUse;
}

/**
 * Reads a row as bytes, without creating a string: by its shape if the shape is known, else key by key. The result is the same as with
 * JSON.parse; a row with anything unusual is not read.
 */
export class FieldRow {
  readonly #fields: readonly (readonly Field[] | undefined)[];
  readonly #shapes: RowShapes;
  readonly #literalKeys: readonly Text[];
  /** Shapes are numbered, because something of them is counted. They say of every other field, too, whether it is empty. */
  readonly #isNumbered: boolean;
  #learned = 0;
  /** What the shape of the row that is read by its keys says more than usual. */
  #regions: Region[] = [];
  /** Start and end of each wanted field, inside the quotes of a string without escapes; 0 and 0: the row has no such string. */
  readonly spans: Int32Array;
  /** Bits of the flags that are true, and from SHAPE_SHIFT on the number of the shape where shapes are numbered. */
  flags = 0;

  /**
   * @param uses by path: a key of the row, or `outer.inner` of an object with that one key.
   * @param wanted how many strings are wanted.
   */
  constructor(uses: Readonly<Record<string, FieldUse>>, wanted: number) {
    this.#fields = byLength(uses);
    const all = Object.values(uses);
    this.#isNumbered = all.some(({ use }) => use === "counted-text" || use === "counted-object" || use === "literal");
    this.#literalKeys = all.flatMap((use) => (use.use === "literal" ? use.keys.map((key) => textOf(key)) : []));
    this.#shapes = new RowShapes(wanted, this.#isNumbered ? NUMBERED_STEPS : undefined);
    this.spans = this.#shapes.spans;
  }

  /** False: this row is not ordinary. True: `spans` and `flags` tell of it. */
  read(view: DataView, start: number, end: number): boolean {
    const shapes = this.#shapes;
    if (shapes.read(view, start, end)) this.flags = shapes.flags;
    else if (this.#isNumbered && !shapes.canLearn(end - start)) return false;
    else if (!this.#readKeys(view, start, end)) return false;
    else if (this.#isNumbered) return this.#number(view, start, end);
    else shapes.learn(view, start, end, this.flags);
    return true;
  }

  /** Learns the shape with a number of its own. False: it cannot be remembered. */
  #number(view: DataView, start: number, end: number): boolean {
    const shapes = this.#shapes;
    this.#learned += 1;
    const flags = this.flags | (this.#learned << SHAPE_SHIFT);
    shapes.learn(view, start, end, flags, this.#regions, this.#literalKeys);
    if (!shapes.read(view, start, end)) return false;
    this.flags = shapes.flags;
    return true;
  }

  /** Start of a wanted field, 0 when the row has no such string. */
  start(field: number): number {
    return this.spans[2 * field] as number;
  }

  end(field: number): number {
    return this.spans[2 * field + 1] as number;
  }

  #readKeys(view: DataView, start: number, end: number): boolean {
    this.spans.fill(0);
    this.flags = 0;
    this.#regions = [];
    if (byteAt(view, start, end) !== OPEN_BRACE) return false;
    let at = skipSpace(view, start + 1, end);
    while (byteAt(view, at, end) === QUOTE) {
      const keyStart = at + 1;
      at = skipString(view, at, end);
      if (at === BAIL) return false;
      const keyEnd = at - 1;
      at = skipSpace(view, at, end);
      if (byteAt(view, at, end) !== COLON) return false;
      at = skipSpace(view, at + 1, end);
      at = at < end ? this.#value(view, keyStart, keyEnd, at, end) : BAIL;
      if (at === BAIL) return false;
      at = skipSpace(view, at, end);
      const next = byteAt(view, at, end);
      if (next === CLOSE_BRACE) return at + 1 === end;
      if (next !== COMMA) return false;
      at = skipSpace(view, at + 1, end);
    }
    return false;
  }

  /** Takes the value at `at` of the key in [keyStart, keyEnd) and returns the position behind it, or BAIL. */
  #value(view: DataView, keyStart: number, keyEnd: number, at: number, end: number): number {
    for (const { name, inner, use } of this.#fields[keyEnd - keyStart] ?? []) {
      if (!isText(view, keyStart, keyEnd, name)) continue;
      return inner === undefined ? this.#use(view, use, at, end) : this.#wrapped(view, inner, use, at, end);
    }
    const behind = skipValue(view, at, end);
    // Fields that the table does not name are counted as well.
    if (this.#isNumbered && behind !== BAIL && byteAt(view, at, end) === QUOTE)
      this.#regions.push({ kind: "text", from: at, to: behind });
    return behind;
  }

  #use(view: DataView, use: FieldUse, at: number, end: number): number {
    switch (use.use) {
      case "wanted":
        this.#forget(use.field);
        if (isNull(view, at, end)) return at + 4;
        return use.prefix === undefined
          ? this.#text(view, use.field, at, end)
          : this.#prefixed(view, use.field, use.prefix, at, end);
      case "counted-text":
      case "counted-object":
      case "literal": {
        const behind = skipValue(view, at, end);
        const kind = use.use === "literal" ? "literal" : use.use === "counted-text" ? "text" : "object";
        if (behind !== BAIL) this.#regions.push({ kind, from: at, to: behind });
        return behind;
      }
      case "flag":
        this.flags &= ~use.bits; // of one key twice in a row the last counts, as for JSON.parse
        if (isTrue(view, at, end)) this.flags |= use.bits;
        if (isTrue(view, at, end) || isNull(view, at, end)) return at + 4;
        return isFalse(view, at, end) ? at + 5 : BAIL;
      case "text":
        if (isNull(view, at, end)) return at + 4;
        return byteAt(view, at, end) === QUOTE ? skipAnyString(view, at, end) : BAIL;
      case "false":
        if (isNull(view, at, end)) return at + 4;
        return isFalse(view, at, end) ? at + 5 : BAIL;
      case "empty":
        return emptyEnd(view, at, end);
      case "unusual":
        return BAIL;
      default:
        return use satisfies never;
    }
  }

  /** `{"inner":"…"}`, an object with that one key, or null; anything else bails. */
  #wrapped(view: DataView, inner: Text, use: FieldUse, from: number, end: number): number {
    if (use.use === "wanted") this.#forget(use.field);
    if (isNull(view, from, end)) return from + 4;
    if (byteAt(view, from, end) !== OPEN_BRACE) return BAIL;
    let at = skipSpace(view, from + 1, end);
    const keyEnd = stringEnd(view, at, end);
    if (keyEnd < 0 || !isText(view, at + 1, keyEnd, inner)) return BAIL;
    at = skipSpace(view, keyEnd + 1, end);
    if (byteAt(view, at, end) !== COLON) return BAIL;
    at = skipSpace(view, at + 1, end);
    at = at < end ? this.#use(view, use, at, end) : BAIL;
    if (at === BAIL) return BAIL;
    at = skipSpace(view, at, end);
    return byteAt(view, at, end) === CLOSE_BRACE ? at + 1 : BAIL;
  }

  /** Takes the string at `at` as a field; returns the position behind it, or BAIL. */
  #text(view: DataView, field: number, at: number, end: number): number {
    this.spans[2 * field] = at + 1;
    this.spans[2 * field + 1] = stringEnd(view, at, end);
    return (this.spans[2 * field + 1] as number) + 1;
  }

  /** A text with the byte in it; what stands in front of it, and the byte, belong to the shape. */
  #prefixed(view: DataView, field: number, prefix: number, from: number, end: number): number {
    const behind = this.#text(view, field, from, end);
    let at = from + 1;
    while (at < behind - 1 && view.getUint8(at) !== prefix) at += 1;
    if (at >= behind - 1) return BAIL;
    this.#regions.push({ kind: "prefix", from, to: at + 1 });
    return behind;
  }

  /** Forgets a field: of one key twice in a row the last counts, as for JSON.parse. */
  #forget(field: number): void {
    this.spans[2 * field] = 0;
    this.spans[2 * field + 1] = 0;
  }
}

/** One past null, false, [] or {}; any other value bails. */
function emptyEnd(view: DataView, at: number, end: number): number {
  if (isNull(view, at, end)) return at + 4;
  if (isFalse(view, at, end)) return at + 5;
  const open = byteAt(view, at, end);
  const close = open === OPEN_BRACE ? CLOSE_BRACE : open === OPEN_BRACKET ? CLOSE_BRACKET : 0;
  const behind = skipSpace(view, at + 1, end);
  return close !== 0 && byteAt(view, behind, end) === close ? behind + 1 : BAIL;
}

/** The fields by the length of their keys, so that few are compared with a key. */
function byLength(uses: Readonly<Record<string, FieldUse>>): readonly (readonly Field[] | undefined)[] {
  const fields: Field[][] = [];
  for (const [path, use] of Object.entries(uses)) {
    const dot = path.indexOf(".");
    const name = textOf(dot === -1 ? path : path.slice(0, dot));
    const inner = dot === -1 ? undefined : textOf(path.slice(dot + 1));
    const same = fields[name.length] ?? [];
    same.push({ name, inner, use });
    fields[name.length] = same;
  }
  return fields;
}
