import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

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
