import type { Item } from "../../../core/document/items.ts";
import { type Counts, countOne, type Existing, type Failure } from "../../../core/transfer/answer/batch-result.ts";
import { type Outcome, toOutcome, type Verdict } from "../../../core/transfer/answer/outcome.ts";
import type { Batch } from "../../../core/transfer/batches.ts";
import { repeats, runsOf, settle } from "../ledger.ts";
import { type JobProgress, rangeOf } from "../progress.ts";
import { type MadeUser, makeUser, NeverSent } from "./create-user.ts";
import type { SendContext, UsersWay } from "./way.ts";

/** How many users are sent between two entries of the journal. */
export const USERS_BETWEEN_ENTRIES = 100;

/**
 * Makes the users of a batch one by one, as many at a time as its lane lets through. Returns those that have to go another way,
 * because the target turns out not to know this one. Raises the first problem that retries do not get over, after everybody who is
 * under way has an outcome or is known to have none.
 */
export async function sendUsers(
  { items }: Batch,
  way: UsersWay,
  context: SendContext,
  progress: JobProgress,
): Promise<readonly Item[]> {
  context.journal.append({ kind: "sending", ...rangeOf(items) });
  const made = new Map<Item, MadeUser>();
  const failures: unknown[] = [];
  const make = async (item: Item): Promise<void> => {
    try {
      made.set(item, await makeUser(item, way, context, progress));
    } catch (error) {
      progress.isStopping = true;
      if (!(error instanceof NeverSent)) failures.push(error);
    }
  };
  await Promise.all(items.map(make));
  const isSettled = (item: Item): boolean => (made.get(item)?.kind ?? "no-api") !== "no-api";
  for (const run of runsOf(items, isSettled)) settleRun(run, made, context, progress);
  if (failures.length > 0) throw failures[0];
  context.signal.throwIfAborted();
  if (progress.isStopping) return [];
  const left = items.filter((item) => !isSettled(item));
  for (const item of left) {
    const user = made.get(item);
    if (user?.kind === "no-api") progress.usersApiAbsence ??= user.why;
  }
  progress.forget(left);
  return left;
}

function settleRun(
  run: readonly Item[],
  made: ReadonlyMap<Item, MadeUser>,
  context: SendContext,
  progress: JobProgress,
): void {
  const carried: number[] = [];
  for (const item of run) {
    const user = made.get(item);
    if (user?.kind === "created") carried.push(...user.carried.map(({ item: place }) => place));
  }
  settle(run, toUsersOutcome(run, made, context, progress), context, progress, { way: "users", carried });
}

function toUsersOutcome(
  run: readonly Item[],
  made: ReadonlyMap<Item, MadeUser>,
  context: SendContext,
  progress: JobProgress,
): Outcome {
  const others = new Map<string, Counts>();
  const created: Item[] = [];
  const failures: Failure[] = [];
  const existing: Existing[] = [];
  const unknown: string[] = [];
  const verdicts = new Map<Existing, Verdict>();
  for (const item of run) {
    const user = made.get(item);
    if (user?.kind === "created") {
      created.push(item);
      for (const _ of user.carried) countOne(others, "user_metadata", "created");
      failures.push(...user.failures);
      for (const { type } of user.failures) if (type !== "human_user") countOne(others, type, "failed");
    } else if (user?.kind === "existing") {
      existing.push(user.existing);
      verdicts.set(user.existing, user.verdict);
    } else if (user?.kind === "failed") failures.push(user.failure);
    else unknown.push("");
  }
  return toOutcome(
    { created, failures, existing, unknown, open: [], others },
    {
      whose: (entry) => verdicts.get(entry) ?? "theirs",
      isRepeat: repeats(run, context, progress),
      failOnExisting: context.failOnExisting,
    },
  );
}
