import * as z from "zod";
import type { CredentialReading } from "../../core/merge/reading.ts";
import { parseMoment } from "../../core/rules/moment.ts";
import { readFields } from "../../core/rules/row-fields.ts";

const ObjectId = z.object({ $oid: z.string().nullish() }).nullish();
/** Mongo's extended JSON writes a moment as ISO 8601 text, and in its canonical form as a number of milliseconds. */
const Moment = z.unknown().transform((value, context) => {
  if (value === null || value === undefined) return undefined;
  const ms = momentOf(value);
  if (ms !== undefined && Number.isFinite(ms)) return ms;
  context.addIssue("an ISO 8601 date");
  return z.NEVER;
});

function momentOf(value: unknown): number | undefined {
  if (typeof value === "string") return parseMoment(value);
  if (typeof value === "number") return value;
  const { $numberLong } = value as { $numberLong?: unknown };
  return typeof $numberLong === "string" && /^-?\d+$/.test($numberLong) ? Number($numberLong) : undefined;
}

/** One row of the password file (spec: Source-provider input files). null counts as absent; other fields are not read. */
const Password = z.object({
  _id: ObjectId,
  _ID: ObjectId, // so spelled in the sample files of another tool (service behaviour 5)
  alt_id: z.string().nullish(),
  email: z.string().nullish(),
  email_verified: z.boolean().nullish(),
  password_set_date: z.object({ $date: Moment }).nullish(),
  tenant: z.string().nullish(),
  connection: z.string().nullish(),
  _tmp_is_unique: z.boolean().nullish(),
  identifiers: z.array(z.object({ type: z.string().nullish(), value: z.string().nullish() })).nullish(),
});

/** Reads one parsed password row; its hash is handed on unjudged. */
export function readCredential(row: object): CredentialReading {
  const { fields, faults } = readFields(Password, row);
  const ownId = fields.alt_id || fields._id?.$oid || fields._ID?.$oid || undefined;
  const email =
    fields.email || fields.identifiers?.find(({ type, value }) => type === "email" && value)?.value || undefined;
  if (faults.length === 0 && ownId === undefined && email === undefined) faults.push({ code: "password.names-nobody" });
  return {
    faults,
    ownId,
    email,
    dateMs: fields.password_set_date?.$date ?? Number.NEGATIVE_INFINITY,
    hash: (row as { passwordHash?: unknown }).passwordHash ?? undefined,
  };
}
