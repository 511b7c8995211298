import { serviceLimits } from "../../../contract/service-limits.ts";
import { isPlainEmail } from "./email-bytes.ts";
import { BAIL, isFalse, isNamed, isNull, isTrue, skipValue, stringEnd } from "./json-bytes.ts";
import { PlainRow } from "./plain-row.ts";

const USER_ID = Buffer.from("user_id");
const EMAIL = Buffer.from("email");
const EMAIL_VERIFIED = Buffer.from("email_verified");
const NAME = Buffer.from("name");

/**
 * Reads a profile that has nothing unusual about it without making a string of it. `read` says whether it could; then the
 * fields are byte ranges of the row, each the inside of a JSON string without escapes.
 */
export class ProfileBytes extends PlainRow {
  idStart = 0;
  idEnd = 0;
  emailStart = 0;
  emailEnd = 0;
  /** Empty: the profile has no name. */
  nameStart = 0;
  nameEnd = 0;
  isEmailVerified = false;

  protected override reset(): void {
    this.idEnd = this.idStart = 0;
    this.emailEnd = this.emailStart = 0;
    this.nameEnd = this.nameStart = 0;
    this.isEmailVerified = false;
  }

  protected override value(bytes: Uint8Array, keyStart: number, keyEnd: number, at: number, end: number): number {
    switch (keyEnd - keyStart) {
      case 7:
        if (!isNamed(bytes, keyStart, keyEnd, USER_ID)) break;
        this.idStart = at + 1;
        this.idEnd = stringEnd(bytes, at, end);
        return this.idEnd + 1;
      case 5:
        if (!isNamed(bytes, keyStart, keyEnd, EMAIL)) break;
        this.emailStart = at + 1;
        this.emailEnd = stringEnd(bytes, at, end);
        return this.emailEnd + 1;
      case 4:
        if (!isNamed(bytes, keyStart, keyEnd, NAME)) break;
        this.nameStart = this.nameEnd = 0;
        if (isNull(bytes, at, end)) return at + 4;
        this.nameStart = at + 1;
        this.nameEnd = stringEnd(bytes, at, end);
        return this.nameEnd + 1;
      case 14:
        if (!isNamed(bytes, keyStart, keyEnd, EMAIL_VERIFIED)) break;
        this.isEmailVerified = isTrue(bytes, at, end);
        if (this.isEmailVerified || isNull(bytes, at, end)) return at + 4;
        return isFalse(bytes, at, end) ? at + 5 : BAIL;
      default:
        break;
    }
    return skipValue(bytes, at, end);
  }

  protected override isPlain(bytes: Uint8Array): boolean {
    if (this.idEnd <= this.idStart || this.emailEnd <= this.emailStart) return false;
    // As many bytes are at most as many code points.
    if (this.nameEnd - this.nameStart > serviceLimits.firstName) return false;
    return isPlainEmail(bytes, this.emailStart, this.emailEnd);
  }
}
