import type { DocumentShape } from "../rows/documents.ts";

/** How an input of a source provider holds its rows. Any of them may be gzip, or come through a pipe. */
export type InputShape =
  /** A JSON array, NDJSON, pretty-printed or concatenated objects: told apart by looking. */
  | { readonly kind: "rows" }
  | DocumentShape
  /** A table whose first row names the columns (RFC 4180; comma, semicolon or tab, told apart by looking). */
  | { readonly kind: "table" };

/** The ending, without a dot, of a file with rows that stood in an input of this shape. */
export function extensionOf({ kind }: InputShape): "ndjson" | "json" | "csv" {
  switch (kind) {
    case "rows":
      return "ndjson";
    case "document":
      return "json";
    case "table":
      return "csv";
    default:
      return kind satisfies never;
  }
}

/** Which files of a folder are read, where a folder may be given in place of a file. */
export interface FolderShape {
  readonly files: RegExp;
}
