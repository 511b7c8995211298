import { emailProblem, toAsciiAddress } from "../../core/rules/email.ts";
import type { EmailRule, RowFault } from "../../problem.ts";
import { last, OptionFault, type SourceOption } from "../source.ts";

export interface Address {
  readonly email: string;
  readonly isVerified: boolean;
  /** The row had no address. */
  readonly isMadeUp: boolean;
  /** The row has the domain in other letters. */
  readonly isConverted: boolean;
}

/** The fields of a row that decide about the address. */
export interface AddressFields {
  readonly email: string | undefined;
  readonly isVerified: boolean;
  readonly userName: string | undefined;
  /** Stands in for a user name that the row lacks. */
  readonly userId?: string | undefined;
  /** The names of the fields in the row. */
  readonly fields: { readonly email: string; readonly userName: string; readonly userId: string };
}

export const EMAIL_DOMAIN = "--email-domain";

/** `--email-domain <domain>`. */
export const emailDomainOption: SourceOption<string | undefined> = {
  flag: `${EMAIL_DOMAIN} <domain>`,
  description: "address for users without one: <user name or id>@<domain>, not verified (default: they are rejected)",
  read(given) {
    const domain = last(given) || undefined;
    if (domain === undefined || emailProblem(`a@${domain}`) === undefined) return domain;
    throw new OptionFault("it must be a host name, such as users.example.com.");
  },
};

/**
 * The user's address. No endpoint of the service creates a user without one (tried on version 4). A user without an address gets
 * `<user name, else id>@<domain>`, or the user name if that is an address, unverified; without a domain, it is a fault.
 */
export function readAddress(
  { email, isVerified, userName, userId, fields }: AddressFields,
  domain: string | undefined,
  faults: RowFault[],
): Address | undefined {
  if (email) return judged(fields.email, email, isVerified, false, faults);
  const hasName = userName !== undefined;
  if ((!hasName && userId === undefined) || faults.some(({ field }) => field === fields.email)) return undefined;
  if (domain === undefined) {
    faults.push({ code: "user.no-email", field: fields.email, flag: EMAIL_DOMAIN });
    return undefined;
  }
  const made = hasName ? addressOfName(userName, domain) : addressOfId(userId ?? "", domain);
  return judged(hasName ? fields.userName : fields.userId, made, false, true, faults);
}

/** A user name that is an address, or `<user name>@<domain>`. */
export function addressOfName(userName: string, domain: string): string {
  return acceptedAddress(userName).rule === undefined ? userName : addressAt(userName, domain);
}

/** An address at this domain and no other, also of an id with an address in it: `samlp|okta|ann@example.com`. */
export function addressOfId(userId: string, domain: string): string {
  return addressAt(userId.replaceAll("|", "."), domain);
}

function addressAt(text: string, domain: string): string {
  return `${text.replaceAll("@", ".")}@${domain}`;
}

function judged(
  field: string,
  value: string,
  isVerified: boolean,
  isMadeUp: boolean,
  faults: RowFault[],
): Address | undefined {
  const { email, isConverted, rule } = acceptedAddress(value);
  if (rule === undefined) return { email, isVerified, isMadeUp, isConverted };
  faults.push({ code: "field.email", field, rule, ...(isMadeUp ? { isMadeUp } : {}) });
  return undefined;
}

/** An address in a form that the service accepts: without blanks around it, and an international domain in punycode. */
export function acceptedAddress(
  value: string,
): Pick<Address, "email" | "isConverted"> & { readonly rule: EmailRule | undefined } {
  if (emailProblem(value) === undefined) return { email: value, isConverted: false, rule: undefined };
  const email = toAsciiAddress(value.trim());
  return { email, isConverted: email !== value.trim(), rule: emailProblem(email) };
}
