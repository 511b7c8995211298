import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions } from "../shared/common-options.ts";

/** Declares `report merge <reports...>` and its flags. */
export function declareReportMerge(program: Command) {
  const merge = program
    .command("report")
    .description("work with the reports of earlier runs")
    .command("merge")
    .description("add up the reports of import --shard, and fail if a share is missing or was sent twice")
    .argument("<reports...>", "reports of all shards, or a pattern such as 'reports/*.report.json'");
  return addCommonOptions(merge);
}

/** The flags of `report merge`, as the command line hands them over. */
export type ReportMergeOptions = ReturnType<ReturnType<typeof declareReportMerge>["opts"]>;
