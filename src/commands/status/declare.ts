import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";

const EXAMPLES: readonly Example[] = [
  ["show every unfinished import of this folder", "orgferry status"],
  ["show one as JSON", "orgferry status importBody.json.journal.ndjson --json"],
];

/** Declares `status [journal]` and its flags. */
export function declareStatus(program: Command) {
  const named = program
    .command("status")
    .description("show how far an unfinished or running import is, and the command that continues it")
    .argument("[journal]", "journal of the import, or a folder with journals (default: this folder)");
  return addCommonOptions(named).addHelpText("after", helpText(EXAMPLES));
}

/** The parsed flags of `status`. */
export type StatusOptions = ReturnType<ReturnType<typeof declareStatus>["opts"]>;
