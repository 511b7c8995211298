import { parseAs } from "../../admin/answer-json.ts";
import type { Context } from "../../context.ts";
import { openDocument } from "../../io/input/document.ts";
import { expandNames } from "../../io/input/patterns.ts";
import { count, counted } from "../../problem/format.ts";
import { type ExitCode, ProblemError } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import { accountLines, otherLines } from "../../ui/summary/import-summary.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { runCommand } from "../shared/run-command.ts";
import type { ReportMergeOptions } from "./declare.ts";
import { type MergedReport, mergeReports, worstExit } from "./merge-reports.ts";
import { findShardFault, type ReadReport, ShardReport } from "./shard-report.ts";

/**
 * `report merge <reports...>`: adds up the reports of all shards of an import. The exit code is that of the worst shard; a shard that is
 * missing or occurs twice is exit 3.
 */
export async function mergeShards(
  names: readonly string[],
  options: ReportMergeOptions,
  { context }: CommandWorld,
): Promise<ExitCode> {
  const paths = { inputs: names, outputs: [] };
  return runCommand({ name: "report merge", context, options, paths }, async (ui, report) => {
    const reports: ReadReport[] = [];
    for (const path of expandNames(names, context.cwd)) reports.push(await readReport(path, context));
    const fault = findShardFault(reports);
    const merged = mergeReports(reports);
    tell(merged, fault === undefined, ui, report);
    if (fault !== undefined) throw new ProblemError(fault);
    return worstExit(merged);
  });
}

/** Raises shards.not-one, and the problems of reading. */
async function readReport(path: string, context: Context): Promise<ReadReport> {
  const document = await openDocument(path, context);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of document.read({ start: 0, end: document.bytes })) chunks.push(Buffer.from(chunk));
  } finally {
    await document.close();
  }
  const report = parseAs(ShardReport, Buffer.concat(chunks).toString());
  if (report === undefined) throw new ProblemError({ code: "shards.not-one", file: path });
  return { path, report };
}

function tell(merged: MergedReport, isWhole: boolean, ui: Ui, report: Report): void {
  const { shards, files = [], users, otherObjects, unfinished, dryRun } = merged;
  report.set({ ...merged, isWhole });
  ui.say(`shards:   ${count(shards)} with ${counted(files.length, "file")}${isWhole ? "" : ", which are not all"}`);
  for (const line of [...accountLines(users), ...otherLines(Object.entries(otherObjects))]) ui.say(line);
  if (dryRun) ui.say("these were dry runs: nothing was sent.");
  for (const { shard, exitCode, resume } of unfinished) {
    const end = `shard ${shard} ended with exit code ${exitCode}.`;
    if (resume === undefined) ui.warn(end);
    else ui.warn(`${end} To continue:`, `  ${resume}`);
  }
  const ends = unfinished.map(({ shard, exitCode }) => `shard ${shard} with ${exitCode}`).join(", ");
  report.why(`${count(unfinished.length)} of ${counted(shards, "shard")} did not end with exit code 0: ${ends}.`);
}
