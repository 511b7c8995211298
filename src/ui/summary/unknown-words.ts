import { count, firstOf, shown, shownUpTo } from "../../problem/format.ts";
import type { ReportFields } from "../report.ts";

/** The words of a column that orgferry does not know. */
export type ColumnWords = NonNullable<ReportFields["unknownWords"]>[number];

/** How many words a line has. */
const NAMED = 10;
/** The most characters of a word in a line. */
const LONGEST = 40;

/** `gesperrt (21), ruhend (3) and 2 more`: the words with their rows; empty without any. */
export function listedWords({ words }: Pick<ColumnWords, "words">): string {
  return firstOf(
    words.map(({ text, rows }) => `${text === "" ? "an empty cell" : shownUpTo(LONGEST, text)} (${count(rows)})`),
    NAMED,
  );
}

/** `state:gesperrt=<active, inactive, locked or deleted>`: how `--value` explains the first word. @param written the word and its field as they stand there. */
export function meaningOfFirst(
  { field, words, meanings }: Pick<ColumnWords, "field" | "words" | "meanings">,
  written = (text: string) => text,
): string {
  const [first] = words;
  return `${first === undefined ? `${field}:<word>` : written(`${field}:${shown(first.text)}`)}=<${meanings}>`;
}
