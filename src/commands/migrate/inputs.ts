import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Context } from "../../context.ts";
import { type KnownFile, recognize } from "../../core/document/recognize.ts";
import { BEGINNING_BYTES } from "../../core/json/first-keys.ts";
import { findRows } from "../../core/merge/find-rows.ts";
import type { FolderShape, InputShape, RowsShape } from "../../core/merge/input-shape.ts";
import type { RowKind } from "../../core/merge/merge-job.ts";
import type { RowReaders } from "../../core/merge/reading.ts";
import { attempt, inputProblem } from "../../io/attempt.ts";
import { type Input, openInput, peek } from "../../io/input/input.ts";
import { openLater } from "../../io/input/later.ts";
import { namesIn } from "../../io/output/temporary-file.ts";
import { type RowInputs, RowReader } from "../../io/rows/row-reader.ts";
import { type FoundKind, ProblemError } from "../../problem.ts";
import type { Source, SourceInput } from "../../sources/source.ts";
import type { Amount } from "../../ui/terminal/progress-model.ts";
import type { Ui } from "../../ui/ui.ts";
import { checkKind } from "./check-inputs.ts";
import type { MigrateOptions } from "./declare.ts";
import { pathOf } from "./paths.ts";
import { otherPartsLine } from "./summary.ts";

/**
 * True when an extra pass over the users finds those who share an e-mail address. With a credentials input, its rows show which users
 * have a password, and no extra pass is needed for that.
 */
export function findsSharedNames({ credentials }: Source, sameEmail: MigrateOptions["sameEmail"]): boolean {
  return sameEmail === "link" || sameEmail === "reject" || (sameEmail === "password" && credentials === undefined);
}

/** Number of passes over the users: one more to find shared addresses, and one more for a join in parts. */
export function userReadings(findsSharedNames: boolean, isInParts: boolean): number {
  return 1 + (findsSharedNames ? 1 : 0) + (isInParts ? 1 : 0);
}

/** True if a flag says where the users of any JSON are. */
function isMapped({ given }: Pick<MigrateOptions, "given">): boolean {
  return ["mapping", "list"].some((name) => (given[name] ?? []).length > 0);
}

/** The rows of a migration's inputs. */
export interface OpenRows {
  readonly users: RowReader;
  /** undefined: the migration has no such file. */
  readonly credentials: RowReader | undefined;
}

/** A migration: the provider, how its rows are read, and the flags. */
export interface Migration {
  readonly source: Source;
  readonly readers: RowReaders;
  readonly options: MigrateOptions;
}

/**
 * Opens the provider's files. If one fails or is another kind of file, all are closed.
 * @param known the files of all providers. Raises input.* problems.
 */
export async function openRows(
  { source, readers, options }: Migration,
  known: readonly KnownFile[],
  context: Context,
  ui: Ui,
): Promise<OpenRows> {
  const { files, sameEmail, memory, multiline: strictLines } = options;
  const { document, table } = readers;
  const opened: RowInputs[] = [];
  const open = async (input: SourceInput): Promise<RowReader | undefined> => {
    const isReadAgain =
      memory !== undefined || findsSharedNames(source, sameEmail) || readers.about?.isAnywhere === true;
    const twice = input === source.credentials || isReadAgain;
    const inputs = await openSourceInput(input, files[input.flag], twice, context, ui);
    if (inputs === undefined) return undefined;
    opened.push(inputs);
    const isChosen = input.marks === undefined && input.shape.kind !== "table" && isMapped(options);
    const checked = await checkKind(inputs, input, source, { known, isChosen });
    const { shape, files: all } = await findShape(checked, input.shape, readers, { strictLines, known });
    const found = await withMembers({ ...checked, files: all }, shape, readers, ui);
    return new RowReader(found, { shape, strictLines, document, table });
  };
  try {
    const users = await open(source.users);
    if (users === undefined) throw new Error("the users' input is not optional");
    return { users, credentials: source.credentials && (await open(source.credentials)) };
  } catch (error) {
    for (const inputs of opened) await closeFiles(inputs);
    throw error;
  }
}

/** Closes the files, which may be read several times before. */
export async function closeRows({ users, credentials }: OpenRows): Promise<void> {
  await closeFiles(users.inputs);
  if (credentials !== undefined) await closeFiles(credentials.inputs);
}

async function closeFiles({ files }: RowInputs): Promise<void> {
  for (const file of files) await file.close();
}

/** Lets the source see what stands around its rows, where it needs that. */
async function withMembers(
  inputs: RowInputs,
  shape: RowsShape,
  { about, document }: RowReaders,
  ui: Ui,
): Promise<RowInputs> {
  if (about === undefined || shape.kind !== "document") return inputs;
  const { readMembers } = await import("../../io/rows/document-members.ts"); // loaded only where it is used
  const found = await readMembers(inputs, shape, about, document);
  if (found.around === undefined && about.ifAbsent !== undefined) ui.warn(about.ifAbsent);
  return found;
}

/** The form of the rows. Where it is to be found out, the source sees the first rows; a pipe is waited for. */
async function findShape(
  { name, files }: RowInputs,
  shape: InputShape,
  { list, recognize: recognizeRows }: RowReaders,
  { strictLines, known }: { readonly strictLines: boolean; readonly known: readonly KnownFile[] },
): Promise<{ readonly shape: RowsShape; readonly files: readonly Input[] }> {
  const [first, ...rest] = files;
  if (shape.kind !== "found") return { shape, files };
  if (first === undefined) return { shape: { kind: "rows" }, files };
  const { bytes, input } = await peek(first, BEGINNING_BYTES);
  const found = findRows({ file: first.file, bytes }, shape, { list, strictLines });
  try {
    await recognizeRows?.(found);
  } catch (error) {
    if (isUnknown(error) && EMPTY.test(bytes.toString("latin1")))
      throw new ProblemError({ code: "input.no-rows", file: name });
    throw withProvider(error, recognize(bytes, known));
  }
  return { shape: found.shape, files: [input, ...rest] };
}

/** Rows of an unknown layout may be those of a provider that has a command of its own. */
function withProvider(error: unknown, found: FoundKind | undefined): unknown {
  if (!isUnknown(error)) return error;
  return found?.kind === "source" ? new ProblemError({ ...error.problem, provider: found }) : error;
}

/** An array or an object without content, or nothing. */
const EMPTY = /^\s*(?:\[\s*\]|\{\s*\})?\s*$/;

function isUnknown(error: unknown): error is ProblemError & { readonly problem: { code: "usage.unknown-rows" } } {
  return error instanceof ProblemError && error.problem.code === "usage.unknown-rows";
}

/** From this input size on, a reader thread saves more time than its start costs. */
const READ_AHEAD_BYTES = 48 * 2 ** 20;

/** For large inputs, the same rows of a thread per file, which reads and parses ahead of the join. */
export async function readAheadOf(
  rows: OpenRows,
  { fast: fields, ownIdPrefix }: RowReaders,
  seeds: Uint32Array,
  signal: AbortSignal,
): Promise<OpenRows> {
  const { users, credentials } = rows;
  if (Math.max(users.expectedBytes, credentials?.expectedBytes ?? 0) < READ_AHEAD_BYTES) return rows;
  const { canReadAhead, readAhead } = await import("../../io/rows/read-ahead.ts"); // loaded only where it is used
  if (!canReadAhead()) return rows;
  const ahead = (reader: RowReader, kind: RowKind): RowReader => {
    const { inputs, form } = reader;
    const isOneFile = inputs.files.length === 1 && inputs.files[0]?.path !== undefined;
    if (!isOneFile || form.shape.kind === "table") return reader; // a table's rows are parsed where they are found
    const hasFields = fields?.[kind] !== undefined || (kind === "users" && fields?.nestedUsers !== undefined);
    const columns = !hasFields ? undefined : { fields, ownIdPrefix, seeds };
    return readAhead(reader, { rows: kind, columns, signal, isReadAgain: kind === "users" });
  };
  return { users: ahead(users, "users"), credentials: credentials && ahead(credentials, "credentials") };
}

/**
 * The bytes that were read, and the total; the total is unknown when an input is a pipe.
 * @param userReadings number of passes over the users.
 */
export function amountRead({ users, credentials }: OpenRows, userReadings: number): Amount {
  const done = users.takenBytes() + (credentials?.takenBytes() ?? 0);
  const total = sizeOf(users) * userReadings + (credentials === undefined ? 0 : sizeOf(credentials));
  return Number.isNaN(total) ? { done } : { done, total };
}

function sizeOf({ inputs }: RowReader): number {
  return inputs.files.reduce((sum, { sizeBytes = Number.NaN }) => sum + sizeBytes, 0);
}

/** @param twice the input may be read a second time. */
async function openSourceInput(
  input: SourceInput,
  named: string | undefined,
  twice: boolean,
  context: Context,
  ui: Ui,
): Promise<RowInputs | undefined> {
  const { flag, defaultPath, optional, folder } = input;
  const name = pathOf(input, named);
  if (name === undefined) {
    ui.say(`--${flag} none: no user gets a password`);
    return undefined;
  }
  const options = { ...context, flag: `--${flag}`, twice, isTable: input.shape.kind === "table" };
  if (folder !== undefined && isFolder(name, options)) return openFolder(name, folder, options);
  try {
    const file = await openInput(name, options);
    const others = folder?.parts === undefined ? [] : otherParts(name, folder.parts, context.cwd);
    if (others.length > 0) ui.warn(otherPartsLine(name, others, `--${flag}`));
    return { name, files: [file] };
  } catch (error) {
    const isMissing = error instanceof ProblemError && error.problem.code === "input.missing";
    if (named !== undefined || optional !== true || !isMissing) throw error;
    ui.say(`no ${defaultPath}: no user gets a password (name the file with --${flag})`);
    return undefined;
  }
}

/** The names of the other parts beside a file that holds a part of the rows. */
function otherParts(name: string, parts: RegExp, cwd: string): readonly string[] {
  const whole = parts.exec(basename(name))?.[1];
  if (whole === undefined) return [];
  const names = namesIn(resolve(cwd, dirname(name))).filter((other) => parts.exec(other)?.[1] === whole);
  return inOrder(names.filter((other) => other !== basename(name)));
}

/** Raises input.unreadable. */
function isFolder(name: string, { cwd, flag }: OpenOptions): boolean {
  const stat = attempt(() => statSync(resolve(cwd, name), { throwIfNoEntry: false }), inputProblem(name, flag));
  return stat?.isDirectory() === true;
}

type OpenOptions = Parameters<typeof openInput>[1];

/**
 * Opens the matching files of a folder in the order of their names. There may be thousands. Raises
 * input.unreadable, input.no-files.
 */
function openFolder(name: string, wanted: FolderShape, options: OpenOptions): RowInputs {
  const { cwd, flag } = options;
  const all = attempt(() => readdirSync(resolve(cwd, name), { withFileTypes: true }), inputProblem(name, flag));
  const files = all.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  const names = files.filter((file) => wanted.files.test(file));
  if (names.length === 0) {
    // The form of an export in one file.
    const [only, ...others] = files.filter((file) => /\.json(\.gz)?$/.test(file)).sort();
    if (only === undefined || others.length > 0) {
      const folders = all.filter((entry) => entry.isDirectory()).map((entry) => `${entry.name}/`);
      const inside = [only ?? [], others, folders.sort()].flat();
      throw new ProblemError({ code: "input.no-files", file: name, names: wanted.names, inside });
    }
    names.push(only);
  }
  return { name, files: inOrder(names).map((file) => openLater(join(name, file), options)) };
}

/** `users-2` before `users-10`. */
function inOrder(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
