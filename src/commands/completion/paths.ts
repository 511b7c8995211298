import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";

/** A command with its path: "" is the program, "migrate auth0" a sub-command. Hidden commands and flags are left out. */
export interface CommandPath {
  readonly path: string;
  readonly command: CommandUnknownOpts;
  readonly commands: readonly CommandUnknownOpts[];
  readonly options: readonly Option[];
}

/** Every command of a program with its path, the program first. */
export function pathsOf(command: CommandUnknownOpts, path = ""): readonly CommandPath[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const below = commands.flatMap((child) => pathsOf(child, pathTo(child, path)));
  return [{ path, command, commands, options: help.visibleOptions(command) }, ...below];
}

/** The path of a sub-command of the command with this path. */
export function pathTo(child: CommandUnknownOpts, path: string): string {
  return path === "" ? child.name() : `${path} ${child.name()}`;
}

/** The kind of a value: one of several choices, a path, or any text. */
export type ValueKind =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "file" | "folder" | "text" };

/** undefined: a switch. */
export function valueOfOption({ required, optional, flags, argChoices }: Option): ValueKind | undefined {
  return required || optional ? kindOf(flags, argChoices) : undefined;
}

export function valueOfArgument(argument: Argument): ValueKind {
  return kindOf(`<${argument.name()}>`, argument.argChoices);
}

/** The kind of a value, from the name of its placeholder: `<path>`, `<file>`, `<dir>`. */
function kindOf(flags: string, choices: readonly string[] | undefined): ValueKind {
  if (choices !== undefined) return { kind: "choices", choices };
  if (/<(path|files?|reports|manifest)(\.\.\.)?>/.test(flags)) return { kind: "file" };
  return { kind: /<dir>/.test(flags) ? "folder" : "text" };
}

/** Both names of a flag. */
export function namesOf({ long, short }: Option): readonly string[] {
  return [short, long].filter((name) => name !== undefined);
}

/** The flags of the help, which commander adds to every command. */
export const HELP = ["-h", "--help"] as const;

/** The declared flags of a command. Some shells have their own rule for help and would show it twice. */
export function withoutHelp({ options }: CommandPath): readonly Option[] {
  return options.filter(({ long }) => long !== "--help");
}

/** A text in single quotes. A quote inside becomes `'\''`. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
