import { Command, CommanderError, Option } from "commander";
import { declareCopy, declareExport, declareImport, declareVerify } from "./commands/declare-transfer.ts";
import { addCommonOptions, parseCount, parseId, parsePort, parseTimeout, timeoutOption } from "./commands/options.ts";
import type { Context } from "./context.ts";
import type { Handlers } from "./handlers.ts";
import { type ExitCode, exitCodes } from "./problem.ts";
import { sources } from "./sources/registry.ts";
import { version } from "./version.ts";

/** Each command is loaded only when it runs, so that `--help` stays as fast as Node itself. */
function lazyHandlers(context: Context): Handlers {
  return {
    migrate: async (source, options) => (await import("./commands/migrate.ts")).migrate(source, options, context),
    mock: async (options) => (await import("./commands/mock.ts")).mock(options, context),
    exportOrgs: async (options) => (await import("./commands/export.ts")).exportOrgs(options, context),
    copyOrgs: async (options) => (await import("./commands/copy.ts")).copyOrgs(options, context),
    verify: async (file, options) => (await import("./commands/verify.ts")).verify(file, options, context),
    importFile: async (file, options) => (await import("./commands/import.ts")).importFile(file, options, context),
  };
}

/** Parses the arguments (without node and script), runs the command and returns the exit code. Never throws. */
export async function run(
  argv: readonly string[],
  context: Context,
  handlers = lazyHandlers(context),
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = buildProgram(handlers, context, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for is success; everything else commander ends with is a usage error.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  return exitCode;
}

const EXIT_CODES = `
Exit codes: 0 done · 1 finished, but not everything got through · 2 usage · 3 a file · 4 token · 5 the service
refused · 6 network or time · 70 a bug in orgferry · 130, 143 interrupted`;

/** Declares the whole command tree; does nothing else. `done` receives the exit code of the command that ran. */
function buildProgram(
  handlers: Handlers,
  { stdout, stderr }: Pick<Context, "stdout" | "stderr">,
  done: (code: ExitCode) => void,
): Command {
  const program = new Command("orgferry")
    .description("Moves people between identity services and copies organizations between ZITADEL instances.")
    .version(version, "-V, --version")
    .showSuggestionAfterError()
    .showHelpAfterError("(add --help for the flags)")
    .addHelpText("after", EXIT_CODES)
    // Sub-commands inherit both at the moment they are made, so these lines stand before them.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  addMigrate(program, handlers, done);
  addMock(program, handlers, done);
  declareExport(program, handlers, done);
  declareImport(program, handlers, done);
  declareCopy(program, handlers, done);
  declareVerify(program, handlers, done);
  return program;
}

function addMigrate(program: Command, handlers: Handlers, done: (code: ExitCode) => void): void {
  const group = program
    .command("migrate")
    .description("merge another provider's files into an import body, offline")
    .usage("<source_provider> [options]");
  for (const source of sources) {
    const command = group
      .command(source.id)
      .description(`merge ${source.title} files into an import body`)
      .requiredOption("--org <id>", "target organization id", parseId);
    for (const { flag, description, defaultPath } of source.inputs) {
      command.option(`--${flag} <path>`, `${description} (default: ${defaultPath})`);
    }
    command
      .option("--multiline", "both input files hold exactly one JSON object per line", false)
      .option("--email-verified", "mark all e-mails as verified (default: each profile's own email_verified)")
      .option("--no-email-verified", "mark all e-mails as unverified")
      .option("--output <path>", "the import body; - is stdout", "./importBody.json")
      .addOption(timeoutOption("maximum duration of the import call, put verbatim into the body", "5m0s"))
      .option("--rejects <dir>", "where rejected rows go, ready to be mended (default: <output>.rejects/)")
      .option("--strict", "write no body if any row is rejected", false)
      .option("--split <users>", "write <output stem>-0001.json, … of at most that many users each", parseCount);
    const verifiedFlags = new Set<string>();
    command.on("option:email-verified", () => verifiedFlags.add("--email-verified"));
    command.on("option:no-email-verified", () => verifiedFlags.add("--no-email-verified"));
    addCommonOptions(command).action(async (options) => {
      if (verifiedFlags.size > 1) command.error("error: --email-verified and --no-email-verified exclude each other");
      done(await handlers.migrate(source.id, options));
    });
  }
}

const FAULT_HELP = `
Faults: --fault <endpoint>:<fault>[,key=value…]
  endpoint  import, export, events, token, health, jobs (the source provider's), any
  fault     latency · per-user (what one user costs) · 401 413 429 500 502 503 504 · timeout (after users=N were made)
            reset-before, reset-during, reset-after (the work is done) · truncated · half-json · not-json · trickle
  keys      times=N (default: every call) · skip=N · probability=0.3 · seed=N · delay=200ms · retryAfter=2 (seconds)
            retryAfterDate=2 (a date that far ahead) · users=N · bytes=N · handled=true (a status, but the work is done)
  example   --fault import:429,times=2,retryAfter=1 --fault export:truncated,times=1
  While it runs: curl -d import:502,times=1 <url>/_mock/faults, and -X DELETE for none.`;

function addMock(program: Command, handlers: Handlers, done: (code: ExitCode) => void): void {
  program
    .command("mock")
    .description("the bundled admin server: offline runs, demos, tests")
    .option("--host <address>", "where to listen; the default is this machine alone", "127.0.0.1")
    .option("--port <port>", "0 is any free one", parsePort, 8080)
    .option("--token <pat>", "a token with the role IAM_OWNER (default: made up and printed)")
    .option("--seed <file>", "tokens, clients, organizations, faults and source users to start with, as JSON")
    .option("--data <dir>", "keep state and object storage in this folder (default: they go away with the server)")
    .option("--latency <duration>", "wait before every answer", parseTimeout)
    .option("--fault <spec>", "make something go wrong, see below (repeatable)", collected, [])
    .addOption(mimicOption())
    .option("--report <path>", "write the summary as JSON to this file, also when the run fails")
    .option("--json", "print one line {url, token, pid} on stdout when it is ready", false)
    .option("-q, --quiet", "say nothing but warnings and errors", false)
    .option("-v, --verbose", "say more", false)
    .option("--no-color", "no colour (NO_COLOR is honoured too)")
    .addHelpText("after", FAULT_HELP)
    .action(async (options) => done(await handlers.mock(options)));
}

function mimicOption(): Option {
  return new Option("--mimic <what>", "what to follow where the specification and the real service differ")
    .choices(["specification", "service"])
    .default("specification");
}

function collected(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
