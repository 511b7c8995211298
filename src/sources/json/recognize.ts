import type { FoundRows } from "../../core/merge/find-rows.ts";
import { ProblemError } from "../../problem.ts";
import type { Expression } from "../mapped/fields.ts";
import { refuseOtherPreset } from "../mapped/options.ts";
import { proposeMap } from "../mapped/propose.ts";
import { isName, plainName } from "../mapped/usual-names.ts";
import { valueAt } from "../shared/options.ts";
import { type JsonPreset, presets } from "./presets.ts";

/** The preset that the first rows fit. Raises usage.unknown-rows. */
export function recognizeRows({ rows, keys }: FoundRows): JsonPreset {
  const fitting = fittingRows(rows);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  const paths = pathsIn(rows, keys);
  throw new ProblemError({
    code: "usage.unknown-rows",
    paths,
    presets: (fitting.length > 0 ? fitting : presets).map(({ id }) => id),
    mapping: proposeMap((names) => pathsFor(names, paths), "path"),
  });
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
    for (const [key, value] of Object.entries(row)) {
      if (!isName(key)) continue;
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      const inside = isObject ? Object.keys(value).filter(isName) : [];
      if (inside.length === 0) paths.add(key);
      for (const name of inside) paths.add(`${key}.${name}`);
    }
  }
  return rows.length === 0 ? keys.filter(isName) : [...paths];
}

/** The paths with one of these names. */
function pathsFor(names: Expression, paths: readonly string[]): readonly string[] {
  return names.split("|").flatMap((name) => paths.find((path) => isNamed(path, name)) ?? []);
}

function isNamed(path: string, name: string): boolean {
  return plainName(path.slice(path.lastIndexOf(".") + 1)) === plainName(name);
}
