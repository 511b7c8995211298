import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Context } from "../../context.ts";
import { recognize } from "../../core/document/recognize.ts";
import { LOOSEST } from "../../core/rules/email.ts";
import { fold, JobState } from "../../core/transfer/job-state.ts";
import type { JobEntry } from "../../core/transfer/journal-entries.ts";
import { openDocument } from "../../io/input/document.ts";
import { readFileBeginning } from "../../io/input/file-beginning.ts";
import { readJournal } from "../../io/journal/journal.ts";
import { readHolder } from "../../io/journal/lock.ts";
import { JOURNAL_ENDING, journalBeside } from "../../io/output/replaceable.ts";
import { isStateFile } from "../../io/state/state-file.ts";
import { routingIn } from "../../jobs/import/plan/fingerprint.ts";
import { readStateFacts } from "../../jobs/import/update/state.ts";
import { scanInput } from "../../jobs/shared/scan-input.ts";
import { count, duration, linesIf } from "../../problem/format.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import type { Report, ReportFields } from "../../ui/report.ts";
import { shellLine } from "../../ui/terminal/next-steps.ts";
import { type Amount, ProgressModel } from "../../ui/terminal/progress-model.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { runCommand } from "../shared/run-command.ts";
import type { StatusOptions } from "./declare.ts";

type Job = NonNullable<ReportFields<"status">["imports"]>[number];

/** `status [journal]`: says what the journals of unfinished imports have. Changes nothing, and asks no instance. */
export async function status(
  journal: string | undefined,
  options: StatusOptions,
  { context }: CommandWorld,
): Promise<ExitCode> {
  const paths = { inputs: [journal], outputs: [] };
  return runCommand({ name: "status", context, options, paths }, async (ui, report) => {
    if (journal !== undefined && isStateFile(resolve(context.cwd, journal))) {
      sayState(journal, context, ui, report);
      return exitCodes.done;
    }
    const names = journalsAt(journal, context.cwd);
    const jobs: Job[] = [];
    for (const name of names) {
      const { job, isComplete } = await readJob(name, context, ui);
      jobs.push(job);
      sayJob(job, isComplete, ui);
      report.set({ imports: jobs });
    }
    report.set({ imports: jobs });
    if (jobs.length === 0) ui.result("no unfinished import: the folder has no journal (*.journal.ndjson).");
    return exitCodes.done;
  });
}

/** Says what a state file of `copy --state` is: it has nothing to continue. */
function sayState(state: string, context: Context, ui: Ui, report: Report<ReportFields<"status">>): void {
  const facts = readStateFacts(state, context);
  ui.result(ui.paint.bold(state));
  if (facts === "damaged") {
    ui.result(
      "  state:    of copy, damaged or of another version: the next copy with this --state compares everything",
    );
    return;
  }
  report.set({ states: [{ state, ...facts }] });
  ui.result(`  state:    of copy, ${facts.source} → ${facts.target}`);
  ui.result(
    `  read:     the target's events until ${facts.readUntil}; the next copy with this --state reads only newer ones`,
  );
  ui.result("  continue: nothing to continue, because a copy is started again as a whole");
}

/** The journal itself, or those of a folder. */
function journalsAt(path: string | undefined, cwd: string): readonly string[] {
  const folder = resolve(cwd, path ?? "");
  if (path !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(JOURNAL_ENDING))
    .sort();
  return path === undefined ? names : names.map((name) => join(path, name));
}

/** `isComplete`: the command has all flags of the interrupted one. Raises input.missing and the problems of a journal. */
async function readJob(
  journal: string,
  context: Context,
  ui: Ui,
): Promise<{ readonly job: Job; readonly isComplete: boolean }> {
  const path = resolve(context.cwd, journal);
  if (!existsSync(path)) throw new ProblemError({ code: "input.missing", file: journal, flag: "" });
  const holder = readHolder(path);
  const state = new JobState();
  const begunMs = Date.parse(holder?.since ?? "");
  const moments: Moment[] = [];
  try {
    readJournal(
      path,
      (entry) => {
        fold(state, entry);
        if (!("at" in entry) || entry.at === undefined || !(entry.at >= begunMs)) return;
        moments.push({ atMs: entry.at, done: state.users.settled, oneByOne: state.via.users });
      },
      { isWatched: true },
    );
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === "journal.not-one") refuseOther(journal, path);
    throw error;
  }
  if (state.job === undefined) throw new ProblemError({ code: "input.not-a-journal", file: journal });
  const file = journal.endsWith(JOURNAL_ENDING) ? journal.slice(0, -JOURNAL_ENDING.length) : undefined;
  const input = file !== undefined && existsSync(resolve(context.cwd, file)) ? file : undefined;
  const read = input === undefined ? undefined : await usersOf(input, state, context, ui);
  const { settled, created, alreadyThere, failed } = state.users;
  const other = input !== undefined && journal === journalBeside(input) ? [] : ["--journal", journal];
  const words = ["orgferry", "import", input ?? "<file>", "--target", state.job.target, ...other, "--resume"];
  const kept = keptCommand(state.job, path, context.cwd);
  const job: Job = {
    journal,
    ...(input === undefined ? {} : { input }),
    target: state.job.target,
    users: {
      settled,
      created,
      alreadyThere,
      failed,
      ...(read === undefined ? {} : { left: Math.max(0, read.users - settled) }),
    },
    ...(holder === undefined ? {} : { running: { ...holder, ...speedOf(moments, read, context.now()) } }),
    resume: kept ?? words.map((word) => (word === "<file>" ? word : shellLine([word]))).join(" "),
  };
  return { job, isComplete: kept !== undefined };
}

/** The command of the interrupted run, as it is given in `cwd`; undefined if the journal lacks it or has another name since. */
function keptCommand({ resume }: JobEntry, path: string, cwd: string): string | undefined {
  if (resume === undefined || resume.journal !== basename(path)) return undefined;
  const folder = relative(cwd, resolve(dirname(path), resume.folder));
  return folder === "" ? resume.command : `${shellLine(["cd", folder])} && ${resume.command}`;
}

/** Raises input.wrong-kind for a body, an export or a report. */
function refuseOther(journal: string, path: string): never {
  const found = statSync(path).isFile() ? recognize(readFileBeginning(path), []) : undefined;
  if (found !== undefined)
    throw new ProblemError({ code: "input.wrong-kind", file: journal, found, wanted: "journal" });
  throw new ProblemError({ code: "input.not-a-journal", file: journal });
}

/** What the journal of a run had at a time. */
interface Moment {
  readonly atMs: number;
  readonly done: number;
  /** Of these, users who were sent one by one. */
  readonly oneByOne: number;
}

/**
 * The rate and the time left of a run, by the same estimate as on its own terminal. No time left before the first answer about users who are
 * sent one by one: the rate of batches does not fit them.
 */
function speedOf(
  moments: readonly Moment[],
  input: InputUsers | undefined,
  now: Date,
): { readonly usersPerSecond?: number; readonly msLeft?: number } {
  const [first, ...others] = moments;
  const last = others.at(-1);
  if (first === undefined || last === undefined) return {};
  const total = input?.oneByOne ?? 0;
  const toAmount = ({ done, oneByOne }: Moment): Amount => ({
    done,
    total: input?.users,
    ...(total === 0 ? {} : { oneByOne: { done: oneByOne, total } }),
  });
  const model = new ProgressModel(toAmount(first), first.atMs);
  for (const moment of others) model.report(toAmount(moment), moment.atMs);
  const { perSecond = 0, leftMs } = model.view(Math.max(now.getTime(), last.atMs));
  const isMeasured = last.oneByOne > first.oneByOne || last.oneByOne >= total;
  return {
    ...(perSecond === 0 ? {} : { usersPerSecond: Math.round(10 * perSecond) / 10 }),
    ...(leftMs === undefined || !isMeasured ? {} : { msLeft: Math.round(leftMs) }),
  };
}

interface InputUsers {
  readonly users: number;
  /** Of these, users who are sent one by one. */
  readonly oneByOne: number;
}

/** The users that the job sends in all; undefined if the file is not the job's input any more. */
async function usersOf(file: string, { job }: JobState, context: Context, ui: Ui): Promise<InputUsers | undefined> {
  if (job === undefined) return undefined;
  const input = await openDocument(file, context);
  try {
    const routing = routingIn(job.routing);
    const settings = { onFault: () => {}, withReferences: false, routing, addresses: LOOSEST };
    const { scan, sha256 } = await scanInput(input, settings, ui, context.signal);
    const { users, invalidUsers } = scan.counts;
    return sha256 === job.input ? { users: users - invalidUsers, oneByOne: scan.routes.users } : undefined;
  } catch (error) {
    if (error instanceof ProblemError && !context.signal.aborted) return undefined;
    throw error;
  } finally {
    await input.close();
  }
}

function sayJob({ journal, input, target, users, running, resume }: Job, isComplete: boolean, ui: Ui): void {
  const left = users.left === undefined ? "" : ` · ${count(users.left)} left`;
  ui.result(`${ui.paint.bold(journal)}`);
  ui.result(`  import:   ${input ?? "of an input that is not beside the journal"} → ${target}`);
  ui.result(
    `  users:    ${count(users.settled)} done = ${count(users.created)} created + ${count(users.alreadyThere)} already there + ${count(users.failed)} failed${left}`,
  );
  if (running !== undefined) {
    const who = running.pid === undefined ? "" : ` (process ${running.pid} on ${running.host ?? "this machine"})`;
    ui.result(
      running.isSure
        ? `  running:  yes${who}`
        : `  running:  unknown${who}: on another machine, or in another container`,
    );
    const { usersPerSecond, msLeft } = running;
    const parts = [
      ...linesIf(usersPerSecond !== undefined, `${usersPerSecond} users per second`),
      ...linesIf(msLeft !== undefined, `about ${duration(msLeft ?? 0)} left`),
    ];
    if (parts.length > 0) ui.result(`  rate:     ${parts.join(", ")}`);
    if (running.isSure) return;
  }
  ui.result(`  continue: ${resume}`);
  if (!isComplete) ui.result("            (with the other flags of the interrupted command)");
}
