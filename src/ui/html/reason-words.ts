import type { RowProblem } from "../../problem.ts";

const reasons: Readonly<Partial<Record<RowProblem["code"], string>>> = {
  "row.malformed": "not valid JSON",
  "row.not-object": "not a JSON object",
  "row.invalid-utf8": "not valid UTF-8",
  "row.columns": "another number of columns than the first row",
  "field.missing": "a field that is needed is missing",
  "field.type": "a value of the wrong type",
  "field.too-long": "a value longer than the service accepts",
  "field.email": "an e-mail address that the service does not accept",
  "field.phone": "a phone number that the service does not accept",
  "field.hash": "a password hash that the service cannot check",
  "field.password": "a password that cannot be hashed",
  "field.nul": "a NUL character",
  "field.lone-surrogate": "half of a surrogate pair",
  "element.not-object": "a list with something that is no object",
  "element.no-content": "an entry without its inner object",
  "user.duplicate-id": "another user has the same id",
  "user.duplicate-name": "another user has the same user name",
  "user.passed-over": "another user with the same name and a password was written",
  "user.linked": "became a link of another user",
  "user.shared-name": "several users have the same user name",
  "user.no-email": "no e-mail address",
  "user.bad-hash": "its password hash is unusable",
  "user.password-row-rejected": "its password row was rejected",
  "password.bad-hash": "a password row with an unusable hash",
  "password.names-nobody": "a password row that names nobody",
  "password.unmatched": "a password row that belongs to no user",
  "password.user-rejected": "the password row of a rejected user",
};

/** Why rows were refused, said of many at once. A code that is not known here stands for itself. */
export function describeReason(code: string): string {
  return Object.hasOwn(reasons, code) ? (reasons[code as RowProblem["code"]] ?? code) : code;
}

/** True for what is at fault in a row; false for what ends a run. */
export function isReason(code: string): boolean {
  return /^(row|field|element|user|password)\./.test(code);
}
