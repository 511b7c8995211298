import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ProblemError } from "../../problem.ts";
import { attempt, inputProblem } from "../attempt.ts";

const FLAG = "the file argument";

/**
 * Expands patterns that no shell has expanded: a name with `*` or `?` in its last segment stands for the matching files of the folder,
 * sorted by name. Returns each file once, by its first name. Raises input.missing for a pattern without a match.
 */
export function expandNames(names: readonly string[], cwd: string): readonly string[] {
  const byPath = new Map<string, string>();
  for (const name of names.flatMap((one) => expand(one, cwd))) {
    const path = name === "-" ? name : resolve(cwd, name);
    if (!byPath.has(path)) byPath.set(path, name);
  }
  return [...byPath.values()];
}

function expand(name: string, cwd: string): readonly string[] {
  const at = name.lastIndexOf("/") + 1;
  const pattern = name.slice(at);
  if (!/[*?]/.test(pattern) || existsSync(resolve(cwd, name))) return [name];
  const folder = name.slice(0, at);
  const fits = matcher(pattern);
  const entries = attempt(() => readdirSync(resolve(cwd, folder), { withFileTypes: true }), inputProblem(name, FLAG));
  const files = entries.filter((entry) => !entry.isDirectory() && fits(entry.name)).map((entry) => entry.name);
  if (files.length === 0) throw new ProblemError({ code: "input.missing", file: name, flag: FLAG });
  return files.sort().map((file) => (folder === "" ? file : join(folder, file)));
}

/** `*` and `?` do not match a leading dot. */
function matcher(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^${source}$`, "s");
  return (name) => (pattern.startsWith(".") || !name.startsWith(".")) && expression.test(name);
}

/**
 * True for an input that can be read only once: stdin, a process substitution, a named pipe. Journals and other files beside an input
 * do not apply to it. False for a missing file: opening it raises the problem.
 */
export function isReadOnce(path: string, cwd: string): boolean {
  if (path === "-") return true;
  try {
    return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isFile() === false;
  } catch {
    return false;
  }
}
