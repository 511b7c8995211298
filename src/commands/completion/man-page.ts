import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { exitCodes } from "../../problem.ts";
import { version } from "../../version.ts";
import { pathsOf } from "./paths.ts";

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

/** The manual page of the whole program, in the man macros. */
export function manPage(program: CommandUnknownOpts): string {
  const [, ...commands] = pathsOf(program);
  return [
    `.TH ORGFERRY 1 "" "orgferry ${version}"`,
    ".SH NAME",
    `orgferry \\- ${text(program.description())}`,
    ".SH SYNOPSIS",
    ...commands.flatMap(({ path, command, commands: below }) =>
      below.length > 0 ? [] : [".br", `.B orgferry ${text(path)}`, text(command.usage())],
    ),
    ".SH COMMANDS",
    ...commands.flatMap(({ path, command, options }) => [
      `.SS orgferry ${text(path)}`,
      text(command.description()),
      ...options.flatMap(option),
    ]),
    ".SH EXIT STATUS",
    ...Object.entries(exitCodes).flatMap(([name, code]) => [
      ".TP",
      `.B ${code}`,
      text(MEANINGS[name as keyof typeof exitCodes]), // the keys are those of the table
    ]),
    ".SH SEE ALSO",
    "The README of the package, and for each command",
    ".BR \\-\\-help .",
    "",
  ].join("\n");
}

function option({ flags, description }: Option): readonly string[] {
  return [".TP", `.B ${text(flags)}`, text(description)];
}

/** Escapes a text for man: dashes stay copyable, and no line starts a macro. */
function text(words: string): string {
  return words
    .replace(/\s+/g, " ")
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
}
