import type { Context } from "../../context.ts";
import { BodyFiles } from "../../io/body-files.ts";
import { type Input, openInput } from "../../io/input.ts";
import { RejectsFolder } from "../../io/rejects-folder.ts";
import { RowReader } from "../../io/rows.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { sources } from "../../sources/registry.ts";
import type { MergeResult, Source, SourceInput } from "../../sources/source.ts";
import { bytes, count } from "../../ui/format.ts";
import type { Progress } from "../../ui/progress.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import { runCommand } from "../shared/run-command.ts";
import type { MigrateOptions } from "./declare.ts";
import { checkPaths, rejectsPath } from "./paths.ts";
import { RejectList } from "./reject-list.ts";
import { sayMigrated } from "./summary.ts";

/** Merges another provider's files into an import body, offline (design: migrate auth0). */
export async function migrate(sourceId: Source["id"], options: MigrateOptions, context: Context): Promise<ExitCode> {
  const source = sources.find(({ id }) => id === sourceId);
  if (source === undefined) throw new Error(`no such source: ${sourceId}`);
  return runCommand(`migrate ${source.id}`, context, options, async (ui, report) => {
    checkPaths(source, options, context.cwd);
    const opened: Input[] = [];
    const open = async (input: SourceInput): Promise<Input | undefined> => {
      const file = await openSourceFile(input, options, context, ui);
      if (file !== undefined) opened.push(file);
      return file;
    };
    const body = new BodyFiles(bodySettings(options), context);
    const rejects = rejectsPath(options, context.cwd);
    const folder = rejects === undefined ? undefined : new RejectsFolder(rejects, context);
    try {
      const inputs = await openAll(source, open);
      await body.open();
      return await convert(source, options, { context, ui, report, body, folder, ...inputs });
    } finally {
      folder?.discard(); // it may lie in a folder that was made for the body
      body.discard();
      for (const input of opened) await input.close();
    }
  });
}

interface Job {
  readonly context: Context;
  readonly ui: Ui;
  readonly report: Report;
  readonly body: BodyFiles;
  readonly folder: RejectsFolder | undefined;
  readonly users: Input;
  readonly passwords: Input | undefined;
}

async function convert(source: Source, options: MigrateOptions, job: Job): Promise<ExitCode> {
  const { context, ui, report, body, folder } = job;
  const rejects = new RejectList(ui, report, folder);
  const progress = ui.progress("reading");
  const merge = await source.load();
  const result = await merge({
    users: new RowReader(job.users, options.multiline),
    passwords: job.passwords === undefined ? undefined : new RowReader(job.passwords, options.multiline),
    emailVerified: options.emailVerified,
    reading: "auto",
    rejects,
    write: (entries) => body.append(entries),
    progress: ({ input }, counts) => showProgress(progress, input, counts),
    signal: context.signal,
    cleanUp: context.cleanUp,
  }).finally(() => progress.stop());
  report.set({ ...result, reasons: rejects.counts() });
  rejects.sayRest();
  context.signal.throwIfAborted();
  const rejected = result.users.rejected + result.passwords.rejected;
  const strict = options.strict && rejected > 0;
  const outputs = strict ? [] : await body.commit();
  report.set({ outputs });
  await folder?.commit();
  if (folder?.isUsed) report.set({ rejects: folder.path });
  sayMigrated(ui, { result, outputs, rejects: folder?.isUsed ? folder.path : undefined, org: options.org });
  if (strict) throw new ProblemError({ code: "run.strict", rejected });
  return rejected > 0 ? exitCodes.partial : exitCodes.done;
}

async function openAll(
  source: Source,
  open: (input: SourceInput) => Promise<Input | undefined>,
): Promise<{ users: Input; passwords: Input | undefined }> {
  const files: { users?: Input | undefined; passwords?: Input | undefined } = {};
  for (const input of source.inputs) files[input.flag] = await open(input);
  if (files.users === undefined) throw new Error("every source has profiles");
  return { users: files.users, passwords: files.passwords };
}

async function openSourceFile(
  { flag, defaultPath, optional }: SourceInput,
  options: MigrateOptions,
  context: Context,
  ui: Ui,
): Promise<Input | undefined> {
  const named = options.files[flag];
  try {
    return await openInput(named ?? defaultPath, { ...context, flag: `--${flag}`, twice: flag === "passwords" });
  } catch (error) {
    const isMissing = error instanceof ProblemError && error.problem.code === "input.missing";
    if (named !== undefined || !optional || !isMissing) throw error;
    ui.say(`no ${defaultPath}: no user gets a password (name the file with --${flag})`);
    return undefined;
  }
}

function bodySettings(options: MigrateOptions): ConstructorParameters<typeof BodyFiles>[0] {
  const { output, org, timeout, split, strict } = options;
  const checksum = options.report !== undefined || options.json;
  return { path: output, orgId: org, timeout, split, hold: strict, checksum };
}

function showProgress(progress: Progress, input: Input, { users, passwords }: MergeResult): void {
  progress.update(() => {
    const { sizeBytes } = input;
    const taken = input.takenBytes();
    const share = sizeBytes === undefined ? bytes(taken) : `${Math.floor((100 * taken) / sizeBytes)} %`;
    return `${input.file === "-" ? "stdin" : input.file} ${share} · ${count(passwords.read)} password rows, ${count(users.read)} users`;
  });
}
