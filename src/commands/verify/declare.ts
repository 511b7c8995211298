import { type Command, Option } from "@commander-js/extra-typings";
import {
  addCommonOptions,
  addPageOptions,
  addTargetOptions,
  idpOption,
  orgMapOption,
} from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { timeoutOption } from "../shared/parse-flags.ts";

/** Declares `verify <file>` and its flags. */
export function declareVerify(program: Command) {
  const named = program
    .command("verify")
    .description("compare the users of a body, or the objects of an export, with the target")
    .argument("<file>", "import body or export; - is stdin");
  const examples: Example[] = [
    ["compare each user of a body with the target's events", "orgferry verify importBody.json"],
    ["compare each object of an export with a new export", "orgferry verify export.json"],
    ["print the differences as JSON", "orgferry verify importBody.json --json > differences.json"],
  ];
  const compared = addTargetOptions(named)
    .addOption(timeoutOption("time limit of a new export of the target").default("5m0s"))
    .addOption(
      new Option(
        "--by <what>",
        "what to compare with (default: events for a body, a new export for an export)",
      ).choices(["events", "export"] as const),
    )
    .addOption(orgMapOption())
    .addOption(idpOption());
  return addCommonOptions(addPageOptions(compared)).addHelpText("after", helpText(examples, ["target"]));
}

/** The parsed flags of `verify`. */
export type VerifyOptions = ReturnType<ReturnType<typeof declareVerify>["opts"]>;
