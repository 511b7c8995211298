import type { DocumentShape } from "../rows/documents.ts";

/** How an input holds its rows. Any of them may be gzip, or come through a pipe. */
export type RowsShape =
  /** A JSON array, NDJSON, pretty-printed or concatenated objects: distinguished by the content. */
  | { readonly kind: "rows" }
  | DocumentShape
  /** A table whose first row names the columns (RFC 4180; comma, semicolon or tab, distinguished by the content). */
  | { readonly kind: "table" };

/** Rows, or a list in a document, distinguished by the beginning (core/rows/find-rows.ts). */
export interface FoundShape {
  readonly kind: "found";
  /** Keys of lists in documents. */
  readonly lists: readonly string[];
}

/** What a provider says of the form of an input. */
export type InputShape = RowsShape | FoundShape;

/** The endings, without a dot, of files with rows that stood in an input of this shape. */
export function extensionsOf({ kind }: InputShape): readonly ("ndjson" | "json" | "csv")[] {
  switch (kind) {
    case "rows":
      return ["ndjson"];
    case "document":
      return ["json"];
    case "found":
      return ["ndjson", "json"];
    case "table":
      return ["csv"];
    default:
      return kind satisfies never;
  }
}

/** Which files of a folder are read, where a folder may be given in place of a file. */
export interface FolderShape {
  readonly files: RegExp;
  /** Their names, for people. */
  readonly names: string;
  /** A file that holds only a part of the rows; what it captures is the same in the names of all parts. */
  readonly parts?: RegExp;
}
