import { statfsSync } from "node:fs";
import type { Sink } from "../../io/output/sink.ts";
import { ProblemError } from "../../problem.ts";

/** Where an export goes: made anew for each attempt, thrown away by `discard` when an attempt fails. */
export interface ExportSink extends Sink {
  discard(): void | Promise<void>;
  /** Where its disk is, and what it is called, for an export that is larger than the room there. */
  readonly room?: Room;
}

interface Room {
  readonly folder: string;
  readonly file: string;
  /** What names another place. */
  readonly flag?: string;
}

const CHECKED_EVERY_BYTES = 16 * 2 ** 20;
/** What is left to everybody else on the disk, or the twentieth part of a small one. */
const RESERVE_BYTES = 256 * 2 ** 20;

/**
 * A sink that stops before the disk is full: an export may be of any size, and one without end must not take the machine down with it.
 * Raises output.full.
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

/** How large a disk is, and how much of it is free. */
export interface Disk {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

function isNearlyFull(disk: Disk | undefined): boolean {
  return disk !== undefined && disk.freeBytes < Math.min(RESERVE_BYTES, disk.totalBytes / 20);
}

/** Undefined where the system does not tell. */
function diskOf(folder: string): Disk | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}
