import { closeSync, constants, createReadStream, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { Socket } from "node:net";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { isatty } from "node:tty";
import { ProblemError } from "../../problem.ts";
import { attempt, inputProblem } from "../attempt.ts";
import type { CleanUp } from "../clean-up.ts";
import { isGzip, markLength } from "./encoding.ts";

export interface InputOptions {
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  readonly cleanUp: CleanUp;
  /** What names the file on the command line, for messages. */
  readonly flag: string;
  /** true: rows will be read a second time (`again`), so what cannot be opened twice (stdin, a FIFO) is spooled while it is read. */
  readonly twice?: boolean;
  /** As `DecodeOptions.isAhead`. */
  readonly isAhead?: boolean;
}

/** What tells whether a file is still the one that was read. */
export interface Identity {
  readonly size: number;
  readonly mtimeMs: number;
}

/** A regular file as it stands: its bytes can be read at any place. `start` is behind a byte order mark. The owner closes `fd`. */
export interface OpenFile extends Identity {
  readonly kind: "file";
  readonly fd: number;
  readonly start: number;
}

/** Bytes that come in order, as they come: perhaps gzip, perhaps with a byte order mark. */
export interface OpenStream {
  readonly kind: "stream";
  readonly raw: Readable;
  /** Of a regular file, which is gzip then, and how much of it was read. */
  readonly gzipFile?: Identity & { readonly readBytes: () => number };
}

const WAIT_FOR_WRITER_MS = 50;

/** Opens a path, or stdin for "-". Never waits. Raises usage.empty-path, input.missing, .directory, .unreadable, .terminal. */
export function open(path: string, options: InputOptions): OpenFile | OpenStream {
  if (path === "") throw new ProblemError({ code: "usage.empty-path", flag: options.flag });
  if (path === "-") {
    if (options.stdin.isTTY) throw new ProblemError({ code: "input.terminal", file: "-", flag: options.flag });
    return { kind: "stream", raw: options.stdin };
  }
  return attempt(
    () => {
      // Without O_NONBLOCK opening a FIFO waits for somebody to write to it. Windows knows neither.
      const fd = openSync(resolve(options.cwd, path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      try {
        return openedAs(path, fd, fstatSync(fd), options);
      } catch (cause) {
        closeSync(fd);
        throw cause;
      }
    },
    inputProblem(path, options.flag),
  );
}

function openedAs(path: string, fd: number, stat: Stats, { flag, signal }: InputOptions): OpenFile | OpenStream {
  if (stat.isDirectory()) throw new ProblemError({ code: "input.directory", file: path });
  const { size, mtimeMs } = stat;
  if (!stat.isFile()) {
    if (isatty(fd)) throw new ProblemError({ code: "input.terminal", file: path, flag });
    const isPipe = stat.isFIFO() || stat.isSocket();
    return { kind: "stream", raw: isPipe ? pipeStream(fd, signal) : createReadStream("", { fd }) };
  }
  const head = Buffer.alloc(3);
  readSync(fd, head, 0, head.length, 0);
  if (!isGzip(head)) return { kind: "file", fd, size, mtimeMs, start: markLength(head) };
  const raw = createReadStream("", { fd, start: 0 });
  return { kind: "stream", raw, gzipFile: { size, mtimeMs, readBytes: () => raw.bytesRead } };
}

/**
 * Reads a pipe by the event loop. Read as a file it would take a thread of the pool, which cannot be called back: Ctrl-C would wait
 * for whoever writes to the pipe, and so would the end of the process.
 */
function pipeStream(fd: number, signal: AbortSignal): Readable {
  // Linux does not report a FIFO as ended before it had a writer; other systems do.
  return process.platform === "linux" ? socketOf(fd) : Readable.from(onceWritten(fd, signal), { objectMode: false });
}

function socketOf(fd: number): Socket {
  return new Socket({ fd, readable: true, writable: false });
}

/**
 * What comes out of a FIFO after its first writer has come. One that writes nothing is not noticed, which an input can bear: it is
 * waited for until the run is interrupted.
 */
export async function* onceWritten(fd: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  let first = firstOf(fd);
  while (first === undefined) {
    await setTimeout(WAIT_FOR_WRITER_MS, undefined, { signal });
    first = firstOf(fd);
  }
  const socket = socketOf(fd);
  socket.unshift(first);
  yield* socket;
}

/** undefined as long as nobody has the FIFO open for writing; then its first byte, or nothing when there is none yet. */
function firstOf(fd: number): Buffer | undefined {
  const byte = Buffer.alloc(1);
  try {
    return readSync(fd, byte) === 1 ? byte : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return Buffer.alloc(0);
    throw error;
  }
}
