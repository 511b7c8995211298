import { dirname, join, resolve } from "node:path";
import { realPathOf } from "../../io/links.ts";
import { splitName } from "../../io/output/body-files.ts";
import { isSpecialFile } from "../../io/output/output.ts";
import { rejectFiles } from "../../io/output/rejects-folder.ts";
import { ProblemError } from "../../problem.ts";
import { inputsOf, type Source, type SourceInput } from "../../sources/source.ts";
import { type NamedOutput, type NamedPaths, refuseBoth } from "../shared/output-guard.ts";
import type { MigrateOptions } from "./declare.ts";

/** Refuses inputs and flags that exclude each other. Raises usage.conflict, input.same-file. */
export function checkInputs(source: Source, options: MigrateOptions, cwd: string): void {
  const inputs = inputPaths(source, options);
  const [first, second] = inputs.filter(({ path }) => path === "-");
  if (first !== undefined && second !== undefined) refuseBoth(`${first.flag} -`, `${second.flag} -`);
  refuseSameFile(inputs, cwd);
  if (options.output === "-" && options.split !== undefined) refuseBoth("--split", "--output -");
  if (options.output === "-" && options.json) refuseBoth("--json", "--output -");
}

function refuseSameFile(inputs: readonly InputPath[], cwd: string): void {
  const [first, second] = inputs.filter(({ path }) => path !== "-");
  if (first === undefined || second === undefined) return;
  if (realPathOf(cwd, first.path) !== realPathOf(cwd, second.path)) return;
  throw new ProblemError({ code: "input.same-file", file: first.path, flags: [first.flag, second.flag] });
}

/**
 * The files of a migration. Rejects that are fed back from their own folder, numbered or not, are an input: the folder's files must not
 * replace the only copy, nor the body of the corrected rows that of the others. @param named by the provider's own options.
 */
export function pathsOf(source: Source, options: MigrateOptions, named: readonly string[], cwd: string): NamedPaths {
  const inputs = [...inputPaths(source, options).map(({ path }) => path), ...named];
  return { inputs, outputs: outputsOf(source, options, inputs, cwd) };
}

/** The folder of rejects; undefined when the body goes to a stream and no folder is named. */
export function rejectsPath({ rejects, output }: MigrateOptions, cwd: string): string | undefined {
  if (rejects !== undefined) return rejects;
  return output === "-" || isStream(resolve(cwd, output)) ? undefined : `${output}.rejects`;
}

interface InputPath {
  readonly flag: string;
  readonly path: string;
}

/** The path of an input; undefined: `none` was given for an optional one. A file of that name is `./none`. */
export function pathOf({ defaultPath, optional }: SourceInput, named: string | undefined): string | undefined {
  return optional === true && named === "none" ? undefined : (named ?? defaultPath);
}

function inputPaths(source: Source, { files }: Pick<MigrateOptions, "files">): readonly InputPath[] {
  return inputsOf(source).flatMap((input) => {
    const path = pathOf(input, files[input.flag]);
    return path === undefined ? [] : [{ flag: `--${input.flag}`, path }];
  });
}

function outputsOf(
  source: Source,
  options: MigrateOptions,
  inputs: readonly string[],
  cwd: string,
): readonly NamedOutput[] {
  const { output, rejects, split } = options;
  const folder = rejectsPath(options, cwd);
  const prefix = `${realPathOf(cwd, folder ?? "")}-`;
  const isNumberedRejects = (path: string): boolean => {
    const parent = dirname(realPathOf(cwd, path));
    return parent.startsWith(prefix) && /^\d+$/.test(parent.slice(prefix.length));
  };
  const numbered = inputs.filter((path) => path !== "-" && isNumberedRejects(path));
  const files =
    folder === undefined ? [] : [...rejectFiles(inputsOf(source)).map((name) => join(folder, name)), ...numbered];
  const flag = rejects === undefined ? "--output (its .rejects folder)" : "--rejects";
  const isFile = output !== "-" && !isStream(resolve(cwd, output));
  return [
    ...(isFile ? [{ flag: "--output", path: output, ...(split === undefined ? { kind: "body" as const } : {}) }] : []),
    ...(folder === undefined ? [] : [{ flag, path: folder, isFolder: true }]),
    ...files.map((path) => ({ flag, path })),
    ...(split === undefined
      ? []
      : [{ flag: "--split", path: splitName(output, 1), isNumbered: true, kind: "body" as const }]),
  ];
}

function isStream(path: string): boolean {
  try {
    return isSpecialFile(path);
  } catch {
    return false; // the code that opens the file names the reason
  }
}
