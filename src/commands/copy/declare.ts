import type { Command } from "@commander-js/extra-typings";
import { addBatchOptions, addCommonOptions, addPageOptions, addSelectionOptions } from "../shared/common-options.ts";
import { timeoutOption } from "../shared/parse-flags.ts";
import { addRemovalOptions, addUpdateOptions } from "../shared/update-options.ts";

/** Declares `copy` and its flags. */
export function declareCopy(program: Command) {
  const named = program
    .command("copy")
    .description("export from one instance and import into another, for scheduled jobs")
    .option("--source <url>", "address of the source instance (or ZITADEL_EXPORT_DOMAIN)")
    .option("--source-token-file <path>", "file with its token (or PAT_EXPORT_TOKEN)")
    .option("--target <url>", "address of the target instance (or ZITADEL_IMPORT_DOMAIN)")
    .option("--target-token-file <path>", "file with its token (or PAT_IMPORT_TOKEN)")
    .option("--insecure-http", "allow plain http to an address that is not this machine", false)
    .addOption(timeoutOption("maximum duration of one call").default("5m0s"))
    .option("--keep <path>", "keep the export in this file");
  return addCommonOptions(
    addPageOptions(addRemovalOptions(addUpdateOptions(addBatchOptions(addSelectionOptions(named))))),
  );
}

/** The flags of `copy`, as the command line hands them over. */
export type CopyOptions = ReturnType<ReturnType<typeof declareCopy>["opts"]>;
