import { readItems } from "../../core/document/items.ts";
import type { BatchPolicy } from "../../core/transfer/batch-policy.ts";
import { type Batch, mayOverlap, mayShareCall, toBatches } from "../../core/transfer/batches.ts";
import { createBufferPool } from "../../core/transfer/buffer-pool.ts";
import type { JobProgress } from "./progress.ts";
import { sendBatch } from "./send-batch.ts";
import type { SendContext } from "./send-context.ts";

/**
 * Sends everything that is not settled yet, as many calls at a time as are allowed and as the order of things permits. Raises the
 * first problem that the retry policy does not get over, after the batches that are under way beside it have come to an end.
 */
export async function sendAll(context: SendContext, progress: JobProgress, policy: BatchPolicy): Promise<void> {
  const { done } = progress.state;
  const { parts, scan, read, concurrency, signal } = context;
  const items = readItems(parts, scan, read, (first, count) => !done.covers(first, count));
  const pool = createBufferPool();
  const underWay = new Map<Batch, Promise<unknown>>();
  const failures: unknown[] = [];
  try {
    for await (const batch of toBatches(items, { limits: () => policy.limits, mayShare: mayShareCall(scan), pool })) {
      while (!hasRoom(underWay, batch, concurrency)) await Promise.race(underWay.values());
      signal.throwIfAborted();
      if (failures.length > 0) break;
      const work = sendBatch(batch, context, progress, policy)
        .then(() => pool.give(batch.buffers))
        .catch((error: unknown) => failures.push(error))
        .finally(() => underWay.delete(batch));
      underWay.set(batch, work);
    }
  } finally {
    await Promise.all(underWay.values());
  }
  if (failures.length > 0) throw failures[0];
}

function hasRoom(underWay: ReadonlyMap<Batch, unknown>, next: Batch, concurrency: number): boolean {
  return underWay.size < concurrency && [...underWay.keys()].every((earlier) => mayOverlap(earlier, next));
}
