import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ProblemError } from "../../problem.ts";
import { attempt, inputProblem } from "../attempt.ts";

const FLAG = "the file argument";

/**
 * The files that some names mean, each once: a name with `*` or `?` in its last part, where no shell has looked at it, means all files of
 * that folder that fit, in the order of their names. Raises input.missing for a pattern that nothing fits.
 */
export function expandNames(names: readonly string[], cwd: string): readonly string[] {
  return [...new Set(names.flatMap((name) => expand(name, cwd)))];
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

/** A leading dot must be named. */
function matcher(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^${source}$`, "s");
  return (name) => (pattern.startsWith(".") || !name.startsWith(".")) && expression.test(name);
}

/**
 * True for what can be read a single time: stdin, a process substitution, a named pipe. What is kept beside an input, and whatever a
 * later command would read of it, is not for these. A name that leads nowhere is left to whoever opens it.
 */
export function isReadOnce(path: string, cwd: string): boolean {
  if (path === "-") return true;
  try {
    return statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isFile() === false;
  } catch {
    return false;
  }
}
