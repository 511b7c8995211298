import { isEmpty } from "../shared/options.ts";
import { looksLikeHash } from "../shared/plain-password.ts";
import { type Expression, type Field, fields } from "./fields.ts";
import { plainName, usualNames } from "./usual-names.ts";
import { toFlag } from "./values.ts";

/** The values of the first rows in a place. */
type ValuesOf = (place: string) => readonly unknown[];

/** Names that are those of a field only if the values are such, as far as there are some. */
const namesByValues: Readonly<
  Partial<Record<Field, { readonly names: Expression; readonly fits: (value: unknown) => boolean }>>
> = {
  emailVerified: {
    names: "confirmed|verified|is_confirmed|is_verified",
    fits: (value) => toFlag(String(value).trim()) !== undefined,
  },
  roles: {
    names:
      "roles|role|user_roles|user_role|groups|group|user_groups|user_group|rollen|rolle|benutzerrollen|benutzerrolle|gruppen|gruppe|benutzergruppen|benutzergruppe",
    fits: (value) => [value].flat().every((one) => typeof one !== "object"),
  },
};

/** Fields of which each place counts; of others, the first one that holds something. */
const OF_ALL: ReadonlySet<Field> = new Set(["state", "roles"]);

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
  valuesOf: ValuesOf,
  place: string,
  hashes: readonly string[],
): string {
  const found = new Map<Field, string>();
  for (const field of fields) {
    if (field === "password") continue;
    const names = usualNames[field];
    const usual = names === undefined ? [] : find(names);
    const all = usual.length > 0 ? usual : placesByValues(field, find, valuesOf);
    if (all.length > 0) found.set(field, (OF_ALL.has(field) ? all : all.slice(0, 1)).join("|"));
  }
  const [hash] = hashes;
  if (hash !== undefined && !found.has("hash")) found.set("hash", hash);
  // They are so without being named.
  if (found.get("userName") === found.get("email")) found.delete("userName");
  if (found.get("displayName") === found.get("name")) found.delete("displayName");
  const needed = (["userId", "email"] as const).map((field) => [field, found.get(field) ?? `<${place}>`] as const);
  return [...new Map([...needed, ...found])].map((pair) => pair.join("=")).join(",");
}

/** The places of a field by their names and values. What is said inside of another object may be about a phone number, and not the address. */
function placesByValues(
  field: Field,
  find: (names: Expression) => readonly string[],
  valuesOf: ValuesOf,
): readonly string[] {
  const { names, fits } = namesByValues[field] ?? {};
  if (names === undefined || fits === undefined) return [];
  return find(names).filter((place) => {
    const values = valuesOf(place).filter((value) => value === false || !isEmpty(value));
    const isOfEmail = field !== "emailVerified" || isBesideEmail(place);
    return isOfEmail && values.length > 0 && values.every(fits);
  });
}

/** True for what stands directly in a row, or in an object with the name of an address. */
function isBesideEmail(place: string): boolean {
  const parent = place.split(".").at(-2);
  return parent === undefined || (usualNames.email ?? "").split("|").map(plainName).includes(plainName(parent));
}

/** Those places whose values look like password hashes, or most of them, and that `--map` can name. */
export function hashPlaces(places: readonly string[], valuesOf: ValuesOf): readonly string[] {
  return places.filter((place) => {
    const texts = valuesOf(place).flatMap((value) => (typeof value === "string" && value !== "" ? [value.trim()] : []));
    return !/[,=|<>]/.test(place) && texts.filter(looksLikeHash).length * 2 > texts.length;
  });
}
