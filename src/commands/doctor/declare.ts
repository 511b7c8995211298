import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions, addPairOptions } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { timeoutOption } from "../shared/parse-flags.ts";

const EXAMPLES: readonly Example[] = [
  ["check this machine, and the instances named in the environment", "orgferry doctor"],
  [
    "check a target, and find out which password hashes it accepts",
    "orgferry doctor --target example.zitadel.cloud --target-token-file token --probe",
  ],
  ["print the result as JSON, for example before a nightly copy", "orgferry doctor --json"],
];

/** Declares `doctor` and its flags. */
export function declareDoctor(program: Command) {
  const named = program.command("doctor").description("check this machine, the network, tokens and their roles");
  const paired = addPairOptions(named)
    .option("--probe", "find out which password hashes the target accepts, and print the flags for migrate", false)
    .addOption(timeoutOption("time limit of one request").default("10s"));
  return addCommonOptions(paired).addHelpText("after", helpText(EXAMPLES, ["source", "target"]));
}

/** The parsed flags of `doctor`. */
export type DoctorOptions = ReturnType<ReturnType<typeof declareDoctor>["opts"]>;
