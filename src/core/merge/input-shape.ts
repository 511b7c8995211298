/** How an input of a source provider holds its rows. Any of them may be gzip, or come through a pipe. */
export type InputShape =
  /** A JSON array, NDJSON, pretty-printed or concatenated objects: told apart by looking. */
  | { readonly kind: "rows" }
  | DocumentShape
  /** A table whose first row names the columns (RFC 4180; comma, semicolon or tab, told apart by looking). */
  | { readonly kind: "table" };

/** The elements of a list inside a JSON document, or inside each document of an array. */
export interface DocumentShape {
  readonly kind: "document";
  /** Key of the list. */
  readonly list: string;
  /** What tells several documents apart: the rows of one alone are read. */
  readonly name?: DocumentName;
  /** What else people take for such a document, by a key of it; looked for where no document has any rows. */
  readonly strangers?: readonly { readonly has: string; readonly is: UnfitInput }[];
}

/** The key whose text names a document, which is also what people call one, and the flag that chooses one by it. */
export interface DocumentName {
  readonly key: string;
  readonly flag: string;
}

/** An input that is not what was asked for. */
export interface UnfitInput {
  /** What it is: goes on from "this is …". */
  readonly what: string;
  /** What to do instead, as a sentence. */
  readonly instead: string;
}

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
