import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

/** The YAML documents of a file of `fixtures/deploy`. Raises what the parser finds wrong. */
export function manifestsIn(file: string): readonly Record<string, unknown>[] {
  const documents = parseAllDocuments(readFileSync(join("fixtures/deploy", file), "utf8"));
  if (!Array.isArray(documents)) throw new Error(`${file} is empty`);
  return documents.map((document) => {
    const [wrong] = [...document.errors, ...document.warnings];
    if (wrong !== undefined) throw wrong;
    return document.toJS() as Record<string, unknown>; // each file holds mappings alone
  });
}

/** The value at a path of keys and places; undefined when there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}
