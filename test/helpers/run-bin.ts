import { join } from "node:path";
import { execa } from "execa";
import { inject } from "vitest";
import { checkReportsOf } from "./check-report.ts";

export interface BinWorld {
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the packed program as a user would: its own process, a bare environment, no terminal. Never rejects. */
export function runBin(args: readonly string[], { cwd = process.cwd(), input = "", env = {} }: BinWorld = {}) {
  const program = execa(...programWith(args), {
    reject: false,
    extendEnv: false,
    cwd,
    input,
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  // An error in it ends the tests, because no caller awaits it.
  void program.then(({ stdout }) => checkReportsOf(args, stdout ?? "", cwd));
  return program;
}

/** The program and its arguments, for `spawn` and `execa`. */
export function programWith(args: readonly string[]): [command: string, args: string[]] {
  return isExecutable ? [binPath(), [...args]] : [process.execPath, [binPath(), ...args]];
}

/** True if the tests run a single executable (`ORGFERRY=<path>`), not the packed program. */
export const isExecutable = process.env["ORGFERRY"] !== undefined;

/** A file that starts the program: the script of the unpacked package, or the single executable. */
export function binPath(): string {
  return process.env["ORGFERRY"] ?? packedBin();
}

/** The script of the unpacked package. */
export function packedBin(): string {
  return join(inject("packedDir"), "bin/orgferry.cjs");
}
