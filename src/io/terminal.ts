import { fstatSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { ReadStream, WriteStream } from "node:tty";

/** A terminal to ask a question on. */
export interface OpenedTerminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  close(): void;
}

/** Opens the terminal that controls the process; undefined where there is none, as in cron, in a container or on Windows. */
export function openTerminal(): OpenedTerminal | undefined {
  if (process.platform === "win32") return undefined;
  try {
    const stdin = new ReadStream(openSync("/dev/tty", "r"));
    const stderr = new WriteStream(openSync("/dev/tty", "w"));
    return {
      stdin,
      stderr,
      close() {
        stdin.destroy();
        stderr.destroy();
      },
    };
  } catch {
    return undefined;
  }
}

/** True if both streams write to one file or pipe, as after `2>&1`. */
export function isSameFile(
  one: Writable & { readonly fd?: number },
  other: Writable & { readonly fd?: number },
): boolean {
  const [first, second] = [one, other].map(({ fd }) =>
    fd === undefined ? undefined : fstatSync(fd, { bigint: true }),
  );
  return first !== undefined && first.ino !== 0n && first.dev === second?.dev && first.ino === second.ino;
}
