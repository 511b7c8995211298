import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import type { Context } from "../../context.ts";
import type { OrgMap } from "../../core/document/org-map.ts";
import type { UpdateSettings } from "../../jobs/import/settings.ts";
import { ProblemError } from "../../problem.ts";
import { parseCount, parseCountOrAuto, parseDuration, parseId, parseSize, parseWhole } from "./parse-flags.ts";
import { type UpdateFlags, updateSettings } from "./update-options.ts";

// Flags that several commands share. Each function adds some to a command and keeps what is known of its types.

/** Calls of at most that many bytes, unless the flag says otherwise. */
export const DEFAULT_BATCH_BYTES = 3 * 2 ** 20;
/** Calls that write, at a time, unless the flag says otherwise: of more than one the service forgets users (service behaviour 0.41). */
export const DEFAULT_CONCURRENCY = 1;
export const DEFAULT_MAX_CONCURRENCY = 16;

/** Adds the flags that every command has (design: "For every command"). */
export function addCommonOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .optionsGroup("For every command:")
    .option("--report <path>", "write the summary as JSON to this file, also when the run fails")
    .option("--json", "print the summary as one JSON document on stdout", false)
    .option("-q, --quiet", "print only warnings and errors", false)
    .option("-v, --verbose", "print more", false)
    .option("--no-color", "no colour (NO_COLOR is honoured too)");
}

/** Adds the flags of a report that is to be shown. */
export function addPageOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .option("--html <path>", "write the report as a page for people to this file, also when the run fails")
    .option("--html-anonymous", "leave everything out of the page that belongs to a person", false);
}

/** Adds the flags that name the target of `import` and `verify`. */
export function addTargetOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .optionsGroup("The instance:")
    .option("--target <url>", "address of the target instance (or ZITADEL_IMPORT_DOMAIN)")
    .option("--token-file <path>", "file with its token (or PAT_IMPORT_TOKEN)")
    .option("--insecure-http", "allow plain http to an address that is not this machine", false);
}

/** Adds the flags that say what `export` and `copy` fetch. */
export function addSelectionOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .optionsGroup("What is exported:")
    .option("--org-id <id>", "organization to export, repeatable; without it all are", collectId, NOTHING)
    .option("--exclude-org-id <id>", "organization to leave out, repeatable", collectId, NOTHING)
    .option("--with-passwords", "include the password hashes", false)
    .option("--with-otp", "include the OTP secrets", false)
    .addOption(
      new Option("--transport <how>", "how to ask: the documented call, and past its 4 MiB the same over gRPC-Web")
        .choices(["auto", "rest", "grpc-web"] as const)
        .default("auto" as const),
    )
    .addOption(
      new Option("--settle <duration>", "how long to wait for an export to hold every user that the event log knows")
        .argParser(parseDuration)
        .default(60_000, "60s"),
    );
}

/** Adds the flags that say how `import` and `copy` send. */
export function addBatchOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .optionsGroup("How it is sent:")
    .addOption(
      new Option("--batch-users <n>", "users per call; auto: found out on the way")
        .argParser(parseCountOrAuto)
        .default("auto" as const, "auto"),
    )
    .addOption(
      new Option("--batch-bytes <size>", "bytes per call").argParser(parseSize).default(DEFAULT_BATCH_BYTES, "3MiB"),
    )
    .addOption(
      new Option(
        "--concurrency <n>",
        "writing calls at a time, or auto: found out on the way; above 1 is faster, and the service then forgets a few users (README)",
      )
        .argParser(parseCountOrAuto)
        .default<number | "auto">(DEFAULT_CONCURRENCY),
    )
    .option(
      "--max-concurrency <n>",
      "most calls at a time that --concurrency auto may make",
      parseCount,
      DEFAULT_MAX_CONCURRENCY,
    )
    .addOption(
      new Option(
        "--via <endpoint>",
        "what makes users: the import endpoint, the users API, or for each whatever keeps an address verified without a mail",
      )
        .choices(["auto", "import", "users"] as const)
        .default("auto" as const),
    )
    .option("--no-mail", "nobody gets a mail or an SMS: who would is made through the users API")
    .option("--max-mails <n>", "send nothing if more people than that would get a mail", parseWhole)
    .option("--yes", "do not ask before people get a mail", false)
    .addOption(
      new Option("--from <version>", "version an export came from (default: detected)").choices(["v1", "v2"] as const),
    )
    .option(
      "--org-map <from=to>",
      "give an organization of the input another id on the target, and everything that refers to it; repeatable, or @<file.csv>",
      collect,
      NOTHING,
    )
    .option("--manifest <path>", "where the ids of users that were created go, for undo (default: beside the journal)")
    .option("--rejects <dir>", "where the users that did not get through go, as an import body")
    .option("--skip-invalid", "leave out users the service would refuse", false)
    .option("--fail-on-existing", "count users that are there already as failures", false)
    .option("--fail-on-different", "end with 1 if users that are there already differ from the input", false)
    .option("--verify", "compare with the target's events afterwards", false)
    .option("--dry-run", "check everything, say what would happen, and stop", false);
}

/** Adds the flags that name a place in object storage; `purpose` begins the help of the first. */
export function addStorageOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  purpose: string,
) {
  return command
    .optionsGroup("Object storage:")
    .option("--gcs-bucket <name>", `${purpose}: the bucket`)
    .option("--gcs-path <path>", "its path in the bucket")
    .option("--gcs-service-account <file>", "key file of a service account that may use it");
}

/** What the flags of sending say about an import. Raises usage.conflict, because only the users API can make people without a mail, and what the map raises. */
export async function importSettings<T extends SendingFlags>(
  options: T,
  context: Pick<Context, "cwd" | "stdin" | "signal" | "cleanUp">,
): Promise<Omit<T, "orgMap" | "update"> & SendingSettings> {
  if (!options.mail && options.via === "import") {
    throw new ProblemError({ code: "usage.conflict", flags: ["--via import", "--no-mail"] });
  }
  const { update: _, orgMap, ...others } = options;
  const update = updateSettings(options);
  const { readOrgMap } = await import("./org-map.ts"); // not needed to show help
  return {
    ...others,
    noMail: !options.mail,
    orgMap: await readOrgMap(orgMap, context),
    ...(update === undefined ? {} : { update }),
  };
}

interface SendingSettings {
  readonly noMail: boolean;
  readonly orgMap: OrgMap;
  readonly update?: UpdateSettings;
}

interface SendingFlags extends UpdateFlags {
  readonly mail: boolean;
  readonly via: "auto" | "import" | "users";
  readonly orgMap: readonly string[];
}

/** Where faults of an input beyond those that are shown can be read; undefined: nowhere. */
export function restOfFaults({
  rejects,
  dryRun,
  json,
  report,
  html,
}: {
  readonly rejects?: string;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly report?: string;
  readonly html?: string;
}): string | undefined {
  if (rejects !== undefined && !dryRun) return "the rejects";
  return json || report !== undefined || html !== undefined ? "the report" : undefined;
}

const NOTHING: readonly string[] = [];

function collectId(value: string, before: readonly string[]): readonly string[] {
  return collect(parseId(value), before);
}

/** For a flag that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** The flags of a report that is to be shown, as the command line hands them over. */
export type PageOptions = ReturnType<ReturnType<typeof addPageOptions<[], Record<never, never>>>["opts"]>;

/** The flags every command has, as the command line hands them over. */
export type CommonOptions = ReturnType<ReturnType<typeof addCommonOptions<[], Record<never, never>>>["opts"]>;
