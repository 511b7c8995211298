import type { Belonging, UserChanges } from "../../../admin/user-changes.ts";
import type { Item } from "../../../core/document/items.ts";
import { BelongingLog, belongingEventTypes } from "../../../core/events/belonging-log.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { freshReading, lookQuickly } from "../../shared/fresh.ts";
import { GrowingLog } from "../../shared/read-log.ts";
import { callUser } from "../ways/lane.ts";
import type { SenderContext } from "../ways/way.ts";
import { sendAgain } from "./recreate.ts";

/** A grant, a membership or a link of the input that a user lacks, although the service refuses it as existing. */
export interface Lacking {
  readonly item: Item;
  readonly belonging: Belonging;
  /** It has to be taken away first; false: an earlier run did it. */
  readonly isInWay: boolean;
}

/** Grants, memberships and links of some users, by a log that grows. */
export class BelongingWatch {
  readonly log: BelongingLog;
  /** Reads what is new, unless that was just now. Raises what reading events raises. */
  readonly read: () => Promise<void>;

  /** @param wants the users that matter. */
  constructor(wants: (userId: string) => boolean, { api, retry, signal }: SenderContext["calling"]) {
    this.log = new BelongingLog(wants);
    // A project may be of another organization than its members.
    const events = new GrowingLog("", { eventTypes: belongingEventTypes, orgIds: [] });
    this.read = freshReading(() => events.read({ api, retry, signal }, (event) => this.log.take(event)));
  }
}

/** Elements in one call: each takes the service about as long as a user. */
const AT_A_TIME = 200;

/**
 * Takes grants, memberships and links away and gives them again. Immediately before each call, a repeated one too, the log is read on, and
 * what is not wanted any more stays as it is. What the service refuses is a failure. Returns how many were given. Raises the errors that
 * remain after retries.
 */
export async function giveAgain(
  lacking: readonly Lacking[],
  sending: Pick<SenderContext, "calling" | "plan" | "ledger">,
  changes: UserChanges,
  { read, isWanted }: { readonly read: () => Promise<void>; readonly isWanted: (one: Lacking) => boolean },
): Promise<number> {
  const { calling, ledger } = sending;
  let given = 0;
  for (let at = 0; at < lacking.length; at += AT_A_TIME) {
    const portion = lacking.slice(at, at + AT_A_TIME);
    for (const one of portion)
      if (one.isInWay)
        await callUser(calling, async () => {
          await lookQuickly(read);
          if (!isWanted(one)) return;
          ledger.beginChange();
          await changes.takeAway(one.belonging, calling.signal);
        });
    const byIndex = new Map(portion.map((one) => [one.item.index, one]));
    const wanted = async (items: readonly Item[]): Promise<readonly Item[]> => {
      await lookQuickly(read);
      return items.filter(({ index }) => isWanted(byIndex.get(index) as Lacking)); // of this portion
    };
    const items = portion.map(({ item }) => item);
    const { sent, result } = await sendAgain(items, sending, wanted);
    // What was taken away cannot exist: the service still refuses it.
    const refused = result.existing.filter(({ item = -1 }) => byIndex.get(item)?.isInWay === true);
    const others = [...refused, ...result.open].map((one): Failure => ({ ...one, message: "", cause: "not-made" }));
    for (const failure of [...result.failures, ...others]) {
      ledger.failCreated(failure.type);
      ledger.fail(failure);
    }
    given += sent - result.failures.length - others.length;
  }
  return given;
}
