import type { Absence } from "../../admin/users-api.ts";
import type { ReadExtent } from "../../core/document/items.ts";
import { createHalvingPolicy } from "../../core/transfer/batch-policy.ts";
import type { Failure } from "../../core/transfer/batch-result.ts";
import { keepHeapSmall } from "../../io/heap.ts";
import { type ExitCode, exitCodes, ProblemError, type RowProblem, type RunProblem } from "../../problem.ts";
import { messagesOf, planLines, usersApiAbsenceLine } from "../../ui/import-plan.ts";
import { leftAloneLine, progressText, smallerLine, stoppedLine, summaryLines } from "../../ui/import-summary.ts";
import { createRetry } from "../shared/create-retry.ts";
import { verifyByEvents } from "../verify/by-events.ts";
import { verifyByExport } from "../verify/by-export.ts";
import { dryRun } from "./dry-run.ts";
import type { ImportRun } from "./import-run.ts";
import { leaveBuiltInAlone } from "./leave-alone.ts";
import { createLimiter } from "./limiter.ts";
import { gotThrough, numbersBefore, numbersOf, unknownIds, viaOf } from "./numbers.ts";
import { findUsersApi, openUsersWay } from "./open-users-way.ts";
import { findObstacle, type Prepared, prepare } from "./prepare.ts";
import type { JobProgress } from "./progress.ts";
import { openRejects, type Rejects } from "./rejects.ts";
import { resolveOpenOnes } from "./resolve-open.ts";
import { sendAll } from "./send-all.ts";
import type { UsersWay } from "./send-context.ts";
import { sendReadyBody } from "./send-request.ts";
import { startJob } from "./start-job.ts";
import { closeRemovedOrgs, readTargetState, type TargetState } from "./target-state.ts";

const SHOWN_FAULTS = 20;
/** Calls at a time when nobody says otherwise; one of them may be a batch. */
const DEFAULT_CALLS = 16;

/** Checks the input, says what will happen, sends it and accounts for it. Raises input.*, journal.*, auth.*, api.*, net.*. */
export async function runImport(run: ImportRun): Promise<ExitCode> {
  const { api, input, settings, ui, report, context } = run;
  keepHeapSmall();
  const rejects = openRejects(settings.rejects, context);
  try {
    const prepared = await prepare(input, settings, tellFaults(run, rejects), { ui, signal: context.signal });
    const { scan } = prepared;
    report.set({ target: api.address.host, variant: scan.container });
    const obstacle = findObstacle(scan, input.path, settings);
    if (scan.carries === "as-is" && obstacle === undefined) return await sendAsItIs(run, prepared, rejects);
    if (obstacle !== undefined) {
      report.set({ users: { ...numbersBefore(scan.counts), notSent: scan.counts.users, skipped: 0 } });
      await rejects.commit([], prepared, (extent) => input.read(extent));
      throw new ProblemError(obstacle);
    }
    const hasUsersApi = (await findUsersApi(run, prepared)) === "there";
    sayPlan(run, prepared, hasUsersApi);
    if (settings.dryRun) return await dryRun(run, prepared);
    const target = await readTargetState(scan, { api, retry: createRetry(ui, context), signal: context.signal });
    return await sendAndTell(run, prepared, rejects, { hasUsersApi, target });
  } finally {
    rejects.discard();
  }
}

/** What is known of the target before anything is sent. */
interface KnownTarget {
  readonly hasUsersApi: boolean;
  readonly target: TargetState | undefined;
}

async function sendAsItIs(run: ImportRun, prepared: Prepared, rejects: Rejects): Promise<ExitCode> {
  const { input, settings } = run;
  const code = await sendReadyBody(run, settings, (failure) => rejects.failure(failure, input.path));
  if (!settings.dryRun) await rejects.commit([], prepared, (extent) => input.read(extent));
  return code;
}

async function sendAndTell(
  run: ImportRun,
  prepared: Prepared,
  rejects: Rejects,
  { hasUsersApi, target }: KnownTarget,
): Promise<ExitCode> {
  const { input, settings } = run;
  const { scan } = prepared;
  const onFailures = (failures: readonly Failure[]): void => {
    for (const failure of failures) rejects.failure(failure, input.path);
  };
  const { journal, progress } = await startJob(run, prepared, onFailures);
  const read: ReadExtent = (extent) => input.read(extent);
  const users = hasUsersApi ? await openUsersWay(run, prepared, read, settings.noMail) : undefined;
  const stopped = await send(run, prepared, { journal, progress, users, target, onFailures });
  await rejects.commit(progress.state.failedItems, prepared, (extent) => input.read(extent));
  tell(run, prepared, progress);
  const { done, lost } = progress.state;
  const untouched = done.isEmpty && lost.isEmpty && progress.inFlight.size === 0;
  // Not before everybody was told: a run that is killed while it compares, or cannot write its report, can be asked once more.
  run.report.lastly((isTold) => {
    if (isTold && (stopped === undefined || untouched)) journal.remove();
  });
  if (stopped !== undefined) return stop(run, stopped, untouched ? undefined : run.resumeCommand);
  const verified = settings.verify ? await verifyTarget(run, prepared) : exitCodes.done;
  return gotThrough(progress, numbersOf(scan.counts, progress)) ? verified : exitCodes.partial;
}

interface Sending extends Awaited<ReturnType<typeof startJob>> {
  readonly users: UsersWay | undefined;
  readonly target: TargetState | undefined;
  readonly onFailures: (failures: readonly Failure[]) => void;
}

/** Sends what is not settled yet; returns the problem that stopped it. The journal is closed. */
async function send(
  { api, input, settings, ui, context }: ImportRun,
  { scan, parts, timeout }: Prepared,
  { journal, progress, users: usersWay, target, onFailures }: Sending,
): Promise<RunProblem | undefined> {
  const { signal } = context;
  const users = scan.counts.users - scan.counts.invalidUsers;
  const { settled: before } = progress.state.users;
  const started = performance.now();
  const bar = ui.progress("importing");
  const shared = { api, scan, parts, timeout, journal, signal, retry: createRetry(ui, context) };
  const sendContext = {
    ...shared,
    read: input.read,
    users: usersWay,
    target,
    batchesAtATime: settings.concurrency ?? 1,
    limiter: createLimiter(settings.concurrency ?? DEFAULT_CALLS),
    failOnExisting: settings.failOnExisting,
    onDone: ({ failures }: { readonly failures: readonly Failure[] }) => {
      onFailures(failures);
      const { settled } = progress.state.users;
      bar.update(() => progressText({ settled, users, here: settled - before, ms: performance.now() - started }));
    },
    onNoUsersApi: once((why: Absence) => ui.warn(usersApiAbsenceLine(why))),
    onSmaller: (problem: RunProblem, limits: { readonly users: number; readonly bytes: number }) =>
      ui.say(smallerLine(problem, limits)),
  };
  try {
    if (target !== undefined) {
      closeRemovedOrgs(target, scan, progress);
      const leftAlone = await leaveBuiltInAlone(target, sendContext, progress.leftAlone);
      if (leftAlone > 0) ui.say(leftAloneLine(leftAlone));
    }
    await sendAll(
      sendContext,
      progress,
      createHalvingPolicy({ users: settings.batchUsers, bytes: settings.batchBytes }),
    );
    await resolveOpenOnes(sendContext, progress.state);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.problem;
  } finally {
    bar.stop();
    journal.close();
  }
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

/** A job that did not get to its end says how to go on; the problem itself becomes the exit code. */
function stop({ ui, report }: ImportRun, problem: RunProblem, resumeCommand: string | undefined): never {
  ui.warn(stoppedLine(resumeCommand));
  if (resumeCommand !== undefined) report.set({ resume: resumeCommand });
  throw new ProblemError(problem.code === "run.aborted" ? { ...problem, midway: true } : problem);
}

function tell({ ui, report, input }: ImportRun, { scan }: Prepared, progress: JobProgress): void {
  const { state } = progress;
  const numbers = numbersOf(scan.counts, progress);
  for (const line of summaryLines(numbers, state, input.path)) ui.say(line);
  report.set({
    users: numbers,
    via: viaOf(progress),
    unknown: unknownIds(progress),
    calls: state.calls + progress.calls,
    failures: state.failures.map(({ item: _, ...failure }) => ({ ...failure, file: input.path })),
    otherObjects: Object.fromEntries(state.others),
  });
}

function tellFaults({ ui, report, restOfFaults }: ImportRun, rejects: Rejects): (problem: RowProblem) => void {
  let told = 0;
  return (problem) => {
    report.add(problem);
    rejects.fault(problem);
    told += 1;
    if (told <= SHOWN_FAULTS) ui.problem(problem);
    if (told === SHOWN_FAULTS + 1 && restOfFaults !== undefined) ui.warn(`more of them are in ${restOfFaults}.`);
  };
}

function sayPlan({ api, input, settings, ui, report }: ImportRun, { scan }: Prepared, hasUsersApi: boolean): void {
  const { counts, routes } = scan;
  const one = hasUsersApi ? routes.users : 0;
  const elements = scan.sections.reduce((sum, { count }) => sum + count, 0) - one;
  const messages = messagesOf(counts, routes, hasUsersApi);
  const plan = {
    host: api.address.host,
    variant: scan.container,
    isDetected: scan.carries === "export" && settings.from === undefined,
    calls: one + Math.max(1, Math.ceil(elements / settings.batchUsers), Math.ceil(input.bytes / settings.batchBytes)),
    via: { import: counts.users - counts.invalidUsers - one, users: one },
    messages,
    hashes: scan.hashes,
    hasUsersApi: hasUsersApi || routes.users === 0,
  };
  for (const line of planLines(plan, counts)) ui.say(line);
  report.set({ mails: messages.mails, sms: messages.sms });
}

/** Calls a function the first time alone. */
function once<T>(tell: (value: T) => void): (value: T) => void {
  let told = false;
  return (value) => {
    if (!told) tell(value);
    told = true;
  };
}
