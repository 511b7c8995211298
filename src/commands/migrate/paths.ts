import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { splitName } from "../../io/output/body-files.ts";
import { isSpecialFile } from "../../io/output/output.ts";
import { rejectFiles } from "../../io/output/rejects-folder.ts";
import { realPathOf } from "../../io/real-path.ts";
import { ProblemError } from "../../problem.ts";
import { inputsOf, type Source } from "../../sources/source.ts";
import { refuseSameFile } from "./check-inputs.ts";
import type { MigrateOptions } from "./declare.ts";

/**
 * Refuses flags that cannot go together, and outputs that would overwrite an input, a file that an option names, or each other. Raises
 * usage.* problems.
 */
export function checkPaths(source: Source, options: MigrateOptions, named: readonly string[], cwd: string): void {
  const inputs = inputsOf(source).map(({ flag, defaultPath }) => ({
    flag: `--${flag}`,
    path: options.files[flag] ?? defaultPath,
  }));
  const fromStdin = inputs.filter(({ path }) => path === "-");
  if (fromStdin.length > 1) conflict(...(fromStdin.map(({ flag }) => `${flag} -`) as [string, string]));
  refuseSameFile(inputs, cwd);
  if (options.output === "-" && options.split !== undefined) conflict("--split", "--output -");
  if (options.output === "-" && options.json) conflict("--json", "--output -");
  const taken = [...inputs.map(({ path }) => path).filter((path) => path !== "-"), ...named].map((path) => ({
    flag: undefined,
    path,
    real: realPathOf(cwd, path),
  }));
  checkEach(outputsOf(source, options, cwd), taken, cwd);
  if (options.split !== undefined) checkSplits(options.output, options, taken, cwd);
}

interface Taken {
  /** undefined: an input. */
  readonly flag: string | undefined;
  readonly path: string;
  readonly real: string;
}

interface NamedOutput {
  readonly flag: string;
  readonly path: string;
  readonly isFolder?: boolean;
}

function checkEach(outputs: readonly NamedOutput[], taken: Taken[], cwd: string): void {
  for (const { flag, path, isFolder = false } of outputs) {
    const meant = realPathOf(cwd, path);
    const other = taken.find((one) => one.real === meant);
    // Rejects may go into the folder that the input is.
    if (isFolder && isDirectory(meant)) continue;
    if (other !== undefined && other.flag === undefined) {
      throw new ProblemError({ code: "usage.output-is-input", flag, path: other.path });
    }
    if (other?.flag !== undefined)
      throw new ProblemError({ code: "usage.same-output", flags: [other.flag, flag], path });
    taken.push({ flag, path, real: meant });
  }
}

/** A split run writes names that it makes up, as many as it needs: nothing else may have one of them. */
function checkSplits(
  output: string,
  { report, html, rejects }: MigrateOptions,
  taken: readonly Taken[],
  cwd: string,
): void {
  const first = realPathOf(cwd, splitName(output, 1));
  const isSplit = (path: string): boolean => path.replace(/\d{4,}(\.[^.]*)$/, "0001$1") === first;
  for (const { flag, path, real: meant } of taken) {
    if (!isSplit(meant)) continue;
    if (flag === undefined) throw new ProblemError({ code: "usage.output-is-input", flag: "--split", path });
    if (path === report || path === html || path === rejects)
      throw new ProblemError({ code: "usage.same-output", flags: ["--split", flag], path });
  }
}

/** The folder of rejects; undefined where the body goes to a stream, beside which there is no place. */
export function rejectsPath({ rejects, output }: MigrateOptions, cwd: string): string | undefined {
  if (rejects !== undefined) return rejects;
  return output === "-" || isStream(resolve(cwd, output)) ? undefined : `${output}.rejects`;
}

function isStream(path: string): boolean {
  try {
    return isSpecialFile(path);
  } catch {
    return false; // whoever opens it will say why it cannot
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // whoever opens it will say why it cannot
  }
}

function conflict(...flags: [string, string]): never {
  throw new ProblemError({ code: "usage.conflict", flags });
}

/** Everything a run may write. Rejects fed back from their own folder would be replaced while they are the only copy. */
function outputsOf(source: Source, options: MigrateOptions, cwd: string): readonly NamedOutput[] {
  const { output, rejects, report, html } = options;
  const folder = rejectsPath(options, cwd);
  const files = folder === undefined ? [] : rejectFiles(inputsOf(source));
  const flag = rejects === undefined ? "--output (its .rejects folder)" : "--rejects";
  return [
    ...(output === "-" || isStream(resolve(cwd, output)) ? [] : [{ flag: "--output", path: output }]),
    ...(folder === undefined ? [] : [{ flag, path: folder, isFolder: true }]),
    ...files.map((name) => ({ flag, path: join(folder ?? "", name) })),
    ...(report === undefined ? [] : [{ flag: "--report", path: report }]),
    ...(html === undefined ? [] : [{ flag: "--html", path: html }]),
  ];
}
