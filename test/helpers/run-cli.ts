import { Readable, Writable } from "node:stream";
import { type Parts, run } from "../../src/cli.ts";
import { createCleanUp } from "../../src/io/clean-up.ts";
import { checkReportsOf } from "./check-report.ts";

/** What one run of the command line left behind. */
export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliWorld {
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array | Readable;
  readonly env?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly parts?: Partial<Parts>;
  /** In place of one in memory. */
  readonly stdout?: Writable;
  /** stdin and stderr are a terminal of 80 columns; stdin has what the user types, and ends. */
  readonly isTerminal?: boolean;
  /** What the user answers on the terminal that controls the process; default: yes. undefined: there is no such terminal. */
  readonly answer?: string | undefined;
  readonly now?: () => Date;
  /** In place of pauses that end at once. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Runs the whole program in this process, with its three streams in memory. */
export async function runCli(argv: readonly string[], world: CliWorld = {}): Promise<CliResult> {
  const stdout = collector();
  const stderr = collector();
  const { stdin = "" } = world;
  const terminal = world.isTerminal === true ? { isTTY: true, columns: 80 } : {};
  const context = {
    stdin: Object.assign(stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)]), terminal),
    stdout: world.stdout ?? stdout.stream,
    stderr: Object.assign(stderr.stream, terminal),
    env: world.env ?? {},
    cwd: world.cwd ?? process.cwd(),
    openTerminal: () => {
      const answer = "answer" in world ? world.answer : "y\n";
      if (answer === undefined) return undefined;
      return { stdin: Readable.from([Buffer.from(answer)]), stderr: collector().stream, close() {} };
    },
    signal: world.signal ?? new AbortController().signal,
    now: world.now ?? (() => new Date()),
    sleep: world.sleep ?? (async (_: number, signal: AbortSignal) => signal.throwIfAborted()),
    self: { command: process.execPath, args: [] },
    cleanUp: createCleanUp(),
  };
  const exitCode = await run(argv, context, world.parts);
  checkReportsOf(argv, stdout.text(), context.cwd);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
