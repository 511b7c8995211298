import type { Readable, Writable } from "node:stream";
import type { CleanUp } from "./io/clean-up.ts";
import type { OpenedTerminal } from "./io/terminal.ts";

/** The outside world of a command. main.ts or a test builds it once and passes it explicitly. */
export interface Context {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** The command that runs this program: Node, its flags and the program's file. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths in flags. */
  readonly cwd: string;
  /** Aborted by the first Ctrl-C or SIGTERM; its reason is a ProblemError `run.aborted`. */
  readonly signal: AbortSignal;
  /** Opens the terminal that controls the process, which may be there although stdin is a pipe; undefined: there is none. */
  readonly openTerminal?: () => OpenedTerminal | undefined;
  readonly now: () => Date;
  /** Waits between two attempts; a test may shorten it. Rejects with the reason of the signal. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Removes temporary files when the process must stop at once. */
  readonly cleanUp: CleanUp;
}

/** A signal that aborts `ms` milliseconds after this one, for work that an interrupt must not cut. */
export function lateSignal(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController();
  const start = (): void => void setTimeout(() => late.abort(signal.reason), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return late.signal;
}
