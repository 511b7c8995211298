import { randomBytes } from "node:crypto";
import {
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { lifeOf, ownMark, type ProcessMark } from "../process-mark.ts";

/** A new file beside the goal whose place it will take. */
export interface TemporaryFile {
  /** What will be replaced: the goal, or what it links to. */
  readonly target: string;
  readonly path: string;
  readonly fd: number;
}

/** Longer names are cut: a file system takes 255 bytes. */
const MAX_NAME_BYTES = 150;
const NAME = /^\..+\.orgferry-([0-9a-f]{8})-([0-9]{1,10})-([0-9]{1,20})-[0-9a-f]{8}\.tmp$/;

/** Opens a temporary file for the goal, private to the user (0600); the folders made for it (0700) are added to `folders`. */
export function openTemporary(goal: string, folders: string[]): TemporaryFile {
  if (statSync(goal, { throwIfNoEntry: false })?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
  makeFolder(dirname(goal), folders);
  const target = resolvedLink(goal);
  const path = join(dirname(target), nameFor(basename(target)));
  // O_EXCL alone refuses whatever is there, a link as well.
  return { target, path, fd: openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600) };
}

function nameFor(name: string): string {
  const { machine, pid, started } = ownMark();
  const short = Buffer.from(name)
    .subarray(0, MAX_NAME_BYTES)
    .toString()
    .replace(/\ufffd+$/, "");
  return `.${short}.orgferry-${machine}-${pid}-${started}-${randomBytes(4).toString("hex")}.tmp`;
}

/**
 * Removes what runs that were killed have left in the folder of this goal: temporary files whose process is surely gone. Returns
 * those for this goal of which that is not known.
 */
export function removeOrphans(goal: string): string[] {
  const target = resolvedLink(goal);
  const folder = dirname(target);
  const unknown: string[] = [];
  for (const name of namesIn(folder)) {
    const mark = markOf(name);
    if (mark === undefined) continue;
    const path = join(folder, name);
    const life = lifeOf(mark);
    if (life === "gone") removeFile(path);
    if (life === "unknown" && name.startsWith(`.${basename(target)}.orgferry-`)) unknown.push(path);
  }
  return unknown;
}

function markOf(name: string): ProcessMark | undefined {
  const [, machine, pid, started] = NAME.exec(name) ?? [];
  if (machine === undefined || pid === undefined || started === undefined) return undefined;
  return { machine, pid: Number(pid), started };
}

/** What is in a folder; nothing where that cannot be told. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it is not there yet, or may be written to and not be read
  }
}

function removeFile(path: string): void {
  try {
    if (lstatSync(path).isFile()) rmSync(path);
  } catch {
    // Another run was faster, or it belongs to somebody else.
  }
}

/**
 * Makes a folder and those above it, for the user alone, and adds them to `made`, the innermost last. Not with Node's own
 * `recursive`, which never returns where nothing can be made (/proc).
 */
function makeFolder(path: string, made: string[]): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), made);
  mkdirSync(path, 0o700);
  made.push(path);
}

/** Removes folders that were made, the innermost first, up to the first one that holds something or is gone. */
export function removeEmpty(folders: string[]): void {
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) rmdirSync(folder);
  } catch {
    // Somebody uses it by now.
  }
}

/** A goal that is a symbolic link keeps being one: its target is replaced. */
function resolvedLink(goal: string): string {
  try {
    return realpathSync(goal);
  } catch {
    return goal;
  }
}
