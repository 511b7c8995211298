import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
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
import { ProblemError } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import type { CleanUp } from "../clean-up.ts";
import { namesIn } from "../output/temporary-file.ts";
import { type Life, lifeOf, ownMark } from "../process-mark.ts";

/** The right to use a journal, held by one run at a time. */
export interface JournalLock {
  /** Raises journal.locked when another run has taken over what it had to take for the lock of a dead one. */
  check(): void;
  /** Gives the right back. Harmless twice. */
  release(): void;
}

/** Who holds a lock, as it stands in its file. */
const Owner = z.object({
  pid: z.number(),
  host: z.string(),
  since: z.string(),
  machine: z.string(),
  started: z.string(),
});
type Owner = z.infer<typeof Owner>;

const BEAT_MS = 20_000;
/** A run of which nothing else is known (on another machine, in another container) is over when it gave no sign of life for so long. */
const SILENT_MS = 120_000;
const MAX_OWNER_BYTES = 4_096;

/**
 * Takes the lock of a journal: a file beside it that names its owner and is touched as long as that runs. The lock of a dead process
 * is taken over. Raises journal.locked, output.unwritable.
 */
export function lockJournal(journal: string, { cleanUp, now }: { cleanUp: CleanUp; now: () => Date }): JournalLock {
  const path = `${journal}.lock`;
  const content = Buffer.from(`${JSON.stringify({ ...ownMark(), host: hostname(), since: now().toISOString() })}\n`);
  return attempt(() => {
    let fd = create(path, content);
    while (typeof fd !== "number") {
      if (!takeAway(path, fd)) throw lockedProblem(journal, path);
      fd = create(path, content);
    }
    sweep(path, fd);
    return hold(journal, path, fd, content, cleanUp);
  }, outputProblem(path));
}

/** Removes what runs left that died while they made a lock, or took one away. Never raises: what cannot be removed harms nobody. */
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
    // It is something else, or somebody else's.
  }
}

function hold(journal: string, path: string, first: number, content: Buffer, cleanUp: CleanUp): JournalLock {
  let fd: number | undefined = first;
  const beat = setInterval(() => {
    if (fd !== undefined) touch(fd, content);
  }, BEAT_MS);
  beat.unref();
  const { ino } = fstatSync(first); // nobody else's as long as it is open
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

/** Not the time of this machine but that of the file's, which others compare it with. */
function touch(fd: number, content: Buffer): void {
  try {
    writeSync(fd, content, 0, content.length, 0);
  } catch {
    // A full disk is told by the journal itself.
  }
}

/** Makes the lock file and opens it; where it is there already, says what time it is by the clock of the file system. */
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

/** Nobody may see the lock without its content. Raises EEXIST. */
function publish(own: string, path: string): void {
  try {
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    // A file system without hard links (FAT, some network shares).
    copyFileSync(own, path, constants.COPYFILE_EXCL);
  }
}

/** Removes a lock whose owner is dead; false when it may live. */
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

/** What a lock file says of its owner; undefined when there is none. */
function look(path: string): Found | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { ino, mtimeMs } = fstatSync(fd);
    const bytes = Buffer.alloc(MAX_OWNER_BYTES);
    const owner = parseOwner(bytes.toString("utf8", 0, readSync(fd, bytes)));
    return { owner, life: owner === undefined ? "unknown" : lifeOf(owner), ino, mtimeMs };
  } finally {
    closeSync(fd);
  }
}

function parseOwner(text: string): Owner | undefined {
  try {
    return Owner.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function lockedProblem(journal: string, lock: string): ProblemError {
  const { owner, life = "unknown" } = look(lock) ?? {};
  return new ProblemError({ code: "journal.locked", journal, lock, owner, isRunning: life === "running" });
}
