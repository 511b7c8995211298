import { closeSync, constants, openSync, readSync } from "node:fs";
import { ManifestHead } from "../../core/transfer/manifest-entries.ts";

const MOST_HEAD_BYTES = 16_384;

/** The head of the manifest at an absolute path; "none" for another file, undefined where there is no file. Raises the error of the file system. */
export function manifestHeadOf(path: string): ManifestHead | "none" | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // a pipe would wait for a writer
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(MOST_HEAD_BYTES);
    const [line = ""] = bytes.toString("utf8", 0, readSync(fd, bytes)).split("\n", 1);
    return ManifestHead.safeParse(parsed(line)).data ?? "none";
  } finally {
    closeSync(fd);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The numbered name of a manifest: `body.json-2.manifest.ndjson`. The first one has no number. */
export function numberedManifest(path: string, number: number): string {
  return number === 1 ? path : path.replace(ENDING, `-${number}$&`);
}

const ENDING = /(\.manifest)?(\.[^./\\]*)?$/;
