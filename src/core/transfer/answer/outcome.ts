import { type BatchResult, type Counts, countOne, type Existing, type Failure, type Open } from "./batch-result.ts";

/** The outcome of one batch, ready for the journal. */
export interface Outcome {
  readonly created: number;
  /** The places of the users that were created. */
  readonly made: readonly number[];
  readonly alreadyThere: number;
  readonly failed: number;
  readonly unknown: readonly string[];
  readonly open: readonly Open[];
  /** Of the existing users: how many an attempt of this job may have created. */
  readonly untold: number;
  readonly others: Readonly<Record<string, Counts>>;
  readonly failures: readonly Failure[];
}

/** The creator of an existing object: an earlier attempt of this job, another, or an unknown one. */
export type Verdict = "ours" | "theirs" | "untold";

export interface OutcomeOptions {
  /** An object of this job counts as created, not as existing. */
  readonly whose: (existing: Existing) => Verdict;
  /** An existing user counts as failed. */
  readonly failOnExisting: boolean;
}

/** Decides for every existing object whether this job created it, and adds up. */
export function toOutcome(result: BatchResult, { whose, failOnExisting }: OutcomeOptions): Outcome {
  const others = new Map(result.others);
  const failures = [...result.failures];
  const made = result.created.map(({ index }) => index);
  let alreadyThere = 0;
  let untold = 0;
  for (const entry of result.existing) {
    const verdict = whose(entry);
    const isUser = entry.type === "human_user";
    const fails = isUser && verdict !== "ours" && failOnExisting;
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
