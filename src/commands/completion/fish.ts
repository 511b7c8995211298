import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import {
  type CommandPath,
  pathsOf,
  pathTo,
  quoted,
  type ValueKind,
  valueOfArgument,
  valueOfOption,
  withoutHelp,
} from "./paths.ts";

/** Completions for fish: a function that finds the command of the line, and a rule for each word that may follow. */
export function fishScript(program: CommandUnknownOpts): string {
  const paths = pathsOf(program);
  const steps = paths.flatMap(({ path, commands }) =>
    commands.map(
      (child) =>
        `            case ${quoted(`${path}:${child.name()}`)}\n                set path ${quoted(pathTo(child, path))}`,
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

function rulesOf(one: CommandPath): readonly string[] {
  const { path, command, commands } = one;
  const begin = `complete -c orgferry -n ${quoted(`test (__orgferry_path) = "${path}"`)}`;
  const [argument] = command.registeredArguments;
  return [
    ...commands.map((child) => `${begin} -a ${quoted(child.name())} -d ${quoted(child.description())}`),
    ...(argument === undefined ? [] : [`${begin}${valueTextOf(valueOfArgument(argument), false)}`]),
    ...withoutHelp(one).map((option) => `${begin} ${flagsOf(option)} -d ${quoted(option.description)}`),
    `${begin} -s h -l help -d 'show help'`,
  ];
}

function flagsOf(option: Option): string {
  const { long, short } = option;
  const value = valueOfOption(option);
  const names = `${short === undefined ? "" : `-s ${short.slice(1)} `}-l ${long?.slice(2)}`;
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
