import { closest, distance } from "fastest-levenshtein";

/** A person's name in two parts. */
export interface SplitName {
  readonly first: string;
  readonly last: string;
}

/** What may stand behind a comma without being the given name. */
const SUFFIX = /^(jr|sr|[ivx]+|ph\.?d|m\.?d|dr|esq|mba|msc|bsc)\b/i;

/**
 * Splits a whole name: its last word is the family name, the words before it the given one, and a single word is both. With one comma in
 * it the family name comes first ("Example, Ann").
 */
export function splitName(name: string): SplitName {
  const [, family = "", given = ""] = /^([^,]+),\s*([^,]+)$/.exec(name.trim()) ?? [];
  if (given !== "" && !SUFFIX.test(given)) return { first: given, last: family.trim() };
  const words = name.trim().split(/\s+/);
  const last = words.at(-1) ?? "";
  return { first: words.slice(0, -1).join(" ") || last, last };
}

/** More letters than that apart, and a name is another one. */
const MAX_DISTANCE = 3;

/** The name that is probably meant; undefined if none is near. @param plain leaves out what does not count. */
export function nearestName(
  name: string,
  names: readonly string[],
  plain: (name: string) => string = (text) => text.toLowerCase(),
): string | undefined {
  if (names.length === 0) return undefined;
  const given = plain(name);
  const nearest = closest(given, names.map(plain));
  const isNear = distance(given, nearest) <= Math.min(MAX_DISTANCE, name.length / 2);
  return isNear ? names.find((other) => plain(other) === nearest) : undefined;
}
