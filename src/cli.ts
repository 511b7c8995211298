import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { declareCompletion, declareManPage } from "./commands/completion/declare.ts";
import { declareCopy } from "./commands/copy/declare.ts";
import { declareDoctor } from "./commands/doctor/declare.ts";
import { declareExport } from "./commands/export/declare.ts";
import { declareFetch } from "./commands/fetch/declare.ts";
import { declareImport } from "./commands/import/declare.ts";
import { declareMigrate, declareSource, givenOf } from "./commands/migrate/declare.ts";
import { declareMock } from "./commands/mock/declare.ts";
import { declareReportMerge } from "./commands/report/declare.ts";
import { treeOf } from "./commands/shared/command-tree.ts";
import { commandAt, helpStyle } from "./commands/shared/help-text.ts";
import { spellOutSwitches } from "./commands/shared/switch-values.ts";
import { declareUndo } from "./commands/undo/declare.ts";
import { declareVerify } from "./commands/verify/declare.ts";
import type { Context } from "./context.ts";
import type { Handlers } from "./handlers.ts";
import { type ExitCode, exitCodes } from "./problem.ts";
import { sources as registered } from "./sources/registry.ts";
import { markedInputs, type Source } from "./sources/source.ts";
import { version } from "./version.ts";

/** Each command is loaded only when it runs, so that `--help` stays as fast as Node itself. */
function lazyHandlers(context: Context, sources: readonly Source[]): Handlers {
  const known = markedInputs(sources);
  return {
    migrate: async (source, options) =>
      (await import("./commands/migrate/command.ts")).migrate(source, options, context, known),
    fetchAuth0: async (options) => (await import("./commands/fetch/command.ts")).fetchAuth0(options, context),
    mock: async (options) => (await import("./commands/mock/command.ts")).mock(options, context),
    exportOrgs: async (options) => (await import("./commands/export/command.ts")).exportOrgs(options, context),
    copyOrgs: async (options) => (await import("./commands/copy/command.ts")).copyOrgs(options, context),
    verify: async (file, options) =>
      (await import("./commands/verify/command.ts")).verify(file, options, context, known),
    doctor: async (options) => (await import("./commands/doctor/command.ts")).doctor(options, context),
    completion: async (what, program) =>
      (await import("./commands/completion/command.ts")).completion(what, program, context),
    undo: async (file, options) => (await import("./commands/undo/command.ts")).undo(file, options, context),
    importFiles: async (names, options) =>
      (await import("./commands/import/command.ts")).importFiles(names, options, context, known),
    mergeShards: async (names, options) =>
      (await import("./commands/report/command.ts")).mergeShards(names, options, context),
  };
}

/** What the program is put together from; tests bring their own. */
export interface Parts {
  readonly handlers: Handlers;
  readonly sources: readonly Source[];
}

/** Parses the arguments (without node and script), runs the command and returns the exit code. Never throws. */
export async function run(
  argv: readonly string[],
  context: Context,
  { sources = registered, handlers = lazyHandlers(context, sources) }: Partial<Parts> = {},
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = buildProgram({ handlers, sources }, context, argv, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(spellOutSwitches(argv, program), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for is success; everything else commander ends with is a usage error.
    if (error.exitCode === 0) return exitCodes.done;
    if (argv.some((word) => word === "--json" || word.startsWith("--report"))) {
      const { reportUsageError } = await import("./commands/shared/usage-report.ts");
      const message = error.message.replace(/^error: /, "");
      await reportUsageError({ command: commandNameOf(program, argv), message }, argv, context);
    }
    return exitCodes.usage;
  }
  return exitCode;
}

/** The name of the command that a line means, as far as it can be told: "migrate auth0"; "orgferry" when none is named. */
function commandNameOf(program: Command, argv: readonly string[]): string {
  const names: string[] = [];
  let current: CommandUnknownOpts = program;
  for (const word of argv) {
    const next = current.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    names.push(word);
    current = next;
  }
  return names.length === 0 ? program.name() : names.join(" ");
}

const EXIT_CODES = `
Exit codes: 0 done · 1 finished, but not everything got through · 2 usage · 3 a file · 4 token · 5 the service
refused · 6 network or time · 70 a bug in orgferry · 130, 143 interrupted`;

/** Puts the command tree together from what each command declares. `done` receives the exit code of the command that ran. */
function buildProgram(
  parts: Parts,
  { stdout, stderr }: Pick<Context, "stdout" | "stderr">,
  argv: readonly string[],
  done: (code: ExitCode) => void,
): Command {
  const program = new Command("orgferry")
    .description("Moves people between identity services and copies organizations between ZITADEL instances.")
    .version(version, "-V, --version")
    .showSuggestionAfterError()
    .showHelpAfterError("(add --help for the flags)")
    .addHelpText("after", EXIT_CODES)
    .helpCommand(false)
    .configureHelp(helpStyle)
    // Sub-commands inherit both at the moment they are made, so these lines stand before them.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  program
    .command("version", { hidden: true })
    .action(() => program.error("error: unknown command 'version'\n(Did you mean --version?)"));
  program
    .command("help")
    .description("show the help of a command, such as: orgferry help migrate auth0")
    .argument("[command...]", "the command")
    .action((words) => {
      const command = commandAt(program, words);
      if (command === undefined) program.error(`error: unknown command '${words.join(" ")}'`);
      else command.help();
    });
  const [first, second] = argv;
  for (const declare of onlyNamed(commandsOf(program, parts, second, done), first)) declare();
  const print = parts.handlers.completion;
  declareCompletion(program).action(async (shell) => done(await print(shell, treeOf(program))));
  declareManPage(program).action(async () => done(await print("man-page", treeOf(program))));
  return program;
}

/** A command is declared when somebody may ask for it: two hundred flags of others take longer than the flags of one. */
function onlyNamed<Named>(all: Readonly<Record<string, Named>>, name = ""): readonly Named[] {
  const named = Object.hasOwn(all, name) ? all[name] : undefined;
  return named === undefined ? Object.values(all) : [named];
}

/** What declares each command, by its name, in the order of the help. @param source of `migrate`, where one is named. */
function commandsOf(
  program: Command,
  { handlers, sources }: Parts,
  source: string | undefined,
  done: (code: ExitCode) => void,
): Readonly<Record<string, () => void>> {
  return {
    migrate() {
      const migrate = declareMigrate(program, sources);
      for (const one of onlyNamed(Object.fromEntries(sources.map((one) => [one.id, one])), source)) {
        declareSource(migrate, one).action(async (options) =>
          done(await handlers.migrate(one, { ...options, ...givenOf(one, options) })),
        );
      }
    },
    fetch: () => declareFetch(program).action(async (options) => done(await handlers.fetchAuth0(options))),
    mock: () => declareMock(program).action(async (options) => done(await handlers.mock(options))),
    export: () => declareExport(program).action(async (options) => done(await handlers.exportOrgs(options))),
    import: () =>
      declareImport(program).action(async (names, options) => done(await handlers.importFiles(names, options))),
    copy: () => declareCopy(program).action(async (options) => done(await handlers.copyOrgs(options))),
    verify: () => declareVerify(program).action(async (file, options) => done(await handlers.verify(file, options))),
    report: () =>
      declareReportMerge(program).action(async (names, options) => done(await handlers.mergeShards(names, options))),
    undo: () => declareUndo(program).action(async (file, options) => done(await handlers.undo(file, options))),
    doctor: () => declareDoctor(program).action(async (options) => done(await handlers.doctor(options))),
  };
}
