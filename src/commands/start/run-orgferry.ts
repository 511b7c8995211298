import { spawn } from "node:child_process";
import type { Context } from "../../context.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { shellLine } from "../../ui/terminal/next-steps.ts";

/** Runs other commands of the program. */
export interface Runner {
  /** The command lines so far, as they can be pasted. */
  readonly lines: readonly string[];
  /** Shows the command line, and runs it on this terminal. The environment holds the token, the command line does not. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<ExitCode>;
}

/** True for a signal that reached this process alone. */
function isTerminated(reason: unknown): boolean {
  return reason instanceof ProblemError && reason.problem.code === "run.aborted" && reason.problem.signal === "SIGTERM";
}

export function createRunner({ self, cwd, env, stderr, signal }: Context): Runner {
  const lines: string[] = [];
  return {
    lines,
    async run(args, more = {}) {
      const line = shellLine(["orgferry", ...args]);
      lines.push(line);
      stderr.write(`\n$ ${line}\n`);
      const child = spawn(self.command, [...self.args, ...args], { cwd, env: { ...env, ...more }, stdio: "inherit" });
      // Ctrl-C and the end of the terminal reach both processes: the command ends by itself.
      const forward = (): void => {
        if (isTerminated(signal.reason)) child.kill("SIGTERM");
      };
      signal.addEventListener("abort", forward);
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", resolve);
      }).finally(() => signal.removeEventListener("abort", forward));
      signal.throwIfAborted();
      return (code ?? exitCodes.interrupted) as ExitCode; // the program's own exit code
    },
  };
}
