import type { OpenRows } from "./inputs.ts";

/** Memory of the program without tables: reader threads, blocks, output buffers. */
const BASE_BYTES = 100 * 2 ** 20;
/** Memory of the tables, per user (`npm run bench`: bytes per user). */
const TABLE_BYTES = 120;
/** Memory of the tables of one part, per user, including its rows. */
const PART_BYTES = 270;
/** Share of the remaining memory that one part may use: garbage of the part before may still exist. */
const SHARE_OF_PART = 1 / 3;
/** Length of a row if the provider does not set one. */
const ROW_BYTES = 240;
/** Small parts fit into the caches of the processor, and many parts cost little. */
const LEAST_PARTS = 64;
const MOST_PARTS = 512;

/**
 * Number of parts of the join, so that a migration stays within `memory`; undefined: everything fits. The size of a pipe is unknown, so a
 * pipe gets the largest number.
 */
export function partsFor(memory: number, { users, credentials }: OpenRows, rowBytes = ROW_BYTES): number | undefined {
  const people = Math.max(users.expectedBytes / rowBytes, (credentials?.expectedBytes ?? 0) / ROW_BYTES);
  const isKnown = users.expectedBytes > 0 && (credentials === undefined || credentials.expectedBytes > 0);
  if (isKnown && BASE_BYTES + people * TABLE_BYTES <= memory) return undefined;
  const parts = isKnown ? Math.ceil((people * PART_BYTES) / ((memory - BASE_BYTES) * SHARE_OF_PART)) : MOST_PARTS;
  return Math.min(Math.max(parts, LEAST_PARTS), MOST_PARTS);
}
