import type { Readable, Writable } from "node:stream";
import type { CleanUp } from "./io/clean-up.ts";

/** What a command may touch of the world outside. Built once (main.ts, or a test) and passed explicitly. */
export interface Context {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths of flags are resolved against it. */
  readonly cwd: string;
  /** Aborted by the first Ctrl-C or SIGTERM; its reason is a ProblemError `run.aborted`. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Waits between two attempts; the tests' own does not wait as long. Rejects with the signal's reason. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** What must be undone when the process is told to stop at once: temporary files. */
  readonly cleanUp: CleanUp;
}
