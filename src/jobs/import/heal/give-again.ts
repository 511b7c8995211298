import type { Belonging, UserChanges } from "../../../admin/user-changes.ts";
import type { Item } from "../../../core/document/items.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { callUser } from "../ways/lane.ts";
import type { SenderContext } from "../ways/way.ts";
import { sendAgain } from "./recreate.ts";

/** A grant, a membership or a link of the input that a user lacks, although the service refuses it as existing. */
export interface Lacking {
  readonly item: Item;
  /** What has to be taken away first; undefined: an earlier run did it. */
  readonly belonging: Belonging | undefined;
}

/** Elements in one call: each takes the service about as long as a user. */
const AT_A_TIME = 200;

/**
 * Takes grants, memberships and links away and gives them again; `isWanted` is asked immediately before each is taken away and given, also by
 * a repeated call. What the service
 * refuses is a failure. Returns how many were given. Raises the errors that remain after retries.
 */
export async function giveAgain(
  lacking: readonly Lacking[],
  sending: Pick<SenderContext, "calling" | "plan" | "ledger">,
  changes: UserChanges,
  isWanted?: (one: Lacking) => Promise<boolean>,
): Promise<number> {
  const { calling, ledger } = sending;
  let given = 0;
  const atATime = isWanted === undefined ? AT_A_TIME : 1;
  for (let at = 0; at < lacking.length; at += atATime) {
    const items: Item[] = [];
    const taken = new Set<number>();
    for (const one of lacking.slice(at, at + atATime)) {
      const isLeft = await callUser(calling, async () => {
        if ((await isWanted?.(one)) === false) return true;
        ledger.beginChange();
        if (one.belonging !== undefined) await changes.takeAway(one.belonging, calling.signal);
        return false;
      });
      if (isLeft) continue;
      items.push(one.item);
      if (one.belonging !== undefined) taken.add(one.item.index);
    }
    if (items.length === 0) continue;
    const [first] = lacking.slice(at);
    const look = isWanted === undefined || first === undefined ? undefined : () => isWanted(first);
    const { failures, existing, open } = await sendAgain(items, sending, look);
    // What was taken away cannot exist: the service still refuses it.
    const refused = existing.filter(({ item }) => item !== undefined && taken.has(item));
    const others = [...refused, ...open].map((one): Failure => ({ ...one, message: "", cause: "not-made" }));
    for (const failure of [...failures, ...others]) {
      ledger.failCreated(failure.type);
      ledger.fail(failure);
    }
    given += items.length - failures.length - others.length;
  }
  return given;
}
