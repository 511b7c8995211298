import type { Command } from "@commander-js/extra-typings";
import {
  addBatchOptions,
  addCommonOptions,
  addInventoryOptions,
  addPageOptions,
  addPairOptions,
  addRateOption,
  addRemovalOptions,
  addSelectionOptions,
  addUpdateOptions,
  refuseArguments,
} from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { timeoutOption } from "../shared/parse-flags.ts";
import { addPilotOptions } from "../shared/pilot/flags.ts";

/** Declares `copy` and its flags. */
export function declareCopy(program: Command) {
  const named = program
    .command("copy")
    .description("export from one instance and import into another, for scheduled jobs");
  const paired = addRateOption(addPairOptions(named))
    .addOption(timeoutOption("time limit of one call").default("5m0s"))
    .option("--keep <path>", "keep the export in this file");
  const examples: Example[] = [
    ["print the plan", "orgferry copy --org-id 165617390198000897 --with-passwords --dry-run"],
    [
      "one organization, with passwords and OTP secrets",
      "orgferry copy --org-id 165617390198000897 --with-passwords --with-otp",
    ],
    [
      "every night: send nothing if more than 100 users would get an e-mail",
      "orgferry copy --org-id 165617390198000897 --with-passwords --with-otp --update --yes --max-mails 100 --state nightly.state",
    ],
  ];
  const command = addCommonOptions(
    addPageOptions(
      addRemovalOptions(
        addUpdateOptions(addBatchOptions(addPilotOptions(addInventoryOptions(addSelectionOptions(paired))))),
      ),
    ),
  ).addHelpText("after", helpText(examples, ["source", "target"]));
  refuseArguments(
    command,
    (word) => `copy reads the source instance, not a file; to send a file, use orgferry import ${word}`,
  );
  return command;
}

/** The parsed flags of `copy`. */
export type CopyOptions = ReturnType<ReturnType<typeof declareCopy>["opts"]>;
