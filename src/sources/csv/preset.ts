import type { RowReaders } from "../../core/merge/reading.ts";
import type { ColumnExpression, Field } from "./fields.ts";

/** The columns of a provider's tables, as data. Columns that a table does not have are ignored. */
export interface Preset {
  /** As in `--preset <id>`. */
  readonly id: string;
  readonly title: string;
  readonly fields: Readonly<Partial<Record<Field, ColumnExpression>>>;
  readonly metadata?: Readonly<Record<string, ColumnExpression>>;
  /** Columns with such a name are metadata, by the key that the first group holds. */
  readonly metadataColumns?: RegExp;
  /** Lists of addresses or numbers, of which those beside the user's own become metadata. */
  readonly others?: readonly OtherValues[];
  /** A table with all of these columns is recognized; of several, any. Absent: the preset has to be named. */
  readonly signatures?: readonly (readonly string[])[];
  /** What is out of the ordinary about the table. */
  readonly table?: RowReaders["table"];
  /** true: values begin with an apostrophe, which is no part of them. */
  readonly hasApostrophes?: boolean;
  /** true: phone numbers have no plus sign. */
  readonly hasBarePhones?: boolean;
  /** Who has nothing in any of these columns is an anonymous visitor. */
  readonly anonymousWithout?: readonly string[];
  /** Of what kind all hashes are. */
  readonly hashKind?: string;
  /** A list of the ways to sign in: the hash counts only where one of `own` is in it. */
  readonly providers?: { readonly column: ColumnExpression; readonly own: readonly string[] };
}

export interface OtherValues {
  readonly key: string;
  readonly columns: ColumnExpression;
  readonly besides: "email" | "phone";
}
