import { type Command, Option } from "@commander-js/extra-typings";
import {
  addBatchOptions,
  addCommonOptions,
  addPageOptions,
  addStorageOptions,
  addTargetOptions,
  addUpdateOptions,
} from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { timeoutOption } from "../shared/parse-flags.ts";
import { addPilotOptions } from "../shared/pilot/flags.ts";
import { parseShard } from "./shard.ts";

/** Declares `import [files...]` and its flags. */
export function declareImport(program: Command) {
  const named = program
    .command("import")
    .description("send a body or an export in batches, and report the outcome of every user")
    .argument(
      "[files...]",
      "import body or export; - is stdin; several files or a pattern such as 'part-*.json' are one job",
    );
  const journaled = addPilotOptions(addTargetOptions(named))
    .optionsGroup("Run:")
    .addOption(timeoutOption("time limit of one call (default: from the body, else 5m0s)"))
    .option("--resume", "continue an interrupted run of the same file", false)
    .option("--restart", "discard an interrupted run and start again", false)
    .option("--journal <path>", "file that records the progress of the run (default: <file>.journal.ndjson)")
    .addOption(
      new Option(
        "--shard <i/n>",
        "send every n-th file, from the i-th; auto reads JOB_COMPLETION_INDEX and JOB_COMPLETIONS",
      ).argParser(parseShard),
    );
  const examples: Example[] = [
    ["print the plan", "orgferry import importBody.json --dry-run"],
    ["import, keep failed users, compare afterwards", "orgferry import importBody.json --rejects failed --verify"],
    ["continue an interrupted run", "orgferry import importBody.json --resume"],
  ];
  const batched = addUpdateOptions(addBatchOptions(journaled));
  return addCommonOptions(
    addPageOptions(addStorageOptions(batched, "let the service read from object storage")),
  ).addHelpText("after", helpText(examples, ["target"]));
}

/** The parsed flags of `import`. */
export type ImportOptions = ReturnType<ReturnType<typeof declareImport>["opts"]>;
