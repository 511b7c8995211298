import { type Text, textOf } from "../../json/words.ts";
import type { SourceUser } from "../source-user.ts";
import { type BesideList, besideLists, besidesOf } from "./entry-layout.ts";
import { entryTemplate, SEPARATOR } from "./entry-template.ts";

/** The hole that takes the hash of a row of credentials, which is unpacked into it. */
export const JOINED_HASH = -1;

/** An entry template whose holes take ranges of a row's bytes. */
export interface PackedTemplate {
  /** In front of each hole, and behind the last. */
  readonly texts: readonly Text[];
  /** Which string of the row goes into each hole, or JOINED_HASH. */
  readonly holes: readonly number[];
  /** Bytes of all texts together. */
  readonly length: number;
  /** The user's elements of other lists: texts with the user's id between them. */
  readonly beside: readonly { readonly list: BesideList; readonly texts: readonly string[] }[];
}

/**
 * The template of a user with marks in place of texts; undefined: another list has a mark that is not the user id.
 *
 * @param marks of the strings of a row, by their numbers; the first is the user id.
 * @param hashMark stands for the hash of a row of credentials.
 */
export function packedTemplate(
  user: SourceUser,
  marks: readonly string[],
  hashMark: string,
): PackedTemplate | undefined {
  const { texts, holes } = entryTemplate(user, [...marks, hashMark]);
  const [id = "", ...others] = marks;
  const beside = besideLists.flatMap((list) =>
    besidesOf[list](user).map((element) => ({ list, texts: (SEPARATOR + JSON.stringify(element)).split(id) })),
  );
  if (beside.some((element) => element.texts.some((text) => others.some((mark) => text.includes(mark))))) {
    return undefined;
  }
  return {
    texts: texts.map(textOf),
    holes: holes.map((mark) => (mark === marks.length ? JOINED_HASH : mark)),
    length: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    beside,
  };
}
