import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import type { RunResult } from "../checks/import-checks.ts";
import { readReport } from "./run-program.ts";

/** The built program, in a process of its own. */
const PROGRAM = process.env["TORTURE_PROGRAM"] ?? "bin/orgferry.cjs";
/** Long enough for a busy machine; a longer run hangs. */
const PATIENCE_MS = 120_000;

/** Died by a signal: SIGKILL, or any other before the program has begun to listen. */
export const KILLED = 137;

export interface Spawned {
  readonly child: ChildProcess;
  /** Never rejects. */
  readonly ended: Promise<RunResult>;
}

export interface SpawnWorld {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What runs the program in place of a bare Node: a shell with limits, for instance. */
  readonly wrapper?: readonly string[];
  readonly reportPath: string;
}

export function spawnProgram(argv: readonly string[], { cwd, env, wrapper = [], reportPath }: SpawnWorld): Spawned {
  rmSync(reportPath, { force: true });
  const [command = "", ...rest] = [...wrapper, process.execPath, PROGRAM, ...argv];
  const child = spawn(command, rest, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  let isStuck = false;
  const patience = setTimeout(() => {
    isStuck = true;
    child.kill("SIGKILL");
  }, PATIENCE_MS);
  const ended = new Promise<RunResult>((resolve) => {
    child.on("close", (code) => {
      clearTimeout(patience);
      const exitCode = isStuck ? -1 : (code ?? KILLED);
      const [out, err] = [Buffer.concat(stdout).toString(), Buffer.concat(stderr).toString()];
      resolve({ exitCode, stdout: out, stderr: err, report: readReport(reportPath) });
    });
  });
  return { child, ended };
}
