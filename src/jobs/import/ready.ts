import { createUsersApi } from "../../admin/users-api.ts";
import { indexMetadata, metadataApart } from "../../core/document/user-metadata.ts";
import { ProblemError } from "../../problem.ts";
import { askingOf } from "../shared/asking.ts";
import { withProgress } from "../shared/with-progress.ts";
import { watchEvents } from "./event-watch.ts";
import type { ImportRun } from "./import-run.ts";
import type { Rejects } from "./outcome/rejects.ts";
import { reportOutcome, reportPlan, stop } from "./outcome/report.ts";
import { checkOrgs, reportOrgs } from "./plan/check-orgs.ts";
import { reportComingBack } from "./plan/foresee.ts";
import { allowMessages, findUsersApi } from "./plan/messages.ts";
import { messagesOfNew } from "./plan/new-messages.ts";
import type { Plan } from "./plan/plan.ts";
import { checkRights } from "./plan/probe.ts";
import { reportIdps } from "./plan/report-idps.ts";
import { readTargetState, type TargetState } from "./plan/target-state.ts";
import { writesOf } from "./settings.ts";
import { type ClaimedJob, type StartedJob, startJob } from "./start-job.ts";
import type { UpdateWay } from "./update/open-update.ts";
import type { UsersAccess } from "./ways/create-user.ts";

/** A job whose first item may be sent now. */
export interface ReadyJob extends StartedJob {
  readonly asking: ReturnType<typeof askingOf>;
  /** How many events are being read, for a progress line. */
  readonly eventsNote: () => string;
  /** undefined: the target has no users API, or no user needs it. */
  readonly users: UsersAccess | undefined;
  /** undefined: the target's events cannot be read. */
  readonly target: TargetState | undefined;
  readonly update: UpdateWay | undefined;
}

/** Asks the target everything that must be known before the first item is sent. A dry run asks for itself. */
export async function getReady(
  run: ImportRun,
  plan: Plan,
  claimed: ClaimedJob | undefined,
): Promise<ReadyJob | Pick<ReadyJob, "update">> {
  const { api, settings, ui } = run;
  const { update: updateSettings, noMail } = settings.plan;
  await checkRights(askingOf(run));
  await checkOrgs(run, plan);
  const usersApi = await findUsersApi(run, plan);
  const hasUsersApi = usersApi === "there";
  // Users created by the import endpoint would not be as the source says, and would have to be updated first.
  if (updateSettings !== undefined && usersApi !== undefined && !hasUsersApi)
    throw new ProblemError({ code: "api.cannot-update", host: api.address.host, lacks: "users-api" });
  const done = claimed?.isResumed === true ? claimed.ledger.state.done : undefined;
  const messages = updateSettings === undefined ? await messagesOfNew(run, plan, hasUsersApi, done) : undefined;
  reportPlan(run, plan, hasUsersApi, messages);
  // An update sends fewer messages: the comparison finds the existing users.
  if (updateSettings === undefined) await allowMessages(messages, settings, run);
  const update =
    updateSettings === undefined
      ? undefined
      : await (await import("./update/open-update.ts")).openUpdate(run, updateSettings);
  if (claimed === undefined) return { update };
  return withProgress(ui, "checking the target", async (progress) => {
    const watched = watchEvents(api);
    progress.update(watched.note);
    const asking = askingOf({ ...run, api: watched.api });
    const target = await readTargetState(plan.scan, asking);
    if (target === undefined) refuseWithoutEvents(run, plan);
    else {
      reportOrgs(run, plan, target);
      await reportIdps(run, plan, target, asking);
      if (updateSettings === undefined && !claimed.isResumed) await reportComingBack(plan, target, { ...asking, ui });
    }
    const started = await startJob(run, plan, claimed);
    const { calls, isSafeVersion } = writesOf(settings.calls, plan);
    // A service that loses entries of its lists to concurrent writes may lose metadata that comes with a user (service behaviour 0.41).
    const isApart = calls > 1 && !isSafeVersion;
    const index = isApart ? metadataApart : await indexMetadata(plan.parts, plan.scan, plan.read);
    const users = hasUsersApi ? { api: createUsersApi(api), metadata: index, noMail } : undefined;
    return { ...started, asking, eventsNote: watched.note, users, target, update };
  });
}

/** Raises api.flag-impossible for a flag that needs the target's events, and api.cannot-update for an update: its fences need them. */
export function refuseWithoutEvents({ api, settings: { plan, verify, failOn } }: ImportRun, { scan }: Plan): void {
  const { host } = api.address;
  if (plan.update !== undefined) throw new ProblemError({ code: "api.cannot-update", host, lacks: "events" });
  const flag = verify && scan.carries !== "export" ? "--verify" : failOn.different ? "--fail-on-different" : undefined;
  if (flag !== undefined) throw new ProblemError({ code: "api.flag-impossible", host, flag, lacks: "events" });
}

/** A run that stops before it sends reports the outcome of the earlier run, and how to continue. Raises the error. */
export function stopEarly(
  error: unknown,
  run: ImportRun,
  plan: Plan,
  rejects: Rejects,
  claimed: ClaimedJob | undefined,
): never {
  if (!(error instanceof ProblemError) || claimed?.isResumed !== true) throw error;
  reportOutcome(run, plan, claimed.ledger, rejects);
  return stop(run, error.problem, run.files.resumeCommand);
}
