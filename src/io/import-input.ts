import { randomBytes } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Extent } from "../core/document/scan-types.ts";
import { ProblemError } from "../problem.ts";
import type { CleanUp } from "./clean-up.ts";
import type { Sink } from "./output.ts";

/** An input of any size that can be read again, in parts. */
export interface ImportInput {
  /** As the user named it; "-" is stdin. */
  readonly path: string;
  readonly bytes: number;
  /** A chunk holds until the next one is asked for. Raises input.changed, input.unreadable. */
  read(extent: Extent): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

export interface InputOptions {
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly cleanUp: CleanUp;
  readonly signal: AbortSignal;
}

const CHUNK_BYTES = 256 * 1024;
const GZIP = [0x1f, 0x8b];

/**
 * Opens a file, or spools stdin ("-") and gzip data to a private temporary file first, which has no name while it is used where
 * the system allows that. Raises input.missing, input.directory, input.unreadable, input.terminal, input.gzip.
 */
export async function openImportInput(path: string, options: InputOptions): Promise<ImportInput> {
  if (path === "-") {
    if (options.stdin.isTTY === true) throw new ProblemError({ code: "input.terminal", file: "-", flag: "file" });
    return spool(path, options.stdin, options);
  }
  const handle = await attempt(path, () => open(resolve(options.cwd, path), "r"));
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw new ProblemError({ code: "input.directory", file: path });
  }
  const start = Buffer.alloc(2);
  const isGzip =
    stat.isFile() && (await handle.read(start, 0, 2, 0)).bytesRead === 2 && start.equals(Buffer.from(GZIP));
  if (stat.isFile() && !isGzip) return fileInput(path, handle, stat.size, stat.mtimeMs);
  await handle.close();
  const stream = createReadStream(resolve(options.cwd, path));
  return spool(path, isGzip ? gunzip(stream, path) : stream, options);
}

/** A private temporary file that goes away with the process, to be read once it is whole. */
export interface Spool extends Sink {
  write(bytes: Uint8Array): Promise<void>;
  /** What was written, as an input of this name. Closing it removes the file. */
  finish(path: string): ImportInput;
  discard(): Promise<void>;
}

/** Raises input.unreadable, output.full. */
export async function createSpool(cleanUp: CleanUp): Promise<Spool> {
  const file = join(tmpdir(), `orgferry-${process.pid}-${randomBytes(6).toString("hex")}.json`);
  const handle = await attempt(file, () => open(file, "wx+", 0o600));
  // An open file without a name cannot be left behind, not even by a process that is killed. Windows refuses; it removes later.
  if (process.platform !== "win32") await rm(file, { force: true });
  const forget = cleanUp.add(() => rmSync(file, { force: true }));
  let size = 0;
  const discard = async (): Promise<void> => {
    await handle.close();
    await rm(file, { force: true });
    forget();
  };
  return {
    async write(bytes) {
      await attempt(file, () => handle.writeFile(bytes));
      size += bytes.length;
    },
    finish: (path) => ({ ...fileInput(path, handle, size), close: discard }),
    discard,
  };
}

async function spool(path: string, source: AsyncIterable<Buffer>, options: InputOptions): Promise<ImportInput> {
  const { signal, cleanUp } = options;
  signal.throwIfAborted();
  const target = await createSpool(cleanUp);
  const chunks = source[Symbol.asyncIterator]();
  const aborted = whenAborted(signal);
  try {
    // Waiting for a pipe whose writer says nothing must end with the first Ctrl-C.
    for (let next = await Promise.race([chunks.next(), aborted.reached]); next.done !== true; ) {
      await target.write(next.value);
      next = await Promise.race([chunks.next(), aborted.reached]);
    }
    signal.throwIfAborted();
    return target.finish(path);
  } catch (error) {
    await target.discard();
    throw error;
  } finally {
    aborted.forget();
  }
}

/** A promise that is rejected with the signal's reason. */
function whenAborted(signal: AbortSignal): { readonly reached: Promise<never>; readonly forget: () => void } {
  let forget = (): void => {};
  const reached = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    forget = () => signal.removeEventListener("abort", onAbort);
  });
  reached.catch(() => {}); // nobody may be waiting when it comes
  return { reached, forget };
}

function fileInput(path: string, handle: FileHandle, bytes: number, mtimeMs?: number): ImportInput {
  return {
    path,
    bytes,
    async *read({ start, end }) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - start));
      for (let at = start; at < end; ) {
        const wanted = Math.min(chunk.length, end - at);
        const { bytesRead } = await attempt(path, () => handle.read(chunk, 0, wanted, at));
        if (bytesRead === 0) throw new ProblemError({ code: "input.changed", file: path });
        at += bytesRead;
        yield chunk.subarray(0, bytesRead);
      }
      if (mtimeMs === undefined) return;
      const stat = await handle.stat();
      if (stat.mtimeMs !== mtimeMs || stat.size !== bytes)
        throw new ProblemError({ code: "input.changed", file: path });
    },
    close: () => handle.close(),
  };
}

async function* gunzip(source: Readable, file: string): AsyncGenerator<Buffer> {
  const unzipped = source.pipe(createGunzip());
  source.on("error", (error) => unzipped.destroy(error));
  try {
    for await (const chunk of unzipped) yield chunk as Buffer; // zlib gives bytes
  } catch (cause) {
    const truncated = (cause as NodeJS.ErrnoException).code === "Z_BUF_ERROR";
    throw new ProblemError({ code: "input.gzip", file, truncated }, { cause });
  }
}

async function attempt<T>(file: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    if (code === "ENOENT")
      throw new ProblemError({ code: "input.missing", file, flag: "the file argument" }, { cause });
    if (code === "ENOSPC") throw new ProblemError({ code: "output.full", file }, { cause });
    throw new ProblemError({ code: "input.unreadable", file, reason: code }, { cause });
  }
}
