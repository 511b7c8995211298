import { createHash } from "node:crypto";
import { fstatSync, readSync, utimesSync } from "node:fs";
import { withFile } from "../input/file-beginning.ts";

// A marked file says by its modification time what was written into it: the microseconds of the time are a digest of the bytes. So no
// second file has to remember the digest. An edited file has another time or another content, also where the time was set by hand. The
// digest begins with the name of the command, so that a file of another command has another time, too.

const MICROSECONDS = 1_000_000;
const NANOSECONDS = 1_000_000_000n;
const CHUNK_BYTES = 2 ** 18;

/** Takes the bytes of a file while they are written. */
export interface ContentMark {
  add(bytes: Uint8Array): void;
  /** Gives the closed file its time. */
  put(path: string): void;
}

/** @param owner the command that writes the file */
export function contentMark(owner: string): ContentMark {
  const digest = createDigest(owner);
  return {
    add: digest.add,
    put(path) {
      const seconds = Math.floor(Date.now() / 1000);
      // Half a microsecond: neither a double nor a file system that cuts off the rest changes the number.
      const time = seconds + (digest.micros() + 0.5) / MICROSECONDS;
      utimesSync(path, time, time);
    },
  };
}

/**
 * True if the file is as this command wrote it with its mark. False for every other file, for one that cannot be read, and where the file system
 * keeps no parts of a second.
 */
export function hasContentMark(path: string, owner: string): boolean {
  try {
    return isAsWritten(path, owner);
  } catch {
    return false;
  }
}

function isAsWritten(path: string, owner: string): boolean {
  return withFile(path, "r", (fd) => {
    const time = fstatSync(fd, { bigint: true }).mtimeNs;
    const micros = Number((time % NANOSECONDS) / 1000n);
    if (micros === 0) return false;
    const digest = createDigest(owner);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) digest.add(chunk.subarray(0, read));
    // A file that was edited meanwhile was read in parts.
    return digest.micros() === micros && fstatSync(fd, { bigint: true }).mtimeNs === time;
  });
}

function createDigest(owner: string) {
  const hash = createHash("sha256").update(`${owner}\n`);
  return {
    add(bytes: Uint8Array): void {
      hash.update(bytes);
    },
    /** From 1: a file system that keeps whole seconds has 0. */
    micros: (): number => 1 + (hash.digest().readUInt32BE() % (MICROSECONDS - 1)),
  };
}
