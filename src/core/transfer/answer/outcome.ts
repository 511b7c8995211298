import { type BatchResult, type Counts, countOne, type Existing, type Failure, type Open } from "./batch-result.ts";

/** What one batch came to, ready for the journal. */
export interface Outcome {
  readonly created: number;
  /** The places of the users that were created. */
  readonly made: readonly number[];
  readonly alreadyThere: number;
  readonly failed: number;
  readonly unknown: readonly string[];
  readonly open: readonly Open[];
  /** Of the users that are already there: how many an attempt of this job may have made. */
  readonly untold: number;
  readonly others: Readonly<Record<string, Counts>>;
  readonly failures: readonly Failure[];
}

/** Who made something that is there: an earlier attempt of this very job, somebody else, or nobody can tell. */
export type Verdict = "ours" | "theirs" | "untold";

export interface OutcomeOptions {
  /** What is ours is created, not already there. */
  readonly whose: (existing: Existing) => Verdict;
  /** True for a user whose id this job has sent before; it is no conflict. */
  readonly isRepeat?: (existing: Existing) => boolean;
  /** Somebody who is there already counts as a failure. */
  readonly failOnExisting: boolean;
}

/** Decides for everything that was there already whose it is, and adds up. */
export function toOutcome(result: BatchResult, { whose, isRepeat, failOnExisting }: OutcomeOptions): Outcome {
  const others = new Map(result.others);
  const failures = [...result.failures];
  const made = result.created.map(({ index }) => index);
  let alreadyThere = 0;
  let untold = 0;
  for (const entry of result.existing) {
    const verdict = whose(entry);
    const isUser = entry.type === "human_user";
    const fails = isUser && verdict !== "ours" && failOnExisting && isRepeat?.(entry) !== true;
    if (fails) failures.push({ ...entry, cause: verdict === "untold" ? "there-or-ours" : "already-there" });
    // A user without a place was not sent by this batch: it is in none of its numbers.
    if (!isUser || entry.item === undefined)
      countOne(others, entry.type, fails ? "failed" : verdict === "ours" ? "created" : "alreadyThere");
    else if (verdict === "ours") made.push(entry.item);
    else if (!fails) {
      alreadyThere += 1;
      if (verdict === "untold") untold += 1;
    }
  }
  const failed = failures.filter(({ type, item }) => type === "human_user" && item !== undefined).length;
  const { unknown, open } = result;
  const created = made.length;
  return { created, made, alreadyThere, failed, unknown, open, untold, others: Object.fromEntries(others), failures };
}
