import { isObject } from "../../core/rules/shape.ts";
import type { RowFault } from "../../problem.ts";
import type { Fields, OpenCredential } from "./credential.ts";
import { toOtpSecret } from "./one-time-codes.ts";
import { toHash } from "./password.ts";

/** The credentials of a user that can be moved. */
export interface CredentialsReading {
  readonly hash: string | undefined;
  /** Its place in the row. */
  readonly hashField: string | undefined;
  readonly otpSecret: string | undefined;
  /** What is lost of one-time codes: no key that the service checks, or keys besides the one that is kept. */
  readonly otpLoss: "otp-lost" | "otp-several" | undefined;
}

const OTP_TYPES: readonly unknown[] = ["otp", "totp", "hotp"];

/** Reads the password and the one-time codes, and adds the faults of unreadable ones. Earlier passwords are ignored. */
export function readCredentials(all: readonly unknown[], open: OpenCredential, faults: RowFault[]): CredentialsReading {
  let hash: string | undefined;
  let hashField: string | undefined;
  let otpSecret: string | undefined;
  let keys = 0;
  for (const [index, stored] of all.entries()) {
    const type = typeOf(stored);
    if (type === undefined) faults.push({ code: "field.type", field: `credentials[${index}]`, expected: "an object" });
    const isPassword = type === "password" && hashField === undefined; // there is one at most
    const opened = isPassword || OTP_TYPES.includes(type) ? open(stored as Fields, index, faults) : undefined; // it has a type
    if (opened === undefined) continue;
    if (isPassword) {
      hash = toHash(opened, faults);
      hashField = opened.valueField;
    } else {
      keys += 1;
      otpSecret ??= toOtpSecret(opened); // the service keeps one key
    }
  }
  const otpLoss = keys > 0 && otpSecret === undefined ? "otp-lost" : keys > 1 ? "otp-several" : undefined;
  return { hash, hashField, otpSecret, otpLoss };
}

/** The type of a credential, null without one; undefined for a value that is no credential. */
export function typeOf(stored: unknown): unknown {
  return isObject(stored) ? (stored["type"] ?? null) : undefined;
}
