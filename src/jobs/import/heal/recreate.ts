import { withRetry } from "../../../admin/with-retry.ts";
import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { isAlive } from "../../../core/events/user-life.ts";
import { type BatchResult, type Failure, NO_RESULT } from "../../../core/transfer/answer/batch-result.ts";
import { toBody } from "../../../core/transfer/batch-body.ts";
import { toBatch } from "../../../core/transfer/batches.ts";
import { ByteStore } from "../../../core/transfer/buffer-pool.ts";
import { lastLifeEvent } from "../../shared/user-life.ts";
import { UserCreator, type UsersAccess } from "../ways/create-user.ts";
import { readResult } from "../ways/read-result.ts";
import type { SenderContext } from "../ways/way.ts";
import type { OwnedUser } from "./belongings.ts";

/** The outcome of a recreation: the failure of the user, if the service refuses it, and those of what belongs to the user. */
export interface Recreated {
  readonly failure: Failure | undefined;
  readonly others: readonly Failure[];
}

/**
 * Creates a deleted user again, by the endpoint that created it, with everything that the input gives to the user. A user who exists by
 * now counts as created. Raises the errors that remain after retries.
 */
export async function recreate(
  { item, belongings }: OwnedUser,
  context: SenderContext,
  access: UsersAccess | undefined,
): Promise<Recreated> {
  if (item.way !== "users" || access === undefined) return send([item, ...belongings], item, context);
  const created = await new UserCreator(access, context).create(item);
  context.ledger.leave(item.index);
  if (created.kind === "failed") return { failure: created.failure, others: [] };
  if (created.kind !== "created" && !(await doesExist(item, context))) return { failure: notMade(item), others: [] };
  const carried = new Set(created.kind === "created" ? created.carried.map(({ item: index }) => index) : []);
  const left = belongings.filter(({ index }) => !carried.has(index));
  const others = created.kind === "created" ? created.failures : [];
  if (left.length === 0) return { failure: undefined, others };
  return { failure: undefined, others: [...others, ...(await send(left, item, context)).others] };
}

/** How many items were sent, and the result. */
interface Sent {
  readonly sent: number;
  readonly result: BatchResult;
}

/**
 * Sends items in one call, outside of the plan's order. `wanted` is asked immediately before the call, a repeated one too, and says which of
 * them are sent.
 */
export async function sendAgain(
  items: readonly Item[],
  { calling, plan, ledger }: Pick<SenderContext, "calling" | "plan" | "ledger">,
  wanted: (items: readonly Item[]) => Promise<readonly Item[]> = async () => items,
): Promise<Sent> {
  const { api, lanes, retry, signal } = calling;
  const { scan, timeout } = plan;
  let isRepeated = false;
  const call = () =>
    lanes.import.call(1, async (): Promise<Sent> => {
      const left = await wanted(items);
      if (left.length === 0) return { sent: 0, result: NO_RESULT };
      ledger.beginChange();
      const wasRepeated = isRepeated;
      isRepeated = true;
      const batch = toBatch(left, { items: new ByteStore(), body: new ByteStore() });
      const answer = await api.importData(toBody(batch, scan, timeout.text), timeout.ms, signal);
      const result = await readResult(answer, batch, scan);
      // What exists at a repeated call may be what the first one gave, whose answer was lost.
      return { sent: left.length, result: wasRepeated ? { ...result, existing: [] } : result };
    });
  return withRetry(() => lanes.import.turn(call), retry, signal);
}

/** Sends items of one user to the import endpoint. */
async function send(items: readonly Item[], user: Item, context: SenderContext): Promise<Recreated> {
  const { calling } = context;
  const { failures } = (await sendAgain(items, context)).result;
  const others = failures.filter(({ type }) => type !== "human_user");
  const failure = failures.find(({ type }) => type === "human_user");
  if (failure !== undefined || !items.includes(user)) return { failure, others };
  // A service that answers nothing of the user is not trusted.
  return { failure: (await doesExist(user, { calling })) ? undefined : notMade(user), others };
}

async function doesExist({ bytes }: Item, { calling }: Pick<SenderContext, "calling">): Promise<boolean> {
  return isAlive(await lastLifeEvent(userIdOf(bytes), calling));
}

function notMade({ index: item, line, bytes }: Item): Failure {
  return { type: "human_user", id: userIdOf(bytes), message: "", cause: "not-made", item, line };
}
