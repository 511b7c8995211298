import { looksLikeHash } from "../shared/plain-password.ts";
import type { Expression, Field } from "./fields.ts";
import { usualNames } from "./usual-names.ts";

/**
 * The `--map` that the usual names give, such as `userId=id,email=<column>,phone=tel`: a placeholder stands for what every user needs and
 * was not found. Plain passwords need a flag of their own, so a column that may have some is proposed as one of hashes.
 *
 * @param find the places with one of these names, the best first.
 * @param place what holds a value: a column, a path.
 * @param hashes the places whose values are hashes (`hashPlaces`).
 */
export function proposeMap(
  find: (names: Expression) => readonly string[],
  place: string,
  hashes: readonly string[],
): string {
  const found = new Map<Field, string>();
  for (const [field, names] of Object.entries(usualNames) as [Field, Expression][]) {
    const [first, ...others] = field === "password" ? [] : find(names);
    if (first === undefined) continue;
    // Each column of states counts; of other fields, the first one that holds something.
    found.set(field, field === "state" ? [first, ...others].join("|") : first);
  }
  const [hash] = hashes;
  if (hash !== undefined && !found.has("hash")) found.set("hash", hash);
  // They are so without being named.
  if (found.get("userName") === found.get("email")) found.delete("userName");
  if (found.get("displayName") === found.get("name")) found.delete("displayName");
  const needed = (["userId", "email"] as const).map((field) => [field, found.get(field) ?? `<${place}>`] as const);
  return [...new Map([...needed, ...found])].map((pair) => pair.join("=")).join(",");
}

/** Those places whose values look like password hashes, or most of them, and that `--map` can name. @param valuesOf of the first rows. */
export function hashPlaces(
  places: readonly string[],
  valuesOf: (place: string) => readonly unknown[],
): readonly string[] {
  return places.filter((place) => {
    const texts = valuesOf(place).flatMap((value) => (typeof value === "string" && value !== "" ? [value.trim()] : []));
    return !/[,=|<>]/.test(place) && texts.filter(looksLikeHash).length * 2 > texts.length;
  });
}
