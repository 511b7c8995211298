import { appendFileSync } from "node:fs";
import type { Context } from "../../context.ts";
import { annotationLines, jobSummary, type ShownReport } from "../../ui/machine/github.ts";
import type { Ui } from "../../ui/ui.ts";

/** Tells GitHub Actions how a run went: annotations beside the log, and a summary on the job's page. */
export function tellGitHub(report: ShownReport, { env, stderr }: Pick<Context, "env" | "stderr">, ui: Ui): void {
  // Not by the voice of the run: its lines are for people, and --quiet is no reason.
  for (const line of annotationLines(report)) stderr.write(`${line}\n`);
  const path = env["GITHUB_STEP_SUMMARY"];
  if (path === undefined || path === "") return;
  try {
    appendFileSync(path, jobSummary(report));
  } catch (error) {
    ui.warn(`the summary for GitHub Actions could not be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
