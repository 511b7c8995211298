import type { Context } from "../../context.ts";
import { type Input, openInput } from "../../io/input.ts";
import { ProblemError } from "../../problem.ts";
import { inputsOf, type Source, type SourceInput } from "../../sources/source.ts";
import type { Ui } from "../../ui/ui.ts";
import type { MigrateOptions } from "./declare.ts";

/** The files of a migration, by what their rows are. */
export interface OpenInputs {
  readonly users: Input;
  /** undefined: there is no such file. */
  readonly credentials: Input | undefined;
}

/** Opens the provider's files; none stays open when one cannot be. Raises input.* problems. */
export async function openInputs(
  source: Source,
  files: MigrateOptions["files"],
  context: Context,
  ui: Ui,
): Promise<OpenInputs> {
  const opened: Input[] = [];
  try {
    for (const input of inputsOf(source)) {
      const file = await openSourceFile(input, files[input.flag], input === source.credentials, context, ui);
      if (file !== undefined) opened.push(file);
    }
  } catch (error) {
    for (const input of opened) await input.close();
    throw error;
  }
  const [users, credentials] = opened;
  if (users === undefined) throw new Error("the users' file is not optional");
  return { users, credentials };
}

export async function closeInputs({ users, credentials }: OpenInputs): Promise<void> {
  await users.close();
  await credentials?.close();
}

/** @param twice what is read may have to be read once more. */
async function openSourceFile(
  { flag, defaultPath, optional }: SourceInput,
  named: string | undefined,
  twice: boolean,
  context: Context,
  ui: Ui,
): Promise<Input | undefined> {
  try {
    return await openInput(named ?? defaultPath, { ...context, flag: `--${flag}`, twice });
  } catch (error) {
    const isMissing = error instanceof ProblemError && error.problem.code === "input.missing";
    if (named !== undefined || optional !== true || !isMissing) throw error;
    ui.say(`no ${defaultPath}: no user gets a password (name the file with --${flag})`);
    return undefined;
  }
}
