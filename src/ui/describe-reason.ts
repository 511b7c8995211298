import type { RowFault } from "../problem.ts";

/** What is wrong with many rows at once, without what is special about each: words that stand alone as well as behind a field's name. */
const reasons: Readonly<Record<RowFault["code"], string>> = {
  "row.malformed": "not valid JSON",
  "row.not-object": "not a JSON object",
  "row.invalid-utf8": "not valid UTF-8",
  "row.columns": "more or fewer columns than the first row names",
  "field.missing": "a value that is needed is missing",
  "field.type": "a value of the wrong type",
  "field.too-long": "longer than the service accepts",
  "field.email": "not an e-mail address that the service accepts",
  "field.phone": "not a phone number that the service accepts",
  "field.hash": "not a password hash that the service can check",
  "field.password": "not a password that can be hashed",
  "field.nul": "contains a NUL character",
  "field.lone-surrogate": "contains half of a surrogate pair",
  "element.not-object": "an element that is no JSON object",
  "element.no-content": "an entry without what it is about",
  "user.duplicate-id": "the id of an earlier user",
  "user.duplicate-name": "the user name of an earlier user",
  "user.passed-over": "the user name of a user who has a password",
  "user.linked": "became links of another user",
  "user.shared-name": "a user name that several users have",
  "user.no-email": "no e-mail address, and no user is made without one",
  "user.bad-hash": "users whose password hash is unusable",
  "user.password-row-rejected": "users whose password row was rejected",
  "password.bad-hash": "not a password hash that the service can check",
  "password.names-nobody": "password rows that name no user",
  "password.unmatched": "password rows that belong to no user",
  "password.user-rejected": "password rows of users who were rejected",
};

/** A reason for many rows, in words: `email: not an e-mail address that the service accepts`. A code that is not known stands for itself. */
export function describeReason({
  code,
  field,
}: {
  readonly code: string;
  readonly field?: string | undefined;
}): string {
  const words = isReason(code) ? reasons[code] : code;
  return field === undefined ? words : `${field}: ${words}`;
}

/** True for what is at fault in a row; false for what ends a run. */
export function isReason(code: string): code is RowFault["code"] {
  return Object.hasOwn(reasons, code);
}
