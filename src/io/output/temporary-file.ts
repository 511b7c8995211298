import { randomBytes } from "node:crypto";
import {
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { realPathOf } from "../links.ts";
import { lifeOf, ownMark, type ProcessMark } from "../process-mark.ts";

/** A new file beside the goal that will replace it. */
export interface TemporaryFile {
  /** The file to replace: the goal, or the target of its link. */
  readonly target: string;
  readonly path: string;
  readonly fd: number;
}

/** Longer names are shortened: a file system allows 255 bytes. */
const MAX_NAME_BYTES = 150;
const NAME = /^\..+\.orgferry-([0-9a-f]{8})-([0-9]{1,10})-([0-9]{1,20})-[0-9a-f]{8}\.tmp$/;

/** Opens a temporary file for the goal, private to the user (0600). Adds the folders that it creates (0700) to `folders`. */
export function openTemporary(goal: string, folders: string[]): TemporaryFile {
  if (statSync(goal, { throwIfNoEntry: false })?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
  makeFolder(dirname(goal), folders);
  // A goal that is a symbolic link stays one: its target is replaced.
  const target = realPathOf("", goal);
  const path = join(dirname(target), nameFor(basename(target)));
  // O_EXCL refuses any existing entry, including a link.
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
 * Removes the temporary files of killed runs in the folder of this goal: those whose process certainly ended. Returns the temporary
 * files of this goal for which that is unknown.
 */
export function removeOrphans(goal: string): string[] {
  const target = realPathOf("", goal);
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

/** The names in a folder; none if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it does not exist yet, or is not readable
  }
}

/** Removes a temporary file, if that is possible. */
export function removeFile(path: string): void {
  try {
    if (lstatSync(path).isFile()) rmSync(path);
  } catch {
    // Another run was faster, the file belongs to another user, or its folder was replaced.
  }
}

/**
 * Creates a folder and its parents, private to the user, and adds them to `made`, the innermost last. Node's own `recursive` does not
 * return for a folder that cannot be created (/proc).
 */
export function makeFolder(path: string, made: string[]): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), made);
  mkdirSync(path, 0o700);
  made.push(path);
}

/** Removes created folders, the innermost first, up to the first one that is not empty or does not exist. */
export function removeEmpty(folders: string[]): void {
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) rmdirSync(folder);
  } catch {
    // The folder is in use.
  }
}
