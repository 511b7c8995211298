import { constants, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { ProblemError } from "../problem.ts";
import type { CleanUp } from "./clean-up.ts";
import { EncryptedSpool } from "./encrypted-spool.ts";
import { StreamReader } from "./stream-reader.ts";

/** Blocks of a file that are read before other things of the process get their turn. */
const READS_AT_A_TIME = 16;

/** The bytes of one input file: decompressed, without a byte order mark. */
export interface Input {
  /** The path as the user named it; "-" for stdin. */
  readonly file: string;
  /** Absolute path of a regular file, which may be opened once more; undefined for a pipe. */
  readonly path?: string;
  /** Size on disk in bytes (of a gzip file: compressed), if it is known. */
  readonly sizeBytes: number | undefined;
  /** true: `sizeBytes` is that of compressed bytes. */
  readonly isCompressed: boolean;
  /** How much of `sizeBytes` has been taken so far. */
  takenBytes(): number;
  /** Fills the beginning of `into` and returns how much of it; 0 at the end. Raises input.gzip, input.unreadable. */
  read(into: Buffer): Promise<number>;
  /**
   * The same bytes once more, after this pass reached the end: a file is opened again, a pipe comes from its private copy.
   * Raises input.changed when the file is no longer the one that was read.
   */
  again(): Promise<Input>;
  close(): Promise<void>;
}

export interface InputOptions {
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  readonly cleanUp: CleanUp;
  /** The flag that names the file, for messages. */
  readonly flag: string;
  /** true: `again` will be asked for, so what cannot be opened twice (stdin, a FIFO) is copied while it is read. */
  readonly twice: boolean;
}

/** Exports shrink to a fifth or a tenth. */
const GZIP_EXPANDS = 6;

/** About how many bytes will be read; 0 for a pipe, which does not say. */
export function expectedBytes({ sizeBytes = 0, isCompressed }: Pick<Input, "sizeBytes" | "isCompressed">): number {
  return isCompressed ? sizeBytes * GZIP_EXPANDS : sizeBytes;
}

/** Opens an input: a path, or "-" for stdin. Raises input.missing, .directory, .unreadable, .terminal. */
export async function openInput(path: string, options: InputOptions): Promise<Input> {
  if (path === "-") {
    if (options.stdin.isTTY) throw new ProblemError({ code: "input.terminal", file: "-", flag: options.flag });
    return openStream(path, options.stdin, options);
  }
  const handle = await openFile(path, options);
  const { size, mtimeMs } = await handle.stat();
  if (!(await handle.stat()).isFile()) return openStream(path, handle.createReadStream(), options);
  return openRegular(path, handle, { size, mtimeMs }, options);
}

/** What tells whether a file is still the one that was read. */
interface Identity {
  readonly size: number;
  readonly mtimeMs: number;
}

async function openFile(path: string, { cwd, flag }: InputOptions): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(resolve(cwd, path), constants.O_RDONLY);
    if ((await handle.stat()).isDirectory()) throw new ProblemError({ code: "input.directory", file: path });
    return handle;
  } catch (cause) {
    await handle?.close();
    if (cause instanceof ProblemError) throw cause;
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new ProblemError({ code: "input.missing", file: path, flag }, { cause });
    throw new ProblemError({ code: "input.unreadable", file: path, reason: code }, { cause });
  }
}

async function openRegular(path: string, handle: FileHandle, was: Identity, options: InputOptions): Promise<Input> {
  const again = async (): Promise<Input> => {
    const reopened = await openFile(path, options);
    const { size, mtimeMs } = await reopened.stat();
    if (size === was.size && mtimeMs === was.mtimeMs) return openRegular(path, reopened, was, options);
    await reopened.close();
    throw new ProblemError({ code: "input.changed", file: path });
  };
  const absolute = resolve(options.cwd, path);
  const head = Buffer.alloc(3);
  readAt(path, handle, head, 0);
  if (isGzip(head)) {
    const raw = handle.createReadStream({ start: 0 });
    const reader = new StreamReader(path, unpacked(raw), options.signal);
    return {
      ...inputOf(path, reader),
      path: absolute,
      sizeBytes: was.size,
      isCompressed: true,
      takenBytes: () => raw.bytesRead,
      again,
    };
  }
  let position = hasByteOrderMark(head) ? 3 : 0;
  let reads = 0;
  return {
    file: path,
    path: absolute,
    sizeBytes: was.size,
    isCompressed: false,
    takenBytes: () => position,
    async read(into) {
      reads += 1;
      if (reads % READS_AT_A_TIME === 0) await setImmediate(); // signals and other threads get their turn
      options.signal.throwIfAborted();
      const length = readAt(path, handle, into, position);
      position += length;
      return length;
    },
    again,
    close: () => handle.close(),
  };
}

/** Not asynchronously: handing a block to another thread and back takes longer than copying it out of the system's cache. */
function readAt(path: string, { fd }: FileHandle, into: Buffer, position: number): number {
  try {
    return readSync(fd, into, 0, into.length, position);
  } catch (cause) {
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    throw new ProblemError({ code: "input.unreadable", file: path, reason: code }, { cause });
  }
}

/** stdin, a FIFO or another device: looked at for gzip, and copied privately if it is needed twice. */
async function openStream(path: string, raw: Readable, options: InputOptions): Promise<Input> {
  const head = new StreamReader(path, raw, options.signal);
  const first = Buffer.alloc(2);
  const length = await head.fill(first);
  head.putBack(first.subarray(0, length));
  const zipped = isGzip(first);
  const reader = zipped ? new StreamReader(path, unpacked(Readable.from(head.chunks())), options.signal) : head;
  const input: Input = {
    ...inputOf(path, reader),
    sizeBytes: undefined,
    isCompressed: zipped,
    takenBytes: () => head.takenBytes,
    again: () => Promise.reject(new Error("opened without twice")),
  };
  return options.twice ? copying(input, new EncryptedSpool(options.cleanUp), options) : input;
}

/** Copies what is read, so that it can be read again. */
function copying(input: Input, copy: EncryptedSpool, options: InputOptions): Input {
  return {
    ...input,
    async read(into) {
      const length = await input.read(into);
      copy.write(into.subarray(0, length));
      return length;
    },
    again: async () => ({
      ...inputOf(input.file, new StreamReader(input.file, copy.read(), options.signal)),
      sizeBytes: undefined,
      isCompressed: false,
      takenBytes: () => 0,
      again: () => Promise.reject(new Error("a private copy is read once")),
    }),
    async close() {
      copy.remove();
      await input.close();
    },
  };
}

function inputOf(file: string, reader: StreamReader): Pick<Input, "file" | "read" | "close"> {
  let started = false;
  return {
    file,
    async read(into) {
      if (started) return reader.read(into);
      started = true;
      const head = Buffer.alloc(3);
      const length = await reader.fill(head);
      if (!hasByteOrderMark(head)) reader.putBack(head.subarray(0, length));
      return reader.read(into);
    },
    close: () => reader.close(),
  };
}

/** The decompressed stream; an error of either side comes out of it. */
function unpacked(raw: Readable): Readable {
  return pipeline(raw, createGunzip({ chunkSize: 256 * 1024 }), () => {});
}

function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

function hasByteOrderMark(head: Buffer): boolean {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
}
