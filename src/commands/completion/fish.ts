import type { CommandNode, OptionNode, ValueKind } from "../shared/command-tree.ts";
import { type CommandPath, pathsOf, quoted, withoutHelp } from "./paths.ts";

/** Completions for fish: a function that finds the command of the line, and a rule for each word that may follow. */
export function fishScript(program: CommandNode): string {
  const paths = pathsOf(program);
  const steps = paths.flatMap(({ path, command }) =>
    command.commands.map(
      ({ name }) =>
        `            case ${quoted(`${path}:${name}`)}\n                set path ${quoted(path === "" ? name : `${path} ${name}`)}`,
    ),
  );
  return `# Completions of orgferry for fish, made by: orgferry completion fish
function __orgferry_path
    set -l path ''
    for word in (commandline -opc)[2..-1]
        switch "$path:$word"
${steps.join("\n")}
        end
    end
    echo $path
end
complete -c orgferry -f
${paths.flatMap(rulesOf).join("\n")}
`;
}

function rulesOf({ path, command }: CommandPath): readonly string[] {
  const begin = `complete -c orgferry -n ${quoted(`test (__orgferry_path) = "${path}"`)}`;
  const [argument] = command.args;
  return [
    ...command.commands.map(({ name, description }) => `${begin} -a ${quoted(name)} -d ${quoted(description)}`),
    ...(argument === undefined ? [] : [`${begin}${valueTextOf(argument.value, false)}`]),
    ...withoutHelp(command).map((option) => `${begin} ${flagsOf(option)} -d ${quoted(option.description)}`),
    `${begin} -s h -l help -d 'show help'`,
  ];
}

function flagsOf({ long, short, value }: OptionNode): string {
  const names = `${short === undefined ? "" : `-s ${short.slice(1)} `}-l ${long.replace(/^--/, "")}`;
  return value === undefined ? names : `${names}${valueTextOf(value, true)}`;
}

/** @param isFlag a flag with a mandatory value */
function valueTextOf(value: ValueKind, isFlag: boolean): string {
  const required = isFlag ? " -r" : "";
  switch (value.kind) {
    case "choices":
      return `${required} -f -a ${quoted(value.choices.join(" "))}`;
    case "file":
      return `${required} -F`;
    case "folder":
      return `${required} -f -a '(__fish_complete_directories)'`;
    case "text":
      return isFlag ? " -x" : "";
    default:
      return value satisfies never;
  }
}
