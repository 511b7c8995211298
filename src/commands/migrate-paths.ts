import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ProblemError } from "../problem.ts";
import type { Source } from "../sources/source.ts";
import type { MigrateOptions } from "./migrate-options.ts";

/** Refuses flags that cannot go together, and outputs that would overwrite an input. Raises usage.* problems. */
export function checkPaths(source: Source, options: MigrateOptions, cwd: string): void {
  const inputs = source.inputs.map(({ flag, defaultPath }) => ({
    flag: `--${flag}`,
    path: options[flag] ?? defaultPath,
  }));
  const fromStdin = inputs.filter(({ path }) => path === "-");
  if (fromStdin.length > 1) conflict(...(fromStdin.map(({ flag }) => `${flag} -`) as [string, string]));
  if (options.output === "-" && options.split !== undefined) conflict("--split", "--output -");
  if (options.output === "-" && options.json) conflict("--json", "--output -");
  const read = new Map(inputs.filter(({ path }) => path !== "-").map(({ path }) => [real(cwd, path), path]));
  for (const { flag, path } of outputsOf(options)) {
    const input = read.get(real(cwd, path));
    if (input !== undefined) throw new ProblemError({ code: "usage.output-is-input", flag, path: input });
  }
}

function conflict(...flags: [string, string]): never {
  throw new ProblemError({ code: "usage.conflict", flags });
}

/** Everything a run may write. Rejects fed back from their own folder would be replaced while they are the only copy. */
function outputsOf({ output, rejects, report }: MigrateOptions): readonly { flag: string; path: string }[] {
  const folder = rejects ?? (output === "-" ? undefined : `${output}.rejects`);
  return [
    ...(output === "-" ? [] : [{ flag: "--output", path: output }]),
    ...(report === undefined ? [] : [{ flag: "--report", path: report }]),
    ...(folder === undefined
      ? []
      : ["users.ndjson", "passwords.ndjson", "reasons.ndjson"].map((name) => ({
          flag: rejects === undefined ? "--output (its .rejects folder)" : "--rejects",
          path: join(folder, name),
        }))),
  ];
}

/** The same file has one real path, however it is named; what does not exist yet is named by its folder's. */
function real(cwd: string, path: string): string {
  const absolute = resolve(cwd, path);
  try {
    return realpathSync(absolute);
  } catch {
    const folder = dirname(absolute);
    return folder === absolute ? absolute : join(real(cwd, folder), basename(absolute));
  }
}
