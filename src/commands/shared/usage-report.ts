import { resolve } from "node:path";
import type { Context } from "../../context.ts";
import { findReplaced, type Replaced } from "../../io/output/replaceable.ts";
import { exitCodes } from "../../problem.ts";
import { isGitHub } from "../../ui/machine/github.ts";
import type { CommandName } from "../../ui/report.ts";
import { runCommand } from "./run-command.ts";

/** After a usage error the path may be an input: only an earlier report is replaced. */
const REPLACEABLE: readonly Replaced[] = ["nothing", "report"];

/**
 * Writes the report of a command line with a usage error, if the line asks for one (`--report`, `--json`), and in a step of GitHub Actions
 * the annotation and the summary. The terminal shows `message` before.
 */
export async function reportUsageError(
  { command, message }: { readonly command: string; readonly message: string },
  argv: readonly string[],
  context: Context,
): Promise<void> {
  const report = givenTo("--report", argv);
  const isOurs =
    report !== undefined && report !== "-" && REPLACEABLE.includes(findReplaced(resolve(context.cwd, report)));
  // The --json of the mock has another meaning.
  const json = argv.includes("--json") && command !== "mock";
  if (!json && !isOurs && !isGitHub(context.env)) return;
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
