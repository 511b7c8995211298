import { accessSync, constants, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const ROOM_BYTES = 8 * 2 ** 30;

/**
 * Puts the folders of tests into memory where there is room: a run writes its journal through to the disk with every call, and removes
 * hundreds of files. TMPDIR counts if it is set. Called by a configuration, before the tests have processes of their own.
 */
export function useMemoryForFolders(): void {
  if (process.platform !== "linux" || process.env["TMPDIR"] !== undefined) return;
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize >= ROOM_BYTES) process.env["TMPDIR"] = MEMORY;
  } catch {
    // There is no such folder: tests use the usual one.
  }
}
