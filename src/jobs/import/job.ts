import type { Absence } from "../../admin/users-api.ts";
import type { Failure } from "../../core/transfer/answer/batch-result.ts";
import { createHalvingPolicy } from "../../core/transfer/batch-policy.ts";
import { createPace } from "../../core/transfer/pace.ts";
import { type ExitCode, exitCodes, ProblemError, type RunProblem } from "../../problem.ts";
import { usersApiAbsenceLine } from "../../ui/summary/import-plan.ts";
import { leftAloneLine, smallerLine } from "../../ui/summary/import-summary.ts";
import { sayNext } from "../../ui/terminal/next-steps.ts";
import { createRetry } from "../shared/create-retry.ts";
import { readSelf } from "../shared/user-life.ts";
import { withProgress } from "../shared/with-progress.ts";
import { watchEvents } from "./event-watch.ts";
import type { ImportRun } from "./import-run.ts";
import { writeManifest } from "./manifest.ts";
import { gotThrough, numbersBefore, numbersOf, unknownIds } from "./numbers.ts";
import { sayPlan, stop, tell, tellFaults } from "./outcome.ts";
import { leaveBuiltInAlone } from "./plan/built-in.ts";
import { allowMessages } from "./plan/messages.ts";
import { findObstacle, makePlan, type Plan } from "./plan/plan.ts";
import { readTargetState, type TargetState } from "./plan/target-state.ts";
import { findUsersApi, openUsersWay } from "./plan/users-api.ts";
import type { JobProgress } from "./progress.ts";
import { resolveOpenOnes } from "./provenance/open-items.ts";
import { failElsewhere } from "./provenance/other-org.ts";
import { openRejects, type Rejects } from "./rejects.ts";
import { sendReadyBody } from "./request.ts";
import { paceRanges } from "./settings.ts";
import { checkSignIns } from "./sign-ins.ts";
import { type ClaimedJob, checkJournalPlace, claimJob, type StartedJob, startJob } from "./start-job.ts";
import type { UpdateWay } from "./update/open-update.ts";
import { createLanes } from "./ways/lane.ts";
import { closeRemovedOrgs, readMachineIds } from "./ways/screen.ts";
import { sendAll } from "./ways/send-all.ts";
import type { SendContext, UsersWay } from "./ways/way.ts";

// What only some imports need (updates, comparing, dry runs) is loaded when it is needed: it takes as long as sending a thousand users.

/** Checks the input, says what will happen, sends it and accounts for it. Raises input.*, journal.*, auth.*, api.*, net.*. */
export async function runImport(run: ImportRun): Promise<ExitCode> {
  const { api, input, settings, ui, report, context } = run;
  if (!settings.dryRun) checkJournalPlace(run);
  const rejects = openRejects(settings.rejects, context);
  try {
    const plan = await makePlan(input, settings, tellFaults(run, rejects), { ui, signal: context.signal });
    const { scan } = plan;
    report.set({ target: api.address.host, variant: scan.container });
    const obstacle = findObstacle(scan, input.path, settings);
    if (scan.carries === "as-is" && settings.plan.update !== undefined)
      throw new ProblemError({ code: "usage.conflict", flags: [input.path, "--update"] });
    if (scan.carries === "as-is" && obstacle === undefined) return await sendAsItIs(run, plan, rejects);
    if (obstacle !== undefined) {
      report.set({ users: { ...numbersBefore(scan.counts), notSent: scan.counts.users, skipped: 0 } });
      await rejects.commit([], plan, (extent) => input.read(extent));
      throw new ProblemError(obstacle);
    }
    const onFailures = (failures: readonly Failure[]): void => {
      for (const failure of failures) rejects.failure(failure, input);
    };
    const job = settings.dryRun ? undefined : await claimJob(run, plan, onFailures);
    // Told also when the target cannot be asked.
    if (job?.progress === undefined) report.set({ users: numbersBefore(scan.counts) });
    const ready = await getReady(run, plan, job).catch((error) => tellOfEarlier(error, run, { plan, job, rejects }));
    if (!("journal" in ready)) {
      const { dryRun } = await import("./dry-run.ts");
      return await dryRun(run, plan, ready.update);
    }
    return await sendAndTell(run, plan, { ...ready, onFailures, rejects });
  } finally {
    rejects.discard();
  }
}

/** Everything that is asked of the target before anything is sent; a dry run asks otherwise. */
async function getReady(
  run: ImportRun,
  plan: Plan,
  job: ClaimedJob | undefined,
): Promise<Omit<Sending, "onFailures" | "rejects"> | Pick<Sending, "update">> {
  const { api, settings, ui, context } = run;
  const usersApi = await findUsersApi(run, plan);
  const hasUsersApi = usersApi === "there";
  // Whoever is made the other way is not what the source says, and an update would be done before that.
  if (settings.plan.update !== undefined && usersApi !== undefined && !hasUsersApi)
    throw new ProblemError({ code: "api.cannot-update", host: api.address.host, lacks: "users-api" });
  const messages = sayPlan(run, plan, hasUsersApi);
  // An update mails fewer: who is there already is known later.
  if (settings.plan.update === undefined) await allowMessages(messages, settings, run);
  const update =
    settings.plan.update === undefined
      ? undefined
      : await (await import("./update/open-update.ts")).openUpdate(run, settings.plan.update);
  if (job === undefined) return { update };
  return withProgress(ui, "looking at the target", async (progress) => {
    const watched = watchEvents(api);
    progress.update(watched.note);
    const asking = { api: watched.api, retry: createRetry(ui, context), signal: context.signal };
    const state = await readTargetState(plan.scan, asking);
    const machines = await readMachineIds({
      ...plan,
      read: (extent) => run.input.read(extent),
      signal: asking.signal,
    });
    const target = state && { ...state, isSentAsMachine: (id: string) => machines.get(id) !== undefined };
    const started = await startJob(run, plan, job);
    const users = hasUsersApi ? await openUsersWay(run, plan, settings.plan.noMail) : undefined;
    return { ...started, users, target, update };
  });
}

/** What an earlier run came to, and how to go on, is told also by a run that does not get to sending. Raises the error. */
function tellOfEarlier(
  error: unknown,
  run: ImportRun,
  { plan, job, rejects }: { readonly plan: Plan; readonly job: ClaimedJob | undefined; readonly rejects: Rejects },
): never {
  if (!(error instanceof ProblemError) || job?.progress === undefined) throw error;
  tell(run, plan, job.progress, rejects);
  return stop(run, error.problem, run.files.resumeCommand);
}

async function sendAsItIs(run: ImportRun, plan: Plan, rejects: Rejects): Promise<ExitCode> {
  const { input, settings } = run;
  const code = await sendReadyBody(run, settings, (failure) => rejects.failure(failure, input));
  if (!settings.dryRun) await rejects.commit([], plan, (extent) => input.read(extent));
  return code;
}

async function sendAndTell(run: ImportRun, plan: Plan, sending: Sending): Promise<ExitCode> {
  const { input, settings } = run;
  const { scan } = plan;
  const { journal, progress, rejects } = sending;
  const stopped = await send(run, plan, sending);
  rejects.unknown(unknownIds(progress));
  await rejects.commit(progress.state.failedItems, plan, (extent) => input.read(extent));
  tell(run, plan, progress, rejects);
  const manifest = await writeManifest(run, plan, progress.state);
  const { done, lost } = progress.state;
  const untouched = done.isEmpty && lost.isEmpty && progress.inFlight.size === 0;
  // Not before everybody was told: a run that is killed while it compares, or cannot write its report, can be asked once more.
  run.report.lastly((isTold) => {
    if (isTold && (stopped === undefined || untouched)) journal.remove();
  });
  if (stopped !== undefined) return stop(run, stopped, untouched ? undefined : run.files.resumeCommand);
  const canSignIn = await afterSending(() => checkSignIns(run, plan, progress, manifest));
  const asExpected = await checkAlreadyThere(run, plan, progress);
  const verified = settings.verify ? await verifyTarget(run, plan) : exitCodes.done;
  if (
    !canSignIn ||
    !asExpected ||
    !gotThrough(progress, numbersOf(scan.counts, progress), settings.plan.update?.prefer)
  ) {
    return exitCodes.partial;
  }
  if (verified === exitCodes.done && run.files.checkCommand !== undefined)
    sayNext(run.ui, [{ why: "Check it", command: run.files.checkCommand }]);
  return verified;
}

/** Says who was there before this job and is not as the input says; false when that is to end the run with 1. */
async function checkAlreadyThere(
  run: ImportRun,
  { scan }: Plan,
  { state: { users, job } }: JobProgress,
): Promise<boolean> {
  if (users.alreadyThere === 0) return true;
  const mark = job?.mark; // none where the target does not tell its events, which has been said
  const { compareAlreadyThere } = await import("../verify/already-there.ts");
  const different = mark === undefined ? undefined : await afterSending(() => compareAlreadyThere(run, scan, mark));
  if (different !== undefined) {
    run.report.set({ alreadyThereDifferent: different.users, alreadyThereDifferentCount: different.count });
  }
  return !run.settings.failOn.different || different?.count === 0;
}

/** A job at the moment its first item may be sent. */
interface Sending extends StartedJob {
  readonly users: UsersWay | undefined;
  readonly target: TargetState | undefined;
  readonly update: UpdateWay | undefined;
  readonly rejects: Rejects;
  readonly onFailures: (failures: readonly Failure[]) => void;
}

/** Sends what is not settled yet; returns the problem that stopped it. The journal is closed. */
async function send(
  run: ImportRun,
  plan: Plan,
  { journal, progress, users: usersWay, target, update, onFailures }: Sending,
): Promise<RunProblem | undefined> {
  const { input, settings, ui, report, context } = run;
  const { scan, parts, timeout } = plan;
  const { signal } = context;
  const users = scan.counts.users - scan.counts.invalidUsers;
  report.mark(progress.state.users.settled);
  const watched = watchEvents(run.api);
  const bar = ui.progress("importing", {
    unit: "users",
    amount: () => ({ done: progress.state.users.settled, total: users, underWay: progress.inFlight.size }),
  });
  bar.update(watched.note);
  const ranges = paceRanges(settings.calls);
  const retry = createRetry(ui, context);
  const paces = { import: createPace(ranges.import), users: createPace(ranges.users) };
  const shared = { api: watched.api, scan, parts, timeout, journal, signal, retry };
  const sendContext = {
    ...shared,
    read: input.read,
    users: usersWay,
    target,
    lanes: createLanes(paces, { retry, signal, clock: () => performance.now(), maxCalls: ranges.import.calls.max }),
    self: lazily(() => readSelf({ api: run.api, retry, signal })),
    failOnExisting: settings.failOn.existing,
    onDone: ({ failures }: { readonly failures: readonly Failure[] }) => {
      onFailures(failures);
      report.mark(progress.state.users.settled);
    },
    onNoUsersApi: once((why: Absence) => ui.warn(usersApiAbsenceLine(why))),
    onFailures,
    onSmaller: (problem: RunProblem, limits: { readonly users: number; readonly bytes: number }) =>
      ui.say(smallerLine(problem, limits)),
  };
  try {
    if (target !== undefined) {
      closeRemovedOrgs(target, scan, progress);
      const leftAlone = await leaveBuiltInAlone(target, sendContext, progress.leftAlone);
      if (leftAlone > 0) ui.say(leftAloneLine(leftAlone));
    }
    const updated = update === undefined ? undefined : await updateUsers(run, plan, update, sendContext, progress);
    await sendAll(
      sendContext,
      progress,
      createHalvingPolicy({ users: ranges.import.users.max, bytes: settings.calls.batchBytes }),
    );
    await resolveOpenOnes(sendContext, progress);
    await failElsewhere({ ...sendContext, ui }, progress);
    await updated?.reviveMetadata();
    updated?.noteCreated();
    // The last act: it holds what was read, and is as good whatever came of the rest.
    await updated?.saveState();
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.problem;
  } finally {
    report.set({ pace: { concurrency: paces.import.calls, batchUsers: paces.import.users } });
    bar.stop();
    journal.close();
  }
}

/** Brings the users who are there up to date; what is left of the input is to be sent. */
async function updateUsers(
  run: ImportRun,
  plan: Plan,
  way: UpdateWay,
  context: SendContext & { onFailures(failures: readonly Failure[]): void },
  progress: JobProgress,
): Promise<{ reviveMetadata(): Promise<void>; noteCreated(): void; saveState(): Promise<void> }> {
  const { host } = run.api.address;
  const mark = progress.state.job?.mark;
  if (mark === undefined) throw new ProblemError({ code: "api.cannot-update", host, lacks: "events" });
  const { applyUpdate, noteCreated, planUpdate, sayMessages } = await import("./update/update-users.ts");
  const { compareOthers, leaveWhatIsThere } = await import("./update/other-objects.ts");
  const { reviveMetadata } = await import("./update/revive-metadata.ts");
  const planned = await planUpdate(run, plan, way, mark);
  sayMessages(planned, run);
  await allowMessages(planned.messages, run.settings, run);
  const onFailure = (failure: Failure): void => context.onFailures([failure]);
  await applyUpdate(planned, way, run, { ...context, onFailure }, progress);
  const others = await compareOthers(run, plan);
  if (others !== undefined) await leaveWhatIsThere(others, run, plan, progress);
  return {
    reviveMetadata: () => reviveMetadata(planned.stale, way.changes, { ...context, onFailure }, progress),
    noteCreated: () => noteCreated(planned, progress),
    saveState: () => planned.saveState(),
  };
}

/** The objects of an instance import have no events (spec: Events). */
async function verifyTarget(run: ImportRun, { scan, timeout }: Plan): Promise<ExitCode> {
  const byExport = scan.carries === "export";
  run.report.set({ by: byExport ? "export" : "events" });
  return afterSending(async () => {
    if (byExport) return (await import("../verify/by-export.ts")).verifyByExport(run, scan, timeout.text);
    const { verifyByEvents } = await import("../verify/by-events.ts");
    return (await verifyByEvents(run, scan)).exitCode;
  });
}

/** Whoever interrupts this is told that everything was sent. */
async function afterSending<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "run.aborted") throw error;
    throw new ProblemError({ ...error.problem, allSent: true }, { cause: error });
  }
}

/** Makes a call when its result is first needed, and keeps the result. */
function lazily<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

/** Calls a function the first time alone. */
function once<T>(tell: (value: T) => void): (value: T) => void {
  let told = false;
  return (value) => {
    if (!told) tell(value);
    told = true;
  };
}
