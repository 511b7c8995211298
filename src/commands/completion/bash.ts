import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import {
  type CommandPath,
  HELP,
  namesOf,
  pathsOf,
  pathTo,
  quoted,
  type ValueKind,
  valueOfArgument,
  valueOfOption,
} from "./paths.ts";

/**
 * Completions for bash (3.2 and later). The words before the cursor select the command. The last of them may need a value; otherwise a
 * flag, a command or a file follows.
 */
export function bashScript(program: CommandUnknownOpts): string {
  const paths = pathsOf(program);
  return `# Completions of orgferry for bash, made by: orgferry completion bash
_orgferry() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= word i
  local IFS=$'\\n'
  # --flag=value is three words to bash.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$path:$word" in
${paths.flatMap(stepsOf).join("\n")}
    esac
  done
  case "$path:$prev" in
${paths.flatMap(valuesOf).join("\n")}
  esac
  case "$path:$cur" in
${paths.map(flagsOf).join("\n")}
  esac
  case "$path" in
${paths.map(wordsOf).join("\n")}
  esac
}
_orgferry_files() {
  if type compopt > /dev/null 2>&1; then compopt -o filenames; fi
  COMPREPLY=($(compgen "$1" -- "$cur"))
}
complete -F _orgferry orgferry
`;
}

function stepsOf({ path, commands }: CommandPath): readonly string[] {
  return commands.map((child) => `      ${quoted(`${path}:${child.name()}`)}) path=${quoted(pathTo(child, path))} ;;`);
}

function valuesOf({ path, options }: CommandPath): readonly string[] {
  return options.flatMap((option) => {
    const value = valueOfOption(option);
    return value === undefined ? [] : [`    ${patternOf(path, option)}) ${replyOf(value)}; return ;;`];
  });
}

function patternOf(path: string, option: Option): string {
  return namesOf(option)
    .map((name) => quoted(`${path}:${name}`))
    .join(" | ");
}

function replyOf(value: ValueKind): string {
  switch (value.kind) {
    case "choices":
      return words(value.choices);
    case "file":
      return "_orgferry_files -f";
    case "folder":
      return "_orgferry_files -d";
    case "text":
      return "COMPREPLY=()";
    default:
      return value satisfies never;
  }
}

function flagsOf({ path, options }: CommandPath): string {
  return `    ${quoted(`${path}:-`)}*) ${words([...options.flatMap(namesOf), ...HELP])}; return ;;`;
}

function wordsOf({ path, command, commands }: CommandPath): string {
  const [argument] = command.registeredArguments;
  const value: ValueKind = argument === undefined ? { kind: "text" } : valueOfArgument(argument);
  const reply = commands.length > 0 ? words(commands.map((child) => child.name())) : replyOf(value);
  return `    ${quoted(path)}) ${reply} ;;`;
}

function words(all: readonly string[]): string {
  return `COMPREPLY=($(compgen -W ${quoted([...new Set(all)].join("\n"))} -- "$cur"))`;
}
