import { readItems } from "../../../core/document/items.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import type { Way } from "../../../core/rules/route.ts";
import type { BatchPolicy } from "../../../core/transfer/batch-policy.ts";
import {
  type Batch,
  type BatchLimits,
  countElements,
  mayOverlap,
  mayShareCall,
  toBatch,
  toBatches,
} from "../../../core/transfer/batches.ts";
import { createBufferPool } from "../../../core/transfer/buffer-pool.ts";
import type { JobProgress } from "../progress.ts";
import { sendBatch } from "./import-endpoint.ts";
import { screenBatch } from "./screen.ts";
import { sendUsers, USERS_BETWEEN_ENTRIES } from "./users-api.ts";
import type { SendContext, UsersWay } from "./way.ts";

/** While the last users of one batch are made, the first of the next one are on their way. */
const USER_BATCHES_AT_A_TIME = 2;

/**
 * Sends everything that is not settled yet, as many calls at a time as are allowed and as the order of things permits. Raises the
 * first problem that the retry policy does not get over, after the batches that are under way beside it have come to an end.
 */
export async function sendAll(context: SendContext, progress: JobProgress, policy: BatchPolicy): Promise<void> {
  const { done } = progress.state;
  const { parts, scan, read, signal } = context;
  const items = readItems(parts, scan, read, (first, count) => !done.covers(first, count));
  const pool = createBufferPool();
  const underWay = new Map<Batch, Promise<unknown>>();
  const failures: unknown[] = [];
  const oneByOne = (way: Way | undefined): boolean => way === "users" && usersWayOf(context, progress) !== undefined;
  let left = countForBatches(scan) - progress.state.users.settled;
  const limits = (way: Way): BatchLimits => {
    const { users, bytes } = policy.limits;
    return {
      users: oneByOne(way) ? USERS_BETWEEN_ENTRIES : Math.min(users, context.lanes.import.pace.share(left)),
      bytes,
    };
  };
  const isOneByOne = ({ items: [first] }: Batch): boolean => oneByOne(first?.way);
  try {
    for await (const batch of toBatches(items, {
      limits,
      mayShare: mayShareCall(scan, () => usersWayOf(context, progress) === undefined),
      pool,
    })) {
      while (!hasRoom([...underWay.keys()], batch, isOneByOne, context)) await Promise.race(underWay.values());
      signal.throwIfAborted();
      if (failures.length > 0) break;
      if (!isOneByOne(batch)) left = Math.max(1, left - countElements(batch));
      const work = sendOne(batch, context, progress, policy)
        .then(() => pool.give(batch.buffers))
        .catch((error: unknown) => failures.push(error))
        .finally(() => underWay.delete(batch));
      underWay.set(batch, work);
    }
  } finally {
    await Promise.all(underWay.values());
    flushInto(failures, context);
  }
  if (failures.length > 0) throw failures[0];
}

/** What the last answers said must be on the disk before the run ends; a failure on the way here is told first. */
function flushInto(failures: unknown[], { journal }: SendContext): void {
  try {
    journal.flush();
  } catch (error) {
    failures.push(error);
  }
}

/** The way of one batch, which may have to change on it. */
async function sendOne(whole: Batch, context: SendContext, progress: JobProgress, policy: BatchPolicy): Promise<void> {
  const batch = await screenBatch(whole, context, progress);
  if (batch === undefined) return;
  const users = batch.items[0]?.way === "users" ? usersWayOf(context, progress) : undefined;
  if (users === undefined) return sendBatch(batch, context, progress, policy);
  const left = await sendUsers(batch, users, context, progress);
  if (progress.usersApiAbsence !== undefined) context.onNoUsersApi(progress.usersApiAbsence);
  if (left.length > 0) await sendBatch(toBatch(left, batch.buffers), context, progress, policy);
}

/** Elements that go to the import endpoint, about: enough to share out the last of them. */
function countForBatches({ sections }: Pick<BodyScan, "sections">): number {
  return sections.reduce((sum, { count, viaUsers, invalid }) => sum + count - viaUsers.size - invalid.size, 0);
}

/** undefined where the target does not know the users API, or turned out not to. */
function usersWayOf({ users }: SendContext, { usersApiAbsence }: JobProgress): UsersWay | undefined {
  return usersApiAbsence === undefined ? users : undefined;
}

function hasRoom(
  underWay: readonly Batch[],
  next: Batch,
  isOneByOne: (batch: Batch) => boolean,
  { lanes, scan }: SendContext,
): boolean {
  const most = isOneByOne(next) ? USER_BATCHES_AT_A_TIME : lanes.import.pace.calls;
  const beside = underWay.filter((batch) => isOneByOne(batch) === isOneByOne(next));
  return beside.length < most && underWay.every((batch) => mayOverlap(batch, next, scan));
}
