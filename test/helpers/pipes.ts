import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

/** False where there are no named pipes in the file system. */
export const hasPipes = process.platform !== "win32";

/** A named pipe that goes away with the test. */
export function makePipe(name = "pipe", folder = tempDir()): string {
  const path = join(folder, name);
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
  return path;
}
