import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import type { Context } from "../../context.ts";
import type { CallSettings, ConsentSettings, ImportSettings, PlanSettings } from "../../jobs/import/settings.ts";
import { ProblemError } from "../../problem.ts";
import { parseCount, parseCountOrAuto, parseDuration, parseId, parseSize, parseWhole } from "./parse-flags.ts";
import { type UpdateFlags, updateSettings } from "./update-options.ts";

// Flags that several commands share. Each function adds a group of flags to a command and keeps the types of the others.

/** Default limit of the bytes of a call. */
export const DEFAULT_BATCH_BYTES = 3 * 2 ** 20;
/** Default number of concurrent writes: with more than one, the service creates users without a login name (service behaviour 0.41). */
export const DEFAULT_CONCURRENCY = 1;
export const DEFAULT_MAX_CONCURRENCY = 16;

/** Adds the flags that every command has (design: "For every command"). */
export function addCommonOptions<Args extends unknown[], Options extends OptionValues>(
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
    .option("--html <path>", "write the report as an HTML page to this file, also when the run fails")
    .option("--html-anonymous", "leave personal data out of the HTML page", false);
}

/** Adds the flags that name the target of `import` and `verify`. */
export function addTargetOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .optionsGroup("Instance:")
    .option("--target <url>", "address of the target instance (or ZITADEL_IMPORT_DOMAIN)")
    .option("--token-file <path>", "file with its token (or PAT_IMPORT_TOKEN)")
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
        "API of the export; auto uses gRPC-Web for an export above the 4 MiB limit of REST",
      )
        .choices(["auto", "rest", "grpc-web"] as const)
        .default("auto" as const),
    )
    .addOption(
      new Option("--settle <duration>", "how long to wait until the export holds every user of the event log")
        .argParser(parseDuration)
        .default(60_000, "60s"),
    );
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
        "concurrent writes, or auto; above 1 is faster, but some users may get no login name (see README)",
      )
        .argParser(parseCountOrAuto)
        .default<number | "auto">(DEFAULT_CONCURRENCY),
    )
    .option("--max-concurrency <n>", "upper limit of --concurrency auto", parseCount, DEFAULT_MAX_CONCURRENCY)
    .addOption(
      new Option(
        "--via <endpoint>",
        "API that creates users; auto uses the users API for a user whose e-mail address would otherwise not stay verified",
      )
        .choices(["auto", "import", "users"] as const)
        .default("auto" as const),
    )
    .option("--no-mail", "send no e-mail or SMS (affected users are created through the users API)")
    .option("--max-mails <n>", "send nothing if more users than this would get an e-mail", parseWhole)
    .option("--yes", "do not ask before users get an e-mail", false)
    .addOption(
      new Option("--from <version>", "version of the instance that the export comes from (default: detected)").choices([
        "v1",
        "v2",
      ] as const),
    )
    .option(
      "--org-map <from=to>",
      "id of an organization in the input and its id on the target; repeatable, or @<file.csv>",
      collect,
      NOTHING,
    )
    .option("--manifest <path>", "file for the ids of created users, for undo (default: beside the journal)")
    .option("--rejects <dir>", "folder for the users that failed, as an import body")
    .option("--skip-invalid", "skip users that the service would refuse", false)
    .option("--fail-on-existing", "count existing users as failures", false)
    .option("--fail-on-different", "exit with 1 if existing users differ from the input", false)
    .option("--verify", "compare with the target's events afterwards", false)
    .option("--dry-run", "check everything, print the plan, and change nothing", false);
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

/** The settings of an import, from its flags. Raises usage.conflict (only the users API creates users without e-mail), and what reading the map raises. */
export async function importSettings(
  options: SendingFlags,
  context: Pick<Context, "cwd" | "stdin" | "signal" | "cleanUp">,
): Promise<ImportSettings> {
  const { via, from, timeout, maxMails, rejects, skipInvalid, dryRun, verify } = options;
  const { batchUsers, batchBytes, concurrency, maxConcurrency } = options;
  if (!options.mail && via === "import") {
    throw new ProblemError({ code: "usage.conflict", flags: ["--via import", "--no-mail"] });
  }
  const update = updateSettings(options);
  const { readOrgMap } = await import("./org-map.ts"); // not needed to show help
  return {
    plan: {
      via,
      noMail: !options.mail,
      orgMap: await readOrgMap(options.orgMap, context),
      ...(from === undefined ? {} : { from }),
      ...(update === undefined ? {} : { update }),
    },
    calls: { batchUsers, batchBytes, concurrency, maxConcurrency, ...(timeout === undefined ? {} : { timeout }) },
    consent: { yes: options.yes, ...(maxMails === undefined ? {} : { maxMails }) },
    failOn: { existing: options.failOnExisting, different: options.failOnDifferent },
    ...(rejects === undefined ? {} : { rejects }),
    skipInvalid,
    dryRun,
    verify,
  };
}

interface SendingFlags
  extends UpdateFlags,
    CallSettings,
    ConsentSettings,
    Pick<PlanSettings, "via" | "from">,
    Omit<ImportSettings, "plan" | "calls" | "consent" | "failOn"> {
  readonly mail: boolean;
  readonly orgMap: readonly string[];
  readonly failOnDifferent: boolean;
}

/** Where a user finds the input faults that the terminal does not list; undefined: nowhere. */
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

/** For a repeatable flag. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** The parsed flags of the HTML report. */
export type PageOptions = ReturnType<ReturnType<typeof addPageOptions<[], Record<never, never>>>["opts"]>;

/** The parsed flags that every command has. */
export type CommonOptions = ReturnType<ReturnType<typeof addCommonOptions<[], Record<never, never>>>["opts"]>;
