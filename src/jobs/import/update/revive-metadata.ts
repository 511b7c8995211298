import type { ChangeAnswer, UserChanges } from "../../../admin/user-changes.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import { METADATA_REMOVED, METADATA_SET, metadataEventTypes } from "../../../core/events/instance-log.ts";
import { isCreation, isOwnOrEarlier, type JobMarks } from "../../../core/events/user-life.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import type { Asking } from "../../shared/asking.ts";
import { lookQuickly } from "../../shared/fresh.ts";
import { callUser } from "../ways/lane.ts";
import type { SenderContext } from "../ways/way.ts";
import type { StaleEntry } from "./plan-updates.ts";
import { failureOf } from "./send-updates.ts";

/**
 * Sets metadata to the values that the input has: the service takes such a value for set, although it has none, and writes it only after a
 * removal (service behaviour 0.28, 0.41). `isWanted` is asked immediately before each call, a repeated one too. Returns how many entries were set. What the service refuses is a failure, and no longer counts as created. Raises the errors that remain after retries.
 */
export async function reviveMetadata(
  stale: readonly StaleEntry[],
  { calling, ledger, changes }: Pick<SenderContext, "calling" | "ledger"> & { readonly changes: UserChanges },
  isWanted: (entry: StaleEntry) => Promise<boolean>,
): Promise<number> {
  const { signal } = calling;
  let set = 0;
  for (const entry of stale) {
    const { key, value, ...owner } = entry;
    const call = (one: () => Promise<ChangeAnswer>): Promise<ChangeAnswer | "left"> =>
      callUser(calling, async () => {
        if (!(await lookQuickly(() => isWanted(entry)))) return "left";
        ledger.beginChange();
        return one();
      });
    let answer = await call(() => changes.removeMetadata(owner, [key], signal));
    if (answer !== "left" && answer.kind === "done")
      answer = await call(() => changes.setMetadata(owner, [{ key, value }], signal));
    if (answer === "left") continue;
    if (answer.kind === "done") set += 1;
    if (answer.kind !== "refused") continue;
    ledger.failCreated("user_metadata");
    ledger.fail(failureOf("user_metadata", owner.userId, answer));
  }
  return set;
}

/** The newest events about one entry, newest first: of its key, of all the user's metadata, and of the user's life. One call. */
export async function eventsOfEntry(
  { userId, key }: StaleEntry,
  { api, signal }: Pick<Asking, "api" | "signal">,
): Promise<readonly ServiceEvent[]> {
  const request = { limit: MOST_EVENTS, asc: false, aggregate_types: ["user"], aggregate_id: userId };
  const { events } = await api.searchEvents({ ...request, event_types: [...metadataEventTypes] }, signal);
  return events.filter(
    ({ type: { type }, payload }) =>
      (type !== METADATA_SET && type !== METADATA_REMOVED) || textMember(fieldsOf(payload), "key") === key,
  );
}

/** More events of these types than a user has. */
const MOST_EVENTS = 1_000;

/**
 * Tells entries that no other account has touched after this moment, RFC 3339 by the instance's clock (undefined: ever), of users in whose
 * place no other account has put another one.
 */
export function isUntouchedSince(
  readUntil: string | undefined,
  known: JobMarks,
  asking: Pick<Asking, "api" | "signal">,
): (entry: StaleEntry) => Promise<boolean> {
  const { accounts } = known;
  return async (entry) =>
    (await eventsOfEntry(entry, asking)).every((event) => {
      const moment = { at: event.creationDate, by: event.editor?.userId };
      return isOwnOrEarlier(moment, isCreation(event) ? known : { mark: readUntil, accounts });
    });
}
