import { closeSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { ProblemError } from "../../problem.ts";
import { attempt, inputProblem } from "../attempt.ts";
import { Spool } from "../spool.ts";
import { decode } from "./encoding.ts";
import { type Identity, type InputOptions, type OpenFile, type OpenStream, open } from "./open.ts";
import { StreamReader } from "./stream-reader.ts";

/** Blocks of a file that are read before the event loop runs other tasks. */
const READS_AT_A_TIME = 16;

/** The bytes of one input, read in order: decompressed, without a byte order mark. */
export interface Input {
  /** The path as the user named it; "-" for stdin. */
  readonly file: string;
  /** Absolute path of a regular file, which can be opened again; undefined for a pipe. */
  readonly path?: string;
  /** Size on disk in bytes, if known; compressed for a gzip file. */
  readonly sizeBytes: number | undefined;
  /** true: `sizeBytes` counts compressed bytes. */
  readonly isCompressed: boolean;
  /** true: a file that is not compressed begins with a byte order mark, as spreadsheets write and expect it. */
  readonly hasMark?: boolean;
  /** How much of `sizeBytes` was read so far. */
  takenBytes(): number;
  /** Fills the beginning of `into`; returns the number of bytes, 0 at the end. Raises input.gzip, input.unreadable. */
  read(into: Buffer): Promise<number>;
  /**
   * The same bytes again, after this pass reached the end: a file is opened again, a pipe is read from its spool (see
   * `InputOptions.twice`). Raises input.changed if the opened file has changed.
   */
  again(): Promise<Input>;
  /** Harmless twice. */
  close(): Promise<void>;
}

/** Typical factor: gzip shrinks exports to between a fifth and a tenth. */
const GZIP_EXPANDS = 6;

/** Estimate of the bytes that will be read; 0 for a pipe, whose size is unknown. */
export function expectedBytes({ sizeBytes = 0, isCompressed }: Pick<Input, "sizeBytes" | "isCompressed">): number {
  return isCompressed ? sizeBytes * GZIP_EXPANDS : sizeBytes;
}

/** The first bytes of an input, at most `length`. Raises as `Input.read`. */
export async function readBeginning(input: Input, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for (let more = -1; more !== 0 && filled < length; filled += more) more = await input.read(bytes.subarray(filled));
  return bytes.subarray(0, filled);
}

/** The first bytes of an input, at most `length`, and the input as if nothing of it was read. Raises as `Input.read`. */
export async function peek(input: Input, length: number): Promise<{ readonly bytes: Buffer; readonly input: Input }> {
  const bytes = await readBeginning(input, length);
  return { bytes, input: replay(input, bytes) };
}

/** The input as if these bytes, which were read of it, were not. */
export function replay(input: Input, bytes: Buffer): Input {
  let rest = bytes;
  return {
    ...input,
    async read(into) {
      if (rest.length === 0) return input.read(into);
      const copied = rest.copy(into);
      rest = rest.subarray(copied);
      return copied;
    },
  };
}

/** Opens an input. Never waits. Raises input.missing, .directory, .unreadable, .terminal. */
export async function openInput(path: string, options: InputOptions): Promise<Input> {
  return inputOf(path, open(path, options), options);
}

/** An input that reads an opened file or stream. */
export function inputOf(path: string, opened: OpenFile | OpenStream, options: InputOptions): Input {
  if (opened.kind === "file") return fileInput(path, opened, options);
  const { raw, gzipFile } = opened;
  const input = streamInput(path, new StreamReader(path, raw, options.signal), options);
  if (gzipFile !== undefined) {
    return {
      ...input,
      path: resolve(options.cwd, path),
      sizeBytes: gzipFile.size,
      isCompressed: true,
      hasMark: gzipFile.isUtf16,
      takenBytes: gzipFile.readBytes,
      again: () => reopen(path, gzipFile, options),
    };
  }
  return options.twice ? spooling(input, new Spool(options.cleanUp)) : input;
}

async function reopen(path: string, was: Identity, options: InputOptions): Promise<Input> {
  const opened = open(path, options);
  const input = inputOf(path, opened, options);
  const now = opened.kind === "file" ? opened : opened.gzipFile;
  if (now?.size === was.size && now.mtimeMs === was.mtimeMs) return input;
  await input.close();
  throw new ProblemError({ code: "input.changed", file: path });
}

function fileInput(path: string, opened: OpenFile, options: InputOptions): Input {
  const { fd, size } = opened;
  const toProblem = inputProblem(path);
  let position = opened.start;
  let isOpen = true;
  let reads = 0;
  return {
    file: path,
    path: resolve(options.cwd, path),
    sizeBytes: size,
    isCompressed: false,
    hasMark: opened.start > 0,
    takenBytes: () => position,
    // Synchronous: passing a block to another thread and back takes longer than copying it from the system's cache.
    async read(into) {
      reads += 1;
      if (reads % READS_AT_A_TIME === 0) await setImmediate(); // lets signals and messages of threads arrive
      options.signal.throwIfAborted();
      const length = attempt(() => readSync(fd, into, 0, into.length, position), toProblem);
      position += length;
      return length;
    },
    again: () => reopen(path, opened, options),
    async close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** An input that can be read once. The first read waits for the first bytes. */
function streamInput(file: string, raw: StreamReader, options: InputOptions): Input {
  let reader: StreamReader | undefined;
  return {
    file,
    sizeBytes: undefined,
    isCompressed: false,
    takenBytes: () => raw.takenBytes,
    async read(into) {
      reader ??= await decode(raw, options);
      return reader.read(into);
    },
    again: () => Promise.reject(new Error("opened without twice")),
    async close() {
      reader?.close();
      raw.close();
    },
  };
}

/** Reads a spool from its beginning. */
function spooled(file: string, spool: Spool): Input {
  let position = 0;
  return {
    file,
    sizeBytes: spool.bytes,
    isCompressed: false,
    takenBytes: () => 0,
    async read(into) {
      const length = spool.readAt(position, into);
      position += length;
      return length;
    },
    again: async () => spooled(file, spool),
    async close() {},
  };
}

/** Copies the bytes that are read into the spool for the next pass. */
function spooling(input: Input, spool: Spool): Input {
  return {
    ...input,
    async read(into) {
      const length = await input.read(into);
      spool.append(into.subarray(0, length));
      return length;
    },
    again: async () => spooled(input.file, spool),
    async close() {
      spool.remove();
      await input.close();
    },
  };
}
