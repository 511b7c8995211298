import { type Text, textOf } from "../../json/words.ts";
import type { SourceUser } from "../source-user.ts";
import { type BesideList, besideLists, besidesOf, toEntry } from "./entry-layout.ts";

/** An entry with holes in it. */
export interface EntryPieces {
  /** The fixed bytes in front of each hole, and those behind the last. */
  readonly texts: readonly Text[];
  /** Which string goes into each hole. */
  readonly holes: readonly number[];
  /** Bytes of all texts together. */
  readonly length: number;
  /** What stands of the user in other lists: texts with the user's id between them. */
  readonly beside: readonly { readonly list: BesideList; readonly texts: readonly string[] }[];
}

/** The text in front of each entry and each element of another list; the first of a list is written without its comma. */
export const SEPARATOR = ",\n";

/**
 * Cuts the entry of a user at the marks that stand for the user's own strings; undefined when it cannot be cut so.
 *
 * @param marks the first of them that of the user id; none holds a character that JSON writes otherwise.
 */
export function piecesOf(user: SourceUser, marks: readonly string[]): EntryPieces | undefined {
  const { texts, holes } = cut(SEPARATOR + JSON.stringify(toEntry(user)), marks);
  const [id = ""] = marks;
  const beside = besideLists.flatMap((list) =>
    besidesOf[list](user).map((element) => ({ list, texts: (SEPARATOR + JSON.stringify(element)).split(id) })),
  );
  const others = marks.slice(1);
  if (beside.some((element) => element.texts.some((text) => others.some((mark) => text.includes(mark)))))
    return undefined;
  return {
    texts: texts.map(textOf),
    holes,
    length: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    beside,
  };
}

function cut(entry: string, marks: readonly string[]): { texts: readonly string[]; holes: readonly number[] } {
  const pattern = new RegExp(marks.map((mark) => mark.replaceAll(".", "\\.")).join("|"), "g");
  const found = [...entry.matchAll(pattern)];
  const ends = found.map(({ index, 0: mark }) => index + mark.length);
  const texts = [...found, undefined].map((match, at) => entry.slice(ends[at - 1] ?? 0, match?.index));
  return { texts, holes: found.map(([mark]) => marks.indexOf(mark)) };
}
