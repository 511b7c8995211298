import type { Command } from "@commander-js/extra-typings";
import {
  addCommonOptions,
  addInventoryOptions,
  addPageOptions,
  addRateOption,
  addSelectionOptions,
  addStorageOptions,
  refuseArguments,
} from "../shared/common-options.ts";
import { type Example, helpText } from "../shared/help-text.ts";
import { timeoutOption } from "../shared/parse-flags.ts";

/** Declares `export` and its flags. */
export function declareExport(program: Command) {
  const named = program
    .command("export")
    .description("export organizations from an instance to a file, to stdout or to object storage")
    .optionsGroup("Instance:")
    .option("--source <url>", "address of the source instance (or ZITADEL_EXPORT_DOMAIN)")
    .option("--token-file <path>", "file with its token (or PAT_EXPORT_TOKEN)")
    .option("--insecure-http", "allow unencrypted HTTP to a remote address", false);
  const limited = addRateOption(named)
    .addOption(timeoutOption("time limit of the call").default("5m0s"))
    .option("--output <path>", "file for the export; - is stdout (default: ./export.json)");
  const examples: Example[] = [
    ["one organization with its password hashes", "orgferry export --org-id 165617390198000897 --with-passwords"],
    ["everything, compressed", "orgferry export --with-passwords --output - | gzip > export.json.gz"],
    ["rehearse an import on this machine", "orgferry mock --seed export.json"],
  ];
  const command = addCommonOptions(
    addPageOptions(
      addStorageOptions(addInventoryOptions(addSelectionOptions(limited)), "let the service write to object storage"),
    ),
  ).addHelpText("after", helpText(examples, ["source"]));
  refuseArguments(
    command,
    (word) => `name the file to write with --output ${word}; to send a file, use orgferry import ${word}`,
  );
  return command;
}

/** The parsed flags of `export`. */
export type ExportOptions = ReturnType<ReturnType<typeof declareExport>["opts"]>;
