import { closeSync, openSync, readSync } from "node:fs";
import { BEGINNING_BYTES } from "../../core/json/first-keys.ts";

/** What a file begins with, as much as tells its kind. Raises the errors of the system. */
export function readFileBeginning(path: string): Buffer {
  const beginning = Buffer.alloc(BEGINNING_BYTES);
  const fd = openSync(path, "r");
  try {
    return beginning.subarray(0, readSync(fd, beginning));
  } finally {
    closeSync(fd);
  }
}
