import { ProblemError } from "../../problem.ts";
import { openInput, readBeginning } from "./input.ts";
import type { InputOptions } from "./open.ts";

const MAX_BYTES = 2 ** 20;

/**
 * The text of a small file, for example of a token. It may be a pipe or process substitution; the wait for its writer ends when the run
 * is interrupted. It is never stdin. Raises input.missing, input.directory, input.unreadable, input.terminal, input.gzip.
 */
export async function readText(path: string, options: InputOptions, maxBytes = MAX_BYTES): Promise<string> {
  const input = await openInput(path === "-" ? "./-" : path, options);
  try {
    const bytes = await readBeginning(input, maxBytes + 1);
    if (bytes.length > maxBytes) throw new ProblemError({ code: "input.unreadable", file: path, reason: "EFBIG" });
    return bytes.toString("utf8");
  } finally {
    await input.close();
  }
}
