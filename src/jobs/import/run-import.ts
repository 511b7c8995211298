import { parseDurationMs } from "../../contract/duration.ts";
import { itemCount, type Part, planParts } from "../../core/document/items.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import type { JobState } from "../../core/transfer/job-state.ts";
import { keepHeapSmall } from "../../io/heap.ts";
import { type ExitCode, exitCodes, ProblemError, type RowProblem, type RunProblem } from "../../problem.ts";
import { count, counted, duration } from "../../ui/format.ts";
import { type ImportNumbers, planLines, smallerLine, summaryLines } from "../../ui/import-summary.ts";
import { createRetry } from "../shared/create-retry.ts";
import { scanInput } from "../shared/scan-input.ts";
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
    const { scan: found, sha256 } = await scanInput(input, { onFault: tellFaults(run, rejects) }, ui, context.signal);
    const scan = withVariant(found, flags.from);
    report.set({ target: api.address.host, variant: scan.container });
    const timeout = readTimeout(flags.timeout ?? scan.timeout ?? DEFAULT_TIMEOUT, input.path);
    if (scan.carries === "as-is") {
      const code = await sendAsIs(run, flags.timeout, (failure) => rejects.failure(failure, input.path));
      if (!flags.dryRun) await rejects.commit([], { scan, parts: [], timeout }, (extent) => input.read(extent));
      return code;
    }
    const parts = planParts(scan);
    const fault = checkFaults(scan, run);
    if (fault !== undefined) {
      await rejects.commit([], { scan, parts, timeout }, (extent) => input.read(extent));
      throw new ProblemError(fault);
    }
    sayPlan(scan, parts, run);
    if (flags.dryRun) {
      await probeRights(api, createRetry(ui, context), context.signal);
      ui.say("dry run: the body is fine and the token may import it; nothing was sent.");
      report.set({ users: numbersOf(scan, undefined), dryRun: true });
      return scan.counts.invalidUsers > 0 ? exitCodes.partial : exitCodes.done;
    }
    return await sendAndTell(run, { scan, sha256, parts, timeout, rejects });
  } finally {
    rejects.discard();
  }
}

interface Prepared {
  readonly scan: BodyScan;
  readonly sha256: string;
  readonly parts: readonly Part[];
  readonly timeout: Sending["timeout"];
  readonly rejects: Rejects;
}

async function sendAndTell(run: ImportRun, prepared: Prepared): Promise<ExitCode> {
  const { api, input, ui, context, flags } = run;
  const { scan, parts, rejects } = prepared;
  const job = await startJob(run, prepared, (entry) => {
    for (const failure of entry.failures) rejects.failure(failure as DoneFailure, input.path);
  });
  const progress = ui.progress("importing");
  const started = performance.now();
  const before = job.state.users.settled;
  const users = scan.counts.users - scan.counts.invalidUsers;
  const sending: Sending = {
    api,
    scan,
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
    retry: createRetry(ui, context),
    signal: context.signal,
    inFlight: new Map(),
    calls: 0,
    clock: undefined,
    lostSince: job.resumed ? new Date(0) : undefined,
    onDone: (entry) => {
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
  const numbers = numbersOf(scan, sending);
  await rejects.commit(job.state.failedItems, prepared, sending.read);
  tell(run, sending, numbers);
  const untouched = job.state.done.isEmpty && job.state.lost.isEmpty && sending.inFlight.size === 0;
  if (stopped !== undefined && untouched) job.journal.remove(); // there is nothing to go on with
  if (stopped !== undefined) return stop(run, stopped, untouched ? undefined : run.resumeCommand);
  // Not before everybody was told: a run that is killed while it compares, or cannot write its report, can be asked once more.
  run.report.lastly((isTold) => {
    if (isTold) job.journal.remove();
  });
  const verified = flags.verify ? await verifyTarget(run, prepared) : exitCodes.done;
  return gotThrough(job.state, numbers) ? verified : exitCodes.partial;
}

/** The objects of an instance import have no events (spec: Events). */
async function verifyTarget(run: ImportRun, { scan, timeout }: Prepared): Promise<ExitCode> {
  const byExport = scan.carries === "export";
  run.report.set({ by: byExport ? "export" : "events" });
  try {
    return await (byExport ? verifyByExport(run, scan, timeout.text) : verifyByEvents(run, scan));
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
    ui.warn(`not finished. To continue:\n  ${resumeCommand}`);
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
function numbersOf({ counts }: BodyScan, sending: Sending | undefined): ImportNumbers {
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
function checkFaults({ counts }: BodyScan, { flags, input, report }: ImportRun): RunProblem | undefined {
  const users = counts.invalidUsers + counts.otherFaults;
  if (users === 0 || (flags.skipInvalid && counts.otherFaults === 0)) return undefined;
  const { users: read } = counts;
  report.set({
    users: { read, sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0, notSent: read, skipped: 0 },
  });
  return { code: "input.invalid-users", file: input.path, users };
}

/** spec: Versioning; an export of a later version loses data as `dataOrgsv1` (service behaviour 2.11). */
function withVariant(scan: BodyScan, from: BatchFlags["from"]): BodyScan {
  if (from === undefined) return scan;
  return { ...scan, container: from === "v1" ? "dataOrgsv1" : "dataOrgs" };
}

function readTimeout(text: string, file: string): Sending["timeout"] {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms <= 0) throw new ProblemError({ code: "input.bad-timeout", file });
  return { text, ms };
}

function sayPlan(scan: BodyScan, parts: readonly Part[], { api, input, flags, ui }: ImportRun): void {
  const elements = itemCount(parts) - scan.orgs.length;
  const calls = Math.max(1, Math.ceil(elements / flags.batchUsers), Math.ceil(input.bytes / flags.batchBytes));
  const plan = {
    host: api.address.host,
    variant: scan.container,
    detected: scan.carries === "export" && flags.from === undefined,
    calls,
    left: scan.counts.users - scan.counts.invalidUsers,
  };
  for (const line of planLines(plan, scan.counts)) ui.say(line);
}
