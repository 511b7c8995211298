import type { UpdateResult } from "../../core/update/update-result.ts";
import { ProblemError, type RowProblem, type RunProblem } from "../../problem.ts";
import { LISTED_PROBLEMS } from "../../ui/report.ts";
import { NOT_CARRIED } from "../../ui/summary/export-summary.ts";
import { AT_ONCE_LINE, type Messages, messagesOf, planLines } from "../../ui/summary/import-plan.ts";
import { notThroughLine, stoppedLine, summaryLines } from "../../ui/summary/import-summary.ts";
import { updateLines } from "../../ui/summary/update-plan.ts";
import { placeOf } from "../shared/scan-input.ts";
import type { ImportRun } from "./import-run.ts";
import { numbersOf, unknownIds, viaOf } from "./numbers.ts";
import type { Plan } from "./plan/plan.ts";
import type { JobProgress } from "./progress.ts";
import type { Rejects } from "./rejects.ts";
import { writesConcurrently } from "./settings.ts";

const SHOWN_FAULTS = 20;

/** A job that did not get to its end says how to go on; the problem itself becomes the exit code. */
export function stop({ ui, report }: ImportRun, problem: RunProblem, resumeCommand: string | undefined): never {
  ui.warn(stoppedLine(resumeCommand));
  if (resumeCommand !== undefined) report.set({ resume: resumeCommand });
  throw new ProblemError(problem.code === "run.aborted" ? { ...problem, midway: true } : problem);
}

export function tell(
  { ui, report, input, settings }: ImportRun,
  { scan }: Plan,
  progress: JobProgress,
  rejects: Rejects,
): void {
  const { state } = progress;
  const numbers = numbersOf(scan.counts, progress);
  const place = (line: number): ReturnType<typeof placeOf> => placeOf(input, line);
  for (const line of summaryLines(numbers, state, place)) ui.say(line);
  report.why(notThroughLine(numbers, state, settings.rejects));
  report.set({
    users: numbers,
    via: viaOf(progress),
    ...unknownFields(unknownIds(progress), rejects),
    calls: state.calls + progress.calls,
    failures: state.failures.map(({ item: _, line, ...failure }) => ({
      ...failure,
      ...(line === undefined ? { file: input.path } : place(line)),
    })),
    otherObjects: Object.fromEntries(state.others),
  });
  const { updates } = progress;
  if (updates !== undefined) tellUpdates(updates, { ui, report }, true);
}

/** Says what bringing users up to date comes to, or came to, and puts all of it into the report. */
export function tellUpdates(
  updates: UpdateResult,
  { ui, report }: Pick<ImportRun, "ui" | "report">,
  isDone: boolean,
): void {
  for (const line of updateLines(updates, isDone)) ui.say(line);
  const { unchanged, delete: deleted, deactivate: deactivated, ...lists } = updates;
  report.set({ deleted: deleted.length, deactivated: deactivated.length, conflicts: lists.conflict.length });
  report.set({ update: { unchanged, delete: deleted, deactivate: deactivated, ...lists } });
}

/** The first ids whose outcome is open, how many there are, and where all of them are. */
function unknownFields(ids: readonly string[], { unknownFile }: Rejects): Readonly<Record<string, unknown>> {
  return {
    unknown: ids.slice(0, LISTED_PROBLEMS),
    unknownCount: ids.length,
    ...(ids.length === 0 || unknownFile === undefined ? {} : { unknownFile }),
  };
}

export function tellFaults(
  { ui, report, files: { restOfFaults } }: ImportRun,
  rejects: Rejects,
): (problem: RowProblem) => void {
  let told = 0;
  return (problem) => {
    report.add(problem);
    rejects.fault(problem);
    told += 1;
    if (told <= SHOWN_FAULTS) ui.problem(problem);
    if (told === SHOWN_FAULTS + 1 && restOfFaults !== undefined) ui.warn(`more of them are in ${restOfFaults}.`);
  };
}

/** Says what will happen, and returns who will be written to; undefined where only the comparison of an update tells. */
export function sayPlan(
  { api, input, settings, ui, report }: ImportRun,
  { scan }: Plan,
  hasUsersApi: boolean,
): Messages | undefined {
  const { counts, routes } = scan;
  const { batchUsers, batchBytes } = settings.calls;
  const one = hasUsersApi ? routes.users : 0;
  const elements = scan.sections.reduce((sum, { count }) => sum + count, 0) - one;
  // Only those who are made or changed are written to, and who that is the comparison tells.
  const messages = settings.plan.update === undefined ? messagesOf(counts, routes, hasUsersApi) : undefined;
  const plan = {
    host: api.address.host,
    variant: scan.container,
    isDetected: scan.carries === "export" && settings.plan.from === undefined,
    calls:
      batchUsers === "auto"
        ? undefined
        : one + Math.max(1, Math.ceil(elements / batchUsers), Math.ceil(input.bytes / batchBytes)),
    via: { import: counts.users - counts.invalidUsers - one, users: one },
    messages,
    hashes: scan.hashes,
    hasUsersApi: hasUsersApi || routes.users === 0,
  };
  for (const line of planLines(plan, counts)) ui.say(line);
  if (!settings.dryRun && writesConcurrently(settings.calls)) ui.warn(AT_ONCE_LINE);
  const notCarried = scan.carries === "export" ? { notCarried: NOT_CARRIED } : {};
  const told = messages === undefined ? {} : { mails: messages.mails, sms: messages.sms };
  report.set({ ...told, hashes: Object.fromEntries(scan.hashes), ...notCarried });
  return messages;
}
