import { serviceLimits } from "../../../contract/service-limits.ts";
import { viewOf } from "../../json/words.ts";
import type { ColumnParser } from "../../rows/fast/columns.ts";
import { BASE64_FIELDS, NestedRow, type NestedUse, type NestedUses } from "../../rows/fast/nested-row.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import { emailRuleOf, isAscii } from "../../rules/email.ts";
import type { UserKeys } from "../join/user-keys.ts";
import type { NestedRole, NestedTable } from "../reading.ts";

/** The wanted fields by their numbers; behind them come those in base64. */
export const WANTED = ["userId", "userName", "email", "firstName", "lastName"] as const;
const [ID, USER_NAME, EMAIL, FIRST, LAST] = [0, 1, 2, 3, 4] as const;

/** All strings that an entry may be made of. */
export const STRINGS = WANTED.length + BASE64_FIELDS;

/** Words of one row's columns: the number of its shape, whether it is whole, start and end of each string, keys of id and user name. */
export const SHAPE = 0;
export const WHOLE = 1;
export const SPANS = 2;
export const ID_KEY = SPANS + 2 * STRINGS;
export const NAME_KEY = ID_KEY + 3;
export const NESTED_WORDS = NAME_KEY + 2;

/** Reads the rows of users in a block that have a known shape into columns, as a provider's table says. */
export class NestedColumns implements ColumnParser {
  readonly words = NESTED_WORDS;
  readonly #keys: UserKeys;
  readonly #row: NestedRow;

  constructor(table: NestedTable, keys: UserKeys) {
    this.#keys = keys;
    this.#row = new NestedRow(usesOf(table), WANTED.length);
  }

  parse({ bytes, count, starts, ends }: RowBlock, into: Uint32Array): void {
    const row = this.#row;
    const view = viewOf(bytes);
    for (let index = 0, base = 0; index < count; index += 1, base += NESTED_WORDS) {
      into[base + SHAPE] = row.read(view, starts[index] as number, ends[index] as number);
      if (into[base + SHAPE] === 0) continue;
      const { spans } = row;
      for (let word = 0; word < 2 * STRINGS; word += 1) into[base + SPANS + word] = spans[word] as number;
      const isWhole = isWholeUser(view, spans);
      into[base + WHOLE] = isWhole ? 1 : 0;
      if (!isWhole) continue;
      this.#keys.userId(view, spans[2 * ID] as number, spans[2 * ID + 1] as number, into, base + ID_KEY);
      const [nameStart, nameEnd] = [spans[2 * USER_NAME] as number, spans[2 * USER_NAME + 1] as number];
      this.#keys.asciiName(view, nameStart, nameEnd, into, base + NAME_KEY);
    }
  }
}

/** Everything that every user has is there, and nothing about it is out of the ordinary. */
function isWholeUser(view: DataView, spans: Int32Array): boolean {
  return (
    isText(view, spans, ID, serviceLimits.userId) &&
    isText(view, spans, USER_NAME, serviceLimits.userName) &&
    isAscii(view, spans[2 * USER_NAME] as number, spans[2 * USER_NAME + 1] as number) &&
    isText(view, spans, FIRST, serviceLimits.firstName) &&
    isText(view, spans, LAST, serviceLimits.lastName) &&
    emailRuleOf(view, spans[2 * EMAIL] as number, spans[2 * EMAIL + 1] as number) === undefined
  );
}

/** A text that is not blank and short enough: as many bytes are at least as many code points. */
function isText(view: DataView, spans: Int32Array, field: number, limit: number): boolean {
  const start = spans[2 * field] as number;
  const end = spans[2 * field + 1] as number;
  return end > start && end - start <= limit && !beginsWithSpace(view, start, end);
}

/** True also for some characters that are no white space, but begin with the same byte. */
function beginsWithSpace(view: DataView, start: number, end: number): boolean {
  const byte = view.getUint8(start);
  if (byte <= 0x20 || byte === 0xc2 || byte === 0xe1 || byte === 0xe2 || byte === 0xef) return true;
  return byte === 0xe3 && start + 1 < end && view.getUint8(start + 1) === 0x80;
}

function usesOf({ role, members = {}, others, elements }: NestedTable): NestedUses {
  return {
    use: role && useOf(role),
    members: new Map(Object.entries(members).map(([key, table]) => [key, usesOf(table)])),
    others: others && usesOf(others),
    elements: elements && usesOf(elements),
  };
}

function useOf(role: NestedRole): NestedUse {
  if (role === "any-text" || role === "any-number" || role === "base64") return { use: role };
  return { use: "wanted", field: WANTED.indexOf(role) };
}
