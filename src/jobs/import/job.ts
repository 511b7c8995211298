import { readInstanceVersion } from "../../admin/version.ts";
import type { Failure } from "../../core/transfer/answer/batch-result.ts";
import { type ExitCode, ProblemError, type RunProblem } from "../../problem.ts";
import { organizationsOf } from "../../ui/report.ts";
import { removedBeforeLine, unreportedLine } from "../../ui/summary/import-summary.ts";
import type { ImportRun } from "./import-run.ts";
import { checkAfterwards, reportClosed } from "./outcome/after-sending.ts";
import { readLoginNames, reportLoginNames } from "./outcome/login-names.ts";
import { checkManifestPlace, writeManifest } from "./outcome/manifest.ts";
import { nameHolders } from "./outcome/name-holders.ts";
import { openRejects, type Rejects } from "./outcome/rejects.ts";
import {
  idsToShow,
  numbersBefore,
  reportFaults,
  reportOutcome,
  sortUpdates,
  stop,
  unknownChanges,
  unknownIds,
} from "./outcome/report.ts";
import { checkHashes } from "./plan/check-hashes.ts";
import { type AskVersion, checkMapped, findObstacle, type Items, makePlan, type Plan } from "./plan/plan.ts";
import { sentHeads } from "./plan/sent-heads.ts";
import { getReady, type ReadyJob, stopEarly } from "./ready.ts";
import { sendInput } from "./request.ts";
import { sendItems } from "./send-items.ts";
import { checkJournalPlace, claimJob, earlierJob } from "./start-job.ts";

/** Checks the input, says what will happen, sends it and reports the outcome. Raises input.*, journal.*, auth.*, api.*, net.*. */
export async function runImport(run: ImportRun): Promise<ExitCode> {
  const { api, input, settings, ui, report, context } = run;
  if (!settings.dryRun) {
    checkJournalPlace(run);
    await checkManifestPlace(run);
  }
  const rejects = openRejects(settings.rejects, run);
  let items: Items | undefined;
  try {
    const { signal } = context;
    let known: string | undefined;
    // A target that did not answer may do so later, after the retries of another call.
    const askVersion: AskVersion = async () => {
      known ??= await readInstanceVersion(api, signal);
      return known;
    };
    const offline = await makePlan(input, settings, reportFaults(run, rejects), {
      askVersion,
      earlier: earlierJob(run)?.routing,
      ui,
      signal,
    });
    const { scan } = offline;
    items = offline;
    report.set({ target: api.address.host, variant: scan.container, organizations: organizationsOf(scan.orgs) });
    if (run.source === undefined) checkMapped(scan, input.path);
    const obstacle = findObstacle(scan, input.path, settings);
    if (scan.carries === "as-is" && settings.plan.update !== undefined)
      throw new ProblemError({ code: "usage.conflict", flags: [input.path, "--update"] });
    if (scan.carries === "as-is" && obstacle === undefined) return await sendInput(run, offline, rejects);
    if (obstacle !== undefined) {
      report.set({ users: { ...numbersBefore(scan.counts), notSent: scan.counts.users, skipped: 0 } });
      await rejects.commit([], offline);
      throw new ProblemError(obstacle);
    }
    const onFailures = (failures: readonly Failure[]): void => {
      for (const failure of failures) rejects.failure(failure, input);
    };
    const claimed = settings.dryRun ? undefined : await claimJob(run, offline, onFailures);
    // Reported also if the target cannot be read.
    if (claimed?.isResumed !== true) report.set({ users: numbersBefore(scan.counts) });
    const version = await askVersion().catch((error) => stopEarly(error, run, offline, rejects, claimed));
    const refused = await checkHashes(run, offline).catch((error) => stopEarly(error, run, offline, rejects, claimed));
    const orgs = await sentHeads(run, offline).catch((error) => stopEarly(error, run, offline, rejects, claimed));
    const plan = { ...offline, scan: { ...scan, orgs }, version, refused };
    if (version !== undefined) report.set({ targetVersion: version });
    const ready = await getReady(run, plan, claimed).catch((error) => stopEarly(error, run, plan, rejects, claimed));
    if (!("journal" in ready)) {
      const { dryRun } = await import("./dry-run.ts"); // only some imports need it
      return await dryRun(run, plan, ready.update);
    }
    return await runJob(run, plan, ready, rejects);
  } finally {
    if (items !== undefined) await reportLoginNames(run, items);
    rejects.discard();
  }
}

/** Sends the items of a job, reports the outcome, and checks it. */
async function runJob(run: ImportRun, plan: Plan, ready: ReadyJob, rejects: Rejects): Promise<ExitCode> {
  const { journal, ledger } = ready;
  const { state } = ledger;
  const problems: RunProblem[] = [];
  // The journal has what an output lacks: with --resume, the next run writes it.
  const write = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push(error.problem);
      return undefined;
    }
  };
  const stopped = await sendItems(run, plan, ready);
  if (stopped === undefined) await nameHolders(run, plan, ledger);
  else problems.push(stopped);
  if (ledger.updates !== undefined) sortUpdates(ledger.updates);
  const kept = await write(async () => {
    rejects.unknown(unknownIds(ledger));
    await rejects.commit(state.failedItems, plan);
    return rejects;
  });
  const names = await readLoginNames(run, plan, idsToShow(ledger));
  reportOutcome(run, plan, ledger, kept ?? openRejects(undefined, run), names);
  reportClosed(run, ledger);
  const { isUntouched } = ledger;
  const resumeCommand = isUntouched ? undefined : run.files.resumeCommand;
  const manifest = await write(() => writeManifest(run, plan, state, problems.length === 0));
  const [problem, ...others] = problems;
  for (const other of others) {
    run.ui.problem(other);
    run.report.add(other);
  }
  // At the very end: if the comparison is interrupted or the report cannot be written, the job can be run once more.
  run.report.lastly((untold) => {
    if (untold.length === 0 && (problem === undefined || isUntouched)) journal.remove();
    else if (problem === undefined && resumeCommand !== undefined) run.ui.warn(unreportedLine(resumeCommand, untold));
  });
  // Deletions and changes of existing users are in no list of the sent.
  const { delete: deleted = [], deactivate: deactivated = [] } = ledger.updates ?? {};
  if (problem !== undefined && deleted.length + deactivated.length > 0)
    run.ui.warn(removedBeforeLine(deleted.length, deactivated.length));
  const hasBegun = !isUntouched || (problem?.code === "run.aborted" && ledger.calls > 0);
  const unknown = unknownIds(ledger).length - unknownChanges(ledger).length;
  if (problem !== undefined) return stop(run, problem, resumeCommand, { hasBegun, unknown });
  return checkAfterwards(run, plan, ready, manifest);
}
