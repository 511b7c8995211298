import type { CommandNode, OptionNode } from "../shared/command-tree.ts";

/** A command and its path: "" is the program, "migrate auth0" a sub-command. */
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

/** The flags of the help, which commander adds to every command. */
export const HELP = ["-h", "--help"] as const;

/** The declared flags of a command. Some shells have their own rule for help and would show it twice. */
export function withoutHelp({ options }: CommandNode): readonly OptionNode[] {
  return options.filter(({ long }) => long !== "--help");
}

/** A text in single quotes. A quote inside becomes `'\''`. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
