import * as z from "zod";
import type { Failure } from "./answer/batch-result.ts";

const count = z.int().nonnegative();

const Counts = z.object({
  created: count,
  alreadyThere: count,
  failed: count,
  leftOut: count.exactOptional(),
  heldBack: count.exactOptional(),
  unknown: count.exactOptional(),
});

/** Places from the first to the last one, both included. */
const Range = z.tuple([count, count]).refine(([from, to]) => from <= to);

const FailureEntry = z.object({
  type: z.string(),
  id: z.string(),
  message: z.string(),
  cause: z.string().transform((cause) => cause as Failure["cause"]), // written by orgferry itself; an unknown one is only words
  userId: z.string().exactOptional(),
  roleKeys: z.array(z.string()).readonly().exactOptional(),
  item: count.exactOptional(),
  line: count.exactOptional(),
});

const OpenEntry = z.object({
  type: z.string(),
  id: z.string(),
  orgId: z.string(),
  item: count,
  line: count,
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
  mark: z.iso.datetime({ offset: true }).optional(),
  /** The accounts that the runs of the job have on the target: what other accounts created is not this job's. */
  by: z.array(z.string()).exactOptional(),
  /** The command that continues the newest run, from its working folder; journals of earlier versions lack it. */
  resume: z
    .object({
      command: z.string(),
      /** The name of the journal: under another name, the command does not continue it. */
      journal: z.string(),
      /** The working folder, from the folder of the journal. */
      folder: z.string(),
    })
    .exactOptional(),
});
export type JobEntry = z.infer<typeof JobEntry>;

/** A discarded run of the same job: the users that it created, and the items without an outcome. Ranges of places. */
export const EarlierEntry = z.object({
  kind: z.literal("earlier"),
  made: z.array(Range),
  lost: z.array(Range),
});
export type EarlierEntry = z.infer<typeof EarlierEntry>;

/** Places between the first and the last that do not belong to the entry: existing items, which only the target knows. */
const Gaps = z.array(Range).exactOptional();

/** When the entry was made, in milliseconds since 1970, for `orgferry status`; journals of earlier versions lack it. */
const At = count.exactOptional();

/** A batch is about to be sent: from here on its outcome is open. Items `from` to `to`, both included. */
const SendingEntry = z
  .object({
    kind: z.literal("sending"),
    from: count,
    to: count,
    gaps: Gaps,
    at: At,
  })
  .refine(isRange);

/** A batch, or a part of one, has been answered and understood. */
export const DoneEntry = z
  .object({
    kind: z.literal("done"),
    from: count,
    to: count,
    gaps: Gaps,
    at: At,
    /** How its users went. */
    way: z.enum(["import", "users"]),
    users: count,
    created: count,
    /** The places of those that were created, as ranges, both ends included. */
    made: z.array(Range),
    alreadyThere: count,
    failed: count,
    unknown: z.array(z.string()),
    open: z.array(OpenEntry),
    untold: count,
    /** Items of other places that were sent with it. */
    carried: z.array(count),
    others: z.record(z.string(), Counts),
    failures: z.array(FailureEntry),
  })
  .refine((entry) => isRange(entry) && holdsMade(entry));
export type DoneEntry = z.infer<typeof DoneEntry>;

/** The places of an entry: from the first to the last, without the gaps. */
export interface Places {
  readonly from: number;
  readonly to: number;
  readonly gaps?: readonly (readonly [from: number, to: number])[];
}

function isRange({ from, to }: Places): boolean {
  return from <= to;
}

/** What was created has places within the entry. */
function holdsMade({ from, to, made }: Places & { readonly made: readonly (readonly [number, number])[] }): boolean {
  return made.every(([first, last]) => from <= first && last <= to);
}

/** The user of item `item` is about to be deleted and recreated by the account `by`; `before`: the number of the user's last event. */
export const HealingEntry = z.object({
  kind: z.literal("healing"),
  item: count,
  id: z.string(),
  before: count,
  by: z.string().exactOptional(),
});
export type HealingEntry = z.infer<typeof HealingEntry>;

/** The end of a healing. `sequence`: the number of the event that recreated the user. */
export const HealedEntry = z.object({
  kind: z.literal("healed"),
  item: count,
  id: z.string(),
  outcome: z.enum(["recreated", "kept", "failed"]),
  sequence: count.exactOptional(),
  /** Why the user could not be recreated. */
  failure: FailureEntry.exactOptional(),
});
export type HealedEntry = z.infer<typeof HealedEntry>;

export const JournalEntry = z.discriminatedUnion("kind", [
  JobEntry,
  EarlierEntry,
  SendingEntry,
  DoneEntry,
  HealingEntry,
  HealedEntry,
]);
export type JournalEntry = z.infer<typeof JournalEntry>;
