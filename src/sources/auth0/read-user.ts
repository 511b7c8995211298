import * as z from "zod";
import { serviceLimits } from "../../contract/service-limits.ts";
import type { UserNotes, UserReading } from "../../core/merge/reading.ts";
import type { SourceUser } from "../../core/merge/source-user.ts";
import { addTextFault, readFields } from "../../core/rules/row-fields.ts";
import type { Remark, RowFault } from "../../problem.ts";
import { acceptedAddress, addressOfId, addressOfName, EMAIL_DOMAIN } from "../shared/address.ts";
import { createNotesOf } from "./notes.ts";
import type { Auth0Settings, Auth0Unfit } from "./options.ts";

/** One row of the bulk user export (spec: Source-provider input files). null counts as absent; other fields are not read. */
const Profile = z.object({
  user_id: z.string().nullish(),
  email: z.string().nullish(),
  email_verified: z.boolean().nullish(),
  name: z.string().nullish(),
  blocked: z.boolean().nullish(),
});

/** Newer exports keep the address here when the root has none. */
const WithIdentifiers = z.object({
  identifiers: z
    .array(z.object({ type: z.string().nullish(), value: z.string().nullish(), verified: z.boolean().nullish() }))
    .nullish(),
});

/** Reads parsed profiles as the specification has it: every fault of a row, by the service's own rules (service behaviour 1.4). */
export function createPlainReader(settings: Auth0Settings): (row: object) => UserReading {
  const notesOf = createNotesOf(settings);
  return (row) => {
    const { fields, faults } = readFields(Profile, row);
    const isWrong = faults.some(({ field }) => field === "name");
    const { userId, address } = readAccount(fields, row, settings, faults);
    const isNamedByEmail = !fields.name && !isWrong;
    if (fields.name) addTextFault(faults, "name", fields.name, serviceLimits.firstName);
    const email = address?.given;
    if (faults.length > 0 || userId === undefined || address === undefined) {
      return { faults, user: undefined, userId, email, isNamedByEmail, unfit: unfitOf(row) };
    }
    // spec: Import body for users; the source's address is the login name, and its name stands for both names.
    const name = fields.name || address.value;
    const { value: userName, verified: isEmailVerified } = address;
    const { state, ...notes } = withState(fields.blocked, address, settings, notesOf(row));
    const user = { userId, userName, email: userName, isEmailVerified, firstName: name, lastName: name, ...state };
    return { faults, user, userId, email, isNamedByEmail, ...notes };
  };
}

/** The User Import/Export extension writes names for people in place of the names of fields. Every user has an id or an address. */
export function unfitOf(row: object): Auth0Unfit | undefined {
  if ("user_id" in row) return undefined;
  if ("Id" in row) return "extension";
  return "email" in row || "identifiers" in row ? undefined : "stranger";
}

/**
 * The state of a user, and what is noted of the user with the state and the address. "active" is written for a user who is not blocked,
 * too: an update activates those who were. @param isBlocked null, undefined: the row does not say it.
 */
export function withState(
  isBlocked: boolean | null | undefined,
  { given, isConverted }: Address,
  { unblock }: Auth0Settings,
  notes: UserNotes,
): UserNotes & { readonly state: Pick<SourceUser, "state"> } {
  const remarks: Remark[] = [...(notes.remarks ?? [])];
  if (isBlocked === true) remarks.push(unblock ? "blocked-becomes-active" : "stays-inactive");
  if (given === undefined) remarks.push("email-made-up");
  if (isConverted) remarks.push("domain-converted");
  if (isBlocked === null || isBlocked === undefined) return { ...notes, remarks, state: {} };
  return { ...notes, remarks, state: { state: isBlocked && !unblock ? "inactive" : "active" } };
}

interface Address {
  readonly value: string;
  readonly verified: boolean;
  /** As the row has it, for rows of passwords; undefined: the address is made up. */
  readonly given: string | undefined;
  /** The user name is an address whose domain was converted. */
  readonly isConverted: boolean;
}

interface AccountFields {
  readonly user_id?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly email_verified?: boolean | null | undefined;
}

/** Reads the id and the address, which every user needs; the address must also fit as a user name. Adds the faults of both. */
export function readAccount(
  fields: AccountFields,
  row: object,
  { emailDomain }: Auth0Settings,
  faults: RowFault[],
): { readonly userId: string | undefined; readonly address: Address | undefined } {
  const wrong = new Set(faults.map((fault) => fault.field));
  const userId = fields.user_id || undefined;
  const found = emailOf(fields, row, wrong, faults);
  const address =
    found === "none" ? madeUpAddress(fields.user_id, row, emailDomain, faults) : found && accepted(found, faults);
  if (userId === undefined && !wrong.has("user_id")) faults.push({ code: "field.missing", field: "user_id" });
  if (userId !== undefined) addTextFault(faults, "user_id", userId, Number.POSITIVE_INFINITY);
  return { userId, address };
}

interface Found {
  readonly value: string;
  readonly verified: boolean;
  readonly field: string;
}

/** The address of a row; undefined: its fault was added. */
function emailOf(
  fields: AccountFields,
  row: object,
  wrong: ReadonlySet<string | undefined>,
  faults: RowFault[],
): Found | "none" | undefined {
  if (fields.email) return { value: fields.email, verified: fields.email_verified ?? false, field: "email" };
  if (wrong.has("email")) return undefined;
  const newer = readFields(WithIdentifiers, row);
  faults.push(...newer.faults);
  if (newer.faults.length > 0) return undefined;
  const identifiers = newer.fields.identifiers ?? [];
  const at = identifiers.findIndex(({ type, value }) => type === "email" && value);
  const found = identifiers[at];
  if (found?.value) return { value: found.value, verified: found.verified ?? false, field: `identifiers[${at}].value` };
  return "none";
}

/** `<user name, else id>@<domain>`, or a user name that is an address; unverified. Without a domain, a fault. */
function madeUpAddress(
  userId: string | null | undefined,
  row: { readonly username?: unknown },
  domain: string | undefined,
  faults: RowFault[],
): Address | undefined {
  if (!userId || domain === undefined) {
    const missing = { code: "field.missing", field: "email" } as const;
    faults.push(userId ? { code: "user.no-email", field: "email", flag: EMAIL_DOMAIN } : missing);
    return undefined;
  }
  const username = typeof row.username === "string" ? row.username : "";
  const value = username ? addressOfName(username, domain) : addressOfId(userId, domain);
  return accepted({ value, verified: false, field: username ? "username" : "user_id" }, faults, true);
}

/** The address is the user name as well, so it must fit both rules. */
function accepted({ value, verified, field }: Found, faults: RowFault[], isMadeUp = false): Address | undefined {
  const before = faults.length;
  const { email, isConverted, rule } = acceptedAddress(value);
  addTextFault(faults, field, email, serviceLimits.userName);
  if (rule !== undefined) faults.push({ code: "field.email", field, rule, ...(isMadeUp ? { isMadeUp } : {}) });
  // Kept with its faults: rows of passwords are joined to rejected users as well.
  return faults.length > before && isMadeUp
    ? undefined
    : { value: email, verified, given: isMadeUp ? undefined : value, isConverted };
}
