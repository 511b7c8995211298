import { type Command, type CommandUnknownOpts, Option, type OptionValues } from "@commander-js/extra-typings";
import type { InventoryPaths } from "../../jobs/export/write-inventories.ts";
import {
  parseCount,
  parseCountOrAuto,
  parseDuration,
  parseId,
  parseRate,
  parseSize,
  parseWhole,
} from "./parse-flags.ts";

// Flags that several commands share. Each function adds a group of flags to a command and keeps the types of the others.

/** Default limit of the bytes of a call. */
export const DEFAULT_BATCH_BYTES = 3 * 2 ** 20;
/** Default number of concurrent writes: with more than one, the service creates users without a login name (service behaviour 0.41). */
export const DEFAULT_CONCURRENCY = 1;
export const DEFAULT_MAX_CONCURRENCY = 8;

/** Refuses a word without a flag, of a command that has no arguments. @param advice what a file may be meant for. */
export function refuseArguments(command: CommandUnknownOpts, advice: (word: string) => string): void {
  command.allowExcessArguments().hook("preAction", () => {
    const [first] = command.args;
    if (first !== undefined) command.error(`error: '${first}' has no flag: ${advice(first)}`);
  });
}

/** Adds the flags that every command has (design: "For every command"). */
export function addCommonOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return addReportOptions(
    command.optionsGroup("Common flags:").option("--force", "replace an existing file of another kind", false),
  );
}

/** Adds the flags that every command has, without `--force`, which means something else for `undo`. */
export function addReportOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .optionsGroup("Common flags:")
    .option("--report <path>", "write the report as JSON to this file, also when the run fails")
    .option("--json", "print the report as JSON on stdout", false)
    .option("-q, --quiet", "print warnings and errors only", false)
    .option("-v, --verbose", "print more", false)
    .option("--no-color", "no color (NO_COLOR has the same effect)");
}

/** Adds the flags of the HTML report. */
export function addPageOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .optionsGroup("Report:")
    .option("--html <path>", "write the report as an HTML page to this file, also when the run fails")
    .option("--html-anonymous", "leave personal data out of the HTML page", false);
}

/** Adds the limit of calls. */
export function addRateOption<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command.option("--max-rate <n>", "send at most this many calls per second to an instance", parseRate);
}

/** Adds the flags that name the target of `import` and `verify`. */
export function addTargetOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return addRateOption(
    command
      .optionsGroup("Instance:")
      .option("--target <url>", "address of the target instance (or ZITADEL_IMPORT_DOMAIN)")
      .option("--token-file <path>", "file with its token (or PAT_IMPORT_TOKEN)")
      .option("--insecure-http", "allow unencrypted HTTP to a remote address", false),
  );
}

/** Adds the flags that name both instances. */
export function addPairOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .optionsGroup("Instances:")
    .option("--source <url>", "address of the source instance (or ZITADEL_EXPORT_DOMAIN)")
    .option("--source-token-file <path>", "file with its token (or PAT_EXPORT_TOKEN)")
    .option("--target <url>", "address of the target instance (or ZITADEL_IMPORT_DOMAIN)")
    .option("--target-token-file <path>", "file with its token (or PAT_IMPORT_TOKEN)")
    .option("--insecure-http", "allow unencrypted HTTP to a remote address", false);
}

/** Adds the flags that select what `export` and `copy` read from the source. */
export function addSelectionOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .optionsGroup("Selection:")
    .option("--org-id <id>", "organization to export; repeatable (default: all)", collectId, NOTHING)
    .option("--exclude-org-id <id>", "organization to skip; repeatable", collectId, NOTHING)
    .option("--with-passwords", "include the password hashes", false)
    .option("--with-otp", "include the OTP secrets", false)
    .addOption(
      new Option(
        "--transport <how>",
        "API of the export; auto uses gRPC-Web, and then the event log, for an export above the limits of the service",
      )
        .choices(["auto", "rest", "grpc-web", "events"] as const)
        .default("auto" as const),
    )
    .addOption(
      new Option("--settle <duration>", "how long to wait until the export holds every user of the event log")
        .argParser(parseDuration)
        .default(60_000, "60s"),
    );
}

/** Adds the flags that name files with lists of what an export has. */
export function addInventoryOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option("--service-users <path>", "also write a table of the service users, whose tokens and secrets stay behind")
    .option("--terraform-imports <path>", "also write an import block for each object with an id, for Terraform");
}

/** The files of these flags, as outputs of a run. */
export function inventoryOutputs({ serviceUsers, terraformImports }: InventoryPaths) {
  return [
    { flag: "--service-users", path: serviceUsers, kind: "table" as const },
    { flag: "--terraform-imports", path: terraformImports, kind: "table" as const },
  ];
}

/** Adds the flags that control how `import` and `copy` send users. */
export function addBatchOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .optionsGroup("Sending:")
    .addOption(
      new Option("--batch-users <n>", "users per call; auto adapts to the speed of the service")
        .argParser(parseCountOrAuto)
        .default("auto" as const, "auto"),
    )
    .addOption(
      new Option("--batch-bytes <size>", "bytes per call").argParser(parseSize).default(DEFAULT_BATCH_BYTES, "3MiB"),
    )
    .addOption(
      new Option(
        "--concurrency <n>",
        "concurrent writes, or auto (default: auto to create users where the target's version is known to be safe, else 1)",
      ).argParser(parseCountOrAuto),
    )
    .option("--max-concurrency <n>", "concurrent writes with --concurrency auto", parseCount, DEFAULT_MAX_CONCURRENCY)
    .addOption(
      new Option(
        "--via <endpoint>",
        "API that creates users; auto uses the users API for a user whose e-mail address would otherwise not stay verified",
      )
        .choices(["auto", "import", "users"] as const)
        .default("auto" as const),
    )
    .option("--no-mail", "send no e-mail or SMS (affected users are created through the users API)")
    .option(
      "--max-mails <n>",
      "send the e-mails without asking if at most this many users get one, else send nothing",
      parseWhole,
    )
    .option("--yes", "do not ask before users get an e-mail", false)
    .addOption(
      new Option("--from <version>", "version of the instance that the export comes from (default: detected)").choices([
        "v1",
        "v2",
      ] as const),
    )
    .addOption(orgMapOption())
    .addOption(idpOption())
    .option(
      "--manifest <path>",
      "file for the ids of created users, for undo (default: beside the journal; of copy: beside --state)",
    )
    .option("--rejects <dir>", "folder for the users that failed, as an import body")
    .option("--skip-invalid", "skip users that the service would refuse", false)
    .option("--fail-on-existing", "count existing users as failures", false)
    .option("--fail-on-different", "exit with 1 if existing users differ from the input", false)
    .option("--no-heal", "only report users of this run who lost their login names; do not recreate them")
    .option("--verify", "compare with the target's events afterwards", false)
    .option("--dry-run", "check everything, print the plan, and change nothing", false);
}

/** `--org-map`, for commands that read a body or an export and ask the target. */
export function orgMapOption() {
  return new Option(
    "--org-map <from=to>",
    "id of an organization in the input and its id on the target; repeatable, or @<file.csv>",
  )
    .argParser(collect)
    .default(NOTHING);
}

/** `--idp`, for commands that read links of users and ask the target. */
export function idpOption() {
  return new Option(
    "--idp <from=to>",
    "id of an identity provider in links of the input and its id on the target (repeatable)",
  )
    .argParser(collect)
    .default(NOTHING);
}

/** Adds the flags that name a place in object storage; `purpose` begins the help of the first. */
export function addStorageOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  purpose: string,
) {
  return command
    .optionsGroup("Object storage:")
    .option("--gcs-bucket <name>", `${purpose}: name of the bucket`)
    .option("--gcs-path <path>", "path in the bucket")
    .option("--gcs-service-account <file>", "key file of a service account with access to the bucket");
}

/** Adds the flags that control whether existing users are updated. */
export function addUpdateOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option("--update", "update existing users to match the source, field by field", false)
    .addOption(
      new Option(
        "--prefer <side>",
        "side that wins a conflict: a value that another account changed on the target (default: none, exit 1)",
      ).choices(["source", "target"] as const),
    );
}

/** Adds the flags that control what happens to users that the source deleted. */
export function addRemovalOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option("--delete", "delete copied users that the source deleted (with --update)", false)
    .option("--deactivate", "deactivate these users instead (with --update)", false)
    .option(
      "--max-deletes <n>",
      "delete none if more than this would be deleted (in one organization; default: 1 in 100, at least 10)",
      parseWhole,
    )
    .option("--state <file>", "file that records what was compared: with --update, the next run reads new events only");
}

export const NOTHING: readonly string[] = [];

/** For a repeatable flag of ids. */
export function collectId(value: string, before: readonly string[]): readonly string[] {
  return collect(parseId(value), before);
}

/** For a repeatable flag. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** The parsed flags that control how users are sent. */
export type BatchOptions = ReturnType<ReturnType<typeof addBatchOptions<[], Record<never, never>>>["opts"]>;
export type UpdateOptions = ReturnType<ReturnType<typeof addUpdateOptions<[], Record<never, never>>>["opts"]>;
export type RemovalOptions = ReturnType<ReturnType<typeof addRemovalOptions<[], Record<never, never>>>["opts"]>;

/** The parsed flags of the HTML report. */
export type PageOptions = ReturnType<ReturnType<typeof addPageOptions<[], Record<never, never>>>["opts"]>;

/** The parsed flags that every command has. */
export type CommonOptions = ReturnType<ReturnType<typeof addReportOptions<[], Record<never, never>>>["opts"]> & {
  /** undefined: the command has no such flag. */
  readonly force?: boolean;
};
