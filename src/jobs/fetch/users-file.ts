import type { Sink } from "../../io/output/sink.ts";
import { ProblemError } from "../../problem.ts";

const NEWLINE = 0x0a;
const OBJECT = "{".charCodeAt(0);
const LINE_END = Buffer.from("\n");

/** How much of a file of users was written. */
export interface Written {
  /** One per line. */
  readonly users: number;
  readonly bytes: number;
}

/**
 * Writes a file of users, one per line, to the sink and ends it with a line break. `onProgress` is called after each chunk. Raises
 * api.download-damaged for a file of something else, and what the chunks and the sink raise.
 * @param host the one that serves the file.
 */
export async function writeUsers(
  chunks: AsyncIterable<Buffer>,
  sink: Sink,
  host: string,
  onProgress: (written: Written) => void,
): Promise<Written> {
  let [users, bytes, last] = [0, 0, NEWLINE];
  const write = async (chunk: Buffer): Promise<void> => {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) users += 1;
    bytes += chunk.length;
    last = chunk.at(-1) ?? last;
    await sink.write(chunk);
  };
  for await (const chunk of chunks) {
    if (bytes === 0 && chunk.length > 0 && chunk[0] !== OBJECT) {
      throw new ProblemError({ code: "api.download-damaged", host, why: "not-users" });
    }
    await write(chunk);
    onProgress({ users, bytes });
  }
  if (last !== NEWLINE) await write(LINE_END);
  return { users, bytes };
}
