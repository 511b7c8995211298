import * as z from "zod";
import { serviceLimits } from "../../contract/service-limits.ts";
import type { UserReading } from "../../core/merge/reading.ts";
import { emailProblem } from "../../core/rules/email.ts";
import { addTextFault, readFields } from "../../core/rules/row-fields.ts";
import type { Remark, RowFault } from "../../problem.ts";

/** One row of the bulk user export (spec: Source-provider input files). null counts as absent; other fields are not read. */
const Profile = z.object({
  user_id: z.string().nullish(),
  email: z.string().nullish(),
  email_verified: z.boolean().nullish(),
  name: z.string().nullish(),
  // Of any type: a plain profile only counts them.
  blocked: z.unknown().optional(),
  multifactor: z.unknown().optional(),
});

/** Newer exports keep the address here when the root has none. */
const WithIdentifiers = z.object({
  identifiers: z
    .array(z.object({ type: z.string().nullish(), value: z.string().nullish(), verified: z.boolean().nullish() }))
    .nullish(),
});

/** Reads one parsed profile as the specification has it: every fault of it, by the service's own rules (service behaviour 1.4). */
export function readUser(row: object): UserReading {
  const { fields, faults } = readFields(Profile, row);
  const isWrong = faults.some(({ field }) => field === "name");
  const { userId, address } = readAccount(fields, row, faults);
  const isNamedByEmail = !fields.name && !isWrong;
  if (fields.name) addTextFault(faults, "name", fields.name, serviceLimits.firstName);
  const email = address?.value;
  if (faults.length > 0 || userId === undefined || address === undefined) {
    return { faults, user: undefined, userId, email, isNamedByEmail };
  }
  // spec: Import body for users; the source's address is the login name, and its name stands for both names.
  const name = fields.name || address.value;
  const { value: userName, verified: isEmailVerified } = address;
  const user = { userId, userName, email: userName, isEmailVerified, firstName: name, lastName: name };
  const remarks: Remark[] = [];
  if (fields.blocked === true) remarks.push("blocked-becomes-active");
  if (hasFactors(fields.multifactor)) remarks.push("factors-lost");
  return { faults, user, userId, email, isNamedByEmail, remarks };
}

/** True for a list of second factors that is not empty; their secrets are in no export. */
export function hasFactors(multifactor: unknown): boolean {
  return Array.isArray(multifactor) && multifactor.length > 0;
}

interface Address {
  readonly value: string;
  readonly verified: boolean;
  readonly field: string;
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
  faults: RowFault[],
): { readonly userId: string | undefined; readonly address: Address | undefined } {
  const wrong = new Set(faults.map((fault) => fault.field));
  const address = emailOf(fields, row, wrong, faults);
  const userId = fields.user_id || undefined;
  if (userId === undefined && !wrong.has("user_id")) faults.push({ code: "field.missing", field: "user_id" });
  if (userId !== undefined) addTextFault(faults, "user_id", userId, Number.POSITIVE_INFINITY);
  if (address !== undefined) addEmailFaults(faults, address);
  return { userId, address };
}

function emailOf(
  fields: AccountFields,
  row: object,
  wrong: ReadonlySet<string | undefined>,
  faults: RowFault[],
): Address | undefined {
  if (fields.email) return { value: fields.email, verified: fields.email_verified ?? false, field: "email" };
  if (wrong.has("email")) return undefined;
  const newer = readFields(WithIdentifiers, row);
  faults.push(...newer.faults);
  if (newer.faults.length > 0) return undefined;
  const identifiers = newer.fields.identifiers ?? [];
  const at = identifiers.findIndex(({ type, value }) => type === "email" && value);
  const found = identifiers[at];
  if (found?.value) return { value: found.value, verified: found.verified ?? false, field: `identifiers[${at}].value` };
  faults.push({ code: "field.missing", field: "email" });
  return undefined;
}

/** The address is the user name as well, so it must fit both rules. */
function addEmailFaults(faults: RowFault[], { value, field }: Address): void {
  addTextFault(faults, field, value, serviceLimits.userName);
  const rule = emailProblem(value);
  if (rule !== undefined) faults.push({ code: "field.email", field, rule });
}
