import { BEGINNING_BYTES, firstKeys, firstPaths } from "../json/first-keys.ts";
import { DocumentFramer } from "../rows/document-framer.ts";
import { Documents } from "../rows/documents.ts";
import { Framer } from "../rows/framer.ts";
import { parseRow } from "../rows/parse-row.ts";
import type { RowBlock } from "../rows/row-block.ts";
import { rowAt } from "../rows/row-file.ts";
import type { FoundShape, RowsShape } from "./input-shape.ts";

/** What the beginning of an input shows. */
export interface FoundRows {
  readonly shape: RowsShape;
  /** The rows that can be read of it; none when the first one is longer, or is a document that is not read as a row. */
  readonly rows: readonly object[];
  /** Keys of the first object. */
  readonly keys: readonly string[];
  /** Of an input that is one object, and may be a document: its lists of objects, the longest one first. */
  readonly lists: readonly FoundList[];
}

/** A list of objects in a document, and those of them that can be read of its beginning. */
export interface FoundList {
  readonly path: readonly string[];
  readonly rows: readonly object[];
}

/** The first bytes of an input, and its name. */
export interface Beginning {
  readonly file: string;
  readonly bytes: Buffer;
}

/** A document with one of these is itself a row, also if it has such a list. */
const ROW_KEYS = ["id", "user_id", "userId", "email", "userName", "username"];

/**
 * Finds out whether an input holds rows, or documents with a list of rows, by its beginning.
 *
 * @param asked `list`: the path to the list, as the user named it; `strictLines`: one object per line (--multiline). Raises
 * input.not-lines.
 */
export function findRows(
  { file, bytes }: Beginning,
  { lists }: FoundShape,
  { list, strictLines }: { readonly list: readonly string[] | undefined; readonly strictLines: boolean },
): FoundRows {
  const found = firstKeys(bytes);
  const keys = [...found];
  const inDocument = (path: readonly string[]): FoundRows => {
    const shape: RowsShape = { kind: "document", list: path };
    return {
      shape,
      rows: rowsOf(bytes, new DocumentFramer(file, new Documents(shape, undefined), BEGINNING_BYTES)),
      keys,
      lists: [],
    };
  };
  if (list !== undefined) return inDocument(list);
  const isRow = ROW_KEYS.some((key) => found.has(key));
  for (const key of isRow || strictLines ? [] : lists.filter((one) => found.has(one))) {
    const inList = inDocument([key]);
    if (inList.rows.length > 0) return inList;
  }
  const rows = rowsOf(bytes, new Framer(file, strictLines, BEGINNING_BYTES));
  // If each object of a document's list has a line of its own, such a line can be read as a row, and the document's first line cannot.
  const [first] = rows;
  const isWhole = first !== undefined && keys.every((key) => Object.hasOwn(first, key));
  const paths = isRow || strictLines || (isWhole && rows.length > 1) ? [] : firstPaths(bytes);
  const filled = paths
    .map((path) => ({ path, rows: inDocument(path).rows }))
    .filter((one) => one.rows.length > 0)
    .sort((a, b) => b.rows.length - a.rows.length);
  return { shape: { kind: "rows" }, rows: isWhole || filled.length === 0 ? rows : [], keys, lists: filled };
}

function rowsOf(bytes: Buffer, framer: Framer | DocumentFramer): readonly object[] {
  const length = bytes.copy(framer.free());
  // The last row has an end only with the input; if it is cut off, it cannot be parsed.
  return [...objectsOf(framer.filled(length)), ...objectsOf(framer.end())];
}

function objectsOf(block: RowBlock): readonly object[] {
  return Array.from({ length: block.count }, (_, at) => parseRow(rowAt(block, at).bytes)).flatMap((parsed) =>
    "value" in parsed ? [parsed.value] : [],
  );
}
