import { listInstanceMembers } from "../../admin/org-lists.ts";
import { type ChangeAnswer, createUserChanges, type UserChanges } from "../../admin/user-changes.ts";
import { createUsersApi } from "../../admin/users-api.ts";
import { readInstanceVersion } from "../../admin/version.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { changeEvents, historyEvents, UserHistory } from "../../core/events/user-history.ts";
import { isAlive } from "../../core/events/user-life.ts";
import { idWithName, LISTED, type Names } from "../../problem/format.ts";
import { type ExitCode, exitCodes, ProblemError, type RunProblem } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import {
  AT_ONCE_LINE,
  idsLines,
  newerManifestLine,
  questionLine,
  removedRightsLines,
  stayingObjects,
  toDeleteLines,
  type UndoNumbers,
  undoPlanLines,
  undoSummaryLines,
  unfinishedImportLine,
  unreadableLine,
} from "../../ui/summary/undo-summary.ts";
import { askOnTerminal } from "../../ui/terminal/ask.ts";
import { type Asking, askingOf, type CallWorld } from "../shared/asking.ts";
import { freshReading, lookBeforeHarm } from "../shared/fresh.ts";
import { createLimiter } from "../shared/limiter.ts";
import { askTwice, notOffered, withheld } from "../shared/not-offered.ts";
import { GrowingLog, type LogReading } from "../shared/read-log.ts";
import { addTargetNames } from "../shared/target-names.ts";
import { lastLifeEventOnce, lastLifeEvents, readSelf } from "../shared/user-life.ts";
import { newerManifest, unfinishedJournal } from "./newer-manifest.ts";
import type { Manifest } from "./read-manifest.ts";
import { usersWithRemovedRights } from "./removed-rights.ts";
import { type KeptReason, UndoAccount, whyNotDeleted } from "./undo-account.ts";

export interface UndoRun extends CallWorld {
  readonly report: Report;
  readonly manifest: Manifest;
  readonly file: string;
  readonly settings: UndoSettings;
}

export interface UndoSettings {
  /** Delete also users who were active since, and users that the log does not know. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Do not ask. */
  readonly yes: boolean;
  /** Concurrent calls; with more than one, the service may miss deletions (service behaviour 0.41). */
  readonly concurrency: number;
}

/** Users that are taken from the manifest together. */
const PORTION = 500;

/**
 * Deletes the users of a manifest from the target (design: undo). The event log is read before the question, after it, and again at most
 * half a second before each deletion, so that users who sign in meanwhile are kept. Raises run.not-confirmed, usage.invalid, what the events
 * and the users API raise.
 */
export async function runUndo(run: UndoRun): Promise<ExitCode> {
  const { api, ui, report, manifest, settings } = run;
  const reading = askingOf(run);
  const account = new UndoAccount(manifest.users);
  report.set({ target: api.address.host, users: account.numbers(), otherObjects: stayingObjects(manifest.end.others) });
  const users = await openUserChanges(reading);
  const lives = await readLives(run, reading);
  const members = await readMembers(reading);
  account.sort(lives?.history, members, settings.force);
  if (lives !== undefined) await sortUnseen(account, lives, members, reading);
  const inUse = account.inUse();
  if (inUse.size > 0) report.set({ inUse: Object.fromEntries(inUse) });
  for (const line of undoPlanLines(account.numbers(), manifest.end, api.address.host, inUse)) ui.say(line);
  // Afterwards they have no names.
  const toDelete = account.toRemove();
  const namesBefore = await readNames(run, toDelete);
  for (const line of toDeleteLines(toDelete, account.numbers().toRemove, namesBefore)) ui.say(line);
  const isToDelete = (id: string): boolean => account.isToRemove(id);
  const losers = toDelete.length === 0 ? [] : await usersWithRemovedRights(isToDelete, manifest.head, reading);
  if (losers.length > 0) report.set({ removedRights: losers.slice(0, LISTED) });
  for (const line of removedRightsLines(losers, await readNames(run, losers))) ui.warn(line);
  if (account.numbers().toRemove > 0)
    for (const line of idsLines(await readInstanceVersion(api, reading.signal))) ui.say(line);
  const newer = newerManifest(run.file, manifest.head, run.context.cwd);
  // With a newer manifest, the journal is that of a later import.
  const unfinished = newer === undefined ? unfinishedJournal(run.file, run.context.cwd) : undefined;
  if (newer !== undefined) ui.warn(newerManifestLine(newer));
  if (unfinished !== undefined) ui.warn(unfinishedImportLine(unfinished));
  if (settings.concurrency > 1 && account.numbers().toRemove > 1) ui.warn(AT_ONCE_LINE);
  if (!settings.dryRun) await askOnce(run, account.numbers());
  else report.set({ dryRun: true });
  let stopped: unknown;
  try {
    if (!settings.dryRun) await deleteAll(run, { users, lives, account, reading });
  } catch (error) {
    stopped = error;
  }
  const removedUsers = settings.dryRun ? toDelete : account.removed();
  report.set({
    users: account.numbers(),
    kept: account.kept(),
    failures: account.failures(),
    removedUsers: [...removedUsers],
  });
  const left = [...account.kept(), ...account.failures()].map(({ id }) => id);
  const names = stopped === undefined ? await readNames(run, left) : new Map();
  const lines = undoSummaryLines(account.numbers(), account.keptByReason(), account.kept(), settings.dryRun, names);
  for (const line of lines) ui.say(line);
  for (const { id, line, message } of account.failures().slice(0, SHOWN))
    ui.warn(`${run.file}:${line}: ${idWithName(id, names.get(id))}: "${message}"`);
  if (stopped instanceof ProblemError && stopped.problem.code === "run.aborted")
    throw new ProblemError({ ...stopped.problem, midway: true });
  if (stopped !== undefined) throw stopped;
  const { kept, failed, unknown } = account.numbers();
  return kept + failed + unknown === 0 ? exitCodes.done : exitCodes.partial;
}

const SHOWN = 20;

/** Reports the login names of the first of these users. */
async function readNames(run: UndoRun, ids: readonly string[]): Promise<Names> {
  const { report } = run;
  try {
    await addTargetNames(run, ids);
  } catch (error) {
    // The names are an addition: the outcome of the run stands without them.
    if (!(error instanceof ProblemError)) throw error;
  }
  const names = report.targetNames ?? new Map<string, string>();
  if (names.size > 0) report.set({ loginNames: Object.fromEntries(names) });
  return names;
}

async function openUserChanges({ api, retry, signal }: Asking): Promise<UserChanges> {
  const found = await withRetry(() => createUsersApi(api).probe(signal), retry, signal);
  if (found === "there") return createUserChanges(api);
  const { host } = api.address;
  if (found === "forbidden") throw new ProblemError({ code: "auth.forbidden", host, role: "IAM_OWNER", message: "" });
  throw new ProblemError({ code: "api.no-users-api", host, why: found });
}

/** The users of the manifest since the job, by a log that grows. */
interface Lives {
  readonly history: UserHistory;
  /** Reads the events since the last reading. Raises what reading events raises. */
  read(): Promise<void>;
}

/** Reads the events since the job; undefined, only with `force`, if the target does not offer its events. */
async function readLives({ ui, manifest, settings }: UndoRun, reading: LogReading): Promise<Lives | undefined> {
  const { mark, by, until } = manifest.head;
  const ids = manifest.users.map(({ id }) => id);
  const history = new UserHistory(ids, { mark, by: await accountsOf(by, settings, reading), until });
  for (const { id, createdAs } of manifest.users) if (createdAs !== undefined) history.follow(id, createdAs);
  // Sessions belong to the instance: asked by organization, they would be missing.
  const log = new GrowingLog("reading events", { eventTypes: historyEvents, orgIds: [], after: mark });
  const changes = new GrowingLog("reading events", { eventTypes: changeEvents, orgIds: [], after: mark });
  const lives = {
    history,
    async read() {
      await Promise.all([
        log.read(reading, (event) => history.take(event)),
        changes.read(reading, (event) => history.takeChange(event)),
      ]);
    },
  };
  let problem: RunProblem | undefined;
  const read = async (isLast: boolean): Promise<Lives | undefined> => {
    try {
      await lives.read();
      return lives;
    } catch (error) {
      problem = isLast ? withheld(error) : notOffered(error);
      if (problem === undefined || !settings.force) throw error;
      return undefined;
    }
  };
  const known = await askTwice(read);
  if (known === undefined && problem !== undefined) ui.warn(unreadableLine(problem));
  return known;
}

/**
 * The accounts that may have created the users. A manifest that names none is that of a target that does not tell: without `force`, the
 * account of this run must have created them.
 */
async function accountsOf(
  by: readonly string[] | undefined,
  { force }: UndoSettings,
  reading: Asking,
): Promise<ReadonlySet<string> | undefined> {
  if (by !== undefined) return new Set(by);
  const self = force ? undefined : await readSelf(reading);
  return self === undefined ? undefined : new Set([self]);
}

/** The users with a role on the instance. Raises what the list raises: without it, no user is deleted. */
async function readMembers({ api, retry, signal }: Asking): Promise<ReadonlySet<string>> {
  return new Set(await listInstanceMembers(api, retry, signal));
}

/** For users whose creation the log lacks, deleted only by `--force`: the plan asks what is asked again before each deletion. */
async function sortUnseen(
  account: UndoAccount,
  lives: Lives,
  members: ReadonlySet<string>,
  reading: LogReading,
): Promise<void> {
  const unseen = account.inUseFor("not-in-log");
  if (unseen.length === 0) return;
  await lives.read();
  const last = await lastLifeEvents(unseen, reading);
  for (const id of unseen) {
    const reason = whyNotDeleted(id, lives.history, members, true) ?? byLastEvent(id, last.get(id), lives.history);
    if (reason === "gone") account.gone(id);
    else if (reason !== undefined) account.keep(id, reason);
  }
}

/**
 * What the last life event says against the deletion of a user: the user does not exist any more ("gone"), or is not the one whose creation
 * the log has. undefined: nothing.
 */
function byLastEvent(
  id: string,
  last: ServiceEvent | undefined,
  history: UserHistory,
): "not-in-log" | "made-anew" | "gone" | undefined {
  const isSeen = (history.of(id)?.added ?? 0) > 0;
  // A log that knew the user before and has no events now is not trusted.
  if (last === undefined) return isSeen ? "not-in-log" : undefined;
  if (!isAlive(last)) return "gone";
  if (history.isLastCreation(last)) return undefined;
  return isSeen ? "made-anew" : "not-in-log";
}

/** Undo starts only after a yes, at the terminal or by the flag. */
async function askOnce({ api, context, settings }: UndoRun, numbers: UndoNumbers): Promise<void> {
  if (settings.yes || numbers.toRemove === 0) return;
  const isSure = await askOnTerminal(questionLine(numbers, api.address.host), context, context.signal);
  if (isSure === undefined) {
    const message = "undo deletes users permanently and cannot ask without a terminal: add --yes.";
    throw new ProblemError({ code: "usage.invalid", message });
  }
  if (!isSure) throw new ProblemError({ code: "run.not-confirmed" });
}

interface Deletion {
  readonly users: UserChanges;
  readonly lives: Lives | undefined;
  readonly account: UndoAccount;
  readonly reading: LogReading;
}

/**
 * Why a user is kept after all: what was read meanwhile says so, or the user who exists is not the one that the log knew. Asked immediately
 * before each call, also a repeated one. undefined if the user can be deleted, and if the target does not offer its events. "gone": another
 * account deleted the user; before a repeated call, the call before may have done it.
 */
async function whyKept(
  id: string,
  isRepeated: boolean,
  { lives, reading, fresh, keptBy }: Pick<Deletion, "lives" | "reading"> & Checks,
): Promise<KeptReason | "gone" | undefined> {
  const [members, last] = await Promise.all([fresh(), lives && lastLifeEventOnce(id, reading)]);
  const known = keptBy(id, members);
  if (known !== undefined || lives === undefined) return known;
  const reason = byLastEvent(id, last, lives.history);
  return reason === "gone" && isRepeated ? undefined : reason;
}

/** What is checked before each call. */
interface Checks {
  /** Reads what happened since the last reading, unless that was just now; returns the users with a role on the instance. */
  readonly fresh: () => Promise<ReadonlySet<string>>;
  readonly keptBy: (id: string, members: ReadonlySet<string>) => KeptReason | undefined;
}

async function deleteAll(
  { ui, report, settings }: UndoRun,
  { users, lives, account, reading }: Deletion,
): Promise<void> {
  const { retry, signal } = reading;
  const limiter = createLimiter(() => settings.concurrency);
  const progress = ui.progress("deleting");
  let failure: { readonly error: unknown } | undefined;
  const checks: Checks = {
    fresh: freshReading(async () => {
      // At the same time: the look is as old as its slowest answer.
      const [members] = await Promise.all([readMembers(reading), lives?.read()]);
      return members;
    }),
    keptBy: (id, members) => whyNotDeleted(id, lives?.history, members, settings.force),
  };
  const remove = async (id: string): Promise<void> => {
    if (failure !== undefined || signal.aborted) return;
    let isRepeated = false;
    const call = async (): Promise<ChangeAnswer | KeptReason | "gone"> => {
      const look = () => whyKept(id, isRepeated, { lives, reading, ...checks });
      const kept = await lookBeforeHarm(reading.api.address, look);
      if (kept !== undefined) return kept;
      isRepeated = true;
      account.begin(id);
      return users.remove(id, signal);
    };
    try {
      const answer = await withRetry(call, retry, signal);
      if (answer === "gone") account.gone(id);
      else if (typeof answer === "string") account.keep(id, answer);
      else account.settle(id, answer);
    } catch (error) {
      failure ??= { error };
    }
    report.mark(account.done());
    progress.update(() => `${account.done()} of ${account.all()} users`);
  };
  try {
    for (let portion = account.next(PORTION); portion.length > 0; portion = account.next(PORTION)) {
      await Promise.all(portion.map((id) => limiter.run(() => remove(id))));
      if (failure !== undefined) throw failure.error;
      signal.throwIfAborted();
    }
  } finally {
    progress.stop();
  }
}
