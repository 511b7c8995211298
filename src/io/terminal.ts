import { openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import type { OpenedTerminal } from "../context.ts";

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
