import type { Context } from "../../context.ts";
import type { IdMaps, IdpMap, OrgMap } from "../../core/document/org-map.ts";
import { readText } from "../../io/input/text.ts";
import { ProblemError } from "../../problem.ts";

/** Far more than thousands of organizations need. */
const MAX_FILE_BYTES = 2 ** 26;

/** The values of `--org-map` and `--idp`; an absent flag has none. Raises what reading them raises. */
export async function readIdMaps(
  { orgMap, idp = [] }: { readonly orgMap: readonly string[]; readonly idp?: readonly string[] },
  context: FileWorld,
): Promise<IdMaps> {
  return { orgMap: await readOrgMap(orgMap, context), idpMap: readIdpMap(idp) };
}

/**
 * Reads the values of `--org-map`: `<id in the input>=<id on the target>`, or `@<file>` for a CSV file with two columns. The first row may
 * be a heading ("source,target"). Raises usage.invalid, input.missing, .directory, .unreadable, .org-map.
 */
async function readOrgMap(values: readonly string[], context: FileWorld): Promise<OrgMap> {
  const map = new Map<string, string>();
  for (const value of values) {
    const pairs = value.startsWith("@") ? await readPairs(value.slice(1), context) : [pairOf(value, ORG_MAP)];
    for (const pair of pairs) addPair(map, pair, "--org-map");
  }
  return map;
}

/** Reads the values of `--idp`: `<id in the input>=<id on the target>`. Raises usage.invalid. */
function readIdpMap(values: readonly string[]): IdpMap {
  const map = new Map<string, string>();
  for (const value of values) addPair(map, pairOf(value, "--idp takes <id in the input>=<id on the target>"), "--idp");
  return map;
}

function addPair(map: Map<string, string>, [from, to]: Pair, flag: string): void {
  const before = map.get(from);
  if (before !== undefined && before !== to) {
    throw new ProblemError({ code: "usage.invalid", message: `${flag} gives ${from} two ids: ${before} and ${to}.` });
  }
  map.set(from, to);
}

const ORG_MAP = "--org-map takes <id in the input>=<id on the target> or @<file.csv>";

type FileWorld = Pick<Context, "cwd" | "stdin" | "signal" | "cleanUp">;

/** The files that values of `--org-map` name. No output may replace them. */
export function orgMapFiles(values: readonly string[]): string[] {
  return values.filter((value) => value.startsWith("@")).map((value) => value.slice(1));
}

type Pair = readonly [from: string, to: string];

/** @param form what the flag takes, for the message. */
function pairOf(value: string, form: string): Pair {
  const at = value.indexOf("=");
  const [from, to] = [value.slice(0, at).trim(), value.slice(at + 1).trim()];
  if (at === -1 || from === "" || to === "") {
    const message = `${form}, not "${value}".`;
    throw new ProblemError({ code: "usage.invalid", message });
  }
  return [from, to];
}

const HEADINGS = /^(from|source|old)\b/i;

async function readPairs(file: string, context: FileWorld): Promise<Pair[]> {
  const pairs: Pair[] = [];
  const text = await readText(file, { ...context, flag: "--org-map @<file>" }, MAX_FILE_BYTES);
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    if (row.trim() === "" || (index === 0 && HEADINGS.test(unquoted(row)))) continue;
    const cells = row.split(row.includes(";") ? ";" : ",").map(unquoted);
    const [from = "", to = ""] = cells;
    if (cells.length !== 2 || from === "" || to === "") {
      throw new ProblemError({ code: "input.org-map", file, line: index + 1 });
    }
    pairs.push([from, to]);
  }
  return pairs;
}

function unquoted(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();
}
