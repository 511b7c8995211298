import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { capabilitiesOf } from "../../../contract/versions.ts";
import { type HealingState, healingState, isCreationOf } from "../../../core/events/own-creation.ts";
import { isCreation } from "../../../core/events/user-life.ts";
import { checkHumanUser } from "../../../core/rules/human-user.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { hasOtpSecret } from "../../../core/transfer/otp-secret.ts";
import { describe } from "../../../problem/describe.ts";
import { ProblemError } from "../../../problem.ts";
import {
  healedLine,
  healingOpenLine,
  healingUnknownLine,
  notHealedLine,
  usedLine,
} from "../../../ui/summary/sign-ins.ts";
import { readSelf } from "../../shared/user-life.ts";
import type { ImportRun } from "../import-run.ts";
import { createdIds } from "../outcome/manifest.ts";
import type { UsersAccess } from "../ways/create-user.ts";
import type { SenderContext } from "../ways/way.ts";
import { type OwnedUser, readOwned } from "./belongings.ts";
import { findLost } from "./find-lost.ts";
import { GivenLog, isProven, type Job, readHistory, readLife } from "./proof.ts";
import { recreate } from "./recreate.ts";
import { changesFor } from "./stale-metadata.ts";

/** More users than this, and more than this share, are not lost one by one: something else is wrong, and no user is deleted. */
const MOST_USERS = 50;
const MOST_SHARE = 0.05;

/** What healing works with. */
interface Healing {
  readonly run: ImportRun;
  readonly sending: SenderContext;
  readonly access: UsersAccess | undefined;
  readonly changes: UserChanges;
  readonly job: Job;
}

/**
 * Deletes and recreates the users of this job who will never be able to sign in, because the service lost their login names (service
 * behaviour 0.41): only users that the event log proves to be created by this job and unused since, one at a time. Each is in the journal
 * before the first call, so that a run that is killed in between is completed by --resume. A copy has no journal: the next copy creates a user
 * who was deleted, as any user who does not exist. Raises the errors that remain after retries, and the signal's reason between two users.
 */
export async function healUsers(
  run: ImportRun,
  sending: SenderContext,
  access: UsersAccess | undefined,
): Promise<void> {
  const { settings, files } = run;
  const { plan, ledger, calling } = sending;
  const { job } = ledger.state;
  const isForbidden = !settings.consent.heal || settings.plan.update?.maxDeletes === 0;
  const isOpen = ledger.state.healing.size > 0;
  // What a copy leaves half-done, its source still has; a stream cannot be read again.
  const canContinue = files.journal !== undefined || run.source !== undefined;
  if (!canContinue || job?.mark === undefined || (!isOpen && isForbidden)) return;
  if (ledger.state.users.created === 0) return;
  const self = await readSelf(calling);
  if (self === undefined) {
    if (!isOpen) return;
    // A user may be deleted and not recreated: the journal stays.
    throw new ProblemError({ code: "api.unexpected", host: run.api.address.host, what: "no id of the token's user" });
  }
  const changes = changesFor(run.api, plan.version);
  const healing = { run, sending, access, changes, job: { self, mark: job.mark } };
  await completeOpen(healing);
  const canRecreate = capabilitiesOf(plan.version).deletedIds !== "refused";
  if (isForbidden || !canRecreate) return;
  const candidates = await findCandidates(healing).catch((error) => withoutHealing(error, run));
  const used = [...candidates.used];
  for (const [userId, owned] of candidates.users) {
    calling.signal.throwIfAborted();
    const outcome = await healUser(userId, owned, candidates.given, healing).catch((error) =>
      leaveOpen(error, healing),
    );
    if (outcome === "used") used.push(userId);
  }
  if (used.length > 0) run.ui.warn(usedLine(used));
  const { size } = ledger.state.healed;
  if (size > 0) run.ui.say(healedLine(size));
}

/** Without a journal, nothing else names a user who was deleted and is not recreated. Raises the error. */
function leaveOpen(error: unknown, { run, sending }: Healing): never {
  const open = [...sending.ledger.state.healing.values()];
  if (run.files.journal === undefined && open.length > 0) run.ui.warn(healingOpenLine(open.map(({ id }) => id)));
  throw error;
}

/** Nothing was deleted yet: without an answer, no user is healed. Raises run.aborted, and what is no problem. */
function withoutHealing(error: unknown, { ui }: Pick<ImportRun, "ui">): Candidates {
  if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
  ui.warn(healingUnknownLine(describe(error.problem).message));
  return NONE;
}

/** Users that may be healed, and the log of what they were given. */
interface Candidates {
  readonly users: ReadonlyMap<string, OwnedUser>;
  /** Users who were given something, or began a session. */
  readonly used: readonly string[];
  readonly given: GivenLog;
}

const NONE: Candidates = { users: new Map(), used: [], given: new GivenLog(new Map(), { self: "", mark: "" }) };

/** The users that the log proves to be the job's own and unused. Raises what reading events raises. */
async function findCandidates({ run, sending, access, job }: Healing): Promise<Candidates> {
  const { plan, ledger, calling } = sending;
  const { state } = ledger;
  const lost = await findLost(run, calling, plan.scan.orgs, () => createdIds(plan, state));
  if (lost.size === 0) return NONE;
  if (lost.size > Math.max(MOST_USERS, state.users.created * MOST_SHARE)) {
    run.ui.warn(notHealedLine(lost.size));
    return NONE;
  }
  const made = new Set(state.madeIds);
  const isMade = (index: number, id: string): boolean => state.made.has(index) || made.has(id);
  const owned = await readOwned(plan, lost, isMade, calling.signal);
  const given = new GivenLog(owned, job);
  const others = await given.read({ ...calling, ui: run.ui });
  const users = [...owned].filter(([id, user]) => !others.has(id) && canBeRestored(user, { run, access }));
  return { users: new Map(users), used: [...others], given };
}

/**
 * Deletes and recreates one user, after a last look at its history; "used": the user was changed or used since the import, and stays. An
 * interrupt waits until the user is recreated.
 */
async function healUser(
  userId: string,
  owned: OwnedUser,
  given: GivenLog,
  healing: Healing,
): Promise<"used" | undefined> {
  const { sending, changes, job, run } = healing;
  const { ledger, plan } = sending;
  const { item } = owned;
  const orgId = plan.scan.orgs[item.org]?.orgId ?? "";
  const isUnused = async ({ sending: { calling: asking } }: Healing): Promise<readonly ServiceEvent[] | undefined> => {
    const history = await readHistory(userId, asking);
    if (history === undefined || !(await isProven(userId, orgId, owned, history, job))) return undefined;
    if ((await given.read({ ...asking, ui: run.ui })).has(userId)) return undefined;
    return (await isStillNameless(userId, healing)) ? history : undefined;
  };
  const history = await isUnused(healing);
  if (history === undefined) return (await isStillNameless(userId, healing)) ? "used" : undefined;
  const before = history.length; // the numbers count from 1 without a gap
  ledger.beginHealing({ item: item.index, id: userId, before, by: job.self });
  const whole = uninterrupted(healing);
  const { lanes, retry, signal } = whole.sending.calling;
  const accounts = new Set([job.self]);
  let isFirst = true;
  // A repeated call is a new decision: the first one may have been done, and another account may have created the user again.
  const remove = (): Promise<ChangeAnswer> =>
    lanes.import.turn(async () => {
      if (!isFirst && healingState(await readLife(userId, whole.sending.calling), before, accounts) !== "untouched")
        return { kind: "gone", words: "" };
      if (!isFirst && (await isUnused(whole)) === undefined)
        return { kind: "refused", code: "", words: "in use by now" };
      isFirst = false;
      ledger.beginChange();
      return changes.remove(userId, signal);
    });
  const removed = await withRetry(remove, retry, signal);
  if (removed.kind === "refused") {
    ledger.endHealing({ item: item.index, id: userId, outcome: "kept" });
    run.ui.detail(removed.words);
    return undefined;
  }
  // Deleted by another account in this moment, the user stays deleted; created again by another account, the user stays.
  const isOurs = removed.kind !== "gone" || (await stateOf(userId, before, accounts, whole)) === "deleted";
  if (isOurs) await finish(userId, owned, accounts, whole);
  else endForeign({ item: item.index, id: userId, line: item.line }, whole);
  return undefined;
}

async function stateOf(
  userId: string,
  before: number,
  accounts: ReadonlySet<string>,
  { sending: { calling } }: Healing,
): Promise<HealingState> {
  return healingState(await readLife(userId, calling), before, accounts);
}

/** The user of the run does not exist any more, or is another account's by now: that is a failure. */
function endForeign(
  { item, id, line }: { readonly item: number; readonly id: string; readonly line: number | undefined },
  { sending: { ledger } }: Healing,
): void {
  const failure: Failure = {
    type: "human_user",
    id,
    message: "",
    cause: "taken-over",
    item,
    ...(line === undefined ? {} : { line }),
  };
  ledger.endHealing({ item, id, outcome: "failed", failure });
}

/** A last look: the service may have read the user's event by now. */
async function isStillNameless(userId: string, { sending: { calling } }: Healing): Promise<boolean> {
  const { api, retry, signal } = calling;
  const queries = [{ inUserIdsQuery: { userIds: [userId] } }];
  const ask = () => api.searchUsers({ query: { offset: "0", limit: 1 }, queries }, signal);
  const { result } = await withRetry(ask, retry, signal);
  return result.every((user) => user.userId === userId && user.preferredLoginName === "");
}

/**
 * Recreates a deleted user, and writes the outcome to the journal. One of the accounts must have created the user who exists then, as the
 * input says: another account or job may have been faster.
 */
async function finish(
  userId: string,
  owned: OwnedUser,
  accounts: ReadonlySet<string>,
  healing: Healing,
): Promise<void> {
  const { sending, access, job } = healing;
  const { ledger, calling } = sending;
  const { failure, others } = await recreate(owned, sending, access);
  for (const other of others) ledger.fail(other);
  const { index: item, line } = owned.item;
  if (failure !== undefined) {
    ledger.endHealing({ item, id: userId, outcome: "failed", failure: { ...failure, item, line } });
    return;
  }
  const created = (await readLife(userId, calling)).at(-1);
  const isByJob = created !== undefined && isCreation(created) && accounts.has(created.editor?.userId ?? "");
  if (!isByJob || !isCreationOf(created, owned.item.bytes)) return endForeign({ item, id: userId, line }, healing);
  const isOurs = created.editor?.userId === job.self;
  const sequence = isOurs ? { sequence: Number(created.sequence) } : {};
  ledger.endHealing({ item, id: userId, outcome: "recreated", ...sequence });
}

/** Completes what a run did that was killed between the deletion of a user and the end of its recreation. */
async function completeOpen(healing: Healing): Promise<void> {
  const { sending, job } = healing;
  const { ledger, plan, calling } = sending;
  const open = [...ledger.state.healing.values()];
  if (open.length === 0) return;
  const ids = new Set(open.map(({ id }) => id));
  const owned = await readOwned(plan, ids, () => true, calling.signal);
  for (const { item, id, before, by = job.self } of open) {
    calling.signal.throwIfAborted();
    const user = owned.get(id);
    const life = await readLife(id, calling);
    // The run that began it may have had another service user.
    const accounts = new Set([by, job.self]);
    const state = healingState(life, before, accounts);
    // A recreated user may lack its grants and metadata: they are sent, and count as there if they are.
    const isToFinish = state === "deleted" || state === "recreated";
    if (isToFinish && user !== undefined) await finish(id, user, accounts, uninterrupted(healing));
    else if (state === "recreated") {
      const sequence = Number(life.at(-1)?.sequence);
      ledger.endHealing({ item, id, outcome: "recreated", sequence });
    } else if (state === "untouched") ledger.endHealing({ item, id, outcome: "kept" });
    else endForeign({ item, id, line: user?.item.line }, healing);
  }
}

/** The same without the signal to stop: a user that was deleted is recreated first. */
function uninterrupted(healing: Healing): Healing {
  const { sending } = healing;
  const calling = { ...sending.calling, signal: new AbortController().signal };
  return { ...healing, sending: { ...sending, calling } };
}

/** True if recreating a user restores everything and sends no message: the plan's number of messages is not exceeded. */
function canBeRestored({ item }: OwnedUser, { run: { settings }, access }: Pick<Healing, "run" | "access">): boolean {
  const { isVerified, getsMail, getsSms } = checkHumanUser(JSON.parse(item.bytes.toString()), () => {});
  const isByUser = item.way === "users" && access !== undefined;
  const isMailed = isByUser ? (!isVerified || getsSms) && !settings.plan.noMail : getsMail || getsSms;
  return !isMailed && !hasOtpSecret(item);
}
