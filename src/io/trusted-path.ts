import { lstatSync, readlinkSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { ProblemError } from "../problem.ts";

/** As many as the system follows itself. */
const MAX_LINKS = 40;
const OTHERS_MAY_WRITE = 0o022;

/**
 * Refuses a path on which another user of the machine may have put a link, or a pipe or device in place of the file: who may write
 * to a folder such as /tmp could otherwise choose where hashes go, or which file of ours is replaced. Links of one's own are
 * followed as ever, and so are those of the system. Raises output.planted. Does nothing on Windows, which has no such folders.
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

/** True when somebody else may have put what has this `stat` into the folder. */
export function mayBePlanted({ uid }: Stats, folder: string): boolean {
  if (process.geteuid === undefined || isTrusted(uid)) return false;
  const { mode, uid: owner } = statSync(folder);
  return (mode & OTHERS_MAY_WRITE) !== 0 || !isTrusted(owner);
}

/** The user, or the system. */
function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== "" && name !== ".");
}
