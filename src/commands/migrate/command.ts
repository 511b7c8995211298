import { randomFillSync } from "node:crypto";
import { tmpdir } from "node:os";
import { formatHashLimits, withEnds } from "../../contract/hash-limits.ts";
import { capabilitiesOf, NEWEST_VERSION } from "../../contract/versions.ts";
import { AskedMap } from "../../core/merge/asked-map.ts";
import type { MergeResult } from "../../core/merge/counts.ts";
import type { HashPolicy } from "../../core/merge/hashes.ts";
import { merge } from "../../core/merge/merge.ts";
import type { RowReaders } from "../../core/merge/reading.ts";
import { Selection, type SelectionRules } from "../../core/select/selection.ts";
import { BodyFiles } from "../../io/output/body-files.ts";
import { tryOutput } from "../../io/output/output.ts";
import { RejectsFolder, rejectFiles } from "../../io/output/rejects-folder.ts";
import { partFiles } from "../../io/part-files.ts";
import type { BcryptHasher } from "../../io/password-hasher.ts";
import { FileRowSpool } from "../../io/rows/row-spool.ts";
import { movedRejectsLine, orphanLine } from "../../problem/run.ts";
import { type ExitCode, exitCodes, ProblemError, type RunProblem } from "../../problem.ts";
import { inputsOf, markedInputs, type Source } from "../../sources/source.ts";
import { organizationsOf } from "../../ui/report.ts";
import { sayNext } from "../../ui/terminal/next-steps.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { pilotFiles } from "../shared/pilot/flags.ts";
import { readPilot } from "../shared/pilot/select.ts";
import { runCommand, type Voice } from "../shared/run-command.ts";
import type { MigrateOptions } from "./declare.ts";
import {
  amountRead,
  closeRows,
  findsSharedNames,
  type Migration,
  type OpenRows,
  openRows,
  readAheadOf,
  userReadings,
} from "./inputs.ts";
import { partsFor } from "./memory.ts";
import { checkInputs, pathsOf, rejectsPath } from "./paths.ts";
import { RejectList } from "./reject-list.ts";
import { readSettings } from "./settings.ts";
import {
  filesLine,
  grantLines,
  inPartsLine,
  nameLines,
  nextSteps,
  notKeptLine,
  readSoFar,
  rejectedLine,
  sayMigrated,
  unmatchedIdLines,
  unmetLines,
  unreadFieldsLine,
} from "./summary.ts";

/** Merges another provider's files into an import body, offline (design: migrate auth0). */
export async function migrate(
  source: Source,
  options: MigrateOptions,
  { context, sources }: CommandWorld,
): Promise<ExitCode> {
  const read = readSettings(source, options.given, context.cwd);
  const paths = pathsOf(source, options, [...read.files, ...pilotFiles(options)], context.cwd);
  return runCommand({ name: `migrate ${source.id}`, context, options, paths }, async (ui, report) => {
    const orgIds = [...new Set([options.org, ...(options.orgMap?.values() ?? [])])];
    report.set({ organizations: organizationsOf(orgIds.map((orgId) => ({ orgId }))) });
    const settings = read.settings();
    checkInputs(source, options, context.cwd);
    const readers = source.createRows(settings, context.now());
    const targetIds = { "--org": [options.org], "--org-map": [...options.orgMap.values()], ...readers.targetIds };
    for (const line of [...nameLines(targetIds), ...grantLines(orgIds, readers.targetIds?.["--grant"])]) ui.warn(line);
    const outputs = { ...context, onOrphan: (path: string) => ui.warn(orphanLine(path)) };
    const body = new BodyFiles({ ...bodySettings(options), projects: readers.projects }, outputs);
    const rejects = rejectsPath(options, context.cwd);
    const files = { owner: `migrate ${source.id}`, names: rejectFiles(inputsOf(source)) };
    const onMoved = (from: string, to: string): void => ui.warn(movedRejectsLine(from, to));
    const flag = options.rejects === undefined ? "--output" : "--rejects";
    // Otherwise, a place where nothing can be written is reported by the folder of rejects beside it, whose path no flag has.
    if (rejects !== undefined && flag === "--output") tryOutput(options.output, { ...context, flag });
    const folder = rejects === undefined ? undefined : new RejectsFolder(rejects, files, { ...outputs, flag, onMoved });
    const migration = { source, readers, options, pilot: await readPilot(options, context) };
    let rows: OpenRows | undefined;
    try {
      rows = await openRows(migration, markedInputs(sources), context, ui);
      report.set({ inputs: namesOf(rows), ...filesOf(rows) });
      await body.open();
      return await convert(migration, { rows, body, folder }, { context, ui, report });
    } finally {
      folder?.discard(); // it may be in a folder that was created for the body
      body.discard();
      if (rows !== undefined) await closeRows(rows);
    }
  });
}

interface Files {
  readonly rows: OpenRows;
  readonly body: BodyFiles;
  readonly folder: RejectsFolder | undefined;
}

/** The names of the input files. */
function namesOf({ users, credentials }: OpenRows): readonly string[] {
  return [users, ...(credentials === undefined ? [] : [credentials])].map(({ name }) => name);
}

/** The files of a folder. */
function filesOf({ users: { name, inputs } }: OpenRows): { readonly inputFiles?: readonly string[] } {
  const inputFiles = inputs.files.map(({ file }) => file);
  return inputFiles.length === 1 && inputFiles[0] === name ? {} : { inputFiles };
}

async function convert(
  { source, readers, options, pilot }: Migration & { readonly pilot: SelectionRules | undefined },
  { rows: opened, body, folder }: Files,
  { context, ui, report }: Voice,
): Promise<ExitCode> {
  const kinds = { users: source.users.flag, credentials: source.credentials?.flag ?? "" };
  const rejects = new RejectList(report, folder, kinds);
  const { signal, cleanUp } = context;
  const seeds = randomFillSync(new Uint32Array(3));
  const rows = await readAheadOf(opened, readers, seeds, signal);
  let read: Pick<MergeResult, "users" | "passwords"> | undefined;
  const { memory, sameEmail } = options;
  const parts = memory === undefined ? undefined : partsFor(memory, rows, readers.userBytes);
  if (parts !== undefined) ui.say(inPartsLine(tmpdir()));
  const hasNamesPass = findsSharedNames(source, sameEmail);
  const readings = userReadings(hasNamesPass, parts !== undefined);
  const progress = ui.progress("reading", { unit: "bytes", amount: () => amountRead(rows, readings) });
  progress.update(() => (read === undefined ? "" : readSoFar(read)));
  const hasher = await hasherOf(readers, options.org, signal);
  const selection = pilot === undefined ? undefined : new Selection(pilot);
  const orgs = new AskedMap(options.orgMap);
  const result = await merge({
    ...rows,
    readers,
    isEmailVerified: options.emailVerified,
    hashes: hashPolicy(options),
    isCareful: false,
    seeds,
    mainOrg: options.org,
    selection,
    orgs,
    sameName: sameEmail,
    findsSharedNames: hasNamesPass,
    parts: parts === undefined ? undefined : partFiles({ parts }, cleanUp, signal),
    createSpool: () => new FileRowSpool(cleanUp, signal),
    rejects,
    ...(hasher === undefined ? {} : { passwords: hasher }),
    write: (entries, orgId) => body.append(entries, orgId),
    progress: (_, counts) => {
      report.mark(counts.users.read + counts.passwords.read);
      read = counts;
    },
  }).finally(async () => {
    progress.stop();
    await hasher?.close();
  });
  const plainPasswords = hasher === undefined ? undefined : { ...hasher.done, bcryptCost: hasher.cost };
  report.set({
    ...asNotWritten(result),
    plainPasswords,
    reasons: rejects.counts(),
    unknownWords: rejects.unknownWords(),
  });
  if (source.carriedBy !== undefined) report.set({ carriedBy: source.carriedBy });
  const { targetVersion, targetLimits } = options;
  if (targetVersion !== undefined) report.set({ targetVersion });
  if (targetLimits !== undefined)
    report.set({ targetLimits: targetLimits === "none" ? targetLimits : formatHashLimits(targetLimits) });
  for (const line of rejects.lines()) ui.say(line);
  const unmet = { "--only": selection?.unmet ?? [], "--org-map": orgs.unasked, ...readers.unmet?.() };
  for (const line of unmetLines(unmet)) ui.warn(line);
  for (const line of result.users.written === 0 ? [] : (readers.lacks?.(options.emailVerified) ?? [])) ui.warn(line);
  const unmatched = readers.unmatchedIds?.() ?? {};
  for (const line of unmatchedIdLines(unmatched)) ui.warn(line);
  const unmatchedIds = firstIds(unmatched);
  if (Object.keys(unmatchedIds).length > 0) report.set({ unmatchedIds });
  const unread = result.columns && unreadFieldsLine(readers.unmet?.()["--value"] ?? [], result.columns);
  if (unread !== undefined) ui.warn(unread);
  context.signal.throwIfAborted();
  const rejected = result.users.rejected + result.passwords.rejected;
  const obstacle = findObstacle(options, rejected, body);
  const outputs = obstacle === undefined ? await body.commit() : [];
  report.set(obstacle === undefined ? { ...result, outputs } : { outputs });
  await folder?.commit();
  if (folder?.isUsed) report.set({ rejects: folder.path });
  const kept = folder?.isUsed ? folder.path : undefined;
  const { org } = options;
  const policy = hashPolicy(options);
  const isWritten = obstacle === undefined;
  if (opened.credentials !== undefined) ui.say(filesLine(namesOf(opened)));
  sayMigrated(ui, {
    result,
    outputs,
    rejects: kept,
    adviceLines: rejects.adviceLines(hasher === undefined && "plainPasswords" in source.options),
    org,
    source,
    policy,
    plainPasswords,
    isWritten,
  });
  if (folder === undefined && rejects.total > 0) ui.warn(notKeptLine(result));
  if (obstacle !== undefined) throw new ProblemError(obstacle);
  if (result.users.written > 0) sayNext(ui, nextSteps(outputs, context.cwd, options.unverifiable, result.users));
  if (rejected === 0) return exitCodes.done;
  report.why(rejectedLine(result, kept), rejects.lines());
  return exitCodes.partial;
}

/** The number of ids that the report lists for a flag. */
const LISTED = 1_000;

/** The first ids of each flag that has any. */
function firstIds(ids: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> {
  const some = Object.entries(ids).filter(([, all]) => all.length > 0);
  return Object.fromEntries(some.map(([flag, all]) => [flag, all.slice(0, LISTED)]));
}

/** The hasher of plain passwords; undefined for a provider without any. */
async function hasherOf(
  { plainPasswords }: RowReaders,
  scope: string,
  signal: AbortSignal,
): Promise<BcryptHasher | undefined> {
  if (plainPasswords === undefined) return undefined;
  const { BcryptHasher } = await import("../../io/password-hasher.ts"); // loaded only where it is used
  return new BcryptHasher({ cost: plainPasswords.bcryptCost, scope, signal });
}

/**
 * Which hashes are written. Without `--target-version` and `--target-limits` the target may be of any version, so a hash out of the newest
 * one's limits is written and counted: it is lost on no version that accepts it, and the newest one reports each that it refuses.
 */
function hashPolicy({ targetVersion, targetLimits, targetVerifiers, unverifiable }: MigrateOptions): HashPolicy {
  const { hashLimits = {} } = capabilitiesOf(targetVersion ?? NEWEST_VERSION);
  const limits = targetLimits === "none" ? {} : withEnds(hashLimits, targetLimits ?? {});
  const enforcesLimits = targetVersion !== undefined || targetLimits !== undefined;
  return { verifiers: new Set(targetVerifiers), unverifiable, limits, enforcesLimits };
}

/** The reason why the finished body must not be written; undefined: there is none. */
function findObstacle({ strict }: MigrateOptions, rejected: number, body: BodyFiles): RunProblem | undefined {
  if (strict && rejected > 0) return { code: "run.strict", rejected };
  const file = body.worthKeeping();
  return file === undefined ? undefined : { code: "output.kept", file };
}

/** The counts before the body is committed: no user is written yet. */
function asNotWritten({ users, ...rest }: MergeResult): object {
  return { ...rest, users: { ...users, written: 0, wouldHaveWritten: users.written } };
}

function bodySettings(options: MigrateOptions): ConstructorParameters<typeof BodyFiles>[0] {
  const { output, org, timeout, split, strict } = options;
  const checksum = options.report !== undefined || options.html !== undefined || options.json;
  return { path: output, orgId: org, timeout, split, hold: strict, checksum };
}
