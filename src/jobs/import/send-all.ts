import { readItems } from "../../core/document/items.ts";
import type { Way } from "../../core/rules/route.ts";
import {
  type Batch,
  type BatchLimits,
  countElements,
  mayOverlap,
  mayShareCall,
  toBatch,
  toBatches,
} from "../../core/transfer/batches.ts";
import { createBufferPool } from "../../core/transfer/buffer-pool.ts";
import type { ImportEndpoint } from "./ways/import-endpoint.ts";
import type { Sender, SenderContext } from "./ways/way.ts";

/** While the last users of one batch are created, the first users of the next one are under way. */
const USER_BATCHES_AT_A_TIME = 2;
/** For how many users of the users API the journal says at once that they are about to be sent. */
const USERS_BETWEEN_ENTRIES = 100;

/** Where items are sent. `users` is undefined if the target has no users API. */
export interface Senders {
  readonly import: ImportEndpoint;
  readonly users: Sender | undefined;
  /** Only calls that create users may overlap: the target may lose entries of its lists to concurrent writes. */
  readonly onlyUsersOverlap: boolean;
}

/**
 * Sends everything that is not settled yet, with as many concurrent calls as the pace and the order of items allow, and gives the outcomes
 * to the ledger. Raises the first problem that retries do not solve, after the batches under way have come to an end.
 */
export async function sendAll(context: SenderContext, senders: Senders): Promise<void> {
  const { calling, plan, ledger } = context;
  const { parts, scan, read } = plan;
  const { done } = ledger.state;
  const items = readItems(parts, scan, read, (first, count) => !done.covers(first, count));
  const pool = createBufferPool();
  const underWay = new Map<Batch, Promise<unknown>>();
  const failures: unknown[] = [];
  const { pace } = calling.lanes.import;
  const isByUser = (way: Way | undefined): boolean => way === "users" && senders.users !== undefined;
  let left = countForBatches(context) - ledger.state.users.settled;
  const limits = (way: Way): BatchLimits => ({
    users: isByUser(way) ? USERS_BETWEEN_ENTRIES : pace.share(left),
    bytes: senders.import.limits.bytes,
  });
  const hasRoom = (next: Batch): boolean => {
    const others = [...underWay.keys()];
    const ofOneKind = others.filter((batch) => isByUser(wayOf(batch)) === isByUser(wayOf(next)));
    const most = isByUser(wayOf(next)) ? USER_BATCHES_AT_A_TIME : pace.calls;
    return ofOneKind.length < most && others.every((batch) => mayOverlap(batch, next, scan, senders.onlyUsersOverlap));
  };
  const mayShare = mayShareCall(scan, () => senders.users === undefined, senders.onlyUsersOverlap);
  try {
    for await (const batch of toBatches(items, { limits, mayShare, pool })) {
      while (!hasRoom(batch)) await Promise.race(underWay.values());
      calling.signal.throwIfAborted();
      if (failures.length > 0) break;
      if (!isByUser(wayOf(batch))) left = Math.max(1, left - countElements(batch));
      const work = sendBatch(batch, context, senders)
        .then(() => pool.give(batch.buffers))
        .catch((error: unknown) => failures.push(error))
        .finally(() => underWay.delete(batch));
      underWay.set(batch, work);
    }
  } finally {
    await Promise.all(underWay.values());
    try {
      ledger.flush(); // outcomes must be on the disk before the run ends
    } catch (error) {
      failures.push(error); // an earlier failure is reported first
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Sends a batch its way. */
async function sendBatch(
  whole: Batch,
  { screen, ledger, plan, owners }: SenderContext,
  senders: Senders,
): Promise<void> {
  const take: Parameters<Sender["send"]>[1] = (settlement) => {
    owners?.settled(settlement);
    ledger.settle(settlement);
  };
  const batch = await screen.screen(whole, take);
  if (batch === undefined) return;
  if (wayOf(batch) === "users" && senders.users !== undefined) return senders.users.send(batch, take);
  // A batch may hold users of both ways where there is no users API.
  const sent = screen.failClosed(batch.items, plan, take);
  if (sent.length > 0) await senders.import.send(sent === batch.items ? batch : toBatch(sent, batch.buffers), take);
}

/** About how many elements go to the import endpoint: the last of them are shared out. */
function countForBatches({ plan }: SenderContext): number {
  const sent = plan.scan.sections.filter(({ isWithinUsers }) => !isWithinUsers);
  return sent.reduce((sum, { count, viaUsers, invalid }) => sum + count - viaUsers.size - invalid.size, 0);
}

function wayOf({ items: [first] }: Batch): Way | undefined {
  return first?.way;
}
