import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { parsedJson } from "../../core/json/members.ts";
import { ProblemError } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import type { CleanUp } from "../clean-up.ts";
import { withFile } from "../input/file-beginning.ts";
import { namesIn } from "../output/temporary-file.ts";
import { type Life, lifeOf, ownMark } from "../process-mark.ts";

/** The lock of a journal, held by one run at a time. */
export interface JournalLock {
  /** Raises journal.locked if another run took the lock over because this run seemed dead. */
  check(): void;
  /** Releases the lock. Harmless twice. */
  release(): void;
  /** When the run began whose lock was taken over, because it had died; undefined: there was none. */
  readonly deadSince?: string | undefined;
}

/** The content of a lock file: its owner. */
const Owner = z.object({
  pid: z.number(),
  host: z.string(),
  since: z.string(),
  machine: z.string(),
  started: z.string(),
});
type Owner = z.infer<typeof Owner>;

const BEAT_MS = 20_000;
/** A run on another machine or in another container counts as dead if it has not touched its lock for this long. */
const SILENT_MS = 120_000;
const MAX_OWNER_BYTES = 4_096;

/**
 * Takes the lock of a journal: a file beside it that names its owner, who touches it regularly. Takes over the lock of a dead process.
 * Raises journal.locked, output.unwritable.
 */
export function lockJournal(
  journal: string,
  { cleanUp, now, makesFolder = false }: { cleanUp: CleanUp; now: () => Date; makesFolder?: boolean },
): JournalLock {
  const path = `${journal}.lock`;
  const content = Buffer.from(`${JSON.stringify({ ...ownMark(), host: hostname(), since: now().toISOString() })}\n`);
  return attempt(() => {
    if (makesFolder) mkdirSync(dirname(path), { recursive: true });
    let fd = create(path, content);
    let deadSince: string | undefined;
    while (typeof fd !== "number") {
      deadSince = look(path)?.owner?.since;
      if (!takeAway(path, fd)) throw lockedProblem(journal, path);
      fd = create(path, content);
    }
    sweep(path, fd);
    return { ...hold(journal, path, fd, content, cleanUp), deadSince };
  }, outputProblem(path));
}

/** The run that holds the lock of a journal, if it may still run; undefined: none does. Changes nothing. */
export function readHolder(
  journal: string,
): { readonly pid?: number; readonly host?: string; readonly since?: string; readonly isSure: boolean } | undefined {
  const found = attempt(() => look(`${journal}.lock`), outputProblem(`${journal}.lock`));
  if (found === undefined || found.life === "gone") return undefined;
  const { pid, host, since } = found.owner ?? {};
  return {
    ...(since === undefined ? {} : { since }),
    ...(pid === undefined ? {} : { pid }),
    ...(host === undefined ? {} : { host }),
    isSure: found.life === "running",
  };
}

/** Removes files of runs that died while they created or took over a lock. Never raises: a file that remains does no harm. */
function sweep(path: string, fd: number): void {
  const nowMs = fstatSync(fd).mtimeMs;
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of namesIn(folder)) {
    if (name.startsWith(prefix) && /^[0-9a-f]{8}$/.test(name.slice(prefix.length))) sweepOne(join(folder, name), nowMs);
  }
}

function sweepOne(path: string, nowMs: number): void {
  try {
    const found = look(path);
    const isSilent = found !== undefined && nowMs - found.mtimeMs > SILENT_MS;
    if (found?.life === "gone" || (found?.life === "unknown" && isSilent)) rmSync(path, { force: true });
  } catch {
    // It is no lock file, or belongs to another user.
  }
}

function hold(journal: string, path: string, first: number, content: Buffer, cleanUp: CleanUp): JournalLock {
  let fd: number | undefined = first;
  const beat = setInterval(() => {
    if (fd !== undefined) touch(fd, content);
  }, BEAT_MS);
  beat.unref();
  const { ino } = fstatSync(first); // not reused while the file is open
  const isOurs = (): boolean => fd !== undefined && statSync(path, { throwIfNoEntry: false })?.ino === ino;
  const release = (): void => {
    clearInterval(beat);
    if (fd === undefined) return;
    if (isOurs()) rmSync(path, { force: true });
    closeSync(fd);
    fd = undefined;
    forget();
  };
  const forget = cleanUp.add(release);
  return {
    check() {
      if (!isOurs()) throw lockedProblem(journal, path);
    },
    release,
  };
}

/** Sets the modification time by the clock of the file system, with which other runs compare it. */
function touch(fd: number, content: Buffer): void {
  try {
    writeSync(fd, content, 0, content.length, 0);
  } catch {
    // The journal reports a full disk.
  }
}

/** Creates and opens the lock file. If it exists, returns the time by the clock of the file system. */
function create(path: string, content: Buffer): number | { readonly nowMs: number } {
  const own = `${path}.${randomBytes(4).toString("hex")}`;
  const fd = openSync(own, "wx", 0o600);
  try {
    writeSync(fd, content);
    fsyncSync(fd);
    publish(own, path);
    return openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return { nowMs: fstatSync(fd).mtimeMs };
  } finally {
    closeSync(fd);
    rmSync(own, { force: true });
  }
}

/** Makes the lock visible together with its content. Raises EEXIST. */
function publish(own: string, path: string): void {
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    // A file system without hard links (FAT, some network shares).
    copyFileSync(own, path, constants.COPYFILE_EXCL);
  }
}

/** Removes the lock of a dead owner; false if the owner may be alive. */
function takeAway(path: string, { nowMs }: { readonly nowMs: number }): boolean {
  const found = look(path);
  if (found === undefined) return true; // it was released meanwhile
  const silent = nowMs - found.mtimeMs > SILENT_MS;
  if (found.life === "running" || (found.life === "unknown" && !silent)) return false;
  const aside = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true; // another run was faster
    throw error;
  }
  // Between looking and taking away another run may have done the same, and this is its lock.
  const { ino = found.ino } = lstatSync(aside, { throwIfNoEntry: false }) ?? {}; // swept away by now, since its owner is dead
  const isThatOne = ino === found.ino;
  if (!isThatOne) putBack(aside, path);
  rmSync(aside, { force: true });
  return isThatOne;
}

function putBack(aside: string, path: string): void {
  try {
    publish(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

interface Found {
  readonly owner: Owner | undefined;
  readonly life: Life;
  readonly ino: number;
  readonly mtimeMs: number;
}

/** The content of a lock file; undefined if there is none. */
function look(path: string): Found | undefined {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return withFile(path, flags, (fd) => {
      const { ino, mtimeMs } = fstatSync(fd);
      const bytes = Buffer.alloc(MAX_OWNER_BYTES);
      const owner = Owner.safeParse(parsedJson(bytes.toString("utf8", 0, readSync(fd, bytes)))).data;
      return { owner, life: owner === undefined ? "unknown" : lifeOf(owner), ino, mtimeMs };
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function lockedProblem(journal: string, lock: string): ProblemError {
  const { owner, life = "unknown" } = look(lock) ?? {};
  return new ProblemError({ code: "journal.locked", journal, lock, owner, isRunning: life === "running" });
}
