import type { Command } from "@commander-js/extra-typings";
import { inputsOf, type Source } from "../../sources/source.ts";
import { addCommonOptions } from "../shared/common-options.ts";
import { parseCount, parseId, timeoutOption } from "../shared/parse-flags.ts";

/** Declares `migrate`, whose sub-commands are the source providers. */
export function declareMigrate(program: Command) {
  return program
    .command("migrate")
    .description("merge another provider's files into an import body, offline")
    .usage("<source_provider> [options]");
}

/** Declares `migrate <source_provider>` for one provider: the flags all of them have, and its own. */
export function declareSource(group: Command, source: Source) {
  const named = group
    .command(source.id)
    .description(`merge ${source.title} files into an import body`)
    .requiredOption("--org <id>", "target organization id", parseId);
  for (const { flag, description, defaultPath } of inputsOf(source)) {
    named.option(`--${flag} <path>`, `${description} (default: ${defaultPath})`);
  }
  const command = addCommonOptions(
    named
      .option("--multiline", "both input files hold exactly one JSON object per line", false)
      .option("--email-verified", "mark all e-mails as verified (default: each profile's own email_verified)")
      .option("--no-email-verified", "mark all e-mails as unverified")
      .option("--output <path>", "the import body; - is stdout", "./importBody.json")
      .addOption(timeoutOption("maximum duration of the import call, put verbatim into the body").default("5m0s"))
      .option("--rejects <dir>", "where rejected rows go, ready to be fixed (default: <output>.rejects/)")
      .option("--strict", "write no body if any row is rejected", false)
      .option("--split <users>", "write <output stem>-0001.json, … of at most that many users each", parseCount),
  );
  const verifiedFlags = new Set<string>();
  command.on("option:email-verified", () => verifiedFlags.add("--email-verified"));
  command.on("option:no-email-verified", () => verifiedFlags.add("--no-email-verified"));
  command.hook("preAction", () => {
    if (verifiedFlags.size > 1) command.error("error: --email-verified and --no-email-verified exclude each other");
  });
  return command;
}

/** The flags of `migrate <source_provider>`, as the command line hands them over. */
export type MigrateOptions = ReturnType<ReturnType<typeof declareSource>["opts"]> & {
  /** The provider's input files that were named, by flag. */
  readonly files: Readonly<Record<string, string | undefined>>;
};

/** Reads which of the provider's input files were named: its flags are data, so commander's types do not know them. */
export function namedFiles(source: Source, options: object): MigrateOptions["files"] {
  const given: Readonly<Record<string, unknown>> = { ...options };
  return Object.fromEntries(
    inputsOf(source).map(({ flag }) => [flag, typeof given[flag] === "string" ? given[flag] : undefined]),
  );
}
