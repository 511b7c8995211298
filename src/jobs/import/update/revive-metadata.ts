import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { causeOf } from "../../../core/transfer/answer/cause.ts";
import { foldFailure } from "../../../core/transfer/job-state.ts";
import type { JobProgress } from "../progress.ts";
import type { SendContext } from "../ways/way.ts";
import type { StaleEntry } from "./plan-updates.ts";

/**
 * Gives those who came back the metadata that they had before they went: the service takes such a value for set, though it is gone, and
 * writes it only after it was removed (service behaviour 0.28). Whoever has not come back is left. Raises what retries do not get over.
 */
export async function reviveMetadata(
  stale: readonly StaleEntry[],
  changes: UserChanges,
  context: Pick<SendContext, "lanes" | "retry" | "signal"> & { onFailure(failure: Failure): void },
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
