import * as z from "zod";
import { serviceLimits } from "../../contract/service-limits.ts";
import type { SourceUser } from "../../core/merge/source-user.ts";
import { emailProblem, textFault } from "../../core/rules/text.ts";
import type { RowFault } from "../../problem.ts";
import { readFields } from "./fields.ts";

/** One row of the bulk user export (spec: Source-provider input files). null counts as absent; other fields are not read. */
const Profile = z.object({
  user_id: z.string().nullish(),
  email: z.string().nullish(),
  email_verified: z.boolean().nullish(),
  name: z.string().nullish(),
});

/** Newer exports keep the address here when the root has none. */
const WithIdentifiers = z.object({
  identifiers: z
    .array(z.object({ type: z.string().nullish(), value: z.string().nullish(), verified: z.boolean().nullish() }))
    .nullish(),
});

/** A profile as far as it could be read. A profile without faults has a user. */
export interface ProfileReading {
  readonly faults: readonly RowFault[];
  readonly user: SourceUser | undefined;
  /** Kept also when other fields are at fault: password rows are joined to rejected profiles as well. */
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly nameFromEmail: boolean;
}

/** Reads one parsed row: every fault of it, by the service's own rules (service behaviour 1.4). */
export function readProfile(row: object): ProfileReading {
  const { fields, faults } = readFields(Profile, row);
  const wrong = new Set(faults.map((fault) => fault.field));
  const address = emailOf(fields, row, wrong, faults);
  const userId = fields.user_id || undefined;
  if (userId === undefined && !wrong.has("user_id")) faults.push({ code: "field.missing", field: "user_id" });
  if (userId !== undefined) addTextFault(faults, "user_id", userId, Number.POSITIVE_INFINITY);
  if (address !== undefined) addEmailFaults(faults, address);
  const nameFromEmail = !fields.name && !wrong.has("name");
  if (fields.name) addTextFault(faults, "name", fields.name, serviceLimits.firstName);
  const user =
    faults.length === 0 && userId !== undefined && address !== undefined
      ? { userId, email: address.value, name: fields.name || address.value, isEmailVerified: address.verified }
      : undefined;
  return { faults, user, userId, email: address?.value, nameFromEmail };
}

interface Address {
  readonly value: string;
  readonly verified: boolean;
  readonly field: string;
}

function emailOf(
  fields: Partial<z.infer<typeof Profile>>,
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

function addTextFault(faults: RowFault[], field: string, value: string, limit: number): void {
  const fault = textFault(value, limit);
  if (fault !== undefined) faults.push({ ...fault, field });
}

/** The address is the user name as well, so it must fit both rules. */
function addEmailFaults(faults: RowFault[], { value, field }: Address): void {
  addTextFault(faults, field, value, serviceLimits.userName);
  const rule = emailProblem(value);
  if (rule !== undefined) faults.push({ code: "field.email", field, rule });
}
