import { type BatchResult, type Counts, countOne, type Existing, type Failure, type Open } from "./batch-result.ts";

/** What one batch came to, ready for the journal. */
export interface Outcome {
  readonly created: number;
  readonly alreadyThere: number;
  readonly failed: number;
  readonly unknown: readonly string[];
  readonly open: readonly Open[];
  readonly others: Readonly<Record<string, Counts>>;
  readonly failures: readonly Failure[];
}

export interface OutcomeOptions {
  /** True for what an earlier attempt of this very job made: it is created, not already there. */
  readonly isOurs: (existing: Existing) => boolean;
  /** True for a user whose id this job has sent before; it is no conflict. */
  readonly isRepeat?: (existing: Existing) => boolean;
  /** --fail-on-existing */
  readonly failOnExisting: boolean;
}

/** Decides for everything that was there already whose it is, and adds up. */
export function toOutcome(result: BatchResult, { isOurs, isRepeat, failOnExisting }: OutcomeOptions): Outcome {
  const others = new Map(result.others);
  const failures = [...result.failures];
  let created = result.created.length;
  let alreadyThere = 0;
  for (const entry of result.existing) {
    const ours = isOurs(entry);
    const isUser = entry.type === "human_user";
    const fails = isUser && !ours && failOnExisting && isRepeat?.(entry) !== true;
    if (fails) failures.push({ ...entry, cause: "already-there" });
    // A user without a place was not sent by this batch: it is in none of its numbers.
    if (!isUser || entry.item === undefined)
      countOne(others, entry.type, fails ? "failed" : ours ? "created" : "alreadyThere");
    else if (ours) created += 1;
    else if (!fails) alreadyThere += 1;
  }
  const failed = failures.filter(({ type, item }) => type === "human_user" && item !== undefined).length;
  const { unknown, open } = result;
  return { created, alreadyThere, failed, unknown, open, others: Object.fromEntries(others), failures };
}
