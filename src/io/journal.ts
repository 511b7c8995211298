import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { JobEntry, JournalEntry } from "../core/transfer/journal-entries.ts";
import { ProblemError } from "../problem.ts";
import { outputProblem, attempt as run } from "./attempt.ts";

/** The record of a job on disk: one line per step, on the disk before the next step begins. */
export interface Journal {
  /** Returns when the line has reached the disk. Raises output.unwritable, output.full. */
  append(entry: JournalEntry): void;
  /** Keeps the file. */
  close(): void;
  /** The job has got to its end: the file goes away. */
  remove(): void;
}

const FIRST_LINE_BYTES = 64 * 1024;
const BEGINNING = '{"kind":"job","schemaVersion":1,';

/**
 * True when a journal is there; false when there is nothing, or an empty file. Any other file is somebody's own and must not be cut
 * or removed: raises journal.not-one.
 */
export function hasJournal(path: string): boolean {
  if (!existsSync(path)) return false;
  const stat = attempt(path, () => statSync(path));
  if (stat.isFile() && stat.size === 0) return false;
  if (!stat.isFile() || !beginsJournal(attempt(path, () => readBeginning(path)))) {
    throw new ProblemError({ code: "journal.not-one", journal: path });
  }
  return true;
}

/** The first line may have been cut off when the process died. */
function beginsJournal(text: string): boolean {
  const end = text.indexOf("\n");
  if (end === -1) return text.startsWith(BEGINNING) || BEGINNING.startsWith(text);
  try {
    return JobEntry.safeParse(JSON.parse(text.slice(0, end))).success;
  } catch {
    return false;
  }
}

function readBeginning(path: string): string {
  const fd = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(FIRST_LINE_BYTES);
    return bytes.toString("utf8", 0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads the journal at `path` and gives each entry to `take`; false when there is none. A last line without its end was being
 * written when the process died: it is cut off. Raises journal.not-one, and journal.broken for any other line that is none of ours.
 */
export function readJournal(path: string, take: (entry: JournalEntry) => void): boolean {
  if (!hasJournal(path)) return false;
  const text = attempt(path, () => readFileSync(path));
  const end = text.lastIndexOf(0x0a) + 1;
  if (end < text.length) attempt(path, () => truncateSync(path, end));
  let number = 0;
  for (let at = 0; at < end; ) {
    const stop = text.indexOf(0x0a, at);
    number += 1;
    take(readEntry(text.toString("utf8", at, stop), path, number));
    at = stop + 1;
  }
  return number > 0;
}

function readEntry(line: string, journal: string, number: number): JournalEntry {
  try {
    return JournalEntry.parse(JSON.parse(line));
  } catch (cause) {
    throw new ProblemError({ code: "journal.broken", journal, line: number }, { cause });
  }
}

/** Opens the journal for appending, private to the user (0600); `fresh` throws an older one away. Raises journal.not-one. */
export function openJournal(path: string, fresh: boolean): Journal {
  const fd = attempt(path, () => {
    if (fresh && hasJournal(path)) rmSync(path, { force: true });
    return openSync(path, "a", 0o600);
  });
  attempt(path, () => syncDirectory(path));
  let open = true;
  const close = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  return {
    append(entry) {
      attempt(path, () => {
        const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
        fsyncSync(fd);
      });
    },
    close,
    remove() {
      close();
      attempt(path, () => rmSync(path, { force: true }));
    },
  };
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

function attempt<T>(path: string, operation: () => T): T {
  return run(operation, outputProblem(path));
}
