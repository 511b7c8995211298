import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { foldFailure } from "../../../core/transfer/job-state.ts";
import type { UpdateResult } from "../../../core/update/update-result.ts";
import type { JobProgress } from "../progress.ts";
import type { Calling } from "../ways/way.ts";
import { changeUser, isNameTaken, toFailure } from "./change-user.ts";
import type { UpdateWay } from "./open-update.ts";
import { type PlannedUser, type Planning, planUpdates } from "./plan-updates.ts";
import { createPool } from "./pool.ts";

/** What an update needs beyond sending. */
export interface UpdateContext extends Calling {
  readonly noMail: boolean;
  onFailure(failure: Failure): void;
  /** Called after each user. */
  onUser(): void;
}

/**
 * Updates the existing users of the input, several in parallel; users that are settled by it are not sent. Raises the first error that
 * remains after retries, when every running call has ended.
 */
export async function sendUpdates(
  way: UpdateWay,
  planning: Planning,
  context: UpdateContext,
  progress: JobProgress,
  result: UpdateResult,
): Promise<void> {
  const { done } = progress.state;
  const pool = createPool(context.signal);
  const taken: PlannedUser[] = [];
  const reader = {
    onCreate: () => {},
    onMetadata: (index: number) => done.add(index, index),
    onStale: () => {},
  };
  try {
    for await (const planned of planUpdates(planning, reader)) {
      const { item } = planned;
      if (done.has(item.index)) continue;
      done.add(item.index, item.index);
      // An earlier run may have counted it with a call that had no answer.
      progress.inFlight.delete(item.index);
      if (!needsCalls(planned)) settle(planned, progress, result);
      else await pool.start(() => change(planned, way, context, progress, result, taken));
    }
  } finally {
    await pool.end();
  }
  await tryAgain(taken, way, context, progress, result);
}

/** Users whose new names were taken: some of the names may be free by now. */
async function tryAgain(
  first: readonly PlannedUser[],
  way: UpdateWay,
  context: UpdateContext,
  progress: JobProgress,
  result: UpdateResult,
): Promise<void> {
  for (let waiting = first, before = 0; waiting.length > 0; ) {
    const isLast = waiting.length === before;
    before = waiting.length;
    const left: PlannedUser[] = [];
    const pool = createPool(context.signal);
    for (const planned of waiting) {
      await pool.start(() => change(planned, way, context, progress, result, isLast ? undefined : left));
    }
    await pool.end();
    waiting = left;
  }
}

/** Updates one user and settles it; a user with a taken name is put on the list, if there is one. */
async function change(
  planned: PlannedUser,
  { changes }: UpdateWay,
  context: UpdateContext,
  progress: JobProgress,
  result: UpdateResult,
  taken: PlannedUser[] | undefined,
): Promise<void> {
  const { item, userId } = planned;
  const calls = {
    noMail: context.noMail,
    mayWait: taken !== undefined,
    onCall: () => {
      progress.calls += 1;
      progress.open(item.index, userId, "users");
    },
  };
  const answer = await changeUser(planned, changes, context, calls);
  progress.inFlight.delete(item.index);
  if (answer.kind === "done") settle(planned, progress, result);
  else if (taken !== undefined && isNameTaken(answer)) taken.push(planned);
  else {
    const failure = toFailure(planned, answer);
    progress.state.done.add(item.index, item.index);
    progress.state.users.settled += 1;
    progress.state.users.failed += 1;
    progress.state.via.users += 1;
    foldFailure(progress.state, failure);
    context.onFailure(failure);
  }
  context.onUser();
}

/** True for a user that needs a call. */
export function needsCalls({ plan, metadata }: PlannedUser): boolean {
  return plan.fields.length + metadata.set.length + metadata.removed.length > 0;
}

/** Counts a user exactly once. */
function settle(planned: PlannedUser, progress: JobProgress, result: UpdateResult): void {
  const before = result.update.length;
  note(planned, result);
  progress.state.via.users += result.update.length - before;
}

/** Notes the plan for a user. */
export function note({ userId, plan, user, metadata }: PlannedUser, result: UpdateResult): void {
  const inMetadata = (keys: readonly string[]): string[] => keys.map((key) => `metadata.${key}`);
  const changed = [...metadata.set.map(({ key }) => key), ...metadata.removed];
  const fields = [...new Set([...user.touched, ...plan.fields]), ...inMetadata(changed)];
  const conflicts = [...plan.conflicts, ...inMetadata(metadata.conflicts)];
  const updated = fields.length > 0 ? { updated: fields } : {};
  const reason = user.isInitial && conflicts.includes("hash") ? ({ reason: "never-finished" } as const) : {};
  if (conflicts.length > 0) result.conflict.push({ userId, fields: conflicts, ...updated, ...reason });
  else if (fields.length > 0) result.update.push({ userId, fields });
  else result.unchanged += 1;
}
