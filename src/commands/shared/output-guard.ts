import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { realPathOf } from "../../io/links.ts";
import { namesFolder } from "../../io/output/output.ts";
import { findReplaced, journalBeside, type Replaced } from "../../io/output/replaceable.ts";
import { REJECT_FILES } from "../../jobs/import/outcome/rejects.ts";
import { type OutputKind, ProblemError, type RunProblem } from "../../problem.ts";

/** Refuses two flags that exclude each other. Raises usage.conflict. */
export function refuseBoth(first: string, second: string): never {
  throw new ProblemError({ code: "usage.conflict", flags: [first, second] });
}

/** The files that a command line names. "-" and undefined are none. */
export interface NamedPaths {
  /** Files that are read or hold a secret: no output may replace them. */
  readonly inputs: readonly (string | undefined)[];
  readonly outputs: readonly NamedOutput[];
}

export interface NamedOutput {
  readonly flag: string;
  readonly path: string | undefined;
  /** A folder that receives files; it may exist, and it may be an input. */
  readonly isFolder?: boolean;
  /** A file that goes elsewhere if its place is an input's. */
  readonly mayMove?: boolean;
  /** The first of several files: `body-0001.json` stands for `body-0002.json` and all others. */
  readonly isNumbered?: boolean;
  /**
   * Only for a file that is replaced as a whole: it is not replaced if it is of another kind.
   */
  readonly kind?: OutputKind;
}

/** An output that would replace a file of another kind, a folder, or the input of an unfinished import. */
export type Foreign = Extract<RunProblem, { code: "output.other-file" | "output.unwritable" | "output.half-imported" }>;

/**
 * The outputs that would replace a file of another kind, or the input of an unfinished import; none if `force` is true.
 *
 * @param force undefined: the command has no `--force`.
 */
export function findForeign(
  outputs: readonly NamedOutput[],
  cwd: string,
  force: boolean | undefined,
): readonly Foreign[] {
  if (force === true) return [];
  return outputs.flatMap(({ flag, path, kind, isNumbered = false }): readonly Foreign[] => {
    if (!isFile(path) || kind === undefined) return [];
    const paths = isNumbered ? seriesOf(path, cwd) : [path];
    const isForeign = (replaced: Replaced): boolean => !["nothing", "special", kind].includes(replaced);
    const file = paths.find((one) => isForeign(findReplaced(resolve(cwd, one))));
    if (file !== undefined) return [{ code: "output.other-file", file, flag, kind, canForce: force === false }];
    const isInput = kind === "body" || kind === "export";
    const imported = paths.find((one) => isInput && existsSync(resolve(cwd, journalBeside(one))));
    if (imported === undefined) return [];
    return [{ code: "output.half-imported", file: imported, flag, journal: journalBeside(imported) }];
  });
}

/** The outputs that are folders and should be files, also those that are written as folders (`new/`) and do not exist. */
export function findFolders(outputs: readonly NamedOutput[], cwd: string): readonly Foreign[] {
  return outputs.flatMap(({ path, isFolder = false }) =>
    isFile(path) && !isFolder && (namesFolder(path) || isDirectory(resolve(cwd, path)))
      ? [{ code: "output.unwritable", file: path, reason: "EISDIR" } as const]
      : [],
  );
}

/** The existing files of a numbered series: `body-0001.json`, `body-0002.json`, … */
function seriesOf(first: string, cwd: string): readonly string[] {
  const paths: string[] = [];
  for (let number = 1; ; number += 1) {
    const path = first.replace(/\d{4,}(\.[^.]*)$/, `${String(number).padStart(4, "0")}$1`);
    if (!existsSync(resolve(cwd, path))) return paths;
    paths.push(path);
  }
}

/** An output that would replace an input or another output. */
export type Overwrite = Extract<RunProblem, { code: "usage.output-is-input" | "usage.same-output" }>;

/** The files of `--rejects` of an import: with an input among them, they go to a numbered folder. */
export function rejectOutputs(dir: string | undefined): readonly NamedOutput[] {
  if (dir === undefined) return [];
  const files = REJECT_FILES.map((name) => join(dir, name));
  return [
    { flag: "--rejects", path: dir, isFolder: true },
    ...files.map((path) => ({ flag: "--rejects", path, mayMove: true })),
  ];
}

/** The first output that would replace an input or another output; undefined: there is none. Relative paths start at `cwd`. */
export function findOverwrite({ inputs, outputs }: NamedPaths, cwd: string): Overwrite | undefined {
  const taken = new Map<string, { readonly path: string; readonly flag?: string }>();
  for (const path of inputs.filter(isFile)) taken.set(realPathOf(cwd, path), { path });
  for (const { flag, path, isFolder = false, isNumbered = false, mayMove = false } of outputs) {
    if (!isFile(path)) continue;
    const real = realPathOf(cwd, path);
    if (isFolder && isDirectory(real)) continue;
    const same = isNumbered ? [...taken.keys()].find((other) => firstOf(other) === real) : real;
    const other = taken.get(same ?? "");
    if (other?.flag !== undefined) return { code: "usage.same-output", flags: [other.flag, flag], path: other.path };
    if (other !== undefined && mayMove) continue;
    if (other !== undefined) return { code: "usage.output-is-input", flag, path: other.path };
    taken.set(real, { path, flag });
  }
  return undefined;
}

/** The first file of the series that a numbered file belongs to. */
function firstOf(path: string): string {
  return path.replace(/\d{4,}(\.[^.]*)$/, "0001$1");
}

function isFile(path: string | undefined): path is string {
  return path !== undefined && path !== "-";
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // the code that opens the folder names the reason
  }
}
