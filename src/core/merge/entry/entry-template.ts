import type { SourceUser } from "../source-user.ts";
import { toEntry } from "./entry-layout.ts";

/** The entry of a user as fixed texts with holes for the user's own texts. */
export interface EntryTemplate {
  /** In front of each hole, and behind the last. */
  readonly texts: readonly string[];
  /** Which text goes into each hole: a place in `marks`. */
  readonly holes: readonly number[];
}

/** Stands in front of each entry and each element of another list; the first of a list is written without the comma. */
export const SEPARATOR = ",\n";

/**
 * Cuts the entry of a user at the marks that stand in place of the user's own texts.
 *
 * @param marks texts that JSON writes as they are, none of which holds another.
 */
export function entryTemplate(user: SourceUser, marks: readonly string[]): EntryTemplate {
  const entry = SEPARATOR + JSON.stringify(toEntry(user));
  const pattern = new RegExp(marks.map((mark) => mark.replaceAll(".", "\\.")).join("|"), "g");
  const found = [...entry.matchAll(pattern)];
  const ends = found.map(({ index, 0: mark }) => index + mark.length);
  const texts = [...found, undefined].map((match, at) => entry.slice(ends[at - 1] ?? 0, match?.index));
  return { texts, holes: found.map(([mark]) => marks.indexOf(mark)) };
}
