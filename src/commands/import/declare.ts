import { type Command, Option } from "@commander-js/extra-typings";
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
import { parseShard } from "./shard.ts";

/** Declares `import [files...]` and its flags. */
export function declareImport(program: Command) {
  const named = program
    .command("import")
    .description("send a body or an export to an instance, in batches, and account for every user")
    .argument(
      "[files...]",
      "import body or export; - is stdin; several files, or a pattern such as 'part-*.json', are one job",
    );
  const journaled = addTargetOptions(named)
    .optionsGroup("The run:")
    .addOption(timeoutOption("maximum duration of one call (default: the body's own, else 5m0s)"))
    .option("--resume", "continue an unfinished run of the same file", false)
    .option("--restart", "discard an unfinished run and start again", false)
    .option("--journal <path>", "where the run keeps its record (default: <file>.journal.ndjson)")
    .addOption(
      new Option(
        "--shard <i/n>",
        "send the i-th of n shares of the files; auto: JOB_COMPLETION_INDEX and JOB_COMPLETIONS say which",
      ).argParser(parseShard),
    );
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
