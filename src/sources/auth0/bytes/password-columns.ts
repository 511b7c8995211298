import { viewOf } from "../../../core/json/words.ts";
import { HASH_WORDS, packBcrypt } from "../../../core/merge/join/bcrypt.ts";
import { BAD_HASH, GOOD_HASH, hashRules, NO_HASH } from "../../../core/merge/join/person-table.ts";
import type { RowBlock } from "../../../core/rows/row-block.ts";
import type { Auth0Keys } from "../keys.ts";
import type { BlockParser } from "./parsed-block.ts";
import { PasswordBytes } from "./password-bytes.ts";

/** Words of one row's columns: flags, a spare one, the date, the keys of id and e-mail address, the packed hash. */
export const PASSWORD_WORDS = 9 + HASH_WORDS;
export const FLAGS = 0;
export const DATE = 2;
export const ID_KEY = 4;
export const EMAIL_KEY = 7;
export const HASH = 9;

/** Flags of a row that could be read as bytes; without PLAIN the other columns mean nothing. */
export const PLAIN = 1;
export const HAS_ID = 2;
export const HAS_EMAIL = 4;
/** Two bits of kind, then three of the rule that a bad hash breaks. */
export const KIND_SHIFT = 3;
export const RULE_SHIFT = 5;

/** Reads the ordinary password rows of a block into columns. */
export class PasswordParser implements BlockParser {
  readonly words = PASSWORD_WORDS;
  readonly #keys: Auth0Keys;
  readonly #row = new PasswordBytes();

  constructor(keys: Auth0Keys) {
    this.#keys = keys;
  }

  parse({ bytes, count, starts, ends }: RowBlock, into: Uint32Array): void {
    const row = this.#row;
    const view = viewOf(bytes);
    const dates = new Float64Array(into.buffer, into.byteOffset, into.length >>> 1);
    for (let index = 0, base = 0; index < count; index += 1, base += PASSWORD_WORDS) {
      if (!row.read(view, starts[index] as number, ends[index] as number)) {
        into[base] = 0;
        continue;
      }
      let flags = PLAIN;
      if (row.idEnd > row.idStart) {
        flags |= HAS_ID;
        this.#keys.databaseId(view, row.idStart, row.idEnd, into, base + ID_KEY);
      }
      if (row.emailEnd > row.emailStart) {
        flags |= HAS_EMAIL;
        this.#keys.asciiEmail(view, row.emailStart, row.emailEnd, into, base + EMAIL_KEY);
      }
      dates[(base + DATE) >>> 1] = row.dateMs;
      into[base] = flags | this.#hash(view, into, base + HASH);
    }
  }

  #hash(view: DataView, into: Uint32Array, at: number): number {
    const row = this.#row;
    if (!row.hasHash) return NO_HASH << KIND_SHIFT;
    const rule = packBcrypt(view, row.hashStart, row.hashEnd, into, at);
    if (rule === undefined) return GOOD_HASH << KIND_SHIFT;
    return (BAD_HASH << KIND_SHIFT) | (hashRules.indexOf(rule) << RULE_SHIFT);
  }
}
