import { viewOf } from "../../json/words.ts";
import type { ColumnParser } from "../../rows/fast/columns.ts";
import { plainMoment } from "../../rows/fast/moment.ts";
import { ShapedRow, type ValueUse } from "../../rows/fast/shaped-row.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import { isAscii } from "../../rules/email.ts";
import { HASH_WORDS, packBcrypt } from "../join/bcrypt.ts";
import type { UserKeys } from "../join/user-keys.ts";
import type { CredentialRole, FieldTable } from "../reading.ts";
import { usesOfFields } from "./row-uses.ts";

/** Words of one row's columns: flags, a spare one, the date, the keys of id and address, the packed hash. */
export const CREDENTIAL_WORDS = 9 + HASH_WORDS;
export const FLAGS = 0;
export const DATE = 2;
export const ID_KEY = 4;
export const EMAIL_KEY = 7;
export const HASH = 9;

/** Flags of a row that could be read as bytes; without PLAIN the other columns mean nothing. */
export const PLAIN = 1;
export const HAS_ID = 2;
export const HAS_EMAIL = 4;
export const HAS_HASH = 8;

const NO_MOMENT = Number.NEGATIVE_INFINITY;

/** The wanted strings by their numbers; ids follow from FIRST_ID on, in the order in which they count. */
const EMAIL = 0;
const HASH_TEXT = 1;
const DATE_TEXT = 2;
const FIRST_ID = 3;

/** Reads the ordinary rows of credentials in a block into columns, as a provider's field table says. */
export class CredentialColumns implements ColumnParser {
  readonly words = CREDENTIAL_WORDS;
  readonly #keys: UserKeys;
  readonly #row: ShapedRow;
  /** One past the number of the last id. */
  readonly #fields: number;

  constructor(table: FieldTable<CredentialRole>, keys: UserKeys) {
    this.#keys = keys;
    let fields = FIRST_ID;
    const uses = usesOfFields(table, (role) => useOf(role, () => fields++));
    this.#row = new ShapedRow(uses, fields);
    this.#fields = fields;
  }

  parse({ bytes, count, starts, ends }: RowBlock, into: Uint32Array): void {
    const { spans } = this.#row;
    const view = viewOf(bytes);
    const dates = new Float64Array(into.buffer, into.byteOffset, into.length >>> 1);
    for (let index = 0, base = 0; index < count; index += 1, base += CREDENTIAL_WORDS) {
      into[base + FLAGS] = 0;
      if (this.#row.read(view, starts[index] as number, ends[index] as number) === 0) continue;
      const id = this.#idField(spans);
      const idStart = spans[2 * id] as number;
      const emailStart = spans[2 * EMAIL] as number;
      const emailEnd = spans[2 * EMAIL + 1] as number;
      const hasEmail = emailStart !== 0;
      if ((idStart === 0 && !hasEmail) || (hasEmail && !isAscii(view, emailStart, emailEnd))) continue;
      const dateStart = spans[2 * DATE_TEXT] as number;
      const dateMs = dateStart === 0 ? NO_MOMENT : plainMoment(view, dateStart, spans[2 * DATE_TEXT + 1] as number);
      if (dateMs === undefined) continue;
      const hashStart = spans[2 * HASH_TEXT] as number;
      const hashEnd = spans[2 * HASH_TEXT + 1] as number;
      // Hashes that are not bcrypt take the parser path.
      if (hashStart !== 0 && packBcrypt(view, hashStart, hashEnd, into, base + HASH) !== undefined) continue;
      if (idStart !== 0) this.#keys.ownId(view, idStart, spans[2 * id + 1] as number, into, base + ID_KEY);
      if (hasEmail) this.#keys.asciiName(view, emailStart, emailEnd, into, base + EMAIL_KEY);
      dates[(base + DATE) >>> 1] = dateMs;
      const flags = (idStart === 0 ? 0 : HAS_ID) | (hasEmail ? HAS_EMAIL : 0) | (hashStart === 0 ? 0 : HAS_HASH);
      into[base + FLAGS] = PLAIN | flags;
    }
  }

  /** The first id that the row has. */
  #idField(spans: Int32Array): number {
    let field = FIRST_ID;
    while (field < this.#fields - 1 && spans[2 * field] === 0) field += 1;
    return field;
  }
}

function useOf(role: FieldTable<CredentialRole>[string], nextId: () => number): ValueUse {
  switch (role) {
    case "ownId":
      return { use: "wanted", field: nextId() };
    case "email":
      return { use: "wanted", field: EMAIL };
    case "hash":
      return { use: "wanted", field: HASH_TEXT, mayBeEmpty: false };
    case "date":
      return { use: "wanted", field: DATE_TEXT, mayBeEmpty: false };
    case "flag":
    case "text":
    case "empty":
    case "unusual":
      return { use: role };
    default:
      return role satisfies never;
  }
}
