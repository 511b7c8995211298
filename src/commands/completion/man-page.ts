import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { exitCodes } from "../../problem.ts";
import { version } from "../../version.ts";
import { type CommandPath, pathsOf } from "./paths.ts";

const MEANINGS: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done",
  partial: "finished, but some items failed",
  usage: "wrong usage, or no terminal to ask for a consent",
  file: "an input or output file is missing or invalid, or a question was answered with no",
  auth: "the token is missing, refused, or lacks the role",
  service: "the service refused the request or gave an unexpected answer",
  network: "a network error or a time limit",
  bug: "a bug in orgferry",
  interrupted: "interrupted by Ctrl-C",
  terminated: "interrupted by SIGTERM or SIGHUP",
};

/** The manual page of the program, or of the command with this path; both in the man macros. */
export function manPage(program: CommandUnknownOpts, path = ""): string | undefined {
  const [root, ...commands] = pathsOf(program);
  const [page] = commands.filter((one) => one.path === path);
  if (path !== "" && (page === undefined || page.commands.length > 0)) return undefined;
  return [...(page === undefined ? programPage(root as CommandPath, commands) : commandPage(page)), ""].join("\n");
}

/** The paths of the commands that have a page. */
export function pagePaths(program: CommandUnknownOpts): readonly string[] {
  return pathsOf(program).flatMap(({ path, commands }) => (path === "" || commands.length > 0 ? [] : [path]));
}

/** The name of a page, without its section: `orgferry-migrate-auth0`. */
function pageName(path: string): string {
  return `orgferry-${path.replaceAll(" ", "-")}`;
}

function programPage({ command }: CommandPath, commands: readonly CommandPath[]): readonly string[] {
  const leaves = commands.filter(({ commands: below }) => below.length === 0);
  // A flag that means something else for one command, such as --force of undo, is listed with that command.
  const times = new Map<string, number>();
  for (const one of leaves.flatMap(optionsOf)) times.set(one, (times.get(one) ?? 0) + 1);
  const common = new Set([...times].flatMap(([one, found]) => (found > leaves.length / 2 ? [one] : [])));
  return [
    `.TH ORGFERRY 1 "" "orgferry ${version}"`,
    ".SH NAME",
    `orgferry \\- ${text(command.description())}`,
    ".SH SYNOPSIS",
    ...leaves.flatMap(({ path, command: leaf }) => [".br", `.B orgferry ${text(path)}`, text(leaf.usage())]),
    ".SH DESCRIPTION",
    "Every command has a page of its own, such as",
    `.BR ${text(pageName("import"))} (1).`,
    ".SH COMMON OPTIONS",
    "Most commands have these.",
    ...common,
    ".SH COMMANDS",
    ...leaves.flatMap((leaf) => [
      `.SS orgferry ${text(leaf.path)}`,
      text(leaf.command.description()),
      ...optionsOf(leaf).filter((one) => !common.has(one)),
    ]),
    ...exitStatus(),
    ".SH SEE ALSO",
    "The README of the package, and for each command",
    ".BR \\-\\-help .",
  ];
}

function commandPage(page: CommandPath): readonly string[] {
  const { path, command } = page;
  const { registeredArguments: declared } = command;
  const help = command.createHelp();
  return [
    `.TH ${text(pageName(path).toUpperCase())} 1 "" "orgferry ${version}"`,
    ".SH NAME",
    `${text(pageName(path))} \\- ${text(command.description())}`,
    ".SH SYNOPSIS",
    `.B orgferry ${text(path)}`,
    text(command.usage()),
    ".SH DESCRIPTION",
    `${text(sentence(command.description()))}`,
    ...declared.flatMap((one) => [".TP", `.I ${text(one.name())}`, text(help.argumentDescription(one))]),
    ".SH OPTIONS",
    ...optionsOf(page),
    ...belowHelp(command),
    ".SH FILES",
    "Every output file that holds hashes or ids of users is readable by its owner only. The options above name each file.",
    ...exitStatus(),
    ".SH SEE ALSO",
    ".BR orgferry (1)",
  ];
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

/** The environment variables and examples of the help, as sections. */
function belowHelp(command: CommandUnknownOpts): readonly string[] {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => parts.push(part) }).outputHelp();
  const lines: string[] = [];
  let isVerbatim = false;
  for (const line of parts.join("").split("\n")) {
    const [, title] = /^(Environment|Examples?):$/.exec(line) ?? [];
    const isEnd = line === "" || title !== undefined;
    if (isVerbatim && isEnd) lines.push(".fi");
    if (isEnd) isVerbatim = false;
    if (title !== undefined) {
      lines.push(`.SH ${title === "Environment" ? "ENVIRONMENT" : "EXAMPLES"}`, ".nf");
      isVerbatim = true;
    } else if (isVerbatim) lines.push(verbatim(line));
  }
  return lines;
}

function exitStatus(): readonly string[] {
  return [
    ".SH EXIT STATUS",
    ...Object.entries(exitCodes).flatMap(([name, code]) => [
      ".TP",
      `.B ${code}`,
      text(MEANINGS[name as keyof typeof exitCodes]), // the keys are those of the table
    ]),
  ];
}

/** The flags of a command, each with the text of the help: also its choices and its default. */
function optionsOf({ command, options }: CommandPath): readonly string[] {
  const help = command.createHelp();
  return options.map((one) => [".TP", `.B ${text(one.flags)}`, text(help.optionDescription(one))].join("\n"));
}

/** Escapes a text for man: dashes stay copyable, and no line starts a macro. */
function text(words: string): string {
  return verbatim(words.replace(/\s+/g, " "));
}

/** The same with the blanks of a line. */
function verbatim(line: string): string {
  return line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/[\u0080-\uffff]/g, (letter) => `\\[u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`)
    .replace(/^([.'])/, "\\&$1");
}
