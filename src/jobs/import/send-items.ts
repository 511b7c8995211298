import { Pace } from "../../core/transfer/pace.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import { leftAloneLine, smallerLine } from "../../ui/summary/import-summary.ts";
import type { Amount } from "../../ui/terminal/progress-model.ts";
import { ifOffered } from "../shared/not-offered.ts";
import { readSelf } from "../shared/user-life.ts";
import type { Restored } from "./heal/lost-parts.ts";
import type { ImportRun } from "./import-run.ts";
import { warnOfOtherRuns } from "./other-runs.ts";
import { tellGrantsAgain, tellLeft } from "./outcome/left-objects.ts";
import type { Plan } from "./plan/plan.ts";
import { failInOtherOrgs } from "./provenance/other-org.ts";
import { Owners } from "./provenance/owners.ts";
import { Provenance } from "./provenance/provenance.ts";
import { openScreen, type Screen } from "./provenance/screen.ts";
import type { ReadyJob } from "./ready.ts";
import { sendAll } from "./send-all.ts";
import { paceLimits, type Writes, writesOf } from "./settings.ts";
import { ImportEndpoint } from "./ways/import-endpoint.ts";
import { createLanes } from "./ways/lane.ts";
import { Rest } from "./ways/rest.ts";
import type { SenderContext } from "./ways/way.ts";

/** Sends every item that is not settled yet, and closes the journal. Returns the problem that stopped it. */
export async function sendItems(run: ImportRun, plan: Plan, job: ReadyJob): Promise<RunProblem | undefined> {
  const { settings, ui, report } = run;
  const { asking, journal, ledger, target } = job;
  const { counts } = plan.scan;
  report.mark(ledger.state.users.settled);
  const total = counts.users - counts.invalidUsers;
  const byUser = job.users === undefined ? 0 : plan.scan.routes.users;
  let shortestMs: number | undefined;
  const amount = (): Amount => ({
    done: ledger.state.users.settled,
    total,
    underWay: ledger.inFlight.size,
    ...(byUser === 0
      ? {}
      : {
          oneByOne: {
            done: ledger.state.via.users,
            total: byUser,
            expectedMs: shortestMs === undefined ? undefined : shortestMs / paces.users.calls,
          },
        }),
  });
  const writes = writesOf(settings.calls, plan);
  const limits = paceLimits(settings.calls, writes);
  const paces = { import: new Pace(limits.import), users: new Pace(limits.users), changes: new Pace(limits.changes) };
  const bar = ui.progress("importing", { unit: "users", amount });
  const { calls: maxCalls, isSafeVersion } = writes;
  const { lost, done } = ledger.state;
  // A killed run may have left a call under way.
  const isUnderWay = lost.without(done).length > 0;
  const rest = maxCalls > 1 || isSafeVersion ? undefined : new Rest(asking, isUnderWay);
  bar.update(() => rest?.note() || job.eventsNote());
  const onCall = (ms: number): void => {
    shortestMs = Math.min(shortestMs ?? ms, ms);
  };
  const laneSettings = { ...asking, clock: () => performance.now(), maxCalls, rest, onCall };
  const calling = { ...asking, lanes: createLanes(paces, laneSettings) };
  const provenance = new Provenance(asking, plan, ledger);
  let screen: Screen | undefined;
  let update: Awaited<ReturnType<typeof import("./update/update-users.ts")["updateUsers"]>> | undefined;
  try {
    if (run.files.isShard === true && !isSafeVersion) await warnOfOtherRuns(run, asking, rest);
    // An update compares existing users, with their metadata.
    const owners =
      target === undefined ? undefined : await Owners.open({ asking, source: run.source, ui, plan, ledger });
    const isUpdate = settings.plan.update !== undefined;
    const leavesRemoved = isUpdate && settings.plan.update?.prefer !== "source";
    const { replaced } = provenance;
    const deletedUsers = new Set(run.input.deletedUsers);
    screen = await openScreen({ asking, plan, target, ledger, owners, replaced, leavesRemoved, deletedUsers });
    if (ledger.builtIn.size > 0) ui.say(leftAloneLine(ledger.builtIn.size));
    const sending = { calling, plan, ledger, provenance, screen, owners };
    update =
      job.update && (await (await import("./update/update-users.ts")).updateUsers(run, job.update, sending, target));
    // Most imports do not need the users API.
    const UsersApi = job.users && (await import("./ways/users-api.ts")).UsersApiSender;
    const { batchBytes } = settings.calls;
    await sendAll(sending, {
      import: new ImportEndpoint(sending, batchBytes, (problem, limits) => ui.say(smallerLine(problem, limits))),
      users: UsersApi && new UsersApi(job.users, sending),
      onlyUsersOverlap: maxCalls > 1 && !isSafeVersion,
    });
    const { found: heldBack } = screen.heldBack;
    if (heldBack !== undefined) await tellLeft(run, plan, heldBack, isUpdate);
    await tellGrantsAgain(run, plan, screen.grantsAgain, true);
    await provenance.resolveOpenItems();
    if (ledger.state.users.alreadyThere > 0) await failInOtherOrgs({ items: plan, reading: asking, ledger });
    await provenance.replaced.failAll();
    await update?.finish();
    bar.stop();
    const { healUsers } = await import("./heal/heal.ts");
    await healUsers(run, sending, job.users);
    await provenance.replaced.failAll();
    const { healed, takenIds, uncreatedIds } = ledger.state;
    // A user that was replaced, or was not created, gets nothing.
    const wasRemoved = (userId: string): boolean =>
      !takenIds.has(userId) &&
      !uncreatedIds.has(userId) &&
      (healed.has(userId) || target?.removedFrom?.(userId) !== undefined);
    const found = await restore(run, sending, writes);
    if (healed.size > 0 || target?.removedFrom !== undefined || found.metadata + found.belongings > 0) {
      const { mark, by = [] } = ledger.state.job ?? {};
      const known = { mark, accounts: new Set([await readSelf(asking), ...by]) };
      const mayComplete = owners && (await ifOffered(() => owners.mayComplete(job.update !== undefined)));
      const lacksMetadata = (userId: string): boolean => wasRemoved(userId) && mayComplete?.(userId) === true;
      const { setStaleMetadata } = await import("./heal/stale-metadata.ts");
      const stale = mayComplete === undefined ? 0 : await setStaleMetadata(run, sending, lacksMetadata, known);
      const { giveBelongingsAgain } = await import("./heal/former-belongings.ts");
      const metadata = stale + found.metadata;
      const given = owners && (await giveBelongingsAgain(run, { ...sending, owners }, wasRemoved, known));
      const belongings = found.belongings + (given ?? 0);
      if (healed.size + metadata + belongings > 0)
        report.set({ healed: { users: healed.size, metadata, ...(belongings === 0 ? {} : { belongings }) } });
    }
    await provenance.replaced.failAll(true);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    report.set(screen?.heldBack.found ?? {});
    update?.noteCreated();
    return error.problem;
  } finally {
    report.set({ pace: { concurrency: paces.import.calls, batchUsers: paces.import.users } });
    bar.stop();
    journal.close();
  }
}

/**
 * Restores what the service's lists have lost: on a version that is not safe, after concurrent writes by this run, by other shards, by a
 * discarded run, by a call without an answer, or by other accounts. Raises the errors that remain after retries.
 */
async function restore(
  run: ImportRun,
  sending: SenderContext,
  { isSafeVersion, calls }: Pick<Writes, "isSafeVersion" | "calls">,
): Promise<Restored> {
  const { ledger, owners, calling } = sending;
  const { lost, job, isRestarted } = ledger.state;
  const nothing = { metadata: 0, belongings: 0 };
  if (isSafeVersion || owners === undefined || job?.mark === undefined) return nothing;
  const self = await readSelf(calling);
  if (self === undefined) return nothing;
  const ours = { self, mark: job.mark };
  const { haveOthersWritten, restoreLost } = await import("./heal/lost-parts.ts");
  const isConcurrent = calls > 1 || run.files.isShard === true || isRestarted || !lost.isEmpty;
  if (!isConcurrent && !(await haveOthersWritten(ours, sending))) return nothing;
  return restoreLost(run, sending, ours, () => owners.mayComplete(false));
}
