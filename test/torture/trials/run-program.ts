import { readFileSync, rmSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { run } from "../../../src/cli.ts";
import { createCleanUp } from "../../../src/io/clean-up.ts";
import { ProblemError } from "../../../src/problem.ts";
import type { RunResult } from "../checks/import-checks.ts";
import { ImportReport } from "../checks/import-report.ts";

export interface ProgramWorld {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly controller?: AbortController;
  readonly now?: () => Date;
  readonly stdin?: Buffer;
}

/** A run that does not come to its end is a finding of its own. */
const PATIENCE_MS = 60_000;

/** The program in this very process, with its streams in memory and pauses that take no time; a hang is exit -1. */
export async function runProgram(argv: readonly string[], world: ProgramWorld, reportPath: string): Promise<RunResult> {
  rmSync(reportPath, { force: true });
  const stdout = collector();
  const stderr = collector();
  const controller = world.controller ?? new AbortController();
  const context = {
    stdin: Readable.from([world.stdin ?? Buffer.alloc(0)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: world.env,
    cwd: world.cwd,
    signal: controller.signal,
    now: world.now ?? (() => new Date()),
    sleep: async (_: number, signal: AbortSignal) => signal.throwIfAborted(),
    self: { command: process.execPath, args: [] },
    cleanUp: createCleanUp(),
  };
  const exitCode = await Promise.race([run(argv, context), hang()]);
  context.cleanUp.runAll();
  return { exitCode, stdout: stdout.text(), stderr: stderr.text(), report: readReport(reportPath) };
}

/** As the first Ctrl-C does. */
export function interrupt(controller: AbortController, signal: "SIGINT" | "SIGTERM"): void {
  controller.abort(new ProblemError({ code: "run.aborted", signal }));
}

export function readReport(path: string): ImportReport | undefined {
  try {
    return ImportReport.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    return undefined;
  }
}

async function hang(): Promise<number> {
  const started = Date.now();
  // By the clock of the machine: that of the process may run faster.
  while (Date.now() - started < PATIENCE_MS) {
    await new Promise<void>((resolve) => setTimeout(resolve, 5_000).unref());
  }
  return -1;
}

function collector(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** An instance without faults cannot do what a flag promises, so nothing was sent. */
export function isRefusedFlag({ exitCode, report }: RunResult): boolean {
  return exitCode === 5 && report?.problems.some(({ code }) => code === "api.flag-impossible") === true;
}
