import { join } from "node:path";
import type { Context } from "../../context.ts";
import { realPathOf } from "../../io/real-path.ts";
import { type ExitCode, ProblemError, type RunProblem } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommonOptions } from "./common-options.ts";
import { runCommand } from "./run-command.ts";

/** The files a command line names, by what becomes of them. */
export interface NamedPaths {
  /** Read, or holding a secret: must never be written over. "-" and undefined are none. */
  readonly inputs: readonly (string | undefined)[];
  readonly outputs: readonly { readonly flag: string; readonly path: string | undefined }[];
}

/** Runs a command like `runCommand`; a line that would write an output over an input is refused before anything is written. */
export async function runGuarded(
  name: string,
  context: Context,
  options: CommonOptions,
  paths: NamedPaths,
  body: (ui: Ui, report: Report) => Promise<ExitCode>,
): Promise<ExitCode> {
  const fault = findOverwrite(paths, options.report, context.cwd);
  if (fault === undefined) return runCommand(name, context, options, body);
  const { report: _, ...silent } = options;
  return runCommand(name, context, fault.flag === "--report" ? silent : options, async () => {
    throw new ProblemError(fault);
  });
}

/** The files of `--rejects` of an import. */
export function rejectOutputs(dir: string | undefined): NamedPaths["outputs"] {
  if (dir === undefined) return [];
  return ["body.json", "reasons.ndjson", "unknown.ndjson"].map((name) => ({
    flag: "--rejects",
    path: join(dir, name),
  }));
}

function findOverwrite(
  { inputs, outputs }: NamedPaths,
  report: string | undefined,
  cwd: string,
): Extract<RunProblem, { code: "usage.output-is-input" }> | undefined {
  const taken = new Map(inputs.filter(isFile).map((path) => [realPathOf(cwd, path), path]));
  // The report comes first and is then taken itself: no other output may be the same file.
  for (const { flag, path } of [{ flag: "--report", path: report }, ...outputs]) {
    if (!isFile(path)) continue;
    const input = taken.get(realPathOf(cwd, path));
    if (input !== undefined) return { code: "usage.output-is-input", flag, path: input };
    taken.set(realPathOf(cwd, path), path);
  }
  return undefined;
}

function isFile(path: string | undefined): path is string {
  return path !== undefined && path !== "-";
}
