import { userIdOf } from "../../../core/document/user-id.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import { idWithName } from "../../../problem/format.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../../problem.ts";
import { closedNowLine, initialLine, uncheckedHashesLine } from "../../../ui/summary/import-plan.ts";
import { withoutPasswordLine } from "../../../ui/summary/import-summary.ts";
import { INVITE_WHY, sayNext } from "../../../ui/terminal/next-steps.ts";
import { askingOf } from "../../shared/asking.ts";
import { reportSignIns } from "../../shared/sign-in-names.ts";
import type { AlreadyThereDifferent } from "../../verify/already-there.ts";
import type { ImportRun } from "../import-run.ts";
import type { Ledger } from "../ledger.ts";
import { hasMailProvider } from "../plan/mail-provider.ts";
import type { Plan } from "../plan/plan.ts";
import { existingUsers } from "../provenance/other-org.ts";
import type { ReadyJob } from "../ready.ts";
import { type CreatedUsers, lookAtCreated } from "./created-users.ts";
import { tellOtherRoles } from "./existing-grants.ts";
import { createdIds, createdUsers, writeUsers } from "./manifest.ts";
import { gotThrough, numbersOf } from "./report.ts";

/** The most users that the report names. */
const NAMED = 1_000;

/** Checks the outcome of a job that has sent everything, and returns the exit code of the run. `manifest` is the path of the manifest. */
export async function checkAfterwards(
  run: ImportRun,
  plan: Plan,
  { ledger, users }: Pick<ReadyJob, "ledger" | "users">,
  manifest: string | undefined,
): Promise<ExitCode> {
  const { settings, ui, files } = run;
  const isUnknown = ledger.state.users.created > 0 && plan.refused === undefined;
  const unchecked = isUnknown ? uncheckedHashesLine(plan.scan.hashes, plan.version) : undefined;
  if (unchecked !== undefined) ui.warn(unchecked);
  const toInvite = await afterSending(async () => {
    const hasCreated = ledger.state.users.created > 0;
    const created = hasCreated ? await lookAtCreated(run, plan, ledger.state, users !== undefined) : undefined;
    reportInitial(run, created?.initial, ledger.leftInitial);
    return created !== undefined && run.source === undefined ? reportWithoutPassword(run, created) : 0;
  });
  const canSignIn = await afterSending(() => checkSignIns(run, plan, ledger, manifest));
  const asExpected = await checkExisting(run, plan, ledger);
  await afterSending(() => compareGrants(run, plan, ledger));
  const verified = settings.verify ? await verifyTarget(run, plan, ledger) : exitCodes.done;
  const prefer = settings.plan.update?.prefer;
  if (!canSignIn || !asExpected || !gotThrough(ledger, numbersOf(plan.scan.counts, ledger), prefer)) {
    return exitCodes.partial;
  }
  if (verified === exitCodes.done) {
    const { check, invite } = files.next;
    sayNext(ui, [
      ...(check === undefined ? [] : [{ why: "Check it", command: check }]),
      ...(toInvite === 0 || invite === undefined ? [] : [{ why: INVITE_WHY, command: invite }]),
    ]);
  }
  return verified;
}

/** Says and reports which users a call without an answer had left open. */
export function reportClosed({ ui, report }: ImportRun, { closedNow }: Ledger): void {
  if (closedNow.size === 0) return;
  report.set({ closedNow: [...closedNow.keys()].slice(0, NAMED), loginNames: Object.fromEntries(closedNow) });
  ui.warn(closedNowLine([...closedNow].map(([id, name]) => idWithName(id, name))));
}

/** Says and reports which users have a password and must use the code of an e-mail first. @param left of a killed run. */
function reportInitial(
  { ui, report }: ImportRun,
  created: CreatedUsers["initial"] | undefined,
  left: Ledger["leftInitial"],
): void {
  const count = (created?.count ?? 0) + left.size;
  if (count === 0) return;
  const named = [...(created?.named ?? []), ...left].slice(0, NAMED);
  report.set({ stateInitial: count, stateInitialUsers: named.map(([id]) => id) });
  ui.warn(
    initialLine(
      count,
      named.map(([id, name]) => idWithName(id, name)),
    ),
  );
}

/** Reports how many of the created users have no password, and says how many of them get no e-mail to set one; returns these. */
async function reportWithoutPassword(
  run: ImportRun,
  { without, asked, toInvite, closed }: CreatedUsers,
): Promise<number> {
  run.report.set({ withoutPassword: without });
  const isMailed = asked > 0 && (await hasMailProvider(askingOf(run))) !== false;
  const needy = toInvite + (isMailed ? 0 : asked);
  if (needy > 0) run.ui.say(withoutPasswordLine(needy, { asked: isMailed ? asked : 0, closed }));
  return needy;
}

/** Reports existing users that this job did not create and that differ from the input; false if that ends the run with 1. */
async function checkExisting(run: ImportRun, plan: Plan, ledger: Ledger): Promise<boolean> {
  const { state } = ledger;
  if (state.users.alreadyThere === 0) return true;
  const { compareAlreadyThere } = await import("../../verify/already-there.ts");
  const compare = async (): Promise<AlreadyThereDifferent | undefined> => {
    const ids = new IdTable();
    for await (const { bytes } of existingUsers(plan, ledger, run.context.signal)) ids.set(userIdOf(bytes), 0);
    return compareAlreadyThere(run, plan.scan, (id) => ids.get(id) !== undefined, ledger.updates !== undefined);
  };
  // Without a mark, the target's events cannot be read, which was reported.
  const different = state.job?.mark === undefined ? undefined : await afterSending(compare);
  if (different !== undefined) {
    run.report.set({ alreadyThereDifferent: different.users, alreadyThereDifferentCount: different.count });
  }
  return !run.settings.failOn.different || different?.count === 0;
}

/** Names the existing role grants whose roles differ, which an update has done; it is no failure. */
async function compareGrants(run: ImportRun, plan: Plan, { state }: Ledger): Promise<void> {
  const { alreadyThere = 0, failed = 0, heldBack = 0 } = state.others.get("user_grant") ?? {};
  if (alreadyThere + failed + heldBack === 0 || state.job?.mark === undefined) return;
  if (run.settings.plan.update === undefined) await tellOtherRoles(run, plan);
}

/** Compares the input with the target. The objects of an instance import have no events (spec: Events). */
async function verifyTarget(run: ImportRun, { scan, timeout }: Plan, { state }: Ledger): Promise<ExitCode> {
  const byExport = scan.carries === "export";
  run.report.set({ by: byExport ? "export" : "events" });
  return afterSending(async () => {
    const { findOnlyOnTarget, verifyByExport } = await import("../../verify/by-export.ts");
    if (byExport) return verifyByExport(run, scan, timeout.text);
    const { verifyByEvents } = await import("../../verify/by-events.ts");
    // An update has told it.
    const isTold = run.settings.plan.update !== undefined;
    const onlyOnTarget = isTold ? undefined : await findOnlyOnTarget(run, scan, timeout.text);
    return (await verifyByEvents({ ...run, mailedSince: state.job?.mark }, scan, onlyOnTarget)).exitCode;
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

/**
 * Finds users of the input that have no login name: they cannot sign in, although the service answered that they were created (service
 * behaviour 0.41), or that they exist. Reports them, and writes those that this job created beside the manifest into a file that undo takes.
 * True if there are none, or the instance cannot be asked. Raises run.aborted, output.unwritable, output.full.
 */
async function checkSignIns(
  run: ImportRun,
  plan: Plan,
  ledger: Ledger,
  manifest: string | undefined,
): Promise<boolean> {
  const { state } = ledger;
  const { job } = state;
  if (state.done.isEmpty || job === undefined) return true;
  const found: { readonly id: string; readonly orgId?: string }[] = [];
  const existingIds = async function* (): AsyncGenerator<string> {
    for await (const { bytes } of existingUsers(plan, ledger, run.context.signal)) yield userIdOf(bytes);
  };
  return reportSignIns(run, plan.scan.orgs, {
    async *ids() {
      yield* createdIds(plan, state);
      // An update knows users of the input that the target does not have.
      if (run.settings.plan.update === undefined) yield* existingIds();
    },
    async ours(ids) {
      for await (const user of createdUsers(plan, state)) if (ids.has(user.id)) found.push(user);
      const existing: string[] = [];
      for await (const id of existingIds()) if (ids.has(id)) existing.push(id);
      return [...found.map(({ id }) => id), ...existing];
    },
    async write() {
      if (manifest === undefined || found.length === 0) return undefined;
      return (await writeUsers(pathBeside(manifest), job, inOrder(found), {}, run.context)).path;
    },
    // Failed and unknown users are reported as the reason before.
    isOnlyFault: state.failed === 0 && state.open.length === 0 && state.unknown.length === 0,
  });
}

/** `a.json.cannot-sign-in.ndjson` for `a.json.manifest.ndjson`. */
function pathBeside(manifest: string): string {
  return `${manifest.replace(/(\.manifest)?\.ndjson$/, "")}.cannot-sign-in.ndjson`;
}

async function* inOrder<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
