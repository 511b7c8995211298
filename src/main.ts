import { run } from "./cli.ts";
import type { Context } from "./context.ts";
import { createCleanUp } from "./io/clean-up.ts";
import { openTerminal } from "./io/terminal.ts";
import { ProblemError } from "./problem.ts";

/**
 * The process edge, the only file that touches `process`: signals become one AbortSignal, the result becomes the exit code.
 * The first signal lets the command stop cleanly; the second stops at once, with temporary files removed.
 *
 * @param script the file that Node was started with; a single executable has none
 */
export async function main(proc: NodeJS.Process, script: readonly string[] = proc.argv.slice(1, 2)): Promise<void> {
  const controller = new AbortController();
  const cleanUp = createCleanUp();
  const onSignal = (signal: "SIGINT" | "SIGTERM", reason: "SIGHUP" | typeof signal = signal): void => {
    if (controller.signal.aborted) {
      cleanUp.runAll();
      // `exit` would wait for a pending read, for example of a lost network drive.
      proc.removeAllListeners(signal);
      proc.kill(proc.pid, signal);
      return;
    }
    controller.abort(new ProblemError({ code: "run.aborted", signal: reason }));
  };
  proc.on("SIGINT", () => onSignal("SIGINT"));
  proc.on("SIGTERM", () => onSignal("SIGTERM"));
  // The terminal was closed: stop as for SIGTERM.
  proc.on("SIGHUP", () => onSignal("SIGTERM", "SIGHUP"));
  // The code that writes stdout handles a closed pipe. Without a listener, Node would crash first.
  proc.stdout.on("error", () => {});
  proc.stderr.on("error", () => {});
  const context: Context = {
    stdin: proc.stdin,
    stdout: proc.stdout,
    stderr: proc.stderr,
    self: { command: proc.execPath, args: [...proc.execArgv, ...script] },
    env: proc.env,
    cwd: proc.cwd(),
    signal: controller.signal,
    openTerminal,
    now: () => new Date(),
    cleanUp,
  };
  proc.exitCode = await run(proc.argv.slice(2), context);
  cleanUp.runAll();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) proc.removeAllListeners(signal);
  if (!controller.signal.aborted) return;
  // A pending DNS lookup delays the exit of Node, for minutes without a name server. A shell sees the same end with kill.
  if (proc.getActiveResourcesInfo().some((resource) => NAME_LOOKUP.test(resource)))
    proc.kill(proc.pid, signalOf(controller.signal));
  // An aborted read of stdin would keep the process alive until the writer of the pipe ends.
  proc.exit();
}

const NAME_LOOKUP = /^GetAddrInfoReq/;

function signalOf({ reason }: AbortSignal): "SIGINT" | "SIGTERM" {
  const isTerm =
    reason instanceof ProblemError && reason.problem.code === "run.aborted" && reason.problem.signal !== "SIGINT";
  return isTerm ? "SIGTERM" : "SIGINT";
}
