import { serviceLimits } from "../../../contract/service-limits.ts";
import { viewOf } from "../../json/words.ts";
import type { ColumnParser } from "../../rows/fast/columns.ts";
import { FieldRow, type FieldUse, OTHER_USES } from "../../rows/fast/field-row.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import { emailRuleOf, isAscii } from "../../rules/email.ts";
import type { UserKeys } from "../join/user-keys.ts";
import type { FieldTable, OtherRole, UserRole } from "../reading.ts";

/** Words of one row's columns: flags, eight ends of byte ranges (as the entry writer takes them), keys of id and address. */
export const USER_WORDS = 14;
export const FLAGS = 0;
export const RANGES = 1;
export const ID_KEY = 9;
export const EMAIL_KEY = 12;

/**
 * Flags of a row that could be read as bytes; without PLAIN the other columns mean nothing. The number of the row's shape is beside them
 * (SHAPE_SHIFT).
 */
export const PLAIN = 1;
export const VERIFIED = 2;
export const OWN = 4;

/** The wanted fields by their numbers. */
const ID = 0;
const EMAIL = 1;
const FIRST = 2;
const LAST = 3;

/** Reads the ordinary rows of users in a block into columns, as a provider's field table says. */
export class UserColumns implements ColumnParser {
  readonly words = USER_WORDS;
  readonly #keys: UserKeys;
  readonly #row: FieldRow;
  /** Where the last name is: the first name's place where one field holds both. */
  readonly #last: number;

  constructor(table: FieldTable<UserRole>, keys: UserKeys) {
    this.#keys = keys;
    this.#row = new FieldRow(Object.fromEntries(Object.entries(table).map(([path, role]) => [path, USES[role]])), 4);
    this.#last = Object.values(table).includes("name") ? FIRST : LAST;
  }

  parse({ bytes, count, starts, ends }: RowBlock, into: Uint32Array): void {
    const row = this.#row;
    const keys = this.#keys;
    const last = this.#last;
    const view = viewOf(bytes);
    for (let index = 0, base = 0; index < count; index += 1, base += USER_WORDS) {
      into[base] = 0;
      if (!row.read(view, starts[index] as number, ends[index] as number)) continue;
      const idStart = row.start(ID);
      const idEnd = row.end(ID);
      const emailStart = row.start(EMAIL);
      const emailEnd = row.end(EMAIL);
      if (idEnd <= idStart || !isPlainEmail(view, emailStart, emailEnd)) continue;
      // As many bytes are at least as many code points.
      if (row.end(FIRST) - row.start(FIRST) > serviceLimits.firstName) continue;
      if (row.end(last) - row.start(last) > serviceLimits.lastName) continue;
      into[base] = PLAIN | row.flags | (keys.isOwnId(view, idStart, idEnd) ? OWN : 0);
      into[base + RANGES] = idStart;
      into[base + RANGES + 1] = idEnd;
      into[base + RANGES + 2] = emailStart;
      into[base + RANGES + 3] = emailEnd;
      into[base + RANGES + 4] = row.start(FIRST);
      into[base + RANGES + 5] = row.end(FIRST);
      into[base + RANGES + 6] = row.start(last);
      into[base + RANGES + 7] = row.end(last);
      keys.userId(view, idStart, idEnd, into, base + ID_KEY);
      keys.asciiName(view, emailStart, emailEnd, into, base + EMAIL_KEY);
    }
  }
}

/** An address in ASCII that the service takes, also as a user name. */
function isPlainEmail(view: DataView, start: number, end: number): boolean {
  return (
    end - start <= serviceLimits.userName && emailRuleOf(view, start, end) === undefined && isAscii(view, start, end)
  );
}

/** What is done with a field by its role. */
const USES: Readonly<Record<UserRole | OtherRole, FieldUse>> = {
  ...OTHER_USES,
  userId: { use: "wanted", field: ID },
  providerAndId: { use: "wanted", field: ID, prefix: "|".charCodeAt(0) },
  accounts: { use: "literal", keys: ["provider", "connection"] },
  "counted-text": { use: "counted-text" },
  "counted-object": { use: "counted-object" },
  email: { use: "wanted", field: EMAIL },
  name: { use: "wanted", field: FIRST },
  firstName: { use: "wanted", field: FIRST },
  lastName: { use: "wanted", field: LAST },
  isEmailVerified: { use: "flag", bits: VERIFIED },
};
