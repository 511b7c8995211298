import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf } from "../../../core/transfer/answer/cause.ts";
import { foldFailure } from "../../../core/transfer/job-state.ts";
import type { JobProgress } from "../progress.ts";
import type { Calling } from "../ways/way.ts";
import type { StaleEntry } from "./plan-updates.ts";

/**
 * Sets the metadata of recreated users to the values that they had before: the service takes such a value for set, although it is deleted,
 * and writes it only after a removal (service behaviour 0.28). Raises the errors that remain after retries.
 */
export async function reviveMetadata(
  stale: readonly StaleEntry[],
  changes: UserChanges,
  context: Calling & { onFailure(failure: Failure): void },
  progress: JobProgress,
): Promise<void> {
  const { lanes, retry, signal } = context;
  const call = (change: () => Promise<ChangeAnswer>): Promise<ChangeAnswer> => {
    progress.calls += 1;
    return lanes.users.turn(() => withRetry(() => lanes.users.call(1, change), retry, signal));
  };
  for (const { key, value, ...owner } of stale) {
    const removed = await call(() => changes.removeMetadata(owner, [key], signal));
    const answer =
      removed.kind === "done" ? await call(() => changes.setMetadata(owner, [{ key, value }], signal)) : removed;
    if (answer.kind !== "refused") continue;
    const { code, words: message } = answer;
    const failure = {
      type: "user_metadata",
      id: owner.userId,
      message,
      cause: causeOf("user_metadata", { code, key: message }),
    };
    foldFailure(progress.state, failure);
    context.onFailure(failure);
  }
}
