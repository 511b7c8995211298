import type { Command } from "@commander-js/extra-typings";
import {
  addBatchOptions,
  addCommonOptions,
  addPageOptions,
  addStorageOptions,
  addTargetOptions,
} from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { timeoutOption } from "../shared/parse-flags.ts";
import { addUpdateOptions } from "../shared/update-options.ts";

/** Declares `import [file]` and its flags. */
export function declareImport(program: Command) {
  const named = program
    .command("import")
    .description("send a body or an export to an instance, in batches, and account for every user")
    .argument("[file]", "import body or export; - is stdin");
  const journaled = addTargetOptions(named)
    .optionsGroup("The run:")
    .addOption(timeoutOption("maximum duration of one call (default: the body's own, else 5m0s)"))
    .option("--resume", "continue an unfinished run of the same file", false)
    .option("--restart", "discard an unfinished run and start again", false)
    .option("--journal <path>", "where the run keeps its record (default: <file>.journal.ndjson)");
  const examples: Example[] = [
    ["look what would happen", "orgferry import importBody.json --dry-run"],
    ["send it, keep what fails, compare afterwards", "orgferry import importBody.json --rejects failed --verify"],
    ["go on with a run that was cut off", "orgferry import importBody.json --resume"],
  ];
  const batched = addUpdateOptions(addBatchOptions(journaled));
  return addCommonOptions(
    addPageOptions(addStorageOptions(batched, "have the service read from object storage")),
  ).addHelpText("after", helpText(examples, ["target"]));
}

/** The flags of `import`, as the command line hands them over. */
export type ImportOptions = ReturnType<ReturnType<typeof declareImport>["opts"]>;
