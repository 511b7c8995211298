import { statSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt, outputProblem } from "../attempt.ts";

const NANOSECONDS = 1_000_000_000n;

/**
 * The folder, or its first numbered name (`rejects-2`), in which every one of these files is missing or as orgferry wrote it: a file that
 * was edited is neither replaced nor deleted. Raises output.unwritable.
 */
export function folderToWrite(dir: string, names: readonly string[], { cwd }: { readonly cwd: string }): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? dir : `${dir.replace(/[/\\]+$/, "")}-${number}`;
    if (attempt(() => isUnchanged(resolve(cwd, name), names), outputProblem(name))) return name;
  }
}

/** True if all files have one modification time, with a whole second: `stampFiles` leaves them so, and an editor does not. */
function isUnchanged(folder: string, names: readonly string[]): boolean {
  const [first, ...others] = filesOf(folder, names).map(({ stats }) => stats.mtimeNs);
  return first === undefined || (first % NANOSECONDS === 0n && others.every((time) => time === first));
}

/** Gives the files that exist one modification time, after they were written: a later change is recognized by it. */
export function stampFiles(dir: string, names: readonly string[], { cwd }: { readonly cwd: string }): void {
  const seconds = Math.floor(Date.now() / 1000);
  for (const { path } of filesOf(resolve(cwd, dir), names)) {
    attempt(() => utimesSync(path, seconds, seconds), outputProblem(path));
  }
}

function filesOf(folder: string, names: readonly string[]) {
  return names.flatMap((name) => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stats?.isFile() === true ? [{ path, stats }] : [];
  });
}
