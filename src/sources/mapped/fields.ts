/** What a value of a row may be. */
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
  "roles",
  "deleted",
  "anonymous",
] as const;
export type Field = (typeof fields)[number];

/**
 * Where a field is read from: names of columns, or paths into an object, with `|` between them; the first that holds something counts.
 * Each kind of input says what a name or a path is (csv/columns.ts, json/paths.ts).
 */
export type Expression = string;

/** A key of metadata and where its value is. */
export type Keyed = readonly [key: string, from: Expression];

/** Where each field is. */
export interface Mapping {
  readonly fields: Readonly<Partial<Record<Field, Expression>>>;
  /** By the keys of the metadata. */
  readonly metadata: Readonly<Record<string, Expression>>;
}

/** The fields of a provider's rows, as data. What a row does not have is ignored. */
export interface Preset {
  /** As in `--preset <id>`. */
  readonly id: string;
  readonly title: string;
  readonly fields: Mapping["fields"];
  readonly metadata?: Mapping["metadata"];
  /** Lists of addresses or numbers, of which those beside the user's own become metadata. */
  readonly others?: readonly OtherValues[];
  /** true: phone numbers have no plus sign. */
  readonly hasBarePhones?: boolean;
  /** A row with nothing in any of these is an anonymous visitor. */
  readonly anonymousWithout?: readonly Expression[];
  /** Of what kind all hashes are. */
  readonly hashKind?: string;
  /** A list of the ways to sign in: the hash counts only where one of `own` is in it. */
  readonly providers?: { readonly column: Expression; readonly own: readonly string[] };
}

interface OtherValues {
  readonly key: string;
  readonly columns: Expression;
  readonly besides: "email" | "phone";
}
