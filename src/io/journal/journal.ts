import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import type { JournalEntry } from "../../core/transfer/journal-entries.ts";
import { ProblemError } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import { readFileBeginning, withFile } from "../input/file-beginning.ts";
import { mayBePlanted, refusePlanted } from "../links.ts";
import { openTemporary, removeOrphans } from "../output/temporary-file.ts";
import type { JournalLock } from "./lock.ts";
import { readRecord, toRecord } from "./record.ts";

/** The record of a job on disk: one line per step, on the disk before the job acts on it. */
export interface Journal {
  /** Returns when the record has reached the disk. Raises output.unwritable, output.full, journal.locked. */
  append(entry: JournalEntry): void;
  /**
   * Adds a record that the job does not act on. It reaches the disk with the next record, or at the end of this turn of the event loop. A
   * process that dies earlier loses the record. The next `append` or `flush` writes a record that could not be written, or raises why.
   */
  appendSoon(entry: JournalEntry): void;
  /** Returns when every record has reached the disk. Raises as `append`. */
  flush(): void;
  /** Keeps the file. Harmless twice. */
  close(): void;
  /** Deletes the file at the end of the job. */
  remove(): void;
}

/** The end of a journal: the next record follows here. */
export interface JournalEnd {
  readonly bytes: number;
  readonly checksum: string;
}

/** Writes to the disk; tests replace it by a full one. */
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
 * True if the journal exists; false without a file or for an empty one. Any other file belongs to the user and must not be changed:
 * raises journal.not-one. Raises journal.link, output.planted.
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

/** A file that was cut may have less than the beginning. */
function begins(text: string): boolean {
  return text.startsWith(BEGINNING) || BEGINNING.startsWith(text);
}

function readBeginning(path: string, length = BEGINNING.length): string {
  return readFileBeginning(path, length, constants.O_RDONLY | NOFOLLOW).toString();
}

/**
 * Reads the journal at `path`, gives each entry to `take` and returns the end of the journal; undefined if there is none.
 *
 * The process died while it wrote bytes after the last line break, and before it acted on them: they are cut off, and the job continues
 * from the last complete record. All other records must be complete and in order, because a missing or changed record could leave users
 * unsent or count them twice. The first record is complete when the file gets its name. `isWatched`: another run may be writing, so nothing is cut off. Raises journal.broken with the line, journal.other-version, journal.not-one, journal.link, output.planted.
 */
export function readJournal(
  path: string,
  take: (entry: JournalEntry) => void,
  { isWatched = false }: { readonly isWatched?: boolean } = {},
): JournalEnd | undefined {
  if (!hasJournal(path)) return undefined;
  const text = attempt(() => readWhole(path, isWatched), outputProblem(path));
  let end = START;
  let line = 0;
  while (end.bytes < text.length) {
    const stop = text.indexOf(NEWLINE, end.bytes);
    line += 1;
    const { entry, checksum } = readRecord(text.toString("utf8", end.bytes, stop), end.checksum, { path, line });
    take(entry);
    end = { bytes: stop + 1, checksum };
  }
  if (line === 0) throw new ProblemError({ code: "journal.broken", journal: path, line: 1 });
  return end;
}

/** The first entry of the journal, which names the job; undefined if there is none. Raises as `readJournal`. */
export function readFirstEntry(path: string): JournalEntry | undefined {
  if (!hasJournal(path)) return undefined;
  const text = attempt(() => readBeginning(path, FIRST_BYTES), outputProblem(path));
  const stop = text.indexOf("\n");
  return readRecord(text.slice(0, stop < 0 ? text.length : stop), START.checksum, { path, line: 1 }).entry;
}

/** More than a first record has: the writer of its command keeps that short enough. */
const FIRST_BYTES = 65_536;

/** The complete lines. Cuts an incomplete last line off the file, unless it is the only one, or the file is only watched. */
function readWhole(path: string, isWatched: boolean): Buffer {
  return withFile(path, (isWatched ? constants.O_RDONLY : constants.O_RDWR) | NOFOLLOW, (fd) => {
    const text = readFileSync(fd);
    const end = text.lastIndexOf(NEWLINE) + 1;
    if (end > 0 && end < text.length && !isWatched) ftruncateSync(fd, end);
    return text.subarray(0, end);
  });
}

/** Writes to the disk itself. */
const disk: Disk = { write: (fd, bytes, from) => writeSync(fd, bytes, from), sync: fsyncSync };

/**
 * Opens the journal for appending at `after`, which `readJournal` returned. Checks the lock before each record. Raises input.changed,
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
  /** Cuts off what a failed append left, so that the next record begins on a new line. */
  const repair = (): void => {
    if (isTorn) ftruncateSync(fd, end.bytes);
    isTorn = false;
  };
  /** Records that wait for the next one, and the timer that writes them. */
  let waiting: JournalEntry[] = [];
  let timer: NodeJS.Immediate | undefined;
  const put = (entries: readonly JournalEntry[]): void => {
    const added = linesOf(entries, end);
    lock.check();
    attempt(() => {
      repair();
      isTorn = true;
      for (let at = 0; at < added.bytes.length; ) at += write(fd, added.bytes, at);
      sync(fd);
      isTorn = false;
    }, toProblem);
    end = added.end;
  };
  const flush = (): void => {
    if (waiting.length > 0) put(waiting);
    waiting = [];
  };
  const flushLater = (): void => {
    timer = undefined;
    try {
      flush();
    } catch {
      // They go on waiting: the next record or the end raises it.
    }
  };
  const close = (): void => {
    if (timer !== undefined) clearImmediate(timer);
    if (isOpen) flushLater();
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return {
    append(entry) {
      put([...waiting, entry]);
      waiting = [];
    },
    appendSoon(entry) {
      waiting.push(entry);
      timer ??= setImmediate(flushLater);
    },
    flush,
    close,
    remove() {
      close();
      lock.check();
      attempt(() => rmSync(path, { force: true }), toProblem);
    },
  };
}

/**
 * Creates a journal, private to the user (0600), with its first entries. It replaces an older journal after the entries have reached the
 * disk, so that a killed process or a full disk loses nothing that the entries take over. Raises journal.not-one, journal.link,
 * output.planted, output.unwritable, output.full.
 */
export function createJournal(
  path: string,
  lock: Pick<JournalLock, "check">,
  entries: readonly JournalEntry[],
  { write, sync }: Disk = disk,
): Journal {
  const { bytes, end } = linesOf(entries, START);
  attempt(() => {
    hasJournal(path); // raises for a file that must not be replaced
    removeOrphans(path);
    const temporary = openTemporary(path, []);
    try {
      for (let at = 0; at < bytes.length; ) at += write(temporary.fd, bytes, at);
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

/**
 * Gives a journal another name in its folder, under which its job can be continued, and returns the name. Raises output.unwritable.
 */
export function setAside(journal: string, cwd: string): string {
  for (let number = 1; ; number += 1) {
    const mark = number === 1 ? ".discarded" : `.discarded-${number}`;
    const name = journal.replace(/(\.journal)?(\.[^./\\]*)?$/, `${mark}$&`);
    const path = resolve(cwd, name);
    if (existsSync(path)) continue;
    attempt(() => {
      renameSync(resolve(cwd, journal), path);
      syncDirectory(path);
    }, outputProblem(path));
    return name;
  }
}

/** The lines of these entries, and the end of the journal behind them. */
function linesOf(
  entries: readonly JournalEntry[],
  after: JournalEnd,
): { readonly bytes: Buffer; readonly end: JournalEnd } {
  let { checksum } = after;
  let text = "";
  for (const entry of entries) {
    const record = toRecord(entry, checksum);
    text += `${record.line}\n`;
    checksum = record.checksum;
  }
  const bytes = Buffer.from(text);
  return { bytes, end: { bytes: after.bytes + bytes.length, checksum } };
}

function reopen(path: string, { bytes }: JournalEnd): number {
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | NOFOLLOW);
  if (fstatSync(fd).size === bytes) return fd;
  closeSync(fd);
  throw new ProblemError({ code: "input.changed", file: path });
}

/** A journal for jobs that cannot be resumed: it keeps nothing. */
export const noJournal: Journal = { append() {}, appendSoon() {}, flush() {}, close() {}, remove() {} };

/** Writes the name of a new file to the disk. Windows cannot open folders and does not need this. */
function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  withFile(dirname(path), "r", fsyncSync);
}
