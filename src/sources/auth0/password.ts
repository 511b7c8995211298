import * as z from "zod";
import type { RowFault } from "../../problem.ts";
import { readFields } from "./fields.ts";
import { parseMoment } from "./moment.ts";

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

/** A password row as far as it could be read; a row with faults is rejected, and so is the user it names. */
export interface PasswordReading {
  readonly faults: readonly RowFault[];
  /** The part of `user_id` after `auth0|`: alt_id if there is one, else _id.$oid. */
  readonly id: string | undefined;
  readonly email: string | undefined;
  /** Milliseconds since 1970; -Infinity when the row does not say. */
  readonly dateMs: number;
  /** undefined: no password. Judged by whoever packs it. */
  readonly hash: unknown;
}

/** Reads one parsed row; its hash is handed on unjudged. */
export function readPassword(row: object): PasswordReading {
  const { fields, faults } = readFields(Password, row);
  const id = fields.alt_id || fields._id?.$oid || fields._ID?.$oid || undefined;
  const email =
    fields.email || fields.identifiers?.find(({ type, value }) => type === "email" && value)?.value || undefined;
  if (faults.length === 0 && id === undefined && email === undefined) faults.push({ code: "password.names-nobody" });
  const hash = (row as { passwordHash?: unknown }).passwordHash ?? undefined;
  return { faults, id, email, dateMs: fields.password_set_date?.$date ?? Number.NEGATIVE_INFINITY, hash };
}
