import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions, addPageOptions, addPairOptions, collectId, NOTHING } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { timeoutOption } from "../shared/parse-flags.ts";

const EXAMPLES: readonly Example[] = [
  ["settings of two instances that no export carries", "orgferry diff"],
  ["also the identity providers and flows of one organization", "orgferry diff --org-id 165617390198000897"],
  ["as a page for the people who change the settings", "orgferry diff --html differences.html"],
];

/** Declares `diff` and its flags. */
export function declareDiff(program: Command) {
  const named = program
    .command("diff")
    .description("list the settings that differ between two instances and that no export carries; changes nothing");
  const paired = addPairOptions(named)
    .addOption(timeoutOption("time limit of one request").default("30s"))
    .option("--org-id <id>", "also compare this organization; repeatable", collectId, NOTHING);
  return addCommonOptions(addPageOptions(paired)).addHelpText("after", helpText(EXAMPLES, ["source", "target"]));
}

/** The parsed flags of `diff`. */
export type DiffOptions = ReturnType<ReturnType<typeof declareDiff>["opts"]>;
