import { viewOf } from "../../../core/json/words.ts";
import type { RowBlock } from "../../../core/rows/row-block.ts";
import { type Auth0Keys, isDatabaseId } from "../keys.ts";
import type { BlockParser } from "./parsed-block.ts";
import { ProfileBytes } from "./profile-bytes.ts";

/** Words of one row's columns: flags, then six ends of byte ranges, then the keys of id and e-mail address. */
export const PROFILE_WORDS = 12;
export const FLAGS = 0;
export const RANGES = 1;
export const ID_KEY = 7;
export const EMAIL_KEY = 10;

/** Flags of a row that could be read as bytes; without PLAIN the other columns mean nothing. */
export const PLAIN = 1;
export const VERIFIED = 2;
export const DATABASE = 4;

/** Reads the ordinary profiles of a block into columns. */
export class ProfileParser implements BlockParser {
  readonly words = PROFILE_WORDS;
  readonly #keys: Auth0Keys;
  readonly #row = new ProfileBytes();

  constructor(keys: Auth0Keys) {
    this.#keys = keys;
  }

  parse({ bytes, count, starts, ends }: RowBlock, into: Uint32Array): void {
    const row = this.#row;
    const view = viewOf(bytes);
    for (let index = 0, base = 0; index < count; index += 1, base += PROFILE_WORDS) {
      if (!row.read(view, starts[index] as number, ends[index] as number)) {
        into[base] = 0;
        continue;
      }
      into[base] =
        PLAIN | (row.isEmailVerified ? VERIFIED : 0) | (isDatabaseId(view, row.idStart, row.idEnd) ? DATABASE : 0);
      into[base + RANGES] = row.idStart;
      into[base + RANGES + 1] = row.idEnd;
      into[base + RANGES + 2] = row.emailStart;
      into[base + RANGES + 3] = row.emailEnd;
      into[base + RANGES + 4] = row.nameStart;
      into[base + RANGES + 5] = row.nameEnd;
      this.#keys.userId(view, row.idStart, row.idEnd, into, base + ID_KEY);
      this.#keys.asciiEmail(view, row.emailStart, row.emailEnd, into, base + EMAIL_KEY);
    }
  }
}
