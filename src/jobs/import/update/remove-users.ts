import type { ChangeAnswer } from "../../../admin/user-changes.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { USER_REMOVED } from "../../../core/events/user-life.ts";
import { foldFailure } from "../../../core/transfer/job-state.ts";
import type { RemovalPlan } from "../../../core/update/plan-removals.ts";
import type { UpdateResult } from "../../../core/update/update-result.ts";
import { lastLifeEvent } from "../../shared/user-life.ts";
import type { JobProgress } from "../progress.ts";
import type { UpdateSettings } from "../settings.ts";
import { toRemovalFailure } from "./change-user.ts";
import type { Removals } from "./decide-removals.ts";
import type { UpdateWay } from "./open-update.ts";
import { createPool } from "./pool.ts";
import type { UpdateContext } from "./send-updates.ts";

/**
 * Deletes, or deactivates, the users that the source has removed, unless they are too many. Immediately before each call, a repeated one
 * too, both event logs are asked once more: the source must have removed the user last, and the user of the target must still be the one
 * that this job's service user created. Raises what retries do not get over.
 */
export async function removeUsers(
  { plan: { orgs, isTooMany }, isGone }: Removals,
  how: NonNullable<UpdateSettings["removals"]>,
  { changes, self }: UpdateWay,
  context: UpdateContext,
  progress: JobProgress,
  result: UpdateResult,
): Promise<void> {
  const { lanes, retry, signal } = context;
  noteRemovals({ orgs, isTooMany }, how, result, false);
  if (isTooMany) return;
  const pool = createPool(signal);
  const remove = async (userId: string, orgId: string): Promise<void> => {
    const call = async (): Promise<ChangeAnswer | "not-ours" | "back"> => {
      const last = await lastLifeEvent(userId, context);
      // The user was to be removed: it does not matter which call did it.
      if (last?.type.type === USER_REMOVED) return { kind: "gone", words: "" };
      if (last?.editor?.userId !== self || last.aggregate.resourceOwner !== orgId) return "not-ours";
      if (!(await isGone(userId))) return "back";
      progress.calls += 1;
      return how === "delete" ? changes.remove(userId, signal) : changes.setState(userId, "deactivate", signal);
    };
    const answer = await lanes.users.turn(() => withRetry(() => lanes.users.call(1, call), retry, signal));
    if (answer === "not-ours") result.notOurs.push(userId);
    else if (answer === "back") return;
    else if (answer.kind !== "refused") result[how].push(userId);
    else {
      const failure = toRemovalFailure(userId, answer);
      foldFailure(progress.state, failure);
      context.onFailure(failure);
    }
  };
  try {
    for (const { orgId, userIds } of orgs) for (const userId of userIds) await pool.start(() => remove(userId, orgId));
  } finally {
    await pool.end();
  }
}

/** Records the outcome for these users; `isForeseen`: of a dry run. */
export function noteRemovals(
  { orgs, isTooMany }: RemovalPlan,
  how: NonNullable<UpdateSettings["removals"]>,
  result: UpdateResult,
  isForeseen: boolean,
): void {
  for (const { userIds, removed, notOurs, incomplete } of orgs) {
    result[how].push(...removed);
    result.notOurs.push(...notOurs);
    result.incomplete.push(...incomplete);
    if (isTooMany) result.tooMany.push(...userIds);
    else if (isForeseen) result[how].push(...userIds);
  }
}
