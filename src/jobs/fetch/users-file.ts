import type { Sink } from "../../io/output/sink.ts";
import { ProblemError } from "../../problem.ts";

const NEWLINE = 0x0a;
const OBJECT = "{".charCodeAt(0);
const OBJECT_END = "}".charCodeAt(0);
/** The document of an error in place of a user: of Auth0, or of the storage of its exports. */
const ERROR = /^\s*\{\s*"(?:statusCode|error|errorCode|error_description|code|message)"\s*:/;
const BEGINNING = 4_096;
const LINE_END = Buffer.from("\n");

/** How much of a file of users was written. */
export interface Written {
  /** One per line. */
  readonly users: number;
  readonly bytes: number;
}

/**
 * Writes a file of users, one per line, to the sink and ends it with a line break. `onProgress` is called after each chunk. Raises
 * api.download-damaged for a file of something else and for a line that is not whole, and what the chunks and the sink raise.
 * @param host the one that serves the file.
 */
export async function writeUsers(
  chunks: AsyncIterable<Buffer>,
  sink: Sink,
  host: string,
  onProgress: (written: Written) => void,
): Promise<Written> {
  let [users, bytes] = [0, 0];
  /** The last bytes of the line that has not ended. */
  let [last, isBegun] = [0, false];
  const damaged = (why: "not-users" | "cut-line" | "error"): ProblemError =>
    new ProblemError({ code: "api.download-damaged", host, why });
  const checkEnd = (byte: number): void => {
    if (byte !== OBJECT_END) throw damaged("cut-line");
  };
  let beginning = "";
  const checkBeginning = (): void => {
    const [first = ""] = beginning.split("\n", 1);
    if (ERROR.test(first) && !first.includes('"user_id"')) throw damaged("error");
  };
  const take = (chunk: Buffer): void => {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      takePart(chunk, start, at);
      if (isBegun) {
        checkEnd(last);
        if (users === 0) checkBeginning();
        users += 1;
      }
      isBegun = false;
      start = at + 1;
    }
    takePart(chunk, start, chunk.length);
  };
  /** Takes a part of a line. */
  const takePart = (chunk: Buffer, start: number, end: number): void => {
    let [from, to] = [start, end];
    while (from < to && isBlank(chunk[from])) from += 1;
    while (to > from && isBlank(chunk[to - 1])) to -= 1;
    if (from === to) return;
    if (!isBegun && chunk[from] !== OBJECT) throw damaged("not-users");
    isBegun = true;
    last = chunk[to - 1] as number; // from < to
  };
  for await (const chunk of chunks) {
    if (beginning.length < BEGINNING) beginning += chunk.toString("latin1", 0, BEGINNING);
    take(chunk);
    bytes += chunk.length;
    await sink.write(chunk);
    onProgress({ users, bytes });
  }
  if (isBegun) {
    checkEnd(last);
    if (users === 0) checkBeginning();
    users += 1;
    bytes += LINE_END.length;
    await sink.write(LINE_END);
  }
  return { users, bytes };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}
