import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";

const EXAMPLES: readonly Example[] = [
  ["the shards of a job", "orgferry report merge 1.report.json 2.report.json"],
  ["all reports of a folder, summed up in one", "orgferry report merge 'reports/*.report.json' --report merged.json"],
  ["as a document", "orgferry report merge 'reports/*.report.json' --json"],
];

/** Declares `report merge <reports...>` and its flags. */
export function declareReportMerge(program: Command) {
  const merge = program
    .command("report")
    .description("work with the reports of earlier runs")
    .helpCommand(false)
    .command("merge")
    .description("add up the reports of import --shard, and fail if a share is missing or was sent twice")
    .argument("<reports...>", "reports of all shards, or a pattern such as 'reports/*.report.json'");
  return addCommonOptions(merge).addHelpText("after", helpText(EXAMPLES));
}

/** The flags of `report merge`, as the command line hands them over. */
export type ReportMergeOptions = ReturnType<ReturnType<typeof declareReportMerge>["opts"]>;
