import { closeSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import { exitCodes } from "../../problem.ts";
import type { CommandName } from "../../ui/report.ts";
import { runCommand } from "./run-command.ts";

/** The first bytes of every report. After a usage error, only a file with these bytes may be replaced. */
const REPORT_BEGIN = '{"schemaVersion":';

/**
 * Writes the report of a command line with a usage error, if the line asks for one (`--report`, `--json`). The terminal shows `message`
 * before.
 */
export async function reportUsageError(
  { command, message }: { readonly command: string; readonly message: string },
  argv: readonly string[],
  context: Context,
): Promise<void> {
  const report = givenTo("--report", argv);
  const isOurs = report !== undefined && report !== "-" && mayReplace(resolve(context.cwd, report));
  // The --json of the mock has another meaning.
  const json = argv.includes("--json") && command !== "mock";
  if (!json && !isOurs) return;
  const options = { json, quiet: true, verbose: false, color: false, ...(isOurs ? { report } : {}) };
  // The name is a path in the tree of commands.
  await runCommand({ name: command as CommandName, context, options }, async (_, { add }) => {
    add({ code: "usage.invalid", message });
    return exitCodes.usage;
  });
}

/** The value of a flag, from `--flag value` or `--flag=value`. */
function givenTo(flag: string, argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = argv[at];
  return word === flag ? argv[at + 1] : word?.slice(flag.length + 1);
}

/** False for an existing file that is no report: it may be an input. */
function mayReplace(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  if (!stat.isFile()) return false;
  const begin = Buffer.alloc(REPORT_BEGIN.length);
  const fd = openSync(path, "r");
  readSync(fd, begin);
  closeSync(fd);
  return begin.toString() === REPORT_BEGIN || stat.size === 0;
}
