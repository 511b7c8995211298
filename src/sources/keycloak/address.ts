import { emailProblem, toAsciiAddress } from "../../core/rules/email.ts";
import type { RowFault } from "../../problem.ts";
import type { User } from "./user-row.ts";

export interface Address {
  readonly email: string;
  readonly isVerified: boolean;
  /** There was none. */
  readonly isMadeUp: boolean;
}

export const EMAIL_DOMAIN = "--email-domain";

/**
 * The user's address. Neither of the service's endpoints makes a user without one (tried on version 4), so one who has none gets the
 * user name's at `domain`, or the user name itself where that is an address, not verified; without a domain it is a fault.
 */
export function readAddress(
  { email, emailVerified }: Partial<User>,
  userName: string | undefined,
  domain: string | undefined,
  faults: RowFault[],
): Address | undefined {
  if (email) return judged("email", email, { isVerified: emailVerified === true, isMadeUp: false }, faults);
  if (userName === undefined || faults.some(({ field }) => field === "email")) return undefined;
  if (domain === undefined) {
    faults.push({ code: "user.no-email", field: "email", flag: EMAIL_DOMAIN });
    return undefined;
  }
  const made = userName.includes("@") ? userName : `${userName}@${domain}`;
  return judged("username", made, { isVerified: false, isMadeUp: true }, faults);
}

function judged(field: string, value: string, rest: Omit<Address, "email">, faults: RowFault[]): Address | undefined {
  const email = toAsciiAddress(value);
  const rule = emailProblem(email);
  if (rule === undefined) return { email, ...rest };
  faults.push({ code: "field.email", field, rule });
  return undefined;
}
