import { isAsciiAddress } from "./email-bytes.ts";
import { BAIL, isFalse, isNamed, isNull, isTrue, skipSpace, skipValue, stringEnd } from "./json-bytes.ts";
import { plainMoment } from "./moment-bytes.ts";
import { PlainRow } from "./plain-row.ts";

const QUOTE = 0x22;
const names = {
  _id: Buffer.from("_id"),
  _ID: Buffer.from("_ID"),
  $oid: Buffer.from("$oid"),
  $date: Buffer.from("$date"),
  alt_id: Buffer.from("alt_id"),
  email: Buffer.from("email"),
  tenant: Buffer.from("tenant"),
  connection: Buffer.from("connection"),
  passwordHash: Buffer.from("passwordHash"),
  identifiers: Buffer.from("identifiers"),
  email_verified: Buffer.from("email_verified"),
  _tmp_is_unique: Buffer.from("_tmp_is_unique"),
  password_set_date: Buffer.from("password_set_date"),
};
const NO_MOMENT = Number.NEGATIVE_INFINITY;

/**
 * Reads a password row that has nothing unusual about it without making a string of it. `read` says whether it could; then the
 * fields are byte ranges of the row, each the inside of a JSON string without escapes.
 */
export class PasswordBytes extends PlainRow {
  /** The part of `user_id` after `auth0|`; empty: none. */
  idStart = 0;
  idEnd = 0;
  /** Empty: none. */
  emailStart = 0;
  emailEnd = 0;
  /** Empty and `hasHash`: a hash that is the empty string. */
  hashStart = 0;
  hashEnd = 0;
  hasHash = false;
  dateMs = NO_MOMENT;
  #altStart = 0;
  #altEnd = 0;
  #upperStart = 0;
  #upperEnd = 0;

  protected override reset(): void {
    this.idEnd = this.idStart = 0;
    this.emailEnd = this.emailStart = 0;
    this.hashEnd = this.hashStart = 0;
    this.hasHash = false;
    this.dateMs = NO_MOMENT;
    this.#altEnd = this.#altStart = 0;
    this.#upperEnd = this.#upperStart = 0;
  }

  /** A field of a wrong type bails. */
  protected override value(bytes: Uint8Array, keyStart: number, keyEnd: number, at: number, end: number): number {
    switch (keyEnd - keyStart) {
      case 3:
        if (isNamed(bytes, keyStart, keyEnd, names._id)) return this.#id(bytes, at, end);
        return isNamed(bytes, keyStart, keyEnd, names._ID) ? this.#upperId(bytes, at, end) : skipValue(bytes, at, end);
      case 5:
        return isNamed(bytes, keyStart, keyEnd, names.email) ? this.#email(bytes, at, end) : skipValue(bytes, at, end);
      case 6:
        if (isNamed(bytes, keyStart, keyEnd, names.alt_id)) return this.#altId(bytes, at, end);
        return isNamed(bytes, keyStart, keyEnd, names.tenant) ? skipText(bytes, at, end) : skipValue(bytes, at, end);
      case 10:
        return isNamed(bytes, keyStart, keyEnd, names.connection)
          ? skipText(bytes, at, end)
          : skipValue(bytes, at, end);
      case 11:
        return isNamed(bytes, keyStart, keyEnd, names.identifiers) ? BAIL : skipValue(bytes, at, end);
      case 12:
        return isNamed(bytes, keyStart, keyEnd, names.passwordHash)
          ? this.#hash(bytes, at, end)
          : skipValue(bytes, at, end);
      case 14: {
        const isFlag =
          isNamed(bytes, keyStart, keyEnd, names.email_verified) ||
          isNamed(bytes, keyStart, keyEnd, names._tmp_is_unique);
        return isFlag ? skipFlag(bytes, at, end) : skipValue(bytes, at, end);
      }
      case 17:
        return isNamed(bytes, keyStart, keyEnd, names.password_set_date)
          ? this.#date(bytes, at, end)
          : skipValue(bytes, at, end);
      default:
        return skipValue(bytes, at, end);
    }
  }

  #id(bytes: Uint8Array, at: number, end: number): number {
    this.idEnd = this.idStart = 0;
    if (isNull(bytes, at, end)) return at + 4;
    const inner = innerString(bytes, at, end, names.$oid);
    if (inner === BAIL) return BAIL;
    this.idStart = inner;
    this.idEnd = stringEnd(bytes, inner - 1, end);
    return this.idEnd < 0 ? BAIL : closing(bytes, this.idEnd + 1, end);
  }

  #upperId(bytes: Uint8Array, at: number, end: number): number {
    this.#upperEnd = this.#upperStart = 0;
    if (isNull(bytes, at, end)) return at + 4;
    const inner = innerString(bytes, at, end, names.$oid);
    if (inner === BAIL) return BAIL;
    this.#upperStart = inner;
    this.#upperEnd = stringEnd(bytes, inner - 1, end);
    return this.#upperEnd < 0 ? BAIL : closing(bytes, this.#upperEnd + 1, end);
  }

  #altId(bytes: Uint8Array, at: number, end: number): number {
    this.#altEnd = this.#altStart = 0;
    if (isNull(bytes, at, end)) return at + 4;
    this.#altStart = at + 1;
    this.#altEnd = stringEnd(bytes, at, end);
    return this.#altEnd + 1;
  }

  #email(bytes: Uint8Array, at: number, end: number): number {
    this.emailEnd = this.emailStart = 0;
    if (isNull(bytes, at, end)) return at + 4;
    this.emailStart = at + 1;
    this.emailEnd = stringEnd(bytes, at, end);
    return this.emailEnd + 1;
  }

  #hash(bytes: Uint8Array, at: number, end: number): number {
    this.hashEnd = this.hashStart = 0;
    this.hasHash = !isNull(bytes, at, end);
    if (!this.hasHash) return at + 4;
    this.hashStart = at + 1;
    this.hashEnd = stringEnd(bytes, at, end);
    return this.hashEnd + 1;
  }

  #date(bytes: Uint8Array, at: number, end: number): number {
    this.dateMs = NO_MOMENT;
    if (isNull(bytes, at, end)) return at + 4;
    const inner = innerString(bytes, at, end, names.$date);
    if (inner === BAIL) return BAIL;
    const innerEnd = stringEnd(bytes, inner - 1, end);
    if (innerEnd < 0) return BAIL;
    const ms = plainMoment(bytes, inner, innerEnd);
    if (ms === undefined) return BAIL;
    this.dateMs = ms;
    return closing(bytes, innerEnd + 1, end);
  }

  protected override isPlain(bytes: Uint8Array): boolean {
    if (this.idEnd === this.idStart) {
      this.idStart = this.#upperStart;
      this.idEnd = this.#upperEnd;
    }
    if (this.#altEnd > this.#altStart) {
      this.idStart = this.#altStart;
      this.idEnd = this.#altEnd;
    }
    const hasEmail = this.emailEnd > this.emailStart;
    if (hasEmail && !isAsciiAddress(bytes, this.emailStart, this.emailEnd)) return false;
    return hasEmail || this.idEnd > this.idStart;
  }
}

/** Inside of the string in `{"name":"…"}`, an object with that one key; anything else bails. */
function innerString(bytes: Uint8Array, from: number, end: number, name: Uint8Array): number {
  if (bytes[from] !== 0x7b) return BAIL;
  let at = skipSpace(bytes, from + 1, end);
  const keyEnd = stringEnd(bytes, at, end);
  if (keyEnd < 0 || !isNamed(bytes, at + 1, keyEnd, name)) return BAIL;
  at = skipSpace(bytes, keyEnd + 1, end);
  if (at >= end || bytes[at] !== 0x3a) return BAIL;
  at = skipSpace(bytes, at + 1, end);
  return at < end && bytes[at] === QUOTE ? at + 1 : BAIL;
}

function closing(bytes: Uint8Array, from: number, end: number): number {
  const at = skipSpace(bytes, from, end);
  return at < end && bytes[at] === 0x7d ? at + 1 : BAIL;
}

function skipText(bytes: Uint8Array, at: number, end: number): number {
  return isNull(bytes, at, end) ? at + 4 : stringEnd(bytes, at, end) + 1;
}

function skipFlag(bytes: Uint8Array, at: number, end: number): number {
  if (isTrue(bytes, at, end) || isNull(bytes, at, end)) return at + 4;
  return isFalse(bytes, at, end) ? at + 5 : BAIL;
}
