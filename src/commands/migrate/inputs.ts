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
 * True when an extra pass over the users finds those who share an e-mail address. With a credentials input, its rows show which users
 * have a password, and no extra pass is needed for that.
 */
export function findsSharedNames({ credentials }: Source, sameEmail: MigrateOptions["sameEmail"]): boolean {
  return sameEmail === "link" || sameEmail === "reject" || (sameEmail === "password" && credentials === undefined);
}

/** Number of passes over the users: one more to find shared addresses, and one more for a join in parts. */
export function userReadings(
  source: Source,
  { sameEmail }: Pick<MigrateOptions, "sameEmail">,
  inParts: boolean,
): number {
  return 1 + (findsSharedNames(source, sameEmail) ? 1 : 0) + (inParts ? 1 : 0);
}

/** The open files of a migration, by the kind of their rows. */
export interface OpenInputs {
  readonly users: RowInputs;
  /** undefined: the migration has no such file. */
  readonly credentials: RowInputs | undefined;
}

/**
 * Opens the provider's files. If one fails or is another kind of file, all are closed.
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

/** @param twice the input may be read a second time. */
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

/** Opens the matching files of a folder in the order of their names, `users-2` before `users-10`. There may be thousands. */
function openFolder(name: string, wanted: RegExp, options: Parameters<typeof openInput>[1]): RowInputs {
  const names = readdirSync(resolve(options.cwd, name)).filter((file) => wanted.test(file));
  if (names.length === 0) throw new ProblemError({ code: "input.no-files", file: name });
  names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return { name, files: names.map((file) => openLater(join(name, file), options)) };
}
