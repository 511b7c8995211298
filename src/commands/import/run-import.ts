import { parseDurationMs } from "../../contract/duration.ts";
import { IdTable } from "../../core/id-table.ts";
import { itemCount, type Part, planParts } from "../../core/items.ts";
import type { JobState } from "../../core/job-state.ts";
import type { Survey } from "../../core/survey.ts";
import { keepHeapSmall } from "../../io/heap.ts";
import { type ExitCode, exitCodes, ProblemError, type RowProblem, type RunProblem } from "../../problem.ts";
import { count, counted, duration } from "../../ui/format.ts";
import { type ImportNumbers, planLines, smallerLine, summaryLines } from "../../ui/import-summary.ts";
import { createPatience } from "../connect.ts";
import { verifyByEvents } from "../verify/by-events.ts";
import { verifyByExport } from "../verify/by-export.ts";
import { sendAsIs } from "./as-is.ts";
import type { BatchFlags } from "./flags.ts";
import type { ImportRun } from "./import-run.ts";
import { probeRights } from "./probe.ts";
import { openRejects, type Rejects } from "./rejects.ts";
import { sendAll } from "./send.ts";
import type { Sending } from "./sending.ts";
import { startJob } from "./start-job.ts";
import { surveyInput } from "./survey-input.ts";

const DEFAULT_TIMEOUT = "5m0s";
const SHOWN_FAULTS = 20;
/** Half of the calls that must go well before calls get larger again after the first time-out. */
const GROW_AFTER = 4;

/** Checks the input, says what will happen, sends it and accounts for it. Raises input.*, journal.*, auth.*, api.*, net.*. */
export async function runImport(run: ImportRun): Promise<ExitCode> {
  const { api, input, flags, ui, report, context } = run;
  keepHeapSmall();
  const rejects = openRejects(flags.rejects, context);
  try {
    const { survey: found, sha256 } = await surveyInput(
      input,
      { onFault: tellFaults(run, rejects) },
      ui,
      context.signal,
    );
    const survey = withVariant(found, flags.from);
    report.set({ target: api.address.host, variant: survey.container });
    const timeout = readTimeout(flags.timeout ?? survey.timeout ?? DEFAULT_TIMEOUT, input.path);
    if (survey.carries === "as-is") {
      const code = await sendAsIs(run, flags.timeout, (failure) => rejects.failure(failure, input.path));
      if (!flags.dryRun) await rejects.commit([], { survey, parts: [], timeout }, (extent) => input.read(extent));
      return code;
    }
    const parts = planParts(survey);
    const fault = checkFaults(survey, run);
    if (fault !== undefined) {
      await rejects.commit([], { survey, parts, timeout }, (extent) => input.read(extent));
      throw new ProblemError(fault);
    }
    sayPlan(survey, parts, run);
    if (flags.dryRun) {
      await probeRights(api, createPatience(ui, context), context.signal);
      ui.say("dry run: the body is fine and the token may import it; nothing was sent.");
      report.set({ users: numbersOf(survey, undefined), dryRun: true });
      return survey.counts.invalidUsers > 0 ? exitCodes.partial : exitCodes.done;
    }
    return await sendAndTell(run, { survey, sha256, parts, timeout, rejects });
  } finally {
    rejects.discard();
  }
}

interface Prepared {
  readonly survey: Survey;
  readonly sha256: string;
  readonly parts: readonly Part[];
  readonly timeout: Sending["timeout"];
  readonly rejects: Rejects;
}

async function sendAndTell(run: ImportRun, prepared: Prepared): Promise<ExitCode> {
  const { api, input, ui, context, flags } = run;
  const { survey, parts, rejects } = prepared;
  const job = await startJob(run, prepared, (entry) => {
    for (const failure of entry.failures) rejects.failure(failure as DoneFailure, input.path);
  });
  const progress = ui.progress("importing");
  const started = performance.now();
  const before = job.state.users.settled;
  const users = survey.counts.users - survey.counts.invalidUsers;
  const sending: Sending = {
    api,
    survey,
    parts,
    read: (extent) => input.read(extent),
    ...job,
    timeout: prepared.timeout,
    limits: { users: flags.batchUsers, bytes: flags.batchBytes },
    fullLimits: { users: flags.batchUsers, bytes: flags.batchBytes },
    growth: { smooth: 0, after: GROW_AFTER },
    sentIds: new IdTable(),
    concurrency: flags.concurrency,
    failOnExisting: flags.failOnExisting,
    patience: createPatience(ui, context),
    signal: context.signal,
    inFlight: new Map(),
    calls: 0,
    clock: undefined,
    lostSince: job.resumed ? new Date(0) : undefined,
    onSettled: (entry) => {
      for (const failure of entry.failures) rejects.failure(failure as DoneFailure, input.path);
      progress.update(() => progressText(job.state.users.settled, users, job.state.users.settled - before, started));
    },
    onSmaller: (problem, limits) => ui.say(smallerLine(problem, limits)),
  };
  let stopped: RunProblem | undefined;
  try {
    await sendAll(sending);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    stopped = error.problem;
  } finally {
    progress.stop();
    job.journal.close();
  }
  const numbers = numbersOf(survey, sending);
  await rejects.commit(job.state.failedItems, prepared, sending.read);
  tell(run, sending, numbers);
  const untouched = job.state.done.isEmpty && job.state.lost.isEmpty && sending.inFlight.size === 0;
  if (stopped !== undefined && untouched) job.journal.remove(); // there is nothing to go on with
  if (stopped !== undefined) return stop(run, stopped, untouched ? undefined : run.resumeCommand);
  job.journal.remove();
  const verified = flags.verify ? await verifyTarget(run, prepared) : exitCodes.done;
  return gotThrough(job.state, numbers) ? verified : exitCodes.partial;
}

/** The objects of an instance import have no events (spec: Events). */
async function verifyTarget(run: ImportRun, { survey, timeout }: Prepared): Promise<ExitCode> {
  const byExport = survey.carries === "export";
  run.report.set({ by: byExport ? "export" : "events" });
  try {
    return await (byExport ? verifyByExport(run, survey, timeout.text) : verifyByEvents(run, survey));
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "run.aborted") throw error;
    throw new ProblemError({ ...error.problem, allSent: true }, { cause: error });
  }
}

type DoneFailure = Parameters<Rejects["failure"]>[0];

function progressText(settled: number, users: number, here: number, started: number): string {
  const perMs = here / (performance.now() - started);
  return `${count(settled)} of ${counted(users, "user")}, ${count(Math.round(perMs * 1000))}/s, ${duration((users - settled) / perMs)} left`;
}

function gotThrough(state: JobState, { unknown, skipped }: ImportNumbers): boolean {
  return state.failed === 0 && unknown === 0 && skipped === 0;
}

/** A job that did not get to its end says how to go on; the problem itself becomes the exit code. */
function stop({ ui, report }: ImportRun, problem: RunProblem, resumeCommand: string | undefined): never {
  if (resumeCommand !== undefined) {
    ui.warn(`not finished. To go on:\n  ${resumeCommand}`);
    report.set({ resume: resumeCommand });
  } else ui.warn("not finished. Running the same again is safe: what is there is counted as already there.");
  throw new ProblemError(problem.code === "run.aborted" ? { ...problem, midway: true } : problem);
}

function tell({ ui, report, input }: ImportRun, sending: Sending, numbers: ImportNumbers): void {
  const { state } = sending;
  for (const line of summaryLines(numbers, state, input.path)) ui.say(line);
  report.set({
    users: numbers,
    unknown: [...state.unknown, ...sending.inFlight.values()],
    calls: state.calls + sending.calls,
    failures: state.failures.map(({ item: _, ...failure }) => ({ ...failure, file: input.path })),
    otherObjects: Object.fromEntries(state.others),
  });
}

/** `sending` is undefined before anything is sent. */
function numbersOf({ counts }: Survey, sending: Sending | undefined): ImportNumbers {
  const { settled, created, alreadyThere, failed } = sending?.state.users ?? {
    settled: 0,
    created: 0,
    alreadyThere: 0,
    failed: 0,
  };
  const inFlight = sending?.inFlight.size ?? 0;
  const sent = settled + inFlight;
  const unknown = (sending?.state.unknown.length ?? 0) + inFlight;
  const { users: read, invalidUsers: skipped } = counts;
  return { read, sent, created, alreadyThere, failed, unknown, notSent: read - sent - skipped, skipped };
}

function tellFaults({ ui, report, flags }: ImportRun, rejects: Rejects): (problem: RowProblem) => void {
  const hasRejects = flags.rejects !== undefined && !flags.dryRun;
  const place = hasRejects ? "the rejects" : flags.json || flags.report !== undefined ? "the report" : undefined;
  let told = 0;
  return (problem) => {
    report.add(problem);
    rejects.fault(problem);
    told += 1;
    if (told <= SHOWN_FAULTS) ui.problem(problem);
    if (told === SHOWN_FAULTS + 1 && place !== undefined) ui.warn(`more of them are in ${place}.`);
  };
}

/** What keeps the input from being sent. */
function checkFaults({ counts }: Survey, { flags, input, report }: ImportRun): RunProblem | undefined {
  const users = counts.invalidUsers + counts.otherFaults;
  if (users === 0 || (flags.skipInvalid && counts.otherFaults === 0)) return undefined;
  const { users: read } = counts;
  report.set({
    users: { read, sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0, notSent: read, skipped: 0 },
  });
  return { code: "input.invalid-users", file: input.path, users };
}

/** spec: Versioning; an export of a later version loses data as `dataOrgsv1` (service behaviour 2.11). */
function withVariant(survey: Survey, from: BatchFlags["from"]): Survey {
  if (from === undefined) return survey;
  return { ...survey, container: from === "v1" ? "dataOrgsv1" : "dataOrgs" };
}

function readTimeout(text: string, file: string): Sending["timeout"] {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms <= 0) throw new ProblemError({ code: "input.bad-timeout", file });
  return { text, ms };
}

function sayPlan(survey: Survey, parts: readonly Part[], { api, input, flags, ui }: ImportRun): void {
  const elements = itemCount(parts) - survey.orgs.length;
  const calls = Math.max(1, Math.ceil(elements / flags.batchUsers), Math.ceil(input.bytes / flags.batchBytes));
  const plan = {
    host: api.address.host,
    variant: survey.container,
    detected: survey.carries === "export" && flags.from === undefined,
    calls,
    left: survey.counts.users - survey.counts.invalidUsers,
  };
  for (const line of planLines(plan, survey.counts)) ui.say(line);
}
