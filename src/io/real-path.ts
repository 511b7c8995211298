import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The one path of a file, however it is named; of one that does not exist yet, by its folder's. Hard links stay apart. */
export function realPathOf(cwd: string, path: string): string {
  const absolute = resolve(cwd, path);
  try {
    return realpathSync(absolute);
  } catch {
    const folder = dirname(absolute);
    return folder === absolute ? absolute : join(realPathOf(cwd, folder), basename(absolute));
  }
}
