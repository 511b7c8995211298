import type { FoundRows } from "../../core/merge/find-rows.ts";
import { ProblemError } from "../../problem.ts";
import type { Expression, Mapping } from "../mapped/fields.ts";
import { refuseOtherPreset } from "../mapped/options.ts";
import { hashPlaces, proposeMap } from "../mapped/propose.ts";
import { isName, isOfOther, keyOf, plainName } from "../mapped/usual-names.ts";
import { valueAt } from "../shared/options.ts";
import { readPaths } from "./paths.ts";
import { type JsonPreset, presets } from "./presets.ts";

/** The preset that the first rows fit. Raises usage.unknown-rows. */
export function recognizeRows({ rows, keys, lists }: FoundRows): JsonPreset {
  const [only, ...others] = fittingRows(rows);
  if (only !== undefined && others.length === 0) return only;
  // A document may be a user itself, with lists of roles.
  const users = proposed(rows, keys);
  const listed = lists.map((list) => ({ list, users: proposed(list.rows, []) }));
  const found = hasUsers(users) ? undefined : (listed.find((one) => hasUsers(one.users)) ?? listed[0]);
  throw new ProblemError({
    code: "usage.unknown-rows",
    ...(found?.users ?? users),
    lists: listsIn(found === undefined ? lists : [found.list, ...lists.filter((list) => list !== found.list)]),
    list: found && listsIn([found.list])[0],
  });
}

interface Proposed {
  readonly paths: readonly string[];
  readonly presets: readonly string[];
  readonly mapping: string;
}

/** What is proposed for such rows. @param keys in place of the paths, if there are no rows. */
function proposed(rows: readonly object[], keys: readonly string[]): Proposed {
  const fitting = fittingRows(rows);
  const paths = pathsIn(rows, keys);
  const valuesOf = (path: string): readonly unknown[] => rows.map((row) => valueAt(row, path.split(".")));
  return {
    paths,
    presets: (fitting.length > 0 ? fitting : presets).map(({ id }) => id),
    mapping: proposeMap((names) => pathsFor(names, paths), valuesOf, PLACE, hashPlaces(paths, valuesOf)),
  };
}

const PLACE = "path";

/** True if the map has all that every user needs. */
function hasUsers({ mapping }: Proposed): boolean {
  return !mapping.includes(`=<${PLACE}>`);
}

/** Raises usage.no-list if the input is a document with lists, in which no path of a mapping begins. */
export function refuseDocument({ fields }: Mapping, { keys, lists }: FoundRows): void {
  const first = Object.values(fields).flatMap((expression) => readPaths(expression).map(({ path }) => path[0]));
  const isRow = first.some((step) => step !== undefined && "key" in step && keys.includes(step.key));
  if (lists.length > 0 && !isRow) throw new ProblemError({ code: "usage.no-list", lists: listsIn(lists) });
}

/** The lists as `--list` takes them, as far as their keys are names. */
function listsIn(lists: FoundRows["lists"]): readonly string[] {
  const quoted = (key: string) => (/[.[\]"]/.test(key) ? JSON.stringify(key) : key);
  return lists.filter(({ path }) => path.every(isName)).map(({ path }) => path.map(quoted).join("."));
}

/** Raises usage.other-preset if the first rows fit another preset, and not this one. */
export function refuseOtherRows(preset: JsonPreset, { rows }: FoundRows): void {
  refuseOtherPreset(preset, fittingRows(rows));
}

function fittingRows(rows: readonly object[]): readonly JsonPreset[] {
  return presets.filter(({ signatures }) =>
    signatures.some((paths) => rows.some((row) => paths.every((path) => valueAt(row, path.split(".")) !== undefined))),
  );
}

/** Paths of the first rows, as far as they are names and not values. */
function pathsIn(rows: readonly object[], keys: readonly string[]): readonly string[] {
  const paths = new Set<string>();
  for (const row of rows) {
    for (const path of leavesOf(row, MOST_LEVELS)) paths.add(path);
  }
  return rows.length === 0 ? keys.filter(isName) : [...paths];
}

/** Objects in objects are looked into as far as that. */
const MOST_LEVELS = 6;

/** The paths to what is no object, or an object without names. */
function leavesOf(value: object, levels: number): readonly string[] {
  const inside = Object.entries(value).filter(([key]) => isName(key));
  return inside.flatMap(([key, member]) => {
    const isObject = typeof member === "object" && member !== null && !Array.isArray(member);
    const leaves = isObject && levels > 1 ? leavesOf(member, levels - 1) : [];
    return leaves.length === 0 ? [key] : leaves.map((leaf) => `${key}.${leaf}`);
  });
}

/** The paths with one of these names. */
function pathsFor(names: Expression, paths: readonly string[]): readonly string[] {
  return names.split("|").flatMap((name) => paths.find((path) => isNamed(path, name)) ?? []);
}

/** What has the name that a user signs in with. */
const OF_LOGIN = /^(?:login|account|credentials?|auth)$/;

function isNamed(path: string, name: string): boolean {
  const [, parent = "", ...others] = path.split(".").map(plainName).reverse();
  if ([parent, ...others].some(isOfOther)) return false;
  const key = plainName(keyOf(path));
  return plainName(name) === (key === "name" && OF_LOGIN.test(parent) ? "loginname" : key);
}
