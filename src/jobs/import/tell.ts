import { ProblemError, type RowProblem, type RunProblem } from "../../problem.ts";
import { messagesOf, planLines } from "../../ui/import-plan.ts";
import { stoppedLine, summaryLines } from "../../ui/import-summary.ts";
import { placeOf } from "../shared/scan-input.ts";
import type { ImportRun } from "./import-run.ts";
import { numbersOf, unknownIds, viaOf } from "./numbers.ts";
import type { Prepared } from "./prepare.ts";
import type { JobProgress } from "./progress.ts";
import type { Rejects } from "./rejects.ts";

const SHOWN_FAULTS = 20;

/** A job that did not get to its end says how to go on; the problem itself becomes the exit code. */
export function stop({ ui, report }: ImportRun, problem: RunProblem, resumeCommand: string | undefined): never {
  ui.warn(stoppedLine(resumeCommand));
  if (resumeCommand !== undefined) report.set({ resume: resumeCommand });
  throw new ProblemError(problem.code === "run.aborted" ? { ...problem, midway: true } : problem);
}

export function tell({ ui, report, input }: ImportRun, { scan }: Prepared, progress: JobProgress): void {
  const { state } = progress;
  const numbers = numbersOf(scan.counts, progress);
  const place = (line: number): ReturnType<typeof placeOf> => placeOf(input, line);
  for (const line of summaryLines(numbers, state, place)) ui.say(line);
  report.set({
    users: numbers,
    via: viaOf(progress),
    unknown: unknownIds(progress),
    calls: state.calls + progress.calls,
    failures: state.failures.map(({ item: _, line, ...failure }) => ({
      ...failure,
      ...(line === undefined ? { file: input.path } : place(line)),
    })),
    otherObjects: Object.fromEntries(state.others),
  });
}

export function tellFaults({ ui, report, restOfFaults }: ImportRun, rejects: Rejects): (problem: RowProblem) => void {
  let told = 0;
  return (problem) => {
    report.add(problem);
    rejects.fault(problem);
    told += 1;
    if (told <= SHOWN_FAULTS) ui.problem(problem);
    if (told === SHOWN_FAULTS + 1 && restOfFaults !== undefined) ui.warn(`more of them are in ${restOfFaults}.`);
  };
}

export function sayPlan(
  { api, input, settings, ui, report }: ImportRun,
  { scan }: Prepared,
  hasUsersApi: boolean,
): void {
  const { counts, routes } = scan;
  const { batchUsers, batchBytes } = settings;
  const one = hasUsersApi ? routes.users : 0;
  const elements = scan.sections.reduce((sum, { count }) => sum + count, 0) - one;
  const messages = messagesOf(counts, routes, hasUsersApi);
  const plan = {
    host: api.address.host,
    variant: scan.container,
    isDetected: scan.carries === "export" && settings.from === undefined,
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
  report.set({ mails: messages.mails, sms: messages.sms });
}
