import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { type CommandPath, HELP, namesOf, pathsOf, valueOfArgument, valueOfOption } from "./paths.ts";

/**
 * Completions for PowerShell (5.1 and later): tables of the words that may follow a command, its flags, and the choices of its flags.
 * Where the tables have nothing, PowerShell itself completes names of files.
 */
export function powershellScript(program: CommandUnknownOpts): string {
  const paths = pathsOf(program);
  return `# Completions of orgferry for PowerShell, made by: orgferry completion powershell
Register-ArgumentCompleter -Native -CommandName orgferry -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $next = @{
${paths.map((one) => row(one.path, wordsOf(one))).join("\n")}
  }
  $flags = @{
${paths.map(({ path, options }) => row(path, [...new Set([...options.flatMap(namesOf), ...HELP])])).join("\n")}
  }
  $choices = @{
${paths.flatMap(choicesOf).join("\n")}
  }
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition })
  $path = ''
  $last = ''
  foreach ($element in $before) {
    $last = $element.Extent.Text
    $longer = "$path $last".Trim()
    if ($next.ContainsKey($longer)) { $path = $longer }
  }
  $key = "$path $last".Trim()
  if ($choices.ContainsKey($key)) { $found = $choices[$key] }
  elseif ($wordToComplete.StartsWith('-')) { $found = $flags[$path] }
  else { $found = $next[$path] }
  foreach ($one in $found) {
    if ($one.StartsWith($wordToComplete)) {
      [System.Management.Automation.CompletionResult]::new($one, $one, 'ParameterValue', $one)
    }
  }
}
`;
}

/** The words that may follow a command: its sub-commands, or the choices of its argument. */
function wordsOf({ command, commands }: CommandPath): readonly string[] {
  if (commands.length > 0) return commands.map((child) => child.name());
  const [argument] = command.registeredArguments;
  const value = argument === undefined ? undefined : valueOfArgument(argument);
  return value?.kind === "choices" ? value.choices : [];
}

function choicesOf({ path, options }: CommandPath): readonly string[] {
  return options.flatMap((option) => {
    const value = valueOfOption(option);
    return value?.kind === "choices" ? namesOf(option).map((name) => row(`${path} ${name}`, value.choices)) : [];
  });
}

function row(key: string, words: readonly string[]): string {
  return `    ${quoted(key)} = @(${words.map(quoted).join(", ")})`;
}

/** A text in single quotes, for PowerShell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
