import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { JournalEntry } from "../../core/transfer/journal-entries.ts";
import { ProblemError } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import { openTemporary, removeOrphans } from "../output/temporary-file.ts";
import { mayBePlanted, refusePlanted } from "../trusted-path.ts";
import type { JournalLock } from "./lock.ts";
import { readRecord, toRecord } from "./record.ts";

/** The record of a job on disk: one line per step, on the disk before the next step begins. */
export interface Journal {
  /** Returns when the record has reached the disk. Raises output.unwritable, output.full, journal.locked. */
  append(entry: JournalEntry): void;
  /** Keeps the file. Harmless twice. */
  close(): void;
  /** The job has got to its end: the file goes away. */
  remove(): void;
}

/** Where a journal ends that was read: the next record follows on this one. */
export interface JournalEnd {
  readonly bytes: number;
  readonly checksum: string;
}

/** Takes bytes to the disk; a test's own may be full. */
export interface Disk {
  /** Returns how many bytes were written, as `writeSync`. */
  write(fd: number, bytes: Uint8Array, from: number): number;
  sync(fd: number): void;
}

const BEGINNING = '{"kind":"job","schemaVersion":';
const START: JournalEnd = { bytes: 0, checksum: "" };
const NOFOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const NEWLINE = 0x0a;

/**
 * True when a journal is there; false when there is nothing, or an empty file. Any other file is somebody's own and must not be cut
 * or removed: raises journal.not-one. Raises journal.link, output.planted.
 */
export function hasJournal(path: string): boolean {
  return attempt(() => {
    refusePlanted(dirname(path));
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isSymbolicLink()) throw new ProblemError({ code: "journal.link", journal: path });
    if (stat.isFile() && stat.size === 0) return false;
    if (!stat.isFile() || !begins(readBeginning(path)))
      throw new ProblemError({ code: "journal.not-one", journal: path });
    if (mayBePlanted(stat, dirname(path))) throw new ProblemError({ code: "output.planted", file: path, at: path });
    return true;
  }, outputProblem(path));
}

/** The first line may have been cut off when the process died. */
function begins(text: string): boolean {
  return text.startsWith(BEGINNING) || BEGINNING.startsWith(text);
}

function readBeginning(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | NOFOLLOW);
  try {
    const bytes = Buffer.alloc(BEGINNING.length);
    return bytes.toString("utf8", 0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads the journal at `path`, gives each entry to `take` and returns where it ends; undefined when there is none.
 *
 * What lies behind the last line break was being written when the process died, before anybody acted on it: it is cut off, and the
 * job goes on as if it had died a moment earlier. Everything else must be what was written, whole and in order, for a record that
 * is missing or changed could leave users unsent or count them twice: raises journal.broken with the line (also for the last one),
 * and journal.other-version, journal.not-one, journal.link, output.planted.
 */
export function readJournal(path: string, take: (entry: JournalEntry) => void): JournalEnd | undefined {
  if (!hasJournal(path)) return undefined;
  const text = attempt(() => readWhole(path), outputProblem(path));
  let end = START;
  let line = 0;
  while (end.bytes < text.length) {
    const stop = text.indexOf(NEWLINE, end.bytes);
    line += 1;
    const { entry, checksum } = readRecord(text.toString("utf8", end.bytes, stop), end.checksum, { path, line });
    take(entry);
    end = { bytes: stop + 1, checksum };
  }
  return line === 0 ? undefined : end;
}

/** The complete lines; a line without its end is cut off from the file. */
function readWhole(path: string): Buffer {
  const fd = openSync(path, constants.O_RDWR | NOFOLLOW);
  try {
    const text = readFileSync(fd);
    const end = text.lastIndexOf(NEWLINE) + 1;
    if (end < text.length) ftruncateSync(fd, end);
    return text.subarray(0, end);
  } finally {
    closeSync(fd);
  }
}

/** Writes to the disk itself. */
const disk: Disk = { write: (fd, bytes, from) => writeSync(fd, bytes, from), sync: fsyncSync };

/**
 * Opens the journal for appending behind `after`, which `readJournal` gave. The lock is checked before each record. Raises input.changed,
 * output.unwritable, output.full.
 */
export function openJournal(
  path: string,
  lock: Pick<JournalLock, "check">,
  after: JournalEnd,
  { write, sync }: Disk = disk,
): Journal {
  const toProblem = outputProblem(path);
  const fd = attempt(() => reopen(path, after), toProblem);
  let end = after;
  let isTorn = false;
  let isOpen = true;
  /** Takes back what a failed append may have left, so that the next record has a line of its own. */
  const repair = (): void => {
    if (isTorn) ftruncateSync(fd, end.bytes);
    isTorn = false;
  };
  const close = (): void => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return {
    append(entry) {
      const { line, checksum } = toRecord(entry, end.checksum);
      const bytes = Buffer.from(`${line}\n`);
      lock.check();
      attempt(() => {
        repair();
        isTorn = true;
        for (let at = 0; at < bytes.length; ) at += write(fd, bytes, at);
        sync(fd);
        isTorn = false;
      }, toProblem);
      end = { bytes: end.bytes + bytes.length, checksum };
    },
    close,
    remove() {
      close();
      lock.check();
      attempt(() => rmSync(path, { force: true }), toProblem);
    },
  };
}

/**
 * A new journal, private to the user (0600), with its first entries, in place of an older one: that goes when they are on the disk, so
 * that nothing that they take over of it is lost with a process that is killed in between, or on a full disk. Raises journal.not-one,
 * journal.link, output.planted, output.unwritable, output.full.
 */
export function createJournal(
  path: string,
  lock: Pick<JournalLock, "check">,
  entries: readonly JournalEntry[],
  { write, sync }: Disk = disk,
): Journal {
  let end = START;
  attempt(() => {
    hasJournal(path); // raises for what must not be thrown away
    removeOrphans(path);
    const temporary = openTemporary(path, []);
    try {
      for (const entry of entries) {
        const { line, checksum } = toRecord(entry, end.checksum);
        const bytes = Buffer.from(`${line}\n`);
        for (let at = 0; at < bytes.length; ) at += write(temporary.fd, bytes, at);
        end = { bytes: end.bytes + bytes.length, checksum };
      }
      sync(temporary.fd);
      lock.check();
      renameSync(temporary.path, path);
    } catch (error) {
      rmSync(temporary.path, { force: true });
      throw error;
    } finally {
      closeSync(temporary.fd);
    }
    syncDirectory(path);
  }, outputProblem(path));
  return openJournal(path, lock, end, { write, sync });
}

function reopen(path: string, { bytes }: JournalEnd): number {
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | NOFOLLOW);
  if (fstatSync(fd).size === bytes) return fd;
  closeSync(fd);
  throw new ProblemError({ code: "input.changed", file: path });
}

/** A journal for jobs that cannot be resumed: it remembers nothing. */
export const noJournal: Journal = { append() {}, close() {}, remove() {} };

/** The name of a new file is on the disk only once its folder is. Windows cannot open folders, and need not. */
function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(dirname(path), "r");
  fsyncSync(fd);
  closeSync(fd);
}
