import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions } from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { timeoutOption } from "../shared/parse-flags.ts";

const EXAMPLES: readonly Example[] = [
  ["this machine, and the instances that the environment names", "orgferry doctor"],
  ["a target", "orgferry doctor --target example.zitadel.cloud --target-token-file token"],
  ["before a nightly copy, as a document", "orgferry doctor --json"],
];

/** Declares `doctor` and its flags. */
export function declareDoctor(program: Command) {
  const named = program
    .command("doctor")
    .description("find out what the next command would trip over: this machine, the network, tokens and their roles")
    .optionsGroup("The instances:")
    .option("--source <url>", "address of the source instance (or ZITADEL_EXPORT_DOMAIN)")
    .option("--source-token-file <path>", "file with its token (or PAT_EXPORT_TOKEN)")
    .option("--target <url>", "address of the target instance (or ZITADEL_IMPORT_DOMAIN)")
    .option("--target-token-file <path>", "file with its token (or PAT_IMPORT_TOKEN)")
    .option("--insecure-http", "allow plain http to an address that is not this machine", false)
    .addOption(timeoutOption("how long to wait for one answer").default("10s"));
  return addCommonOptions(named).addHelpText("after", helpText(EXAMPLES, ["source", "target"]));
}

/** The flags of `doctor`, as the command line hands them over. */
export type DoctorOptions = ReturnType<ReturnType<typeof declareDoctor>["opts"]>;
