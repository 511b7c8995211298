import type { RowFault } from "../../problem.ts";
import { isFields, type OpenCredential } from "./credential.ts";
import { toOtpSecret } from "./one-time-codes.ts";
import { toHash } from "./password.ts";

/** What a user signs in with, as far as it can be moved. */
export interface CredentialsReading {
  readonly hash: string | undefined;
  /** Where in the row it stands. */
  readonly hashField: string | undefined;
  readonly otpSecret: string | undefined;
  /** There are one-time codes of a kind that the service does not check, or more than one key of them. */
  readonly isOtpLost: boolean;
}

const OTP_TYPES: readonly unknown[] = ["otp", "totp", "hotp"];

/** Reads the password and the one-time codes; faults of those that cannot be read. Earlier passwords are no passwords any more. */
export function readCredentials(all: readonly unknown[], open: OpenCredential, faults: RowFault[]): CredentialsReading {
  let hash: string | undefined;
  let hashField: string | undefined;
  let otpSecret: string | undefined;
  let isOtpLost = false;
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
      const secret = toOtpSecret(opened);
      isOtpLost ||= secret === undefined || otpSecret !== undefined; // the service keeps one key
      otpSecret ??= secret;
    }
  }
  return { hash, hashField, otpSecret, isOtpLost };
}

/** What a credential calls itself, null when it says nothing; undefined when it is no credential at all. */
export function typeOf(stored: unknown): unknown {
  return isFields(stored) ? (stored["type"] ?? null) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;
