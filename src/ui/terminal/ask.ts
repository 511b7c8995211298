import type { Readable, Writable } from "node:stream";

/** A terminal with somebody at it. */
export interface Person {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Whether there is somebody who could answer a question. */
export function isThere({ stdin, stderr }: Person): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks, and takes anything but a yes for a no; the end of the input, too. Raises the signal's reason. */
export async function askForYes(question: string, { stdin, stderr }: Person, signal: AbortSignal): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises"); // most runs ask nothing
  // Not as a terminal: it would take Ctrl-C for itself.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended]);
    // Whoever ends the input has not ended the line.
    if (answer === undefined) stderr.write("\n");
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    lines.close();
  }
}
