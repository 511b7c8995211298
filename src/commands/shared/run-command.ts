import { appendFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { type Context, lateSignal } from "../../context.ts";
import { openOutput } from "../../io/output/output.ts";
import type { Output } from "../../io/output/sink.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { LISTED } from "../../problem/format.ts";
import {
  type Deed,
  type ExitCode,
  exitCodeOf,
  exitCodes,
  type Problem,
  ProblemError,
  ReaderGone,
} from "../../problem.ts";
import { annotationLines, isGitHub, jobSummary, jsonLine } from "../../ui/machine/github.ts";
import {
  lostIds,
  NOT_SENT,
  namedIds,
  namedLines,
  OTP_LOST,
  type Reason,
  reasonLine,
  reasonsOf,
} from "../../ui/reasons.ts";
import {
  type AnyReport,
  type CommandName,
  LISTED_WARNINGS,
  type ListedProblem,
  type Report,
  type ReportFields,
  type Untold,
} from "../../ui/report.ts";
import { createUi, type Ui } from "../../ui/ui.ts";
import { version } from "../../version.ts";
import type { CommonOptions, PageOptions } from "./common-options.ts";
import {
  type Foreign,
  findFolders,
  findForeign,
  findOverwrite,
  type NamedPaths,
  type Overwrite,
  refuseBoth,
} from "./output-guard.ts";
import { Timeline } from "./timeline.ts";

/** A run of a command: its name, its options, and the files that it names. */
export interface CommandRun<Name extends CommandName> {
  readonly name: Name;
  readonly context: Context;
  readonly options: CommonOptions & Partial<PageOptions>;
  readonly paths?: NamedPaths;
}

/** What the work of a run says, and of what. */
export interface Voice {
  readonly context: Context;
  readonly ui: Ui;
  readonly report: Report;
}

/** Something that a run opens, and that is closed when its work is done: what was opened last is closed first. */
export interface Closable {
  close(): Promise<void>;
}

/** Returns what it is given, which is closed at the end of the run. */
export type Own = <T extends Closable>(opened: T) => T;

/**
 * Runs one command: gives it a terminal and a report, turns a thrown problem into a message and an exit code, and writes the report
 * (`--report`, `--html`, `--json`) however the run ends. A command line that would replace an input or another output is refused before
 * anything is written. An error that is no ProblemError is a bug: exit 70, with the stack.
 */
export async function runCommand<Name extends CommandName>(
  { name, context, options, paths = { inputs: [], outputs: [] } }: CommandRun<Name>,
  body: (ui: Ui, report: Report<ReportFields<Name>>, own: Own) => Promise<ExitCode>,
): Promise<ExitCode> {
  const started = context.now();
  const ui = await createUi({ ...context, ...options });
  const warnings: string[] = [];
  const heard: Ui = {
    ...ui,
    warn(...lines) {
      if (warnings.length < LISTED_WARNINGS) warnings.push(stripVTControlCharacters(lines.join("\n")));
      ui.warn(...lines);
    },
  };
  const fields: ReportFields = {};
  const problems: Problem[] = [];
  const timeline = new Timeline();
  const elapsedMs = (): number => context.now().getTime() - started.getTime();
  const lastActs: Parameters<Report["lastly"]>[0][] = [];
  let why: Parameters<Report["why"]> | undefined;
  const report: Report = {
    why: (...lines) => {
      why = lines;
    },
    set: (more) => Object.assign(fields, more),
    mark: (done) => timeline.add(elapsedMs(), done),
    namedIds: () => namedIds(value()),
    lostIds: () => lostIds(value()),
    targetNames: new Map(),
    objectNames: new Map(),
    add: (problem) => {
      if (problems.length < LISTED) problems.push(problem);
    },
    lastly: (act) => lastActs.unshift(act),
  };
  // The problem that ended the run is always listed, even if the list is full.
  const ending: Report = {
    ...report,
    add: (problem) => {
      problems.push(problem);
    },
  };
  const reports = [
    { flag: "--report", path: options.report, kind: "report" },
    { flag: "--html", path: options.html, kind: "report" },
  ] as const;
  const outputs = [...reports, ...paths.outputs];
  const overwrite = findOverwrite({ ...paths, outputs }, context.cwd);
  const obstacles = [
    overwrite ?? [],
    findFolders(paths.outputs, context.cwd),
    findForeign(outputs, context.cwd, options.force),
  ].flat();
  const files: { "--report"?: Output; "--html"?: Output } = {};
  let exitCode: ExitCode = exitCodes.done;
  const value = (): AnyReport => ({
    schemaVersion: 1,
    command: name,
    version,
    exitCode,
    startedAt: started.toISOString(),
    durationMs: elapsedMs(),
    ...(timeline.points().length === 0 ? {} : { timeline: timeline.points() }),
    ...fields,
    problems: problems.map(listed),
    ...(warnings.length === 0 ? {} : { warnings }),
  });
  exitCode = await attempt(
    async () => {
      if (options.quiet && options.verbose) refuseBoth("--quiet", "--verbose");
      // A report that is not a page has all names.
      if (options.htmlAnonymous === true && options.html === undefined)
        throw new ProblemError({ code: "usage.invalid", message: "--html-anonymous needs --html." });
      for (const { flag, path } of reports) {
        if (path !== undefined && !obstacles.some((obstacle) => isRefused(flag, obstacle)))
          files[flag] = openReport(flag, path, { ...context, deletesFormer: obstacles.length === 0 });
      }
      const [obstacle] = obstacles;
      if (obstacle !== undefined) throw new ProblemError(obstacle);
      // The fields of one command are fields of the report.
      return closingAll((own) => body(heard, report as Report<ReportFields<Name>>, own));
    },
    ui,
    ending,
    deeds[name],
  );
  if (options.quiet && exitCode === exitCodes.partial) warnOfReasons(value(), why ?? [], ui);
  else if (options.quiet) warnOfMessages(value(), ui);
  const untold: Untold[number][] = [];
  const write = async (flag: Untold[number], output: Output, text = `${JSON.stringify(value())}\n`): Promise<void> => {
    const code = await writeText(output, text, ui, ending);
    if (code !== exitCodes.done) untold.push(flag);
    exitCode = worse(exitCode, code);
  };
  const { "--report": reportFile, "--html": page } = files;
  if (page !== undefined) {
    await write("--html", page, await toPage(value(), options));
    if (untold.length === 0) ui.say(`page:     ${page.path}`);
  }
  if (reportFile !== undefined) await write("--report", reportFile);
  if (options.json) {
    await write("--json", openOutput("-", reportContext(context)), `${jsonLine(value())}\n`);
  }
  const finish = async (act: (typeof lastActs)[number]): Promise<ExitCode> => {
    act(untold);
    return exitCodes.done;
  };
  for (const act of lastActs) exitCode = worse(exitCode, await attempt(() => finish(act), ui, ending));
  if (isGitHub(context.env)) tellGitHub(value(), context, ui);
  return exitCode;
}

/** These items are warnings already, which --quiet does not silence. */
const WARNED: readonly string[] = ["missing", "different", "cannot sign in", "missing from the export", OTP_LOST];

/** Says why a quiet run ended with 1: the sum, then each reason with its first items. */
function warnOfReasons(report: AnyReport, [sum, known]: Partial<Parameters<Report["why"]>>, ui: Ui): void {
  const reasons = known ?? reasonLines(reasonsOf(report).filter(({ kind }) => !WARNED.includes(kind)));
  ui.warn(sum ?? (reasons.length === 0 ? PARTIAL_LINE : "some items failed:"), ...reasons);
}

/** Says who would get a message, if a quiet run ended because that was not confirmed. */
function warnOfMessages(report: AnyReport, ui: Ui): void {
  const lines = reasonLines(reasonsOf(report).filter(({ kind }) => kind === NOT_SENT));
  if (lines.length > 0) ui.warn("these users would get a message:", ...lines);
}

/** The reasons with their first items. */
function reasonLines(reasons: readonly Reason[]): readonly string[] {
  return reasons.flatMap((reason) => [`  ${reasonLine(reason)}`, ...namedLines(reason).map((line) => `    ${line}`)]);
}

const PARTIAL_LINE = "some items failed; run without --quiet, or use --report, for details.";

async function closingAll<T>(work: (own: Own) => Promise<T>): Promise<T> {
  const all: Closable[] = [];
  const own: Own = (opened) => {
    all.unshift(opened);
    return opened;
  };
  try {
    return await work(own);
  } finally {
    for (const opened of all) await opened.close();
  }
}

/** What these commands do to a target. */
const deeds: Partial<Record<CommandName, Deed>> = { import: "send", copy: "send", invite: "send", undo: "delete" };

/** @param deed of the command, for the words about a run that has done nothing. */
async function attempt(work: () => Promise<ExitCode>, ui: Ui, report: Report, deed?: Deed): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    const cause =
      error instanceof Error && error.name === "AbortError" && error.cause instanceof ProblemError
        ? error.cause
        : error;
    if (cause instanceof ReaderGone) return exitCodes.done;
    if (cause instanceof ProblemError) {
      const problem = deed === undefined ? cause.problem : { ...cause.problem, deed };
      ui.problem(problem);
      report.add(problem);
      return exitCodeOf(cause.problem);
    }
    ui.warn(`this is a bug in orgferry ${version}; please report it with the lines below.`);
    const { toSourceStack } = await import("../../io/source-stack.ts");
    const [first = "", ...rest] = (
      error instanceof Error ? toSourceStack(error.stack ?? String(error)) : String(error)
    ).split("\n");
    ui.warn(first, ...rest);
    report.set({ bug: true });
    return exitCodes.bug;
  }
}

/** Time to write a report after an interrupt: its pipe may have no reader. */
const REPORT_GRACE_MS = 1_000;

/** The context of a report, which is written after an interrupt too: its signal aborts a little later. */
function reportContext(context: Context): Context {
  return { ...context, signal: lateSignal(context.signal, REPORT_GRACE_MS) };
}

/** True for a report that would replace another file of the command line. */
function isRefused(flag: string, overwrite: Overwrite | Foreign): boolean {
  return overwrite.code === "usage.same-output" ? overwrite.flags.includes(flag) : overwrite.flag === flag;
}

/** Opens a report before the work starts, so that an unwritable path ends the run at once. */
function openReport(
  flag: "--report" | "--html",
  path: string,
  { deletesFormer, ...context }: Context & { readonly deletesFormer: boolean },
): Output {
  if (path !== "-") return openOutput(path, { ...reportContext(context), deletesFormer, flag });
  throw new ProblemError({
    code: "usage.invalid",
    message: `${flag} takes a file; --json prints the report on stdout.`,
  });
}

/** The report as an HTML page. */
async function toPage(value: AnyReport, { htmlAnonymous = false }: Partial<PageOptions>): Promise<string> {
  const { reportPage } = await import("../../ui/html/page.ts");
  return reportPage(value, { isAnonymous: htmlAnonymous });
}

/** A failed output is worse than failed rows. */
function worse(exitCode: ExitCode, failed: ExitCode): ExitCode {
  return failed === exitCodes.done || exitCode > exitCodes.partial ? exitCode : failed;
}

function writeText(output: Output, text: string, ui: Ui, report: Report): Promise<ExitCode> {
  return attempt(
    async () => {
      try {
        await output.write(Buffer.from(text));
        await output.commit();
      } finally {
        output.discard();
      }
      return exitCodes.done;
    },
    ui,
    report,
  );
}

/** A problem as the report lists it: `{code, message, file?, line?, field?, path?, id?, fields?, columns?, paths?, lists?, mapping?, documents?}`. */
function listed(problem: Problem): ListedProblem {
  const { file, line, field, path, id, ...of } = problem as Partial<ListedProblem>;
  const { fields, columns, paths, lists, mapping, documents } = of;
  const ofInput = { fields, columns, paths, lists, mapping, documents };
  return { code: problem.code, message: sentences(describe(problem)), file, line, field, path, id, ...ofInput };
}

/** Reports a run to GitHub Actions: annotations beside the log, and a summary on the page of the job. */
function tellGitHub(report: AnyReport, { env, stderr }: Pick<Context, "env" | "stderr">, ui: Ui): void {
  // Written to stderr directly: GitHub needs the lines with --quiet too.
  for (const line of annotationLines(report)) stderr.write(`${line}\n`);
  const path = env["GITHUB_STEP_SUMMARY"];
  if (path === undefined || path === "") return;
  try {
    appendFileSync(path, jobSummary(report));
  } catch (error) {
    ui.warn(`the summary for GitHub Actions could not be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
