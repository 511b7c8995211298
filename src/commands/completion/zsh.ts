import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import {
  type CommandPath,
  namesOf,
  pathsOf,
  pathTo,
  quoted,
  type ValueKind,
  valueOfArgument,
  valueOfOption,
  withoutHelp,
} from "./paths.ts";

/** Completions for zsh, based on _arguments: one function per command. */
export function zshScript(program: CommandUnknownOpts): string {
  const functions = pathsOf(program).map(functionOf);
  return `#compdef orgferry
# Completions of orgferry for zsh, made by: orgferry completion zsh
${functions.join("\n")}
if [[ $funcstack[1] == _orgferry ]]; then
  _orgferry "$@"
else
  compdef _orgferry orgferry
fi
`;
}

function functionOf(one: CommandPath): string {
  const { path, command, commands } = one;
  const name = nameOf(path);
  const options = [...withoutHelp(one).map(specOf), HELP];
  if (commands.length === 0) {
    const specs = [...options, ...command.registeredArguments.map(argumentOf)];
    return `${name}() {\n  _arguments -S \\\n    ${specs.join(" \\\n    ")}\n}`;
  }
  const described = commands.map((child) => quoted(`${child.name()}:${child.description()}`));
  const cases = commands.map((child) => `        ${child.name()}) ${nameOf(pathTo(child, path))} ;;`);
  return `${name}() {
  local state line curcontext="$curcontext"
  _arguments -C -S \\
    ${options.join(" \\\n    ")} \\
    '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands
      commands=(
        ${described.join("\n        ")}
      )
      _describe command commands
      ;;
    rest)
      case $line[1] in
${cases.join("\n")}
      esac
      ;;
  esac
}`;
}

const HELP = "'(- *)'{-h,--help}'[show help]'";

function nameOf(path: string): string {
  return path === "" ? "_orgferry" : `_orgferry_${path.replaceAll(/\W/g, "_")}`;
}

function specOf(option: Option): string {
  const names = namesOf(option);
  const value = valueOfOption(option);
  const text = `[${escaped(option.description)}]${value === undefined ? "" : `:value:${actionOf(value)}`}`;
  const isLong = value !== undefined;
  // The * allows a flag again: some are repeatable.
  return names.map((name) => quoted(`*${name}${isLong && name.startsWith("--") ? "=" : ""}${text}`)).join(" ");
}

function argumentOf(argument: Argument): string {
  return quoted(`${argument.variadic ? "*" : ""}:${escaped(argument.name())}:${actionOf(valueOfArgument(argument))}`);
}

function actionOf(value: ValueKind): string {
  switch (value.kind) {
    case "choices":
      return `(${value.choices.join(" ")})`;
    case "file":
      return "_files";
    case "folder":
      return "_files -/";
    case "text":
      return " ";
    default:
      return value satisfies never;
  }
}

/** Escapes the characters that have a meaning for _arguments. */
function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, (found) => `\\${found}`);
}
