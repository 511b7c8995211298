import { appendFileSync } from "node:fs";
import type { Context } from "../../context.ts";
import { annotationLines, jobSummary } from "../../ui/machine/github.ts";
import type { AnyReport } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";

/** Reports a run to GitHub Actions: annotations beside the log, and a summary on the page of the job. */
export function tellGitHub(report: AnyReport, { env, stderr }: Pick<Context, "env" | "stderr">, ui: Ui): void {
  // Written to stderr directly: GitHub needs the lines with --quiet too.
  for (const line of annotationLines(report)) stderr.write(`${line}\n`);
  const path = env["GITHUB_STEP_SUMMARY"];
  if (path === undefined || path === "") return;
  try {
    appendFileSync(path, jobSummary(report));
  } catch (error) {
    ui.warn(`the summary for GitHub Actions could not be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
