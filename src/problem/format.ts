/** At most so many users, objects or rows are in a list of a report; all of them are counted. */
export const LISTED = 1_000;

/** 1234567 → "1,234,567", the same in every locale. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `2 users`, `1 user`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** The lines of a summary that are shown on a condition. */
export function linesIf(isShown: boolean, ...lines: readonly string[]): readonly string[] {
  return isShown ? lines : [];
}

/** Bytes for people: "812 B", "1.4 MB" (powers of ten). */
export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let scaled = value;
  let unit = 0;
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return `${unit === 0 || scaled >= 99.5 ? Math.round(scaled) : scaled.toFixed(1)} ${units[unit]}`;
}

/** Milliseconds for people: "0.4 s", "12 s", "3 min 5 s", "16 h 20 min". */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.round(whole / 60);
  if (whole >= 3_600) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return whole % 60 === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** "2026-11-21 22:28 UTC" of an ISO time. */
export function moment(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? shown(iso) : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * An id, a name or a type as it may stand in a line for people: what would move the cursor, break the line or turn the reading direction is
 * written out, and what is endless is cut. A report keeps the true value.
 */
export function shown(text: string): string {
  return shownUpTo(MAX_SHOWN, text);
}

/** The same, cut after so many characters. */
export function shownUpTo(most: number, text: string): string {
  const clean = printable(text).replace(/\t/g, written);
  return clean.length > most ? `${clean.slice(0, most)}…` : clean;
}

/** The names behind ids, such as login names. */
export type Names = ReadonlyMap<string, string>;

/** The order of a list whose items come in any order: two nights without a change say the same. */
export function byText(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/** `u2 (ann@example.com)`: an id and the name behind it, if that is known and another text. */
export function idWithName(id: string, name: string | undefined): string {
  return name === undefined || name === id ? shown(id) : `${shown(id)} (${shown(name)})`;
}

/** `a, b and 3 more`: the first of some texts, at most `most`, and how many more there are. @param all of a list that is cut already. */
export function firstOf(texts: readonly string[], most: number, all = texts.length): string {
  const first = texts.slice(0, most);
  return `${first.join(", ")}${all > first.length ? ` and ${count(all - first.length)} more` : ""}`;
}

/** `1234 (Acme), 5678 (Initech) and 3 more`: things by id and name, at most `most` of them. */
export function idsWithNames(things: ReadonlyMap<string, string>, most: number): string {
  return firstOf(
    [...things].map(([id, name]) => idWithName(id, name)),
    most,
  );
}

/** The first ten names of a list, and how many more there are. */
export function shownNames(names: readonly string[]): string {
  return idsWithNames(new Map(names.map((name) => [name, name])), 10);
}

/** Names the entries of a flag that fit nothing. @param what they should be, such as "attribute of a user". */
export function unmetLine(flag: string, unmet: readonly string[], what: string): string {
  const entries = unmet.length === 1 ? `1 entry of ${flag} is` : `${count(unmet.length)} entries of ${flag} are`;
  return `${entries} no ${what}: ${shownNames(unmet)}`;
}

/**
 * A text as one line of any output. What a terminal obeys is written out, and so are line breaks: a text from outside begins no line. What
 * a CI runner takes for a command is written out too: `::` at the beginning, `##[` and `##vso[` anywhere.
 */
export function printable(text: string): string {
  return text
    .replace(OBEYED, (found) => (found === "\t" ? found : written(found)))
    .replace(/^(\s*):(?=:)/, (_, blanks: string) => blanks + written(":"))
    .replace(/##(?=(?:vso)?\[)/gi, `#${written("#")}`);
}

/** The same for a text of several lines, which orgferry wrote. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** JSON in which no character is one that a terminal or a runner obeys. Its values are those of JSON.stringify. */
export function printableJson(value: unknown): string {
  const escaped = (found: string): string =>
    found.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return JSON.stringify(value).replace(OBEYED, escaped);
}

/** A word quoted for a POSIX shell where that is needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Hides what looks like a password hash, a token or its header in an id or a message. */
export function withoutHashes(text: string): string {
  return text.replace(HASH, "(a hash, not shown)");
}

const HASH =
  /\$[a-z0-9_-]{1,24}\$[\w./+=,$*!:-]{6,}|\{(?:s?sha\d*|s?md5|crypt|pbkdf2[\w-]*)\}[\w./+=,$:-]{6,}|\beyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*)?|\b(?:Bearer|Basic) +[\w.~+/=-]{8,}/gi;
const MAX_SHOWN = 200;
/** Control characters of both sets, line and paragraph separators, invisible marks and those that turn the reading direction. */
const OBEYED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function written(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`; // one code point
}

/** The name of an export that is in no file of the user, in the place of a path. */
export function exportName(host: string): string {
  return `export of ${host}`;
}

/** False for the name of stdin and of an export that is in no file. */
export function isPath(name: string): boolean {
  return name !== "-" && !name.startsWith(exportName(""));
}

/** `users.json:12` or `users.json`; `export of example.com:8080, line 12` where a colon would be read as a part of the name. */
export function place({ file, line }: { readonly file: string; readonly line?: number | undefined }): string {
  const name = file === "-" ? "stdin" : file;
  if (line === undefined) return name;
  return /[ :]/.test(name) ? `${name}, line ${line}` : `${name}:${line}`;
}
