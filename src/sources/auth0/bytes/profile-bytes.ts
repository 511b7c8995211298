import { serviceLimits } from "../../../contract/service-limits.ts";
import { BAIL, isFalse, isNull, isTrue, skipValue } from "../../../core/json/bytes.ts";
import { isText, textOf } from "../../../core/json/words.ts";
import { PlainRow } from "../../../core/rows/fast/plain-row.ts";
import { isPlainEmail } from "./email-bytes.ts";

const USER_ID = textOf("user_id");
const EMAIL = textOf("email");
const EMAIL_VERIFIED = textOf("email_verified");
const NAME = textOf("name");

/** The fields by their numbers. */
const ID = 0;
const ADDRESS = 1;
const FULL_NAME = 2;
const FIELDS = 3;

const VERIFIED = 1;

/**
 * Reads a profile that has nothing unusual about it without making a string of it. `read` says whether it could; then the
 * fields are byte ranges of the row, each the inside of a JSON string without escapes.
 */
export class ProfileBytes extends PlainRow {
  constructor() {
    super(FIELDS);
  }

  get idStart(): number {
    return this.start(ID);
  }

  get idEnd(): number {
    return this.end(ID);
  }

  get emailStart(): number {
    return this.start(ADDRESS);
  }

  get emailEnd(): number {
    return this.end(ADDRESS);
  }

  /** As `nameEnd`: the profile has no name. */
  get nameStart(): number {
    return this.start(FULL_NAME);
  }

  get nameEnd(): number {
    return this.end(FULL_NAME);
  }

  get isEmailVerified(): boolean {
    return (this.flags & VERIFIED) !== 0;
  }

  protected override value(view: DataView, keyStart: number, keyEnd: number, at: number, end: number): number {
    switch (keyEnd - keyStart) {
      case 7:
        return isText(view, keyStart, keyEnd, USER_ID) ? this.text(view, ID, at, end) : skipValue(view, at, end);
      case 5:
        return isText(view, keyStart, keyEnd, EMAIL) ? this.text(view, ADDRESS, at, end) : skipValue(view, at, end);
      case 4:
        return isText(view, keyStart, keyEnd, NAME) ? this.#name(view, at, end) : skipValue(view, at, end);
      case 14:
        return isText(view, keyStart, keyEnd, EMAIL_VERIFIED)
          ? this.#verified(view, at, end)
          : skipValue(view, at, end);
      default:
        return skipValue(view, at, end);
    }
  }

  #name(view: DataView, at: number, end: number): number {
    this.forget(FULL_NAME);
    return isNull(view, at, end) ? at + 4 : this.text(view, FULL_NAME, at, end);
  }

  #verified(view: DataView, at: number, end: number): number {
    const isVerified = isTrue(view, at, end);
    this.flags = isVerified ? VERIFIED : 0;
    if (isVerified || isNull(view, at, end)) return at + 4;
    return isFalse(view, at, end) ? at + 5 : BAIL;
  }

  protected override isPlain(view: DataView): boolean {
    if (this.idEnd <= this.idStart || this.emailEnd <= this.emailStart) return false;
    // As many bytes are at most as many code points.
    if (this.nameEnd - this.nameStart > serviceLimits.firstName) return false;
    return isPlainEmail(view, this.emailStart, this.emailEnd);
  }
}
