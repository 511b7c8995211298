import type { Command } from "@commander-js/extra-typings";
import { addPageOptions, addReportOptions, addTargetOptions, DEFAULT_CONCURRENCY } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { parseCount } from "../shared/parse-flags.ts";

const CONCURRENCY_HELP =
  "concurrent writes; above 1 is faster, but the service may keep login names of deleted users (see README)";

/** Declares `undo <manifest>` and its flags. */
export function declareUndo(program: Command) {
  const named = program
    .command("undo")
    .description("delete the users that an import or a copy created, and no others")
    .argument("<manifest>", "manifest of the import or copy");
  const own = addTargetOptions(named)
    .option("--dry-run", "list the users that would be deleted, and change nothing", false)
    .option("-y, --yes", "do not ask for confirmation", false)
    .option("--force", "also delete users who signed in or changed their password since", false)
    .option("--concurrency <n>", CONCURRENCY_HELP, parseCount, DEFAULT_CONCURRENCY);
  const examples: Example[] = [
    ["list the users that would be deleted", "orgferry undo importBody.json.manifest.ndjson --dry-run"],
    ["delete them without a question", "orgferry undo importBody.json.manifest.ndjson --yes"],
    [
      "also delete users who signed in since",
      "orgferry undo importBody.json.manifest.ndjson --force --report undone.json",
    ],
  ];
  return addReportOptions(addPageOptions(own)).addHelpText("after", helpText(examples, ["target"]));
}

/** The parsed flags of `undo`. */
export type UndoOptions = ReturnType<ReturnType<typeof declareUndo>["opts"]>;
