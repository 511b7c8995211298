import { AskedMap } from "../../core/merge/asked-map.ts";
import type { Remark } from "../../problem.ts";
import { OptionFault } from "../source.ts";

// Tables of a user and an organization, or a user and a role.

/** The organizations, or roles, of each user, by the user's id. */
export type ValuesByUser = AskedMap<readonly string[]>;

/** Reads two columns; a header row is skipped. @param second what the second column is. Raises OptionFault. */
export function valuesByUser(text: string, file: string, second: string): ValuesByUser {
  const values = new Map<string, string[]>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [user = "", value = "", more] = cellsOf(line);
    if (index === 0 && user === "user_id") continue;
    if (user === "" || value === "" || more !== undefined) {
      throw new OptionFault(`${file}:${index + 1}: each row must be a user's id and ${second}.`);
    }
    addValue(values, user, value);
  }
  return new AskedMap(values);
}

/** The rows of `--org-by <file>.csv`. Raises OptionFault. */
export function orgsByUser(file: string, readFile: (path: string) => string): ValuesByUser {
  return valuesByUser(readFile(file), file, "an organization's id");
}

/** The ids of a table that no user had so far; none without a table. */
export function unmatchedIds(
  by: { readonly kind: string; readonly table?: ValuesByUser } | undefined,
): readonly string[] {
  return by?.table?.unasked ?? [];
}

export function addValue(values: Map<string, string[]>, user: string, value: string): void {
  const known = values.get(user);
  if (known === undefined) values.set(user, [value]);
  else known.push(value);
}

/** The organization of a user who is in these: a user of the service is in one. @param remarks gets `orgs-lost`. */
export function oneOrg(orgs: readonly string[] | undefined, remarks: Remark[]): string | undefined {
  if (orgs !== undefined && orgs.length > 1) remarks.push("orgs-lost");
  return orgs?.[0];
}

/** The cells of a line, with quotes or without. */
function cellsOf(line: string): readonly string[] {
  const cells = line.matchAll(/(?:^|[,;\t])[ ]*(?:"((?:[^"]|"")*)"|([^,;\t]*))/g);
  return [...cells].map(([, quoted, plain = ""]) => (quoted?.replaceAll('""', '"') ?? plain).trim());
}
