import { type Command, Option } from "@commander-js/extra-typings";
import { addCommonOptions, addPageOptions, addTargetOptions } from "../shared/common-options.ts";
import { timeoutOption } from "../shared/parse-flags.ts";

/** Declares `verify <file>` and its flags. */
export function declareVerify(program: Command) {
  const named = program
    .command("verify")
    .description("compare the users of a body, or the objects of an export, with what the target has")
    .argument("<file>", "import body or export; - is stdin");
  const compared = addTargetOptions(named)
    .addOption(timeoutOption("maximum duration of a fresh export of the target").default("5m0s"))
    .addOption(
      new Option("--by <what>", "what to compare with (default: events for a body, export for an export)").choices([
        "events",
        "export",
      ] as const),
    );
  return addCommonOptions(addPageOptions(compared));
}

/** The flags of `verify`, as the command line hands them over. */
export type VerifyOptions = ReturnType<ReturnType<typeof declareVerify>["opts"]>;
