import type { Belonging } from "../../../admin/user-changes.ts";
import type { Item } from "../../../core/document/items.ts";
import {
  type BelongingList,
  belongingEventTypes,
  belongingLists,
  FormerBelongings,
} from "../../../core/events/former-belongings.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { readLog } from "../../shared/read-log.ts";
import type { ImportRun } from "../import-run.ts";
import { readSection } from "../plan/plan.ts";
import { callUser } from "../ways/lane.ts";
import type { SenderContext } from "../ways/way.ts";
import { kept } from "./belongings.ts";
import { sendAgain } from "./recreate.ts";
import { changesFor } from "./stale-metadata.ts";

/** Elements in one call: each takes the service about as long as a user. */
const AT_A_TIME = 200;

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
  for (const list of belongingLists) {
    const items = await readOwned(list, sending, wasRemoved);
    if (items.length > 0) owned.set(list, items);
  }
  if (owned.size === 0) return 0;
  const former = new FormerBelongings(wasRemoved);
  // A project may be of another organization than its members.
  const filter = { eventTypes: belongingEventTypes, orgIds: [] };
  const reading = { ui: run.ui, api: calling.api, retry: calling.retry, signal: calling.signal };
  const log = await ifOffered(() =>
    readLog("checking grants", filter, reading, (event) => former.take(event)).then(() => former),
  );
  if (log === undefined) return 0;
  const changes = changesFor(run.api, plan.version);
  let given = 0;
  for (const [list, items] of owned) {
    const found = findLacking(list, items, log);
    for (let at = 0; at < found.length; at += AT_A_TIME) {
      const portion = found.slice(at, at + AT_A_TIME);
      for (const { belonging } of portion) {
        if (belonging === undefined) continue;
        ledger.beginChange();
        await callUser(calling, () => changes.takeAway(belonging, calling.signal));
      }
      const failures = await sendAgain(
        portion.map(({ item }) => item),
        sending,
      );
      for (const failure of failures) ledger.fail(failure);
      given += portion.length - failures.length;
    }
  }
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

/** An entry of the input that a recreated user lacks. */
interface Lacking {
  readonly item: Item;
  /** What has to be taken away first; undefined: an earlier run did it. */
  readonly belonging: Belonging | undefined;
}

function findLacking(list: BelongingList, items: readonly Owned[], log: FormerBelongings): readonly Lacking[] {
  return items.flatMap(({ item, orgId, fields }) => {
    const former = log.find(list, fields, orgId);
    if (former === undefined) return [];
    const [userId, projectId] = [textMember(fields, "userId"), textMember(fields, "projectId")];
    const { grantId, isInWay } = former;
    return [{ item, belonging: isInWay ? { list, orgId, userId, projectId, grantId } : undefined }];
  });
}
