import * as z from "zod";

// A manifest: the users that a job created, one per line between a head and an end. `undo` reads it.

export const MANIFEST_VERSION = 1;

/** The first line: which job this was, and where. */
export const ManifestHead = z.object({
  kind: z.literal("manifest"),
  schemaVersion: z.literal(MANIFEST_VERSION),
  job: z.string(),
  /** Origin and path of the target. */
  target: z.string(),
  /** SHA-256 of the input, in hex. */
  input: z.string(),
  /** The newest event of the target before the job, by the target's clock; absent if its events cannot be read. */
  mark: z.string().exactOptional(),
  /** The accounts that the runs of the job had on the target; absent if the target does not tell. */
  by: z.array(z.string()).exactOptional(),
  /** The newest event of the target after the job; absent if it is unknown. */
  until: z.string().exactOptional(),
});
export type ManifestHead = z.infer<typeof ManifestHead>;

/** A user that the job created. */
export const ManifestUser = z.object({
  id: z.string().min(1),
  orgId: z.string().exactOptional(),
  /** Of a user that the job deleted and recreated: the number of the event that recreated the user. */
  createdAs: z.number().exactOptional(),
});
export type ManifestUser = z.infer<typeof ManifestUser>;

/** The last line: a file without it is not whole. */
export const ManifestEnd = z.object({
  kind: z.literal("end"),
  users: z.number(),
  /** Created with an id that the service chose, which is unknown. */
  withoutId: z.number(),
  /** How many of everything else were created, by type; none of them is listed. */
  others: z.record(z.string(), z.number()),
});
export type ManifestEnd = z.infer<typeof ManifestEnd>;
