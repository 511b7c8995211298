import { serviceLimits } from "../../../contract/service-limits.ts";
import { viewOf } from "../../json/words.ts";
import type { ColumnParser } from "../../rows/fast/columns.ts";
import { ShapedRow } from "../../rows/fast/shaped-row.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import { emailRuleOf, isAscii } from "../../rules/email.ts";
import type { UserKeys } from "../join/user-keys.ts";
import { EMAIL, FIRST, ID, LAST, USER_NAME, type UserUses, WANTED } from "./row-uses.ts";

/** Words of one row's columns: the number of its shape (0: none), flags, the keys of id and user name, start and end of each string. */
export const SHAPE = 0;
export const FLAGS = 1;
export const ID_KEY = 2;
export const NAME_KEY = 5;
export const SPANS = 7;

/** A row without this flag has a string that is missing or out of the ordinary, and no keys. */
export const WHOLE = 1;
/** The user signs in at the provider itself. */
export const OWN = 2;

/** By the numbers of the wanted strings. */
const LIMITS = WANTED.map((field) => (field === "email" ? serviceLimits.userName : serviceLimits[field]));

/** Reads the rows of users in a block that have a shape into columns. */
export class UserColumns implements ColumnParser {
  readonly words: number;
  readonly #keys: UserKeys;
  readonly #row: ShapedRow;
  readonly #userName: number;
  readonly #spanWords: number;

  constructor({ uses, base64, userName }: UserUses, keys: UserKeys) {
    this.#keys = keys;
    this.#row = new ShapedRow(uses, WANTED.length, base64);
    this.#userName = userName;
    this.#spanWords = 2 * (WANTED.length + base64);
    this.words = SPANS + this.#spanWords;
  }

  parse({ bytes, count, starts, ends }: RowBlock, into: Uint32Array): void {
    const keys = this.#keys;
    const name = this.#userName;
    const { spans } = this.#row;
    const view = viewOf(bytes);
    for (let index = 0, base = 0; index < count; index += 1, base += this.words) {
      const shape = this.#row.read(view, starts[index] as number, ends[index] as number);
      into[base + SHAPE] = shape;
      if (shape === 0) continue;
      for (let word = 0; word < this.#spanWords; word += 1) into[base + SPANS + word] = spans[word] as number;
      into[base + FLAGS] = 0;
      if (!isWhole(view, spans, name)) continue;
      const idStart = spans[2 * ID] as number;
      const idEnd = spans[2 * ID + 1] as number;
      into[base + FLAGS] = keys.isOwnId(view, idStart, idEnd) ? WHOLE | OWN : WHOLE;
      keys.userId(view, idStart, idEnd, into, base + ID_KEY);
      keys.asciiName(view, spans[2 * name] as number, spans[2 * name + 1] as number, into, base + NAME_KEY);
    }
  }
}

/** The row has an id and a user name, and each of its wanted strings is as a user's should be. */
function isWhole(view: DataView, spans: Int32Array, name: number): boolean {
  const [nameStart, nameEnd] = [spans[2 * name] as number, spans[2 * name + 1] as number];
  return (
    spans[2 * ID] !== 0 &&
    nameStart !== 0 &&
    isAscii(view, nameStart, nameEnd) &&
    isText(view, spans, ID) &&
    isText(view, spans, USER_NAME) &&
    isText(view, spans, FIRST) &&
    isText(view, spans, LAST) &&
    isText(view, spans, EMAIL) &&
    (spans[2 * EMAIL] === 0 ||
      emailRuleOf(view, spans[2 * EMAIL] as number, spans[2 * EMAIL + 1] as number) === undefined)
  );
}

/** The row has no such string, or one that is not blank and short enough: it has at most as many code points as bytes. */
function isText(view: DataView, spans: Int32Array, field: number): boolean {
  const start = spans[2 * field] as number;
  const end = spans[2 * field + 1] as number;
  return start === 0 || (end - start <= (LIMITS[field] as number) && !beginsWithSpace(view, start, end));
}

/** True also for some characters that are no white space, but begin with the same byte. */
function beginsWithSpace(view: DataView, start: number, end: number): boolean {
  const byte = view.getUint8(start);
  if (byte <= 0x20 || byte === 0xc2 || byte === 0xe1 || byte === 0xe2 || byte === 0xef) return true;
  return byte === 0xe3 && start + 1 < end && view.getUint8(start + 1) === 0x80;
}
