import { join } from "node:path";
import type { Context } from "../../context.ts";
import { realPathOf } from "../../io/real-path.ts";
import { type ExitCode, ProblemError, type RunProblem } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommonOptions, PageOptions } from "./common-options.ts";
import { runCommand } from "./run-command.ts";

/** The files a command line names, by what becomes of them. */
export interface NamedPaths {
  /** Read, or holding a secret: must never be written over. "-" and undefined are none. */
  readonly inputs: readonly (string | undefined)[];
  readonly outputs: readonly { readonly flag: string; readonly path: string | undefined }[];
}

/** Runs a command like `runCommand`; a line that would write an output over an input, or over another output, is refused before anything is written. */
export async function runGuarded(
  name: string,
  context: Context,
  options: CommonOptions & Partial<PageOptions>,
  paths: NamedPaths,
  body: (ui: Ui, report: Report) => Promise<ExitCode>,
): Promise<ExitCode> {
  const fault = findOverwrite(paths, options, context.cwd);
  if (fault === undefined) return runCommand(name, context, options, body);
  const { report, html, ...silent } = options;
  const flags: readonly string[] = fault.code === "usage.same-output" ? fault.flags : [fault.flag];
  const told = {
    ...silent,
    ...(report === undefined || flags.includes("--report") ? {} : { report }),
    ...(html === undefined || flags.includes("--html") ? {} : { html }),
  };
  return runCommand(name, context, told, async () => {
    throw new ProblemError(fault);
  });
}

/** The folder of `--rejects` of an import, and its files. */
export function rejectOutputs(dir: string | undefined): NamedPaths["outputs"] {
  if (dir === undefined) return [];
  const files = ["body.json", "reasons.ndjson", "unknown.ndjson"].map((name) => join(dir, name));
  return [dir, ...files].map((path) => ({ flag: "--rejects", path }));
}

function findOverwrite(
  { inputs, outputs }: NamedPaths,
  { report, html }: { readonly report?: string; readonly html?: string },
  cwd: string,
): Extract<RunProblem, { code: "usage.output-is-input" | "usage.same-output" }> | undefined {
  const taken = new Map<string, { readonly path: string; readonly flag?: string }>();
  for (const path of inputs.filter(isFile)) taken.set(realPathOf(cwd, path), { path });
  // The reports come first and are then taken themselves: no other output may be the same file.
  for (const { flag, path } of [{ flag: "--report", path: report }, { flag: "--html", path: html }, ...outputs]) {
    if (!isFile(path)) continue;
    const other = taken.get(realPathOf(cwd, path));
    if (other?.flag !== undefined) return { code: "usage.same-output", flags: [other.flag, flag], path };
    if (other !== undefined) return { code: "usage.output-is-input", flag, path: other.path };
    taken.set(realPathOf(cwd, path), { path, flag });
  }
  return undefined;
}

function isFile(path: string | undefined): path is string {
  return path !== undefined && path !== "-";
}
