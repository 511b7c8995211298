import type { Item } from "../../../core/document/items.ts";
import {
  type BelongingList,
  BelongingLog,
  belongingEventTypes,
  formerLists,
} from "../../../core/events/belonging-log.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { readLog } from "../../shared/read-log.ts";
import type { ImportRun } from "../import-run.ts";
import { readSection } from "../plan/plan.ts";
import type { SenderContext } from "../ways/way.ts";
import { kept } from "./belongings.ts";
import { giveAgain, type Lacking } from "./give-again.ts";
import { changesFor } from "./stale-metadata.ts";

/**
 * Gives users who were deleted before, `wasRemoved`, the grants and memberships of the input that the service refused because those of
 * their former lives are in the way (service behaviour 9.14, 9.25). The event log says which. What the service refuses is a failure.
 * Returns how many were given. Raises the errors that remain after retries.
 */
export async function giveBelongingsAgain(
  run: Pick<ImportRun, "api" | "ui">,
  sending: Pick<SenderContext, "calling" | "plan" | "ledger">,
  wasRemoved: (userId: string) => boolean,
): Promise<number> {
  const { calling, plan, ledger } = sending;
  const { users, healed } = ledger.state;
  // Only users of this run can lack something; the log is long.
  if (users.created + healed.size === 0) return 0;
  const owned = new Map<BelongingList, readonly Owned[]>();
  for (const list of formerLists) {
    const items = await readOwned(list, sending, wasRemoved);
    if (items.length > 0) owned.set(list, items);
  }
  if (owned.size === 0) return 0;
  const former = new BelongingLog(wasRemoved);
  // A project may be of another organization than its members.
  const filter = { eventTypes: belongingEventTypes, orgIds: [] };
  const reading = { ui: run.ui, api: calling.api, retry: calling.retry, signal: calling.signal };
  const log = await ifOffered(() =>
    readLog("checking grants", filter, reading, (event) => former.take(event)).then(() => former),
  );
  if (log === undefined) return 0;
  const changes = changesFor(run.api, plan.version);
  let given = 0;
  for (const [list, items] of owned) given += await giveAgain(findLacking(list, items, log), sending, changes);
  return given;
}

/** An entry of the input that belongs to a user who was deleted before. */
interface Owned {
  readonly item: Item;
  readonly orgId: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function readOwned(
  list: BelongingList,
  { plan, calling }: Pick<SenderContext, "calling" | "plan">,
  wasRemoved: (userId: string) => boolean,
): Promise<readonly Owned[]> {
  const found: Owned[] = [];
  for await (const items of readSection(plan, list, calling.signal))
    for (const item of items) {
      const fields = fieldsOf(JSON.parse(item.bytes.toString()));
      if (!wasRemoved(textMember(fields, "userId"))) continue;
      found.push({ item: kept(item), orgId: plan.scan.orgs[item.org]?.orgId ?? "", fields });
    }
  return found;
}

/** What recreated users lack of these entries. */
function findLacking(list: BelongingList, items: readonly Owned[], log: BelongingLog): readonly Lacking[] {
  return items.flatMap(({ item, orgId, fields: entry }) => {
    const former = log.former(list, entry, orgId);
    if (former === undefined) return [];
    const { grantId, isInWay } = former;
    return [{ item, belonging: isInWay ? { list, orgId, entry, grantId } : undefined }];
  });
}
