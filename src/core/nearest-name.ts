import { closest, distance } from "fastest-levenshtein";

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
