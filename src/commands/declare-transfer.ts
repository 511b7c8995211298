import { type Command, Option } from "commander";
import type { Handlers } from "../handlers.ts";
import type { ExitCode } from "../problem.ts";
import type { CopyOptions } from "./copy.ts";
import type { ExportOptions } from "./export.ts";
import { DEFAULT_BATCH_BYTES, DEFAULT_BATCH_USERS } from "./import/resume-command.ts";
import { addCommonOptions, parseCount, parseSize, timeoutOption } from "./options.ts";
import type { VerifyOptions } from "./verify.ts";

type Done = (code: ExitCode) => void;

/** Declares `import [file]`. */
export function declareImport(program: Command, handlers: Pick<Handlers, "importFile">, done: Done): void {
  const command = program
    .command("import")
    .description("send a body or an export to an instance, in batches, and account for every user")
    .argument("[file]", "import body or export; - is stdin");
  addTarget(command);
  command
    .addOption(timeoutOption("maximum duration of one call (default: the body's own, else 5m0s)"))
    .option("--resume", "go on with an unfinished run of the same file", false)
    .option("--restart", "throw an unfinished run away and begin anew", false)
    .option("--journal <path>", "where the run keeps its record (default: <file>.journal.ndjson)");
  addBatchOptions(command);
  addStorageOptions(command, "import what the service reads from object storage itself");
  addCommonOptions(command).action(async (file, options) => done(await handlers.importFile(file, options)));
}

/** Declares `export`. */
export function declareExport(program: Command, handlers: Pick<Handlers, "exportOrgs">, done: Done): void {
  const command = program
    .command("export")
    .description("fetch organizations from an instance into a file, to stdout or to object storage")
    .option("--source <url>", "address of the source instance (or ZITADEL_EXPORT_DOMAIN)")
    .option("--token-file <path>", "file with its token (or PAT_EXPORT_TOKEN)")
    .option("--insecure-http", "allow plain http to an address that is not this machine", false)
    .addOption(timeoutOption("maximum duration of the call", "5m0s"))
    .option("--output <path>", "where the export goes; - is stdout (default: ./export.json)");
  addSelectionOptions(command);
  addStorageOptions(command, "have the service write to object storage");
  addCommonOptions(command).action(async (options) => done(await handlers.exportOrgs(options as ExportOptions)));
}

/** Declares `copy`. */
export function declareCopy(program: Command, handlers: Pick<Handlers, "copyOrgs">, done: Done): void {
  const command = program
    .command("copy")
    .description("export from one instance and import into another, for scheduled jobs")
    .option("--source <url>", "address of the source instance (or ZITADEL_EXPORT_DOMAIN)")
    .option("--source-token-file <path>", "file with its token (or PAT_EXPORT_TOKEN)")
    .option("--target <url>", "address of the target instance (or ZITADEL_IMPORT_DOMAIN)")
    .option("--target-token-file <path>", "file with its token (or PAT_IMPORT_TOKEN)")
    .option("--insecure-http", "allow plain http to an address that is not this machine", false)
    .addOption(timeoutOption("maximum duration of one call", "5m0s"))
    .option("--keep <path>", "keep the export in this file");
  addSelectionOptions(command);
  addBatchOptions(command);
  addCommonOptions(command).action(async (options) => done(await handlers.copyOrgs(options as CopyOptions)));
}

/** Declares `verify <file>`. */
export function declareVerify(program: Command, handlers: Pick<Handlers, "verify">, done: Done): void {
  const command = program
    .command("verify")
    .description("compare the users of a body, or the objects of an export, with what the target has")
    .argument("<file>", "import body or export; - is stdin");
  addTarget(command)
    .addOption(timeoutOption("maximum duration of a fresh export of the target", "5m0s"))
    .addOption(
      new Option("--by <what>", "what to compare with (default: events for a body, export for an export)").choices([
        "events",
        "export",
      ]),
    );
  addCommonOptions(command).action(async (file, options) =>
    done(await handlers.verify(file, options as VerifyOptions)),
  );
}

function addSelectionOptions(command: Command): Command {
  const collect = (value: string, before: readonly string[]): string[] => [...before, value];
  return command
    .option("--org-id <id>", "organization to export, repeatable (default: all)", collect, [])
    .option("--exclude-org-id <id>", "organization to leave out, repeatable", collect, [])
    .option("--with-passwords", "include the password hashes", false)
    .option("--with-otp", "include the OTP secrets", false);
}

function addTarget(command: Command): Command {
  return command
    .option("--target <url>", "address of the target instance (or ZITADEL_IMPORT_DOMAIN)")
    .option("--token-file <path>", "file with its token (or PAT_IMPORT_TOKEN)")
    .option("--insecure-http", "allow plain http to an address that is not this machine", false);
}

function addBatchOptions(command: Command): Command {
  return command
    .option("--batch-users <n>", "users per call", parseCount, DEFAULT_BATCH_USERS)
    .addOption(
      new Option("--batch-bytes <size>", "bytes per call").argParser(parseSize).default(DEFAULT_BATCH_BYTES, "3MiB"),
    )
    .option("--concurrency <n>", "calls at a time", parseCount, 1)
    .addOption(new Option("--from <version>", "version an export came from (default: detected)").choices(["v1", "v2"]))
    .option("--rejects <dir>", "where the users that did not get through go, as an import body")
    .option("--skip-invalid", "leave out users the service would refuse", false)
    .option("--fail-on-existing", "count users that are there already as failures", false)
    .option("--verify", "compare with the target's events afterwards", false)
    .option("--dry-run", "check everything, say what would happen, and stop", false);
}

function addStorageOptions(command: Command, purpose: string): Command {
  return command
    .option("--gcs-bucket <name>", `${purpose}: the bucket`)
    .option("--gcs-path <path>", "its path in the bucket")
    .option("--gcs-service-account <file>", "key file of a service account that may use it");
}
