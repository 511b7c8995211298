import {
  BAIL,
  byteAt,
  isFalse,
  isNull,
  isTrue,
  skipAnyString,
  skipSpace,
  skipValue,
  stringEnd,
} from "../../../core/json/bytes.ts";
import { isText, type Text, textOf } from "../../../core/json/words.ts";
import { PlainRow } from "../../../core/rows/fast/plain-row.ts";
import { isAsciiAddress } from "./email-bytes.ts";
import { plainMoment } from "./moment-bytes.ts";

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const names = {
  _id: textOf("_id"),
  _ID: textOf("_ID"),
  $oid: textOf("$oid"),
  $date: textOf("$date"),
  alt_id: textOf("alt_id"),
  email: textOf("email"),
  tenant: textOf("tenant"),
  connection: textOf("connection"),
  passwordHash: textOf("passwordHash"),
  identifiers: textOf("identifiers"),
  email_verified: textOf("email_verified"),
  _tmp_is_unique: textOf("_tmp_is_unique"),
  password_set_date: textOf("password_set_date"),
};
const NO_MOMENT = Number.NEGATIVE_INFINITY;

/** The fields by their numbers. */
const ID = 0;
const UPPER_ID = 1;
const ALT_ID = 2;
const EMAIL = 3;
const HASH = 4;
const DATE = 5;
const FIELDS = 6;

/**
 * Reads a password row that has nothing unusual about it without making a string of it. `read` says whether it could; then the
 * fields are byte ranges of the row, each the inside of a JSON string without escapes.
 */
export class PasswordBytes extends PlainRow {
  /** The part of `user_id` after `auth0|`; empty: none. */
  idStart = 0;
  idEnd = 0;
  dateMs = NO_MOMENT;

  constructor() {
    super(FIELDS);
  }

  /** As `emailEnd`: none. */
  get emailStart(): number {
    return this.start(EMAIL);
  }

  get emailEnd(): number {
    return this.end(EMAIL);
  }

  /** As `hashEnd` while `hasHash`: a hash that is the empty string. */
  get hashStart(): number {
    return this.start(HASH);
  }

  get hashEnd(): number {
    return this.end(HASH);
  }

  get hasHash(): boolean {
    return this.start(HASH) !== 0;
  }

  /** A field of a wrong type bails. */
  protected override value(view: DataView, keyStart: number, keyEnd: number, at: number, end: number): number {
    switch (keyEnd - keyStart) {
      case 3:
        if (isText(view, keyStart, keyEnd, names._id)) return this.#wrapped(view, ID, names.$oid, at, end);
        return isText(view, keyStart, keyEnd, names._ID)
          ? this.#wrapped(view, UPPER_ID, names.$oid, at, end)
          : skipValue(view, at, end);
      case 5:
        return isText(view, keyStart, keyEnd, names.email)
          ? this.#text(view, EMAIL, at, end)
          : skipValue(view, at, end);
      case 6:
        if (isText(view, keyStart, keyEnd, names.alt_id)) return this.#text(view, ALT_ID, at, end);
        return isText(view, keyStart, keyEnd, names.tenant) ? skipText(view, at, end) : skipValue(view, at, end);
      case 10:
        return isText(view, keyStart, keyEnd, names.connection) ? skipText(view, at, end) : skipValue(view, at, end);
      case 11:
        return isText(view, keyStart, keyEnd, names.identifiers) ? BAIL : skipValue(view, at, end);
      case 12:
        return isText(view, keyStart, keyEnd, names.passwordHash)
          ? this.#text(view, HASH, at, end)
          : skipValue(view, at, end);
      case 14: {
        const isFlag =
          isText(view, keyStart, keyEnd, names.email_verified) || isText(view, keyStart, keyEnd, names._tmp_is_unique);
        return isFlag ? skipFlag(view, at, end) : skipValue(view, at, end);
      }
      case 17:
        return isText(view, keyStart, keyEnd, names.password_set_date)
          ? this.#wrapped(view, DATE, names.$date, at, end)
          : skipValue(view, at, end);
      default:
        return skipValue(view, at, end);
    }
  }

  /** A string or null. */
  #text(view: DataView, field: number, at: number, end: number): number {
    this.forget(field);
    return isNull(view, at, end) ? at + 4 : this.text(view, field, at, end);
  }

  /** `{"name":"…"}`, an object with that one key, or null; anything else bails. */
  #wrapped(view: DataView, field: number, name: Text, from: number, end: number): number {
    this.forget(field);
    if (isNull(view, from, end)) return from + 4;
    if (byteAt(view, from, end) !== OPEN_BRACE) return BAIL;
    let at = skipSpace(view, from + 1, end);
    const keyEnd = stringEnd(view, at, end);
    if (keyEnd < 0 || !isText(view, at + 1, keyEnd, name)) return BAIL;
    at = skipSpace(view, keyEnd + 1, end);
    if (byteAt(view, at, end) !== COLON) return BAIL;
    at = this.text(view, field, skipSpace(view, at + 1, end), end);
    if (at === BAIL) return BAIL;
    at = skipSpace(view, at, end);
    return byteAt(view, at, end) === CLOSE_BRACE ? at + 1 : BAIL;
  }

  protected override isPlain(view: DataView): boolean {
    const id = this.#idField();
    this.idStart = this.start(id);
    this.idEnd = this.end(id);
    const moment = this.start(DATE) === 0 ? NO_MOMENT : plainMoment(view, this.start(DATE), this.end(DATE));
    if (moment === undefined) return false;
    this.dateMs = moment;
    const hasEmail = this.emailEnd > this.emailStart;
    if (hasEmail && !isAsciiAddress(view, this.emailStart, this.emailEnd)) return false;
    return hasEmail || this.idEnd > this.idStart;
  }

  /** The one that counts: `alt_id` before `_id` before `_ID`. */
  #idField(): number {
    if (this.end(ALT_ID) > this.start(ALT_ID)) return ALT_ID;
    return this.end(ID) > this.start(ID) ? ID : UPPER_ID;
  }
}

function skipText(view: DataView, at: number, end: number): number {
  if (isNull(view, at, end)) return at + 4;
  return byteAt(view, at, end) === QUOTE ? skipAnyString(view, at, end) : BAIL;
}

function skipFlag(view: DataView, at: number, end: number): number {
  if (isTrue(view, at, end) || isNull(view, at, end)) return at + 4;
  return isFalse(view, at, end) ? at + 5 : BAIL;
}
