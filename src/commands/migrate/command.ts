import { randomFillSync } from "node:crypto";
import type { Context } from "../../context.ts";
import { merge } from "../../core/merge/merge.ts";
import type { RowReaders } from "../../core/merge/reading.ts";
import { BodyFiles } from "../../io/output/body-files.ts";
import { RejectsFolder } from "../../io/output/rejects-folder.ts";
import { FileRowSpool } from "../../io/rows/row-spool.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { inputsOf, type Source } from "../../sources/source.ts";
import { orphanLine } from "../../ui/describe.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import { runCommand } from "../shared/run-command.ts";
import type { MigrateOptions } from "./declare.ts";
import { closeInputs, findsSharedNames, type OpenInputs, openInputs } from "./inputs.ts";
import { checkPaths, rejectsPath } from "./paths.ts";
import { createHasher } from "./plain-passwords.ts";
import { RejectList } from "./reject-list.ts";
import { openRows } from "./rows.ts";
import { readSettings } from "./settings.ts";
import { sayMigrated, sayProgress } from "./summary.ts";

/** Merges another provider's files into an import body, offline (design: migrate auth0). */
export async function migrate(source: Source, options: MigrateOptions, context: Context): Promise<ExitCode> {
  return runCommand(`migrate ${source.id}`, context, options, async (ui, report) => {
    checkPaths(source, options, context.cwd);
    const readers = source.createRows(readSettings(source, options.given, context.cwd), context.now());
    const outputs = { ...context, onOrphan: (path: string) => ui.warn(orphanLine(path)) };
    const body = new BodyFiles(bodySettings(options), outputs);
    const rejects = rejectsPath(options, context.cwd);
    const folder = rejects === undefined ? undefined : new RejectsFolder(rejects, inputsOf(source), outputs);
    let inputs: OpenInputs | undefined;
    try {
      inputs = await openInputs(source, options, context, ui);
      await body.open();
      return await convert({ source, readers, options, inputs, body, folder }, { context, ui, report });
    } finally {
      folder?.discard(); // it may lie in a folder that was made for the body
      body.discard();
      if (inputs !== undefined) await closeInputs(inputs);
    }
  });
}

interface Migration {
  readonly source: Source;
  readonly readers: RowReaders;
  readonly options: MigrateOptions;
  readonly inputs: OpenInputs;
  readonly body: BodyFiles;
  readonly folder: RejectsFolder | undefined;
}

interface Voice {
  readonly context: Context;
  readonly ui: Ui;
  readonly report: Report;
}

async function convert(
  { source, readers, options, inputs, body, folder }: Migration,
  { context, ui, report }: Voice,
): Promise<ExitCode> {
  const kinds = { users: source.users.flag, credentials: source.credentials?.flag ?? "" };
  const rejects = new RejectList(ui, report, folder, kinds);
  const progress = ui.progress("reading");
  const { signal, cleanUp } = context;
  const seeds = randomFillSync(new Uint32Array(3));
  const rows = await openRows(inputs, { source, readers, strictLines: options.multiline, seeds, signal });
  const hasher = await createHasher(readers, signal);
  const result = await merge({
    ...rows,
    readers,
    isEmailVerified: options.emailVerified,
    hashes: { verifiers: new Set(options.targetVerifiers), unverifiable: options.unverifiable },
    isCareful: false,
    seeds,
    orgs: options.orgMap,
    sameName: options.sameEmail,
    findsSharedNames: findsSharedNames(source, options.sameEmail),
    createSpool: () => new FileRowSpool(cleanUp, signal),
    rejects,
    ...(hasher === undefined ? {} : { passwords: hasher }),
    write: (entries, orgId) => body.append(entries, orgId),
    progress: (kind, counts) => {
      report.mark(counts.users.read + counts.passwords.read);
      sayProgress(progress, rows[kind]?.inputs, counts);
    },
  }).finally(async () => {
    progress.stop();
    await hasher?.close();
  });
  const plainPasswords = hasher === undefined ? undefined : { ...hasher.done, bcryptCost: hasher.cost };
  report.set({ ...result, plainPasswords, reasons: rejects.counts() });
  rejects.sayRest();
  context.signal.throwIfAborted();
  const rejected = result.users.rejected + result.passwords.rejected;
  const strict = options.strict && rejected > 0;
  const outputs = strict ? [] : await body.commit();
  report.set({ outputs });
  await folder?.commit();
  if (folder?.isUsed) report.set({ rejects: folder.path });
  const kept = folder?.isUsed ? folder.path : undefined;
  const { org, targetVerifiers: verifiers } = options;
  sayMigrated(ui, { result, outputs, rejects: kept, org, verifiers, plainPasswords });
  if (strict) throw new ProblemError({ code: "run.strict", rejected });
  return rejected > 0 ? exitCodes.partial : exitCodes.done;
}

function bodySettings(options: MigrateOptions): ConstructorParameters<typeof BodyFiles>[0] {
  const { output, org, timeout, split, strict } = options;
  const checksum = options.report !== undefined || options.html !== undefined || options.json;
  return { path: output, orgId: org, timeout, split, hold: strict, checksum };
}
