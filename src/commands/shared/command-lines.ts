import type { NextCommands } from "../../jobs/import/settings.ts";
import { shellLine } from "../../ui/terminal/next-steps.ts";
import type { GivenFlag } from "./command-entry.ts";
import type { BatchOptions } from "./common-options.ts";

// Command lines that can be pasted. They hold no token: no flag does.

/** The given command line with `--yes`: it asks nothing. `words` are the command and its arguments. */
export function yesCommand(words: readonly string[], given: readonly GivenFlag[]): string {
  return shellLine(["orgferry", ...words, ...wordsOf(given), "--yes"]);
}

/** The command line that continues an import: the given flags and `--resume`. */
export function resumeCommand(files: readonly string[], given: readonly GivenFlag[], target: string): string {
  const kept = given.filter(({ flag }) => !["--target", "--resume", "--restart"].includes(flag));
  return shellLine(["orgferry", "import", ...files, "--target", target, ...wordsOf(kept), "--resume"]);
}

/**
 * What can be done with an imported file; nothing where organizations have another id on the target than in the file. The import may
 * compare by itself, and a part of a file is not compared.
 */
export function nextCommands(
  file: string,
  options: Pick<BatchOptions, "verify" | "orgMap" | "idp"> & { readonly isPilot: boolean },
  given: readonly GivenFlag[],
  target: string,
): NextCommands {
  if (options.orgMap.length + options.idp.length > 0) return {};
  return {
    ...(options.verify || options.isPilot ? {} : { check: withAccess(["verify", file], given, target) }),
    invite: `${withAccess(["invite", file], given, target)} --dry-run`,
  };
}

function withAccess(words: readonly string[], given: readonly GivenFlag[], target: string): string {
  const access = given.filter(({ flag }) => ["--token-file", "--insecure-http"].includes(flag));
  return shellLine(["orgferry", ...words, "--target", target, ...wordsOf(access)]);
}

function wordsOf(given: readonly GivenFlag[]): readonly string[] {
  return given.flatMap(({ flag, value }) => (value === undefined ? [flag] : [flag, value]));
}
