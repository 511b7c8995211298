import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { programWith } from "./run-bin.ts";
import { tempDir } from "./temp-dir.ts";

/** True where util-linux's `script` can give a program a terminal. */
export const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

export const keys = { enter: "\r", down: "\u001b[B", space: " ", ctrlC: "\u0003", ctrlD: "\u0004" } as const;

const WAIT_MS = 60_000;

/** The built program on a terminal of its own. */
export interface OnTerminal {
  /** Waits until the output since the last `until` has this text. */
  until(text: string): Promise<void>;
  send(...texts: readonly string[]): void;
  /** Sends a signal to the program alone, as `kill` does. */
  kill(signal: NodeJS.Signals): void;
  /** The whole output so far, without colours and cursor movements. */
  readonly output: string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that the shell runs after the program. */
  readonly after?: string;
}

export function runOnTerminal(args: readonly string[], { cwd, env = {}, after = ":" }: TerminalOptions): OnTerminal {
  const line = programWith(args)
    .flat()
    .map((word) => `'${word}'`)
    .join(" ");
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  const pidFile = join(tempDir(), "pid");
  const program = `sh -c "echo \\$\\$ > '${pidFile}'; exec ${line}"; code=$?`;
  const all = `stty rows 50 cols 100; ${program}; ${after}; exit $code`;
  const child = spawn("script", ["-qfec", all, "/dev/null"], {
    cwd,
    env: { PATH, HOME, TMPDIR, TERM: "xterm", ...env },
  });
  let output = "";
  let seen = 0;
  let wake = (): void => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    wake();
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  void ended.then(() => wake());
  return {
    async until(text) {
      const begun = Date.now();
      for (;;) {
        const at = stripVTControlCharacters(output).indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        if (child.exitCode !== null || Date.now() - begun > WAIT_MS)
          throw new Error(`no ${JSON.stringify(text)} in: ${stripVTControlCharacters(output).slice(-2_000)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 1_000);
        });
      }
    },
    send(...texts) {
      for (const text of texts) child.stdin.write(text);
    },
    kill(signal) {
      process.kill(Number(readFileSync(pidFile, "utf8")), signal);
    },
    get output() {
      return stripVTControlCharacters(output);
    },
    ended,
  };
}
