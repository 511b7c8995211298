import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** A command with its sub-commands as data, for completions, the manual and tests. */
export interface CommandNode {
  readonly name: string;
  readonly description: string;
  readonly usage: string;
  readonly options: readonly OptionNode[];
  readonly args: readonly ArgumentNode[];
  readonly commands: readonly CommandNode[];
}

/** The kind of a value: one of several choices, a path, or any text. */
export type ValueKind =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "file" | "folder" | "text" };

export interface OptionNode {
  /** `-q, --quiet`, `--report <path>`. */
  readonly flags: string;
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** undefined: a switch. */
  readonly value: ValueKind | undefined;
}

export interface ArgumentNode {
  readonly name: string;
  readonly description: string;
  readonly value: ValueKind;
  /** The argument takes several values. */
  readonly isVariadic: boolean;
}

/** The command tree of a program, without hidden commands and options. */
export function treeOf(command: CommandUnknownOpts): CommandNode {
  const help = command.createHelp();
  return {
    name: command.name(),
    description: command.description(),
    usage: command.usage(),
    options: help.visibleOptions(command).map((option) => ({
      flags: option.flags,
      long: option.long ?? option.flags,
      short: option.short,
      description: option.description,
      value: option.required || option.optional ? valueKindOf(option.flags, option.argChoices) : undefined,
    })),
    args: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
      value: valueKindOf(`<${argument.name()}>`, argument.argChoices),
      isVariadic: argument.variadic,
    })),
    commands: help.visibleCommands(command).map(treeOf),
  };
}

/** The kind of a value, from the name of its placeholder: `<path>`, `<file>`, `<dir>`. */
function valueKindOf(flags: string, choices: readonly string[] | undefined): ValueKind {
  if (choices !== undefined) return { kind: "choices", choices };
  if (/<(path|files?|reports|manifest)(\.\.\.)?>/.test(flags)) return { kind: "file" };
  return { kind: /<dir>/.test(flags) ? "folder" : "text" };
}
