import { type ExitCode, exitCodes, ProblemError } from "../../../problem.ts";
import { sayNext } from "../../../ui/terminal/next-steps.ts";
import type { ImportRun } from "../import-run.ts";
import type { Plan } from "../plan/plan.ts";
import type { JobProgress } from "../progress.ts";
import { gotThrough, numbersOf } from "./numbers.ts";
import { checkSignIns } from "./sign-ins.ts";

/** Checks the outcome of a job that has sent everything, and returns the exit code of the run. `manifest` is the path of the manifest. */
export async function checkAfterwards(
  run: ImportRun,
  plan: Plan,
  progress: JobProgress,
  manifest: string | undefined,
): Promise<ExitCode> {
  const { settings, ui, files } = run;
  const canSignIn = await afterSending(() => checkSignIns(run, plan, progress, manifest));
  const asExpected = await checkExisting(run, plan, progress);
  const verified = settings.verify ? await verifyTarget(run, plan) : exitCodes.done;
  const prefer = settings.plan.update?.prefer;
  if (!canSignIn || !asExpected || !gotThrough(progress, numbersOf(plan.scan.counts, progress), prefer)) {
    return exitCodes.partial;
  }
  if (verified === exitCodes.done && files.checkCommand !== undefined)
    sayNext(ui, [{ why: "Check it", command: files.checkCommand }]);
  return verified;
}

/** Reports the users that existed before this job and differ from the input; false if that ends the run with 1. */
async function checkExisting(run: ImportRun, { scan }: Plan, { state: { users, job } }: JobProgress): Promise<boolean> {
  if (users.alreadyThere === 0) return true;
  const mark = job?.mark; // undefined if the target's events cannot be read, which was reported
  const { compareAlreadyThere } = await import("../../verify/already-there.ts");
  const different = mark === undefined ? undefined : await afterSending(() => compareAlreadyThere(run, scan, mark));
  if (different !== undefined) {
    run.report.set({ alreadyThereDifferent: different.users, alreadyThereDifferentCount: different.count });
  }
  return !run.settings.failOn.different || different?.count === 0;
}

/** Compares the input with the target. The objects of an instance import have no events (spec: Events). */
async function verifyTarget(run: ImportRun, { scan, timeout }: Plan): Promise<ExitCode> {
  const byExport = scan.carries === "export";
  run.report.set({ by: byExport ? "export" : "events" });
  return afterSending(async () => {
    if (byExport) return (await import("../../verify/by-export.ts")).verifyByExport(run, scan, timeout.text);
    const { verifyByEvents } = await import("../../verify/by-events.ts");
    return (await verifyByEvents(run, scan)).exitCode;
  });
}

/** The problem of an interrupt here says that everything was sent. */
async function afterSending<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "run.aborted") throw error;
    throw new ProblemError({ ...error.problem, allSent: true }, { cause: error });
  }
}
