import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { exitCodes } from "../../problem.ts";
import { version } from "../../version.ts";
import { type CommandPath, pathsOf } from "./paths.ts";

const MEANINGS: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done",
  partial: "finished, but some items failed",
  usage: "wrong usage",
  file: "an input or output file is missing or invalid",
  auth: "the token is missing, refused, or lacks the role",
  service: "the service refused the request or gave an unexpected answer",
  network: "a network error or a time limit",
  bug: "a bug in orgferry",
  interrupted: "interrupted by Ctrl-C",
  terminated: "interrupted by SIGTERM",
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
  const isCommon = ({ long }: Option): boolean =>
    leaves.filter(({ options }) => options.some((one) => one.long === long)).length > leaves.length / 2;
  const common = new Map(leaves.flatMap(({ options }) => options.filter(isCommon).map((one) => [one.long, one])));
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
    ...[...common.values()].flatMap(option),
    ".SH COMMANDS",
    ...leaves.flatMap(({ path, command: leaf, options }) => [
      `.SS orgferry ${text(path)}`,
      text(leaf.description()),
      ...options.filter(({ long }) => !common.has(long)).flatMap(option),
    ]),
    ...exitStatus(),
    ".SH SEE ALSO",
    "The README of the package, and for each command",
    ".BR \\-\\-help .",
  ];
}

function commandPage({ path, command, options }: CommandPath): readonly string[] {
  const { registeredArguments: declared } = command;
  return [
    `.TH ${text(pageName(path).toUpperCase())} 1 "" "orgferry ${version}"`,
    ".SH NAME",
    `${text(pageName(path))} \\- ${text(command.description())}`,
    ".SH SYNOPSIS",
    `.B orgferry ${text(path)}`,
    text(command.usage()),
    ".SH DESCRIPTION",
    `${text(sentence(command.description()))}`,
    ...declared.flatMap((one) => [".TP", `.I ${text(one.name())}`, text(one.description)]),
    ".SH OPTIONS",
    ...options.flatMap(option),
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

function option({ flags, description }: Option): readonly string[] {
  return [".TP", `.B ${text(flags)}`, text(description)];
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
