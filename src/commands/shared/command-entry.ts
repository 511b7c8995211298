import type { Command, CommandUnknownOpts, OptionValues } from "@commander-js/extra-typings";
import type { Context } from "../../context.ts";
import type { ExitCode } from "../../problem.ts";
import type { Source } from "../../sources/source.ts";

/** A flag that the command line gives, as it is written there; `value` is undefined for a switch. */
export interface GivenFlag {
  readonly flag: string;
  readonly value: string | undefined;
}

/** What a command gets besides its arguments and options. */
export interface CommandWorld {
  readonly context: Context;
  /** Every source provider. */
  readonly sources: readonly Source[];
  /** The given flags, in the order of the command line. */
  readonly given: readonly GivenFlag[];
  /** The root of the command tree. */
  readonly program: CommandUnknownOpts;
}

/** What a command does: its arguments, its options, the world. Returns the exit code. */
export type Handler<Args extends unknown[], Options> = (...call: [...Args, Options, CommandWorld]) => Promise<ExitCode>;

/** What the program gives each command that it declares. */
export interface Wiring extends Omit<CommandWorld, "given"> {
  /** The word behind the command's name; undefined where there is none. */
  readonly next: string | undefined;
  readonly done: (exitCode: ExitCode) => void;
}

/** One line of the registry: a command, how it is declared and how it is loaded. */
export interface CommandEntry {
  readonly name: string;
  /** The command describes all commands, so all are declared when it runs. */
  readonly needsAll: boolean;
  /** Adds the command to the program. */
  attach(program: Command, wiring: Wiring): void;
}

/** A command that `declare` adds to the program. `load` is called when the command runs. */
export function commandEntry<Args extends unknown[], Options extends OptionValues>(
  name: string,
  declare: (program: Command) => Command<Args, Options>,
  load: () => Promise<Handler<Args, Options>>,
  { needsAll = false }: Partial<Pick<CommandEntry, "needsAll">> = {},
): CommandEntry {
  return { name, needsAll, attach: (program, wiring) => runOnAction(declare(program), wiring, load) };
}

/** Connects a declared command with what it does. */
export function runOnAction<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  { context, sources, program, done }: Wiring,
  load: () => Promise<Handler<Args, Options>>,
): void {
  const given = recordGiven(command);
  command.action(async (...words) => {
    const [call, world] = [words.slice(0, -1) as [...Args, Options], { context, sources, program, given }]; // the last is the command
    done(await (await load())(...call, world));
  });
}

/** Fills as the command line is parsed: commander keeps the parsed values only, and not what they were written as. */
function recordGiven(command: CommandUnknownOpts): readonly GivenFlag[] {
  const given: GivenFlag[] = [];
  for (const option of command.options) {
    command.on(`option:${option.name()}`, (value: string | null | undefined) => {
      given.push({ flag: option.long ?? option.flags, value: value ?? undefined });
    });
  }
  return given;
}
