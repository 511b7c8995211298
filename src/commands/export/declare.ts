import type { Command } from "@commander-js/extra-typings";
import { addCommonOptions, addPageOptions, addSelectionOptions, addStorageOptions } from "../shared/common-options.ts";
import { timeoutOption } from "../shared/parse-flags.ts";

/** Declares `export` and its flags. */
export function declareExport(program: Command) {
  const named = program
    .command("export")
    .description("fetch organizations from an instance into a file, to stdout or to object storage")
    .option("--source <url>", "address of the source instance (or ZITADEL_EXPORT_DOMAIN)")
    .option("--token-file <path>", "file with its token (or PAT_EXPORT_TOKEN)")
    .option("--insecure-http", "allow plain http to an address that is not this machine", false)
    .addOption(timeoutOption("maximum duration of the call").default("5m0s"))
    .option("--output <path>", "where the export goes; - is stdout (default: ./export.json)");
  return addCommonOptions(
    addPageOptions(addStorageOptions(addSelectionOptions(named), "have the service write to object storage")),
  );
}

/** The flags of `export`, as the command line hands them over. */
export type ExportOptions = ReturnType<ReturnType<typeof declareExport>["opts"]>;
