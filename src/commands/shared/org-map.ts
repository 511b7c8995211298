import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import type { OrgMap } from "../../core/document/org-map.ts";
import { ProblemError } from "../../problem.ts";

/**
 * Reads the values of `--org-map`: `<id in the input>=<id on the target>`, or `@<file>` with two columns in CSV, of which a first row
 * without an id in it ("source,target") is a heading. Raises usage.invalid, input.missing, input.unreadable, input.org-map.
 */
export function readOrgMap(values: readonly string[], { cwd }: Pick<Context, "cwd">): OrgMap {
  const map = new Map<string, string>();
  for (const value of values) {
    const pairs = value.startsWith("@") ? readPairs(value.slice(1), cwd) : [pairOf(value)];
    for (const [from, to] of pairs) {
      const before = map.get(from);
      if (before !== undefined && before !== to) {
        throw new ProblemError({
          code: "usage.invalid",
          message: `--org-map gives ${from} two ids: ${before} and ${to}.`,
        });
      }
      map.set(from, to);
    }
  }
  return map;
}

type Pair = readonly [from: string, to: string];

function pairOf(value: string): Pair {
  const at = value.indexOf("=");
  const [from, to] = [value.slice(0, at).trim(), value.slice(at + 1).trim()];
  if (at === -1 || from === "" || to === "") {
    const message = `--org-map takes <id in the input>=<id on the target> or @<file.csv>, not "${value}".`;
    throw new ProblemError({ code: "usage.invalid", message });
  }
  return [from, to];
}

const HEADINGS = /^(from|source|old)\b/i;

function readPairs(file: string, cwd: string): Pair[] {
  const pairs: Pair[] = [];
  for (const [index, row] of readText(file, cwd).split(/\r?\n/).entries()) {
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

function readText(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), "utf8").replace(/^\ufeff/, "");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new ProblemError(
      code === "ENOENT"
        ? { code: "input.missing", file, flag: "--org-map @<file>" }
        : { code: "input.unreadable", file, reason: code },
      { cause },
    );
  }
}
