import type { BatchResult, Counts, Existing, Failure } from "./result-reader.ts";

/** What one batch came to, ready for the journal. */
export interface Outcome {
  readonly created: number;
  readonly alreadyThere: number;
  readonly failed: number;
  readonly unknown: readonly string[];
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
export function toOutcome(
  { created, failures, existing, unknown, others }: BatchResult,
  { isOurs, isRepeat, failOnExisting }: OutcomeOptions,
): Outcome {
  const totals = new Map(others);
  const all = [...failures];
  let made = created;
  let alreadyThere = 0;
  for (const entry of existing) {
    const ours = isOurs(entry);
    const isUser = entry.type === "human_user";
    const fails = isUser && !ours && failOnExisting && isRepeat?.(entry) !== true;
    if (fails) all.push({ ...entry, cause: "already-there" });
    // A user without a place was not sent by this batch: it is in none of its numbers.
    if (!isUser || entry.item === undefined)
      count(totals, entry.type, fails ? "failed" : ours ? "created" : "alreadyThere");
    else if (ours) made += 1;
    else if (!fails) alreadyThere += 1;
  }
  const failed = all.filter(({ type, item }) => type === "human_user" && item !== undefined).length;
  return { created: made, alreadyThere, failed, unknown, others: Object.fromEntries(totals), failures: all };
}

function count(totals: Map<string, Counts>, type: string, what: keyof Counts): void {
  const counts = totals.get(type) ?? { created: 0, alreadyThere: 0, failed: 0 };
  totals.set(type, { ...counts, [what]: counts[what] + 1 });
}
