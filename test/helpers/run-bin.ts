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
  const program = execa(process.execPath, [binPath(), ...args], {
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

/** The program as it lies in the unpacked package. */
export function binPath(): string {
  return join(inject("packedDir"), "bin/orgferry.cjs");
}
