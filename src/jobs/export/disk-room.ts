import { statfsSync } from "node:fs";
import type { Sink } from "../../io/output/sink.ts";
import { ProblemError } from "../../problem.ts";
import type { ExportSink } from "./fetch-export.ts";

const CHECKED_EVERY_BYTES = 16 * 2 ** 20;
/** What is left to everybody else on the disk, or the twentieth part of a small one. */
const RESERVE_BYTES = 256 * 2 ** 20;

/**
 * A sink that stops before the disk is full: an export may be of any size, and one without end must not take the machine down with it.
 * Raises output.full.
 */
export function withRoom(sink: ExportSink): Sink {
  const { room } = sink;
  if (room === undefined) return sink;
  let unchecked = 0;
  return {
    write(bytes) {
      unchecked += bytes.length;
      if (unchecked >= CHECKED_EVERY_BYTES) {
        unchecked = 0;
        if (isNearlyFull(room.folder)) throw new ProblemError({ code: "output.full", file: room.file });
      }
      return sink.write(bytes);
    },
  };
}

/** False where the system does not tell. */
function isNearlyFull(folder: string): boolean {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return bavail * bsize < Math.min(RESERVE_BYTES, (blocks * bsize) / 20);
  } catch {
    return false;
  }
}
