import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { ProblemError } from "../problem.ts";

/** As many as the system follows. */
const MAX_LINKS = 40;
const OTHERS_MAY_WRITE = 0o022;

/** The path of a file without symbolic links. For a file that does not exist yet, its folder is resolved. Hard links differ. */
export function realPathOf(cwd: string, path: string): string {
  const absolute = resolve(cwd, path);
  try {
    return realpathSync(absolute);
  } catch {
    const folder = dirname(absolute);
    return folder === absolute ? absolute : join(realPathOf(cwd, folder), basename(absolute));
  }
}

/**
 * Refuses a path on which another user of the machine may have planted a link, or a pipe or device in place of the file. Otherwise a
 * user with write access to a folder such as /tmp could choose where hashes go, or which of our files is replaced. Links of the
 * current user and of the system are followed. Raises output.planted. Does nothing on Windows, which has no such folders.
 */
export function refusePlanted(path: string): void {
  if (process.geteuid === undefined) return;
  const { root } = parse(path);
  const names = namesOf(path.slice(root.length));
  let folder = root;
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const here = name === ".." ? dirname(folder) : join(folder, name);
    const stat = lstatSync(here, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const isPlain = stat.isDirectory() || stat.isFile();
    if (!isPlain && mayBePlanted(stat, folder))
      throw new ProblemError({ code: "output.planted", file: path, at: here });
    if (!stat.isSymbolicLink() || links === MAX_LINKS) {
      folder = here;
      continue;
    }
    links += 1;
    const target = readlinkSync(here);
    names.unshift(...namesOf(target));
    if (isAbsolute(target)) folder = root;
  }
}

/** True if another user may have created the entry with this `stat` in the folder. */
export function mayBePlanted({ uid }: Stats, folder: string): boolean {
  if (process.geteuid === undefined || isTrusted(uid)) return false;
  const { mode, uid: owner } = statSync(folder);
  return (mode & OTHERS_MAY_WRITE) !== 0 || !isTrusted(owner);
}

/** True for the current user and the system. */
function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== "" && name !== ".");
}
