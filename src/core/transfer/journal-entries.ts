import * as z from "zod";
import type { Failure } from "./answer/batch-result.ts";

const Counts = z.object({
  created: z.number(),
  alreadyThere: z.number(),
  failed: z.number(),
  leftOut: z.number().exactOptional(),
  unknown: z.number().exactOptional(),
});

const FailureEntry = z.object({
  type: z.string(),
  id: z.string(),
  message: z.string(),
  cause: z.string().transform((cause) => cause as Failure["cause"]), // written by orgferry itself; an unknown one is only words
  item: z.number().exactOptional(),
  line: z.number().exactOptional(),
});

const OpenEntry = z.object({
  type: z.string(),
  id: z.string(),
  orgId: z.string(),
  item: z.number(),
  line: z.number(),
});
/** Raised when a run cannot continue the journal of another version. */
export const JOURNAL_VERSION = 5;

/** The first line: what the journal belongs to. */
export const JobEntry = z.object({
  kind: z.literal("job"),
  schemaVersion: z.literal(JOURNAL_VERSION),
  /** Names the job in what it leaves behind. */
  id: z.string(),
  /** SHA-256 of the input, in hex. */
  input: z.string(),
  /** Origin and path of the target. */
  target: z.string(),
  container: z.string(),
  /** What decides which item has which place, and what is sent of it. */
  routing: z.string(),
  /** The newest event of the target before the job, by the target's clock: what came later may be this job's. */
  mark: z.string().optional(),
});
export type JobEntry = z.infer<typeof JobEntry>;

/** A discarded run of the same job: the users that it created, and the items without an outcome. Ranges of places. */
export const EarlierEntry = z.object({
  kind: z.literal("earlier"),
  made: z.array(z.tuple([z.number(), z.number()])),
  lost: z.array(z.tuple([z.number(), z.number()])),
});
export type EarlierEntry = z.infer<typeof EarlierEntry>;

/** A batch is about to be sent: from here on its outcome is open. Items `from` to `to`, both included. */
const SendingEntry = z.object({
  kind: z.literal("sending"),
  from: z.number(),
  to: z.number(),
});

/** A batch, or a part of one, has been answered and understood. */
export const DoneEntry = z.object({
  kind: z.literal("done"),
  from: z.number(),
  to: z.number(),
  /** How its users went. */
  way: z.enum(["import", "users"]),
  users: z.number(),
  created: z.number(),
  /** The places of those that were created, as ranges, both ends included. */
  made: z.array(z.tuple([z.number(), z.number()])),
  alreadyThere: z.number(),
  failed: z.number(),
  unknown: z.array(z.string()),
  open: z.array(OpenEntry),
  untold: z.number(),
  /** Items of other places that were sent with it. */
  carried: z.array(z.number()),
  others: z.record(z.string(), Counts),
  failures: z.array(FailureEntry),
});
export type DoneEntry = z.infer<typeof DoneEntry>;

export const JournalEntry = z.discriminatedUnion("kind", [JobEntry, EarlierEntry, SendingEntry, DoneEntry]);
export type JournalEntry = z.infer<typeof JournalEntry>;
