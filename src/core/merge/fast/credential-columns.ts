import { viewOf } from "../../json/words.ts";
import type { ColumnParser } from "../../rows/fast/columns.ts";
import { FieldRow, type FieldUse, OTHER_USES } from "../../rows/fast/field-row.ts";
import { plainMoment } from "../../rows/fast/moment.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import { isAscii } from "../../rules/email.ts";
import { HASH_WORDS, packBcrypt } from "../join/bcrypt.ts";
import type { UserKeys } from "../join/user-keys.ts";
import type { CredentialRole, FieldTable, OtherRole } from "../reading.ts";

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

/** The wanted fields by their numbers; ids, the one that counts before the others, from FIRST_ID on. */
const EMAIL = 0;
const HASH_TEXT = 1;
const DATE_TEXT = 2;
const FIRST_ID = 3;

/** Reads the ordinary rows of credentials in a block into columns, as a provider's field table says. */
export class CredentialColumns implements ColumnParser {
  readonly words = CREDENTIAL_WORDS;
  readonly #keys: UserKeys;
  readonly #row: FieldRow;
  /** One past the number of the last id. */
  readonly #fields: number;

  constructor(table: FieldTable<CredentialRole>, keys: UserKeys) {
    this.#keys = keys;
    let fields = FIRST_ID;
    const uses = Object.entries(table).map(([path, role]) => [path, useOf(role, () => fields++)] as const);
    this.#row = new FieldRow(Object.fromEntries(uses), fields);
    this.#fields = fields;
  }

  parse({ bytes, count, starts, ends }: RowBlock, into: Uint32Array): void {
    const row = this.#row;
    const view = viewOf(bytes);
    const dates = new Float64Array(into.buffer, into.byteOffset, into.length >>> 1);
    for (let index = 0, base = 0; index < count; index += 1, base += CREDENTIAL_WORDS) {
      into[base] = 0;
      if (!row.read(view, starts[index] as number, ends[index] as number)) continue;
      const id = this.#idField();
      const hasId = row.end(id) > row.start(id);
      const hasEmail = row.end(EMAIL) > row.start(EMAIL);
      if ((!hasId && !hasEmail) || (hasEmail && !isAscii(view, row.start(EMAIL), row.end(EMAIL)))) continue;
      const dateMs =
        row.start(DATE_TEXT) === 0 ? NO_MOMENT : plainMoment(view, row.start(DATE_TEXT), row.end(DATE_TEXT));
      if (dateMs === undefined) continue;
      const hasHash = row.start(HASH_TEXT) !== 0;
      // A hash that is not bcrypt takes the parser path.
      if (hasHash && packBcrypt(view, row.start(HASH_TEXT), row.end(HASH_TEXT), into, base + HASH) !== undefined) {
        continue;
      }
      if (hasId) this.#keys.ownId(view, row.start(id), row.end(id), into, base + ID_KEY);
      if (hasEmail) this.#keys.asciiName(view, row.start(EMAIL), row.end(EMAIL), into, base + EMAIL_KEY);
      dates[(base + DATE) >>> 1] = dateMs;
      into[base] = PLAIN | (hasId ? HAS_ID : 0) | (hasEmail ? HAS_EMAIL : 0) | (hasHash ? HAS_HASH : 0);
    }
  }

  /** The first id that the row has. */
  #idField(): number {
    let field = FIRST_ID;
    while (field < this.#fields - 1 && this.#row.end(field) <= this.#row.start(field)) field += 1;
    return field;
  }
}

/** What is done with a field by its role; the fields of ids get numbers of their own. */
const USES: Readonly<Record<Exclude<CredentialRole, "ownId"> | OtherRole, FieldUse>> = {
  ...OTHER_USES,
  email: { use: "wanted", field: EMAIL },
  hash: { use: "wanted", field: HASH_TEXT },
  date: { use: "wanted", field: DATE_TEXT },
};

function useOf(role: FieldTable<CredentialRole>[string], nextId: () => number): FieldUse {
  return role === "ownId" ? { use: "wanted", field: nextId() } : USES[role];
}
