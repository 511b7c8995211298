import { closeSync, openSync, readSync } from "node:fs";
import { BEGINNING_BYTES } from "../../core/json/first-keys.ts";

/** Opens a file for `use`, and closes it afterwards. Raises the errors of the system. */
export function withFile<T>(path: string, flags: string | number, use: (fd: number) => T): T {
  const fd = openSync(path, flags);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** What a file begins with, at most `length` bytes; by default as much as tells its kind. Raises the errors of the system. */
export function readFileBeginning(path: string, length = BEGINNING_BYTES, flags: string | number = "r"): Buffer {
  const beginning = Buffer.alloc(length);
  return withFile(path, flags, (fd) => beginning.subarray(0, readSync(fd, beginning)));
}
