import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { programWith } from "./run-bin.ts";

/**
 * Starts the packed program by a line of bash, with what a shell gives it: process substitutions, a umask (`before`). Its folder for
 * temporary files, "tmp", is in the one it works in.
 */
export function startLine(
  line: string,
  cwd: string,
  { env = {}, before = "" }: { readonly env?: Record<string, string>; readonly before?: string } = {},
): ChildProcess {
  const temporary = join(cwd, "tmp");
  mkdirSync(temporary, { recursive: true });
  const child = spawn("bash", ["-c", `${before}\nexec ${programWith([]).flat().join(" ")} ${line}`], {
    cwd,
    env: { PATH: process.env["PATH"], TMPDIR: temporary, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {}); // it may be killed while it is written to
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** The exit code, or the signal that ended it. */
export function ended(child: ChildProcess): Promise<unknown> {
  return new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal)));
}

/** Looks until it is so. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 10));
}
