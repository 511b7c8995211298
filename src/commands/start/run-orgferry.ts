import { spawn } from "node:child_process";
import type { Context } from "../../context.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { shellLine } from "../../ui/terminal/next-steps.ts";

/** A command that ran. */
export interface Run {
  /** Its name: `migrate`, `import`. */
  readonly name: string;
  /** Its line, as it can be pasted. */
  readonly line: string;
  /** undefined: it did not end by itself. */
  readonly code: ExitCode | undefined;
}

/** Runs other commands of the program. */
export interface Runner {
  /** The commands so far. */
  readonly runs: readonly Run[];
  /** Shows the command line, and runs it on this terminal. The environment holds the token, the command line does not. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<ExitCode>;
}

/**
 * The commands that ran, for a script: without those that did nothing because of an answer that was corrected later, and of several
 * `migrate`, which replace each other's file, with the last. Others that failed are marked, in words that a shell ignores.
 */
export function linesOf(runs: readonly Run[]): readonly string[] {
  const isReplaced = ({ name, code }: Run, at: number): boolean =>
    (name === "migrate" || code === exitCodes.usage || code === exitCodes.file) &&
    runs.slice(at + 1).some((later) => later.name === name);
  return runs
    .filter((run, at) => !isReplaced(run, at))
    .map(({ line, code }) =>
      code === exitCodes.done ? line : `${line}  # ${code === undefined ? "not finished" : `exit code ${code}`}`,
    );
}

/** True for a signal that reached this process alone. */
function isTerminated(reason: unknown): boolean {
  return reason instanceof ProblemError && reason.problem.code === "run.aborted" && reason.problem.signal === "SIGTERM";
}

export function createRunner({ self, cwd, env, stderr, signal }: Context): Runner {
  const runs: Run[] = [];
  return {
    runs,
    async run(args, more = {}) {
      const line = shellLine(["orgferry", ...args]);
      const name = args[0] ?? "";
      const at = runs.push({ name, line, code: undefined }) - 1;
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
      const ended = (code ?? exitCodes.interrupted) as ExitCode; // the program's own exit code
      runs[at] = { name, line, code: ended };
      signal.throwIfAborted();
      return ended;
    },
  };
}
