import type { CommandNode, OptionNode } from "../shared/command-tree.ts";

/** A command by the words that lead to it: "" is the program, "migrate auth0" a command below a command. */
export interface CommandPath {
  readonly path: string;
  readonly command: CommandNode;
}

/** Every command of a program with its path, the program first. */
export function pathsOf(command: CommandNode, path = ""): readonly CommandPath[] {
  const below = command.commands.flatMap((child) => pathsOf(child, path === "" ? child.name : `${path} ${child.name}`));
  return [{ path, command }, ...below];
}

/** Both names of a flag. */
export function namesOf({ long, short }: OptionNode): readonly string[] {
  return short === undefined ? [long] : [short, long];
}

/** Flags that every command understands without declaring them. */
export const HELP = ["-h", "--help"] as const;

/** The flags that a command declares: help has a rule of its own in some shells, and would be offered twice. */
export function withoutHelp({ options }: CommandNode): readonly OptionNode[] {
  return options.filter(({ long }) => long !== "--help");
}

/** A text in single quotes, for shells in which a quote inside is `'\''`. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
