import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";

const EXAMPLES: readonly Example[] = [
  ["add up two shards of a job", "orgferry report merge 1.report.json 2.report.json"],
  [
    "add up all reports of a folder, and write the sum to a file",
    "orgferry report merge 'reports/*.report.json' --report merged.json",
  ],
  ["print the sum as JSON", "orgferry report merge 'reports/*.report.json' --json"],
];

/** Declares `report merge <reports...>` and its flags. */
export function declareReportMerge(program: Command) {
  const merge = program
    .command("report")
    .description("work with reports of earlier runs")
    .helpCommand(false)
    .command("merge")
    .description("add up the reports of import --shard; fails if a shard is missing or occurs twice")
    .argument("<reports...>", "reports of all shards, or a pattern such as 'reports/*.report.json'");
  return addCommonOptions(merge).addHelpText("after", helpText(EXAMPLES));
}

/** The parsed flags of `report merge`. */
export type ReportMergeOptions = ReturnType<ReturnType<typeof declareReportMerge>["opts"]>;
