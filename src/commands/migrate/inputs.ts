import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Context } from "../../context.ts";
import type { KnownFile } from "../../core/document/recognize.ts";
import { type Input, openInput } from "../../io/input/input.ts";
import { openLater } from "../../io/input/later.ts";
import type { RowInputs } from "../../io/rows/row-reader.ts";
import { ProblemError } from "../../problem.ts";
import { inputsOf, type Source, type SourceInput } from "../../sources/source.ts";
import type { Ui } from "../../ui/ui.ts";
import { checkKind } from "./check-inputs.ts";
import type { MigrateOptions } from "./declare.ts";

/**
 * Whether users are read once before anybody is judged: who shares a name is not known otherwise. Who has a password is told by the rows
 * of credentials, where there are any.
 */
export function findsSharedNames({ credentials }: Source, sameEmail: MigrateOptions["sameEmail"]): boolean {
  return sameEmail === "link" || sameEmail === "reject" || (sameEmail === "password" && credentials === undefined);
}

/** How often users are read in all: once more where names are looked for, and once more for a join in parts. */
export function userReadings(
  source: Source,
  { sameEmail }: Pick<MigrateOptions, "sameEmail">,
  inParts: boolean,
): number {
  return 1 + (findsSharedNames(source, sameEmail) ? 1 : 0) + (inParts ? 1 : 0);
}

/** The files of a migration, by what their rows are. */
export interface OpenInputs {
  readonly users: RowInputs;
  /** undefined: there is no such file. */
  readonly credentials: RowInputs | undefined;
}

/**
 * Opens the provider's files; none stays open when one cannot be, or is something else.
 * @param known the files of all providers. Raises input.* problems.
 */
export async function openInputs(
  source: Source,
  { files, sameEmail, memory }: Pick<MigrateOptions, "files" | "sameEmail" | "memory">,
  known: readonly KnownFile[],
  { context, ui }: { readonly context: Context; readonly ui: Ui },
): Promise<OpenInputs> {
  const opened: RowInputs[] = [];
  try {
    for (const input of inputsOf(source)) {
      const twice = input === source.credentials || memory !== undefined || findsSharedNames(source, sameEmail);
      const rows = await openSourceInput(input, files[input.flag], twice, context, ui);
      if (rows === undefined) continue;
      opened.push(rows);
      opened[opened.length - 1] = await checkKind(rows, input, source, known);
    }
  } catch (error) {
    for (const input of opened) await closeFiles(input.files);
    throw error;
  }
  const [users, credentials] = opened;
  if (users === undefined) throw new Error("the users' input is not optional");
  return { users, credentials };
}

export async function closeInputs({ users, credentials }: OpenInputs): Promise<void> {
  await closeFiles(users.files);
  await closeFiles(credentials?.files ?? []);
}

async function closeFiles(files: readonly Input[]): Promise<void> {
  for (const file of files) await file.close();
}

/** @param twice what is read may have to be read once more. */
async function openSourceInput(
  { flag, defaultPath, optional, folder }: SourceInput,
  named: string | undefined,
  twice: boolean,
  context: Context,
  ui: Ui,
): Promise<RowInputs | undefined> {
  const name = named ?? defaultPath;
  const options = { ...context, flag: `--${flag}`, twice };
  if (folder !== undefined && isFolder(resolve(context.cwd, name))) return openFolder(name, folder.files, options);
  try {
    return { name, files: [await openInput(name, options)] };
  } catch (error) {
    const isMissing = error instanceof ProblemError && error.problem.code === "input.missing";
    if (named !== undefined || optional !== true || !isMissing) throw error;
    ui.say(`no ${defaultPath}: no user gets a password (name the file with --${flag})`);
    return undefined;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The wanted files of a folder, in the order of their names: `users-2` before `users-10`. There may be thousands. */
function openFolder(name: string, wanted: RegExp, options: Parameters<typeof openInput>[1]): RowInputs {
  const names = readdirSync(resolve(options.cwd, name)).filter((file) => wanted.test(file));
  if (names.length === 0) throw new ProblemError({ code: "input.no-files", file: name });
  names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return { name, files: names.map((file) => openLater(join(name, file), options)) };
}
