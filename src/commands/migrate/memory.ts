import type { OpenRows } from "./rows.ts";

/** What the program takes without any tables: threads that read, blocks, what is written. */
const BASE_BYTES = 100 * 2 ** 20;
/** The tables of one person in memory (`npm run bench`: bytes a user). */
const TABLE_BYTES = 120;
/** The same of a part of them, with the rows that they are made of. */
const PART_BYTES = 270;
/** Of what is left, one part may take so much: what was thrown away for the one before may still be there. */
const SHARE_OF_PART = 1 / 3;
/** Usual length of a row, where the provider says nothing else. */
const ROW_BYTES = 240;
/** Small parts stay in the processor's caches, and many cost little. */
const LEAST_PARTS = 64;
const MOST_PARTS = 512;

/**
 * In how many parts the join is kept so that a migration takes about so much memory; undefined: all of it fits. Of a pipe nobody knows
 * how much there will be, so it may be anything.
 */
export function partsFor(
  memory: number | undefined,
  { users, credentials }: OpenRows,
  rowBytes = ROW_BYTES,
): number | undefined {
  if (memory === undefined) return undefined;
  const people = Math.max(users.expectedBytes / rowBytes, (credentials?.expectedBytes ?? 0) / ROW_BYTES);
  const isKnown = users.expectedBytes > 0 && (credentials === undefined || credentials.expectedBytes > 0);
  if (isKnown && BASE_BYTES + people * TABLE_BYTES <= memory) return undefined;
  const parts = isKnown ? Math.ceil((people * PART_BYTES) / ((memory - BASE_BYTES) * SHARE_OF_PART)) : MOST_PARTS;
  return Math.min(Math.max(parts, LEAST_PARTS), MOST_PARTS);
}
