import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from "node:fs";
import { Socket } from "node:net";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { isatty } from "node:tty";
import { ProblemError } from "../../problem.ts";
import { attempt, inputProblem } from "../attempt.ts";
import type { CleanUp } from "../clean-up.ts";
import { isGzip, markLength, utf16Of } from "./encoding.ts";

export interface InputOptions {
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  readonly cleanUp: CleanUp;
  /** The flag that names the file, for messages. */
  readonly flag: string;
  /** true: rows will be read a second time (`again`), so an input that cannot be opened twice (stdin, a FIFO) is spooled. */
  readonly twice?: boolean;
  /** A table is wanted: in a folder, no JSON is proposed, and otherwise no table. */
  readonly isTable?: boolean;
  /** As `DecodeOptions.isAhead`. */
  readonly isAhead?: boolean;
}

/** Identifies the content of a file, to detect changes. */
export interface Identity {
  readonly size: number;
  readonly mtimeMs: number;
}

/** A regular file that is not compressed; `start` follows a byte order mark. The caller closes `fd`. */
export interface OpenFile extends Identity {
  readonly kind: "file";
  readonly fd: number;
  readonly start: number;
}

/** Bytes in order, possibly compressed or with a byte order mark. */
export interface OpenStream {
  readonly kind: "stream";
  readonly raw: Readable;
  /** Set for a regular file, which is gzip or UTF-16, with the number of bytes read so far. */
  readonly gzipFile?: Identity & { readonly readBytes: () => number; readonly isUtf16: boolean };
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
      // Without O_NONBLOCK, opening a FIFO waits for a writer. Windows has neither.
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

function directoryProblem(path: string, { cwd, flag, isTable = false }: InputOptions): ProblemError {
  const others = isTable ? /\.(nd)?json(\.gz)?$/ : /\.[ct]sv(\.gz)?$/;
  const isRight = (name: string): boolean => name.startsWith(`${flag.slice(2)}.`) && !others.test(name);
  const name = readdirSync(resolve(cwd, path)).find(isRight);
  return new ProblemError({
    code: "input.directory",
    file: path,
    ...(name === undefined ? {} : { inside: { flag, path: join(path, name) } }),
  });
}

function openedAs(path: string, fd: number, stat: Stats, options: InputOptions): OpenFile | OpenStream {
  const { flag, signal } = options;
  if (stat.isDirectory()) throw directoryProblem(path, options);
  const { size, mtimeMs } = stat;
  if (!stat.isFile()) {
    if (isatty(fd)) throw new ProblemError({ code: "input.terminal", file: path, flag });
    const isPipe = stat.isFIFO() || stat.isSocket();
    return { kind: "stream", raw: isPipe ? pipeStream(fd, signal) : createReadStream("", { fd }) };
  }
  const head = Buffer.alloc(3);
  readSync(fd, head, 0, head.length, 0);
  const isUtf16 = utf16Of(head) !== undefined;
  if (!isGzip(head) && !isUtf16) return { kind: "file", fd, size, mtimeMs, start: markLength(head) };
  const raw = createReadStream("", { fd, start: 0 });
  return { kind: "stream", raw, gzipFile: { size, mtimeMs, isUtf16, readBytes: () => raw.bytesRead } };
}

/**
 * Reads a pipe by the event loop. Read as a file, it would occupy a thread of the pool that cannot be interrupted: Ctrl-C and the end of
 * the process would wait for the writer of the pipe.
 */
function pipeStream(fd: number, signal: AbortSignal): Readable {
  // Linux does not report the end of a FIFO before it has a writer; other systems do.
  return process.platform === "linux" ? socketOf(fd) : Readable.from(onceWritten(fd, signal), { objectMode: false });
}

function socketOf(fd: number): Socket {
  return new Socket({ fd, readable: true, writable: false });
}

/**
 * Waits for the first writer of a FIFO and reads what it writes. A writer that writes nothing is not noticed: the wait continues until
 * the run is interrupted.
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

/** The first byte of a FIFO, or no bytes if there is none yet; undefined while the FIFO has no writer. */
function firstOf(fd: number): Buffer | undefined {
  const byte = Buffer.alloc(1);
  try {
    return readSync(fd, byte) === 1 ? byte : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return Buffer.alloc(0);
    throw error;
  }
}
