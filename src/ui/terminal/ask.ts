import type { Readable, Writable } from "node:stream";

/** The streams of an interactive terminal. */
export interface Person {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** A person at the terminal of the streams, or at the one that controls the process. */
export interface Reachable extends Person {
  readonly openTerminal?: () => (Person & { close(): void }) | undefined;
}

/** True for an interactive terminal, which can answer a question. */
export function isThere({ stdin, stderr }: Person): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks on the terminal that controls the process, if stdin and stderr are no terminal; undefined: there is none. */
export async function askOnTerminal(
  question: string,
  world: Reachable,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (isThere(world)) return askForYes(question, world, signal);
  const terminal = world.openTerminal?.();
  if (terminal === undefined) return undefined;
  try {
    return await askForYes(question, terminal, signal);
  } finally {
    terminal.close();
  }
}

/** Asks a yes-no question; any answer but yes, and the end of the input, is a no. Raises the signal's reason. */
export async function askForYes(question: string, { stdin, stderr }: Person, signal: AbortSignal): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises"); // most runs ask nothing
  // Not as a terminal: it would take Ctrl-C for itself.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended]);
    // The end of the input does not end the line.
    if (answer === undefined) stderr.write("\n");
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    lines.close();
  }
}
