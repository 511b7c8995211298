import type { ArgumentNode, CommandNode, OptionNode, ValueKind } from "../shared/command-tree.ts";
import { type CommandPath, namesOf, pathsOf, quoted, withoutHelp } from "./paths.ts";

/** Completions for zsh, based on _arguments: one function per command. */
export function zshScript(program: CommandNode): string {
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

function functionOf({ path, command }: CommandPath): string {
  const name = nameOf(path);
  const options = [...withoutHelp(command).map(specOf), HELP];
  if (command.commands.length === 0) {
    const specs = [...options, ...command.args.map(argumentOf)];
    return `${name}() {\n  _arguments -S \\\n    ${specs.join(" \\\n    ")}\n}`;
  }
  const commands = command.commands.map((child) => quoted(`${child.name}:${child.description}`));
  const cases = command.commands.map(
    (child) => `        ${child.name}) ${nameOf(path === "" ? child.name : `${path} ${child.name}`)} ;;`,
  );
  return `${name}() {
  local state line curcontext="$curcontext"
  _arguments -C -S \\
    ${options.join(" \\\n    ")} \\
    '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands
      commands=(
        ${commands.join("\n        ")}
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

function specOf(option: OptionNode): string {
  const names = namesOf(option);
  const text = `[${escaped(option.description)}]${option.value === undefined ? "" : `:value:${actionOf(option.value)}`}`;
  const isLong = option.value !== undefined;
  // The * allows a flag again: some are repeatable.
  return names.map((name) => quoted(`*${name}${isLong && name.startsWith("--") ? "=" : ""}${text}`)).join(" ");
}

function argumentOf({ name, value, isVariadic }: ArgumentNode): string {
  return quoted(`${isVariadic ? "*" : ""}:${escaped(name)}:${actionOf(value)}`);
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
