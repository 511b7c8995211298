import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { commands as registered } from "./commands/registry.ts";
import type { CommandEntry } from "./commands/shared/command-entry.ts";
import { ALL, commandAt, helpStyle, withoutBreaksOf } from "./commands/shared/help-text.ts";
import { spellOutSwitches } from "./commands/shared/switch-values.ts";
import type { Context } from "./context.ts";
import { type ExitCode, exitCodes } from "./problem.ts";
import { sources as providers } from "./sources/registry.ts";
import type { Source } from "./sources/source.ts";
import { buildFacts, version } from "./version.ts";

/** What the program consists of; a test may bring its own. */
export interface Parts {
  readonly commands: readonly CommandEntry[];
  readonly sources: readonly Source[];
}

/** Parses the arguments (without node and script), runs the command and returns the exit code. Never throws. */
export async function run(
  argv: readonly string[],
  context: Context,
  { sources = providers, commands = registered }: Partial<Parts> = {},
): Promise<ExitCode> {
  if (argv.length === 2 && argv.includes("--json") && (argv.includes("--version") || argv.includes("-V"))) {
    context.stdout.write(`${JSON.stringify(buildFacts(context.self.args.length === 0))}\n`);
    return exitCodes.done;
  }
  let exitCode: ExitCode = exitCodes.done;
  const program = buildProgram({ commands, sources }, context, argv, (code) => {
    exitCode = code;
  });
  const whole = (): Command => buildProgram({ commands, sources }, context, [], () => {});
  try {
    await program.parseAsync(spellOutSwitches(argv, program, whole), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Requested help is success. Every other end of commander is a usage error.
    if (error.exitCode === 0) return exitCodes.done;
    const { reportUsageError } = await import("./commands/shared/usage-report.ts");
    const message = error.message.replace(/^error: /, "");
    await reportUsageError({ command: commandNameOf(program, argv), message }, argv, context);
    return exitCodes.usage;
  }
  return exitCode;
}

/** The name of the command of a command line: "migrate auth0"; "orgferry" when the line names none, or asks for help. */
function commandNameOf(program: Command, argv: readonly string[]): string {
  const names: string[] = [];
  let current: CommandUnknownOpts = program;
  for (const word of argv) {
    const next = current.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    names.push(word);
    current = next;
  }
  return names.length === 0 || names[0] === "help" ? program.name() : names.join(" ");
}

const BELOW = `
Begin with: orgferry start   (asks, and shows each command before it runs)

Exit codes: 0 done · 1 finished, but some items failed · 2 wrong usage
3 input or output file · 4 token · 5 the service refused
6 network or timeout · 70 bug in orgferry · 130, 143 interrupted`;

/** Commands whose output, but not whose own help, is made of the help with all flags. */
const WITH_ALL_FLAGS = new Set(["completion", "man-page"]);

/** Builds the command tree. `done` receives the exit code of the command that ran. */
function buildProgram(
  { commands, sources }: Parts,
  context: Context,
  argv: readonly string[],
  done: (code: ExitCode) => void,
): Command {
  const { stdout, stderr } = context;
  const asksForHelp = argv.includes("--help") || argv.includes("-h");
  const program = new Command("orgferry")
    .description("Moves people between identity services and copies organizations between ZITADEL instances.")
    .version(version, "-V, --version")
    .showSuggestionAfterError()
    .showHelpAfterError("(add --help for the flags)")
    .addHelpText("after", BELOW)
    .helpCommand(false)
    .configureHelp(helpStyle(argv.includes(ALL) || (WITH_ALL_FLAGS.has(argv[0] ?? "") && !asksForHelp)))
    // Sub-commands inherit both when they are declared, so these lines come first.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(withoutBreaksOf(argv, text)),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  program
    .command("version", { hidden: true })
    .action(() => program.error("error: unknown command 'version'\n(Did you mean --version?)"));
  const [first, next] = argv;
  if (sources.some(({ id }) => id === first))
    program
      .command(first as string, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => program.error(`error: unknown command '${first}'\n(Did you mean migrate ${first}?)`));
  for (const entry of neededFor(first, commands)) entry.attach(program, { context, sources, program, next, done });
  program
    .command("help")
    .description("show the help of a command (orgferry help migrate auth0)")
    .argument("[command...]", "name of the command")
    .option(ALL, "show all flags", false)
    .action(async (words) => {
      const command = commandAt(program, words);
      if (command !== undefined) command.help();
      const [first = "", second = ""] = words;
      // A group of commands refuses an unknown name, and says which there are.
      const group = commandAt(program, [first]);
      if (second !== "" && (group?.commands.length ?? 0) > 0)
        await program.parseAsync([first, second], { from: "user" });
      // Commander refuses an unknown name, with a suggestion.
      if (!program.commands.some((one) => one.name() === first)) await program.parseAsync([first], { from: "user" });
      program.error(`error: unknown command '${words.join(" ")}'`);
    });
  // The commands have inherited the line about their flags; the program itself has none.
  return program.showHelpAfterError("(orgferry --help lists the commands)");
}

/** Only the named command, since to declare the two hundred flags of all others is slow. */
function neededFor(name: string | undefined, commands: readonly CommandEntry[]): readonly CommandEntry[] {
  const named = commands.filter((command) => command.name === name && !command.needsAll);
  return named.length === 0 ? commands : named;
}
