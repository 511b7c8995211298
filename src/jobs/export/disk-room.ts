import { statfsSync } from "node:fs";
import type { Sink } from "../../io/output/sink.ts";
import { ProblemError } from "../../problem.ts";

/** Takes an export. Each attempt has a new sink; `discard` deletes the bytes of a failed attempt. */
export interface ExportSink extends Sink {
  discard(): void | Promise<void>;
  /** The disk of the sink, for an export that is larger than its free space. */
  readonly room?: Room;
}

interface Room {
  readonly folder: string;
  readonly file: string;
  /** The flag or variable that selects another place. */
  readonly flag?: string;
}

const CHECKED_EVERY_BYTES = 16 * 2 ** 20;
/** Free space that is left for other programs, or a twentieth of a small disk. */
const RESERVE_BYTES = 256 * 2 ** 20;

/**
 * A sink that stops before the disk is full: an export may be of any size, or endless. Raises output.full.
 */
export function withRoom(sink: ExportSink, readDisk: (folder: string) => Disk | undefined = diskOf): Sink {
  if (sink.room === undefined) return sink;
  const { folder, ...output } = sink.room;
  let unchecked = 0;
  return {
    write(bytes) {
      unchecked += bytes.length;
      if (unchecked >= CHECKED_EVERY_BYTES) {
        unchecked = 0;
        if (isNearlyFull(readDisk(folder))) throw new ProblemError({ code: "output.full", ...output });
      }
      return sink.write(bytes);
    },
  };
}

/** Size and free space of a disk. */
export interface Disk {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

function isNearlyFull(disk: Disk | undefined): boolean {
  return disk !== undefined && disk.freeBytes < Math.min(RESERVE_BYTES, disk.totalBytes / 20);
}

/** undefined if the system does not report it. */
function diskOf(folder: string): Disk | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}
