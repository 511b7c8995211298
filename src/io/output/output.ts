import { closeSync, constants, openSync, renameSync, rmSync, type Stats, statSync, write, writeSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import type { Writable } from "node:stream";
import { attempt, outputProblem } from "../attempt.ts";
import type { CleanUp } from "../clean-up.ts";
import { realPathOf, refusePlanted } from "../links.ts";
import { Spool } from "../spool.ts";
import { bufferedOutput } from "./buffered-output.ts";
import { contentMark } from "./content-mark.ts";
import { pipeOutput } from "./pipe-output.ts";
import type { Output } from "./sink.ts";
import {
  makeFolder,
  openTemporary,
  removeEmpty,
  removeFile,
  removeOrphans,
  type TemporaryFile,
} from "./temporary-file.ts";

export interface OutputOptions {
  readonly cwd: string;
  readonly stdout: Writable;
  readonly cleanUp: CleanUp;
  /** Ends the wait for the reader of stdout or of a pipe. */
  readonly signal: AbortSignal;
  /** Called with each temporary file for this output whose run may still be active. */
  readonly onOrphan?: (path: string) => void;
  /** true: temporary files of killed runs were removed already. */
  readonly isSwept?: boolean;
  /**
   * true: a file is written in the background. Until the promise settles, the caller must not change the bytes, nor close or discard the
   * output.
   */
  readonly inBackground?: boolean;
  /** true: an existing file is deleted at once, so that it cannot be taken for this run's if the run is killed. */
  readonly deletesFormer?: boolean;
  /** The flag that names another path, for the text of a problem. */
  readonly flag?: string;
  /** The command that writes: a file gets a mark of it and of its content, by which a later edit is recognized (content-mark.ts). */
  readonly markedBy?: string;
}

/**
 * Opens `path` for writing: "-" is stdout, a device or FIFO is written directly, anything else goes to a private (0600)
 * temporary file beside the goal, and `commit` renames it. Removes temporary files of killed runs. Writes nothing through a link that
 * another user may have planted. Raises output.unwritable, output.full, output.planted.
 */
export function openOutput(path: string, options: OutputOptions): Output {
  if (path === "-") return stdoutOutput(options);
  const goal = resolve(options.cwd, path);
  return attempt(
    () => {
      if (namesFolder(path)) throw Object.assign(new Error(), { code: "EISDIR" });
      refusePlanted(goal);
      const stat = statSync(goal, { throwIfNoEntry: false });
      if (stat?.isFIFO()) return pipeOutput(path, goal, options.signal);
      return isSpecial(stat) ? directOutput(path, goal, options) : renamedOutput(path, goal, options);
    },
    outputProblem(path, options.flag),
  );
}

/** True for a path that can only be that of a folder (`new/`), whether it exists or not. Once resolved, it would be that of a file. */
export function namesFolder(path: string): boolean {
  return path.endsWith("/") || path.endsWith(sep);
}

/**
 * Writes and deletes a file in the place of an output, so that a folder, a read-only place or a full disk is known before the work. Raises
 * as `openOutput`.
 */
export function tryOutput(path: string, options: OutputOptions): void {
  if (attempt(() => isSpecialFile(resolve(options.cwd, path)), outputProblem(path, options.flag))) return;
  const output = bufferedOutput(openOutput(path, options));
  try {
    output.write(Buffer.alloc(PROBE_BYTES));
    output.close();
  } finally {
    output.discard();
  }
}

const PROBE_BYTES = 65_536;

function stdoutOutput({ stdout, signal }: OutputOptions): Output {
  return {
    path: "-",
    isRevocable: false,
    write: (bytes) =>
      new Promise((done, fail) => {
        signal.throwIfAborted();
        const onAbort = (): void => fail(signal.reason);
        signal.addEventListener("abort", onAbort);
        // The bytes are copied: a caller may reuse its buffer while the pipe still holds a reference.
        stdout.write(Buffer.from(bytes), (error) => {
          signal.removeEventListener("abort", onAbort);
          if (error) fail(outputProblem("-")(error));
          else done();
        });
      }),
    close() {},
    commit() {},
    discard() {},
  };
}

/** Holds all bytes until `commit`, for an output that cannot be discarded after a write (stdout). */
export function heldOutput(output: Output, cleanUp: CleanUp): Output {
  const copy = new Spool(cleanUp);
  return {
    path: output.path,
    isRevocable: true,
    write: (bytes) => copy.append(bytes),
    close() {},
    async commit() {
      for await (const chunk of copy.chunks()) await output.write(chunk);
      await output.commit();
      copy.remove();
    },
    discard: () => copy.remove(),
  };
}

/** True for a device, a FIFO or a socket, which cannot be replaced by a rename. */
export function isSpecialFile(goal: string): boolean {
  return isSpecial(statSync(goal, { throwIfNoEntry: false }));
}

function isSpecial(stat: Stats | undefined): boolean {
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

function directOutput(path: string, goal: string, { flag }: OutputOptions): Output {
  const fd = openSync(goal, constants.O_WRONLY);
  let open = true;
  const close = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  return {
    path,
    isRevocable: false,
    write: (bytes) => writeAll(path, fd, bytes, flag),
    close,
    commit: close,
    discard: close,
  };
}

function renamedOutput(path: string, goal: string, options: OutputOptions): Output {
  const { cleanUp, flag, inBackground, onOrphan = () => {} } = options;
  const mark = options.markedBy === undefined ? undefined : contentMark(options.markedBy);
  const folders: string[] = [];
  const { target, path: temporary, fd } = openOrForget(goal, folders);
  if (options.isSwept !== true) removeOrphans(goal).forEach(onOrphan);
  if (options.deletesFormer === true) rmSync(target, { force: true });
  let open = true;
  const close = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  const discard = (): void => {
    close();
    removeFile(temporary);
    removeEmpty(folders);
  };
  const forget = cleanUp.add(discard);
  return {
    path,
    isRevocable: true,
    write(bytes) {
      mark?.add(bytes);
      return inBackground ? writeBehind(path, fd, bytes, flag) : writeAll(path, fd, bytes, flag);
    },
    close,
    commit(elsewhere) {
      attempt(
        () => {
          close();
          mark?.put(temporary);
          renameSync(temporary, elsewhere === undefined ? target : placeFor(resolve(options.cwd, elsewhere)));
        },
        outputProblem(elsewhere ?? path, flag),
      );
      forget();
    },
    discard() {
      discard();
      forget();
    },
  };
}

/** The file to replace, in a folder that exists from now on. */
function placeFor(goal: string): string {
  refusePlanted(goal);
  makeFolder(dirname(goal), []);
  return realPathOf("", goal);
}

function openOrForget(goal: string, folders: string[]): TemporaryFile {
  try {
    return openTemporary(goal, folders);
  } catch (cause) {
    removeEmpty(folders);
    throw cause;
  }
}

function writeAll(path: string, fd: number, bytes: Uint8Array, flag: string | undefined): void {
  attempt(
    () => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    },
    outputProblem(path, flag),
  );
}

async function writeBehind(path: string, fd: number, bytes: Uint8Array, flag: string | undefined): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; ) {
      at += await new Promise<number>((done, fail) => {
        write(fd, bytes, at, (error, written) => (error ? fail(error) : done(written)));
      });
    }
  } catch (cause) {
    throw outputProblem(path, flag)(cause);
  }
}
