import type { Writable } from "node:stream";
import { describe } from "../problem/describe.ts";
import { sentences } from "../problem/description.ts";
import { printable, withoutHashes } from "../problem/format.ts";
import type { Problem } from "../problem.ts";
import { askOnTerminal, type Person, type Reachable } from "./terminal/ask.ts";
import { createTerminal, type Paint } from "./terminal/paint.ts";
import { createProgress, type Drawn, type Measured, type Progress } from "./terminal/progress.ts";

/** The output of a command for people, on stderr: stdout is for the payload. */
export interface Ui {
  /** A line of the summary or of the course of the run; silent with --quiet. */
  say(line: string): void;
  /** A line of what the command was asked for, on stdout, or with --json, which has it all, on stderr; silent with --quiet. */
  result(line: string): void;
  /** A line that --quiet does not silence, and lines that continue it. */
  warn(line: string, ...more: readonly string[]): void;
  /** A line about a failed check; --quiet does not silence it. */
  fail(line: string): void;
  /** Detail for --verbose. */
  detail(line: string): void;
  /** A problem in words, with what to do; --quiet does not silence it. */
  problem(problem: Problem): void;
  /** Progress of long work, measured or not. While one progress is shown, a second shows nothing. */
  progress(title: string, measured?: Measured): Progress;
  /** Asks a question on the terminal, also when stdin is a pipe; undefined where there is none. Raises the signal's reason. */
  confirm(question: string, signal: AbortSignal): Promise<boolean | undefined>;
  readonly paint: Paint;
}

export interface UiSettings {
  readonly stdin: Person["stdin"];
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly openTerminal?: NonNullable<Reachable["openTerminal"]>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** stdout has the report. */
  readonly json?: boolean;
  /** false = --no-color. */
  readonly color: boolean;
}

const USUAL_COLUMNS = 80;

/** Returns the only output of a run; decides colour once. */
export async function createUi(settings: UiSettings): Promise<Ui> {
  const { stdout, stderr, quiet, verbose, json = false, env } = settings;
  const isTerminal = stderr.isTTY === true && !dumb(env);
  const hasColour = colourLevel(settings) > 0;
  const { paint, lay, bare } = await createTerminal(hasColour, () =>
    isTerminal ? stderr.columns || USUAL_COLUMNS : undefined,
  );
  let drawn: Drawn | undefined;
  const write = (line: string, stream: Writable = stderr): void => {
    const isBare = stream === stdout && stdout.isTTY !== true;
    const out = (): void => void stream.write(`${isBare ? bare(line) : lay(line)}\n`);
    if (drawn === undefined) out();
    else drawn.above(out);
  };
  const startProgress = (title: string, measured: Measured | undefined): Progress => {
    if (drawn !== undefined) return { update() {}, stop() {} };
    const stamp = (): string => (isContinuousIntegration(env) ? `${settings.now().toISOString().slice(11, 19)} ` : "");
    // A terminal without a size says 0: nothing can be drawn there.
    const animated = isTerminal && stderr.columns !== 0;
    const progress = createProgress(title, { stderr, quiet, animated, hasColour, stamp }, measured);
    drawn = progress;
    return {
      update: progress.update,
      stop() {
        progress.stop();
        if (drawn === progress) drawn = undefined;
      },
    };
  };
  return {
    paint,
    say: (line) => {
      if (!quiet) write(line);
    },
    result: (line) => {
      if (!quiet) write(line, json ? stderr : stdout);
    },
    warn: (line, ...more) => {
      write(`${paint.yellow("warning:")} ${line}`);
      for (const next of more) write(next);
    },
    fail: (line) => write(`${paint.red("fail ")} ${line}`),
    detail: (line) => {
      if (verbose) write(paint.dim(line));
    },
    problem: (problem) => write(`${paint.red("error:")} ${sentences(describe(problem))}`),
    progress: startProgress,
    async confirm(question, signal) {
      if (isContinuousIntegration(env)) return undefined;
      const ask = (): Promise<boolean | undefined> =>
        askOnTerminal(printable(withoutHashes(question)), settings, signal);
      return drawn === undefined ? ask() : drawn.hold(ask);
    },
  };
}

function dumb(env: UiSettings["env"]): boolean {
  return env["TERM"] === "dumb" || isContinuousIntegration(env);
}

function isContinuousIntegration(env: UiSettings["env"]): boolean {
  return env["CI"] !== undefined && env["CI"] !== "" && env["CI"] !== "false";
}

/** chalk 5 ignores NO_COLOR, so the level is decided here (no-color.org; FORCE_COLOR wins over the terminal, NO_COLOR over both). */
function colourLevel({ env, color, stderr }: UiSettings): 0 | 1 {
  if (!color || (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return 0;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced === "0" || forced === "false" ? 0 : 1;
  return stderr.isTTY === true ? 1 : 0;
}
