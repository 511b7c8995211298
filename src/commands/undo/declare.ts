import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions, addPageOptions, addTargetOptions, DEFAULT_CONCURRENCY } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { parseCount } from "../shared/parse-flags.ts";

const HELP_OF_CALLS =
  "writing calls at a time; above 1 is faster, and the service may then keep the login names of a few who were removed (README)";

/** Declares `undo <manifest>` and its flags. */
export function declareUndo(program: Command) {
  const named = program
    .command("undo")
    .description("remove the users that an import or a copy created, and nobody else")
    .argument("<manifest>", "the manifest that the import or copy wrote");
  const own = addTargetOptions(named)
    .option("--dry-run", "find out who would be removed, say it, and stop", false)
    .option("-y, --yes", "do not ask", false)
    .option("--force", "remove also who has signed in or changed the password since", false)
    .option("--concurrency <n>", HELP_OF_CALLS, parseCount, DEFAULT_CONCURRENCY);
  const examples: Example[] = [
    ["look who would be removed", "orgferry undo importBody.json.manifest.ndjson --dry-run"],
    ["remove them, without a question", "orgferry undo importBody.json.manifest.ndjson --yes"],
    ["also who has signed in since", "orgferry undo importBody.json.manifest.ndjson --force --report undone.json"],
  ];
  return addCommonOptions(addPageOptions(own)).addHelpText("after", helpText(examples, ["target"]));
}

/** The flags of `undo`, as the command line hands them over. */
export type UndoOptions = ReturnType<ReturnType<typeof declareUndo>["opts"]>;
