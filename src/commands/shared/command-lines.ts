import type { NextCommands } from "../../jobs/import/settings.ts";
import { shellLine } from "../../ui/terminal/next-steps.ts";
import type { GivenFlag } from "./command-entry.ts";
import type { BatchOptions } from "./common-options.ts";

// Command lines that can be pasted. They hold no token: no flag does.

/** The given command line with `--yes`: it asks nothing. `words` are the command and its arguments. */
export function yesCommand(words: readonly string[], given: readonly GivenFlag[]): string {
  return shellLine(["orgferry", ...words, ...wordsOf(given), "--yes"]);
}

/** The given command line of a dry run without `--dry-run`, and without its reports, which stay. `words` are the command and its arguments. */
export function sendCommand(words: readonly string[], given: readonly GivenFlag[]): string | undefined {
  if (!given.some(({ flag }) => flag === "--dry-run")) return undefined;
  const kept = given.filter(({ flag }) => !["--dry-run", "--report", "--html", "--html-anonymous"].includes(flag));
  return shellLine(["orgferry", ...words, ...wordsOf(kept)]);
}

/** The command line that continues an import: the given flags and `--resume`. */
export function resumeCommand(files: readonly string[], given: readonly GivenFlag[], target: string): string {
  const kept = given.filter(({ flag }) => !["--target", "--resume", "--restart"].includes(flag));
  return shellLine(["orgferry", "import", ...files, "--target", target, ...wordsOf(kept), "--resume"]);
}

/** What can be done with an imported file. The import may compare by itself, and a part of a file is not compared. */
export function nextCommands(
  file: string,
  options: Pick<BatchOptions, "verify"> & { readonly isPilot: boolean },
  given: readonly GivenFlag[],
  target: string,
): NextCommands {
  const command = (name: string, flags: readonly string[]): string => {
    const kept = given.filter(({ flag }) => ["--token-file", "--insecure-http", "--org-map", ...flags].includes(flag));
    return shellLine(["orgferry", name, file, "--target", target, ...wordsOf(kept)]);
  };
  return {
    send: sendCommand(["import", file], given),
    ...(options.verify || options.isPilot ? {} : { check: command("verify", ["--idp"]) }),
    invite: `${command("invite", [])} --dry-run`,
  };
}

function wordsOf(given: readonly GivenFlag[]): readonly string[] {
  return given.flatMap(({ flag, value }) => (value === undefined ? [flag] : [flag, value]));
}
