import { randomUUID } from "node:crypto";
import { basename, dirname, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { newestEvent } from "../../admin/events.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { Failure } from "../../core/transfer/answer/batch-result.ts";
import { fold, JobState } from "../../core/transfer/job-state.ts";
import { JOURNAL_VERSION, type JobEntry } from "../../core/transfer/journal-entries.ts";
import {
  createJournal,
  hasJournal,
  type Journal,
  type JournalEnd,
  noJournal,
  openJournal,
  readFirstEntry,
  readJournal,
  setAside,
} from "../../io/journal/journal.ts";
import { type JournalLock, lockJournal } from "../../io/journal/lock.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";
import {
  goingOnLine,
  NO_JOURNAL_LINE,
  noEventsLine,
  otherJobLine,
  PART_UNREADABLE_LINE,
} from "../../ui/summary/import-summary.ts";
import { askingOf } from "../shared/asking.ts";
import { askTwice, isNotTold, mayBeAnsweredLater } from "../shared/not-offered.ts";
import { readSelf } from "../shared/user-life.ts";
import { type Discarded, readDiscarded } from "./discarded.ts";
import type { ImportRun, ImportWorld } from "./import-run.ts";
import { Ledger } from "./ledger.ts";
import { otherFlags, otherSelection } from "./plan/fingerprint.ts";
import { type Plan, readSection } from "./plan/plan.ts";

/** A job that is locked for this run. */
export interface ClaimedJob {
  readonly ledger: Ledger;
  /** The ledger has the progress of earlier runs. */
  readonly isResumed: boolean;
  /** The unfinished run that this one replaces. */
  readonly discarded?: Discarded;
  /** undefined: the job has no journal. */
  readonly place:
    | { readonly path: string; readonly lock: JournalLock; readonly end: JournalEnd | undefined }
    | undefined;
}

export interface StartedJob {
  readonly journal: Journal;
  readonly ledger: Ledger;
}

/**
 * Finds a journal that is left over, in use, or cannot be written, before the input is read. Raises journal.left-over, journal.locked,
 * journal.link, journal.not-one, journal.broken, journal.other-version, output.unwritable.
 */
export function checkJournalPlace({ files: { journal, resume, restart }, context }: ImportRun): void {
  if (journal === undefined) return;
  const path = resolve(context.cwd, journal);
  const lock = withHint(path, () => lockJournal(path, context));
  try {
    if (resume || restart || readFirstEntry(path) === undefined) return;
    throw new ProblemError({ code: "journal.left-over", journal: path });
  } finally {
    lock.release();
  }
}

/**
 * Reads the progress of a job without asking the target. `onFailures` gets the failures of every batch that an earlier run settled. The
 * journal is locked until the report is written. Raises journal.left-over, journal.locked, journal.other-input, journal.other-target,
 * journal.other-settings, journal.other-version, journal.not-one, journal.link, journal.broken.
 */
export async function claimJob(
  run: ImportRun,
  plan: Plan,
  onFailures: (failures: readonly Failure[]) => void,
): Promise<ClaimedJob> {
  const { files: settings, context, report, ui } = run;
  const state = new JobState();
  const toLedger = (isResumed: boolean): Ledger => {
    const onSettled = (): void => report.mark(state.users.settled);
    const { existing: failOnExisting } = run.settings.failOn;
    return new Ledger(state, plan.parts, {
      ...{ isResumed, failOnExisting, onFailures, onSettled },
      now: context.now,
    });
  };
  const fresh = { ledger: toLedger(false), isResumed: false };
  const { journal, resume } = settings;
  if (journal === undefined) return { ...fresh, place: undefined };
  const path = resolve(context.cwd, journal);
  const lock = withHint(path, () => lockJournal(path, context));
  report.lastly(() => lock.release());
  if (!resume) {
    const place = { path, lock, end: undefined };
    if (!hasJournal(path)) return { ...fresh, place };
    if (!settings.restart) throw new ProblemError({ code: "journal.left-over", journal: path });
    const discarded = readDiscarded(path, (job) => isJobOf(job, plan, run));
    if (!discarded.isWhole) ui.warn(PART_UNREADABLE_LINE);
    return { ...fresh, place, discarded };
  }
  const end = readJournal(path, (entry) => {
    fold(state, entry);
    if (entry.kind === "done") onFailures(entry.failures);
    if (entry.kind === "healed" && entry.failure !== undefined) onFailures([entry.failure]);
  });
  const place = { path, lock, end };
  if (state.job === undefined) return { ...fresh, place };
  checkBelongs(state.job, path, plan, run);
  checkPlaces(state, path, plan, run);
  const ledger = toLedger(true);
  await openLost(ledger, plan);
  return { ledger, isResumed: true, place };
}

/** True for a job of the same input with the same settings on the same target. */
function isJobOf({ input, routing, target }: JobEntry, { sha256, fingerprint }: Plan, { api }: ImportRun): boolean {
  return input === sha256 && routing === fingerprint && target === api.address.base;
}

/** The flag that the next run needs because of a journal that is left over; undefined if it needs none, or has it. */
export function flagForJournal(run: ImportRun, plan: Plan): "--resume" | "--restart" | undefined {
  const job = run.files.resume || run.files.restart ? undefined : earlierJob(run);
  return job && (isJobOf(job, plan, run) ? "--resume" : "--restart");
}

/** The job whose journal is left over; undefined without one, and for a journal that a later step refuses. */
export function earlierJob({ files: { journal }, context }: ImportRun): JobEntry | undefined {
  if (journal === undefined) return undefined;
  try {
    const entry = readFirstEntry(resolve(context.cwd, journal));
    return entry?.kind === "job" ? entry : undefined;
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** A journal that cannot be written here can be written to another folder: the problem names the flag. */
function withHint<T>(journal: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "output.unwritable") throw error;
    throw new ProblemError({ ...error.problem, file: journal, flag: "--journal" }, { cause: error });
  }
}

/** Opens the journal of a claimed job: continues it, or writes its head and what is taken over of a discarded
 * run. The journal of a discarded run of another job is kept under another name. Raises journal.*, auth.refused, net.*. */
export async function startJob(
  run: ImportRun,
  { scan, sha256, fingerprint }: Plan,
  { ledger, isResumed, place, discarded }: ClaimedJob,
): Promise<StartedJob> {
  const { files: settings, api, ui } = run;
  if (isResumed && place?.end !== undefined) {
    ui.say(goingOnLine(ledger.state.users.settled));
    const journal = openJournal(place.path, place.lock, place.end);
    const { job } = ledger.state;
    const by = await accountsOf(run, job);
    const now = job === undefined ? undefined : { ...job, ...(by === undefined ? {} : { by }), ...resumeOf(run) };
    const entries = now === undefined || isDeepStrictEqual(now, job) ? [] : [now];
    for (const entry of entries) journal.append(entry);
    ledger.keepIn(journal, entries);
    return { journal, ledger };
  }
  if (settings.resume) ui.say(NO_JOURNAL_LINE);
  const newest = await readMark(run);
  const kept = discarded?.kept;
  const mark = kept?.job.mark ?? newest;
  const by = await accountsOf(run, kept?.job);
  const job: JobEntry = {
    kind: "job",
    schemaVersion: JOURNAL_VERSION,
    id: kept?.job.id ?? randomUUID(),
    input: sha256,
    target: api.address.base,
    container: scan.container,
    routing: fingerprint,
    ...(mark === undefined ? {} : { mark }),
    ...(by === undefined ? {} : { by }),
    ...resumeOf(run),
  };
  if (discarded?.other !== undefined && settings.journal !== undefined)
    ui.warn(otherJobLine(discarded.other, setAside(settings.journal, run.context.cwd)));
  const entries = kept === undefined ? [job] : [job, kept.earlier];
  const journal = place === undefined ? noJournal : createJournal(place.path, place.lock, entries);
  ledger.keepIn(journal, entries);
  return { journal, ledger };
}

/** A longer command is not kept: the first record of a journal is read in one piece, also by earlier versions. */
const MAX_COMMAND_BYTES = 32_768;

/** How this run is continued; nothing without a journal. */
function resumeOf({ files, context }: Pick<ImportRun, "files" | "context">): Pick<JobEntry, "resume"> {
  const { journal, resumeCommand: command } = files;
  if (journal === undefined || command === undefined) return {};
  if (Buffer.byteLength(JSON.stringify(command)) > MAX_COMMAND_BYTES) return {};
  const path = resolve(context.cwd, journal);
  return { resume: { command, journal: basename(path), folder: relative(dirname(path), context.cwd) } };
}

/** The mark of a target without any events. */
const BEGINNING_OF_TIME = "1970-01-01T00:00:00Z";

/** The accounts of the job's earlier runs and of this one; undefined if those of the earlier runs, or all, are unknown. Raises net.*, auth.refused. */
async function accountsOf(world: ImportWorld, job: Pick<JobEntry, "by"> | undefined): Promise<string[] | undefined> {
  if (job !== undefined && job.by === undefined) return undefined;
  const self = await readSelf(askingOf(world));
  const by = new Set([...(job?.by ?? []), ...(self === undefined ? [] : [self])]);
  return by.size === 0 ? undefined : [...by];
}

/** Raises journal.other-input, journal.other-settings, journal.other-target for a journal of another job. */
function checkBelongs(
  job: JobEntry,
  journal: string,
  { sha256, fingerprint }: Plan,
  { input, api, files: { resumeCommand } }: ImportRun,
): void {
  const command = job.resume?.command;
  const selection = job.input === sha256 ? [] : otherSelection(command ?? "", resumeCommand ?? "");
  if (command !== undefined && selection.length > 0)
    throw new ProblemError({ code: "journal.other-settings", journal, differ: selection, command });
  if (job.input !== sha256) throw new ProblemError({ code: "journal.other-input", file: input.path, journal });
  if (job.routing !== fingerprint) {
    const differ = otherFlags(job.routing, fingerprint);
    throw new ProblemError({ code: "journal.other-settings", journal, differ, command });
  }
  if (job.target !== api.address.base)
    throw new ProblemError({ code: "journal.other-target", journal, host: api.address.host });
}

/** Raises journal.other-input for a journal with places that the input does not have. */
function checkPlaces({ done, lost, made }: JobState, journal: string, { parts }: Plan, { input }: ImportRun): void {
  const places = parts.reduce((sum, { count }) => sum + count, 0);
  const last = Math.max(...[done, lost, made].map((set) => set.ranges().at(-1)?.[1] ?? -1));
  if (last >= places) throw new ProblemError({ code: "journal.other-input", file: input.path, journal });
}

/** Users with an unknown outcome in an earlier run stay open until they have one, also if this run stops before them. */
async function openLost(ledger: Ledger, plan: Plan): Promise<void> {
  const { lost, done } = ledger.state;
  const isOpen = (first: number, count: number): boolean => lost.intersects(first, count) && !done.covers(first, count);
  for await (const items of readSection(plan, "humanUsers", undefined, isOpen)) {
    for (const item of items) ledger.open([item], item.way);
  }
}

/** The time of the target's newest event; undefined if events cannot be read, which is reported. A refused token is found here, too. */
async function readMark(world: ImportWorld): Promise<string | undefined> {
  const { api, ui, retry, signal } = askingOf(world);
  let problem: RunProblem | undefined;
  const ask = async (isLast: boolean): Promise<string | undefined> => {
    try {
      problem = undefined;
      return (await withRetry(() => newestEvent(api, signal), retry, signal))?.creationDate;
    } catch (error) {
      const isNeeded = isLast && mayBeAnsweredLater(error);
      if (!(error instanceof ProblemError) || !isNotTold(error.problem.code) || isNeeded) throw error;
      problem = error.problem;
      return undefined;
    }
  };
  // The setup of an instance leaves events, so an empty answer is asked for again, too: with it, every event would count as this job's.
  const mark = await askTwice(ask);
  if (problem !== undefined) ui.warn(noEventsLine(problem));
  return problem === undefined ? (mark ?? BEGINNING_OF_TIME) : undefined;
}
