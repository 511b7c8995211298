/** What a column of a table may be. */
export const fields = [
  "userId",
  "userName",
  "email",
  "emailVerified",
  "firstName",
  "lastName",
  "name",
  "displayName",
  "nickName",
  "language",
  "gender",
  "phone",
  "phoneVerified",
  "hash",
  "hashKind",
  "salt",
  "iterations",
  "password",
  "totp",
  "state",
  "org",
  "deleted",
  "anonymous",
] as const;
export type Field = (typeof fields)[number];

/**
 * Which columns a field is read from: names with `|` between them, the first that holds something counts. A name may continue with a path
 * into the JSON of its cells (`meta.full_name`), or with the number of an element where they hold lists (`emails[0]`).
 */
export type ColumnExpression = string;

/** Which column is what. */
export interface Mapping {
  readonly fields: Readonly<Partial<Record<Field, ColumnExpression>>>;
  /** By the keys of the metadata. */
  readonly metadata: Readonly<Record<string, ColumnExpression>>;
}
