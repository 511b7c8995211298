import type { Item } from "../../../core/document/items.ts";
import { type BelongingList, type BelongingLog, formerLists } from "../../../core/events/belonging-log.ts";
import { isOwnOrEarlier, type JobMarks } from "../../../core/events/user-life.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { withProgress } from "../../shared/with-progress.ts";
import type { ImportRun } from "../import-run.ts";
import { readSection } from "../plan/plan.ts";
import type { SenderContext } from "../ways/way.ts";
import { kept } from "./belongings.ts";
import { BelongingWatch, giveAgain, type Lacking } from "./give-again.ts";
import { changesFor } from "./stale-metadata.ts";

/**
 * Gives users who were deleted before, `wasRemoved`, the grants and memberships of the input that the service refused because those of
 * their former lives are in the way (service behaviour 9.14, 9.25). The event log says which, and immediately before each call that no other
 * account has put another user in the place of one. What the service refuses is a failure.
 * Returns how many were given. Raises the errors that remain after retries.
 */
export async function giveBelongingsAgain(
  run: Pick<ImportRun, "api" | "ui">,
  sending: Pick<SenderContext, "calling" | "plan" | "ledger" | "owners">,
  wasRemoved: (userId: string) => boolean,
  known: JobMarks,
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
  const { log, read } = new BelongingWatch(wasRemoved, calling);
  const isKnown = await ifOffered(() => withProgress(run.ui, "checking grants", () => read().then(() => true)));
  if (isKnown === undefined) return 0;
  const changes = changesFor(run.api, plan.version);
  let given = 0;
  for (const [list, items] of owned) {
    const found = findLacking(list, items, log, known);
    const lives = new Map(found.map(({ item, since }) => [item.index, since]));
    // Another account may recreate the user, or give the same.
    const isWanted = ({ item, belonging: { entry, orgId } }: Lacking): boolean =>
      log.former(list, entry, orgId)?.since === lives.get(item.index);
    given += await giveAgain(found, sending, changes, { read, isWanted });
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
  { plan, calling, owners }: Pick<SenderContext, "calling" | "plan" | "owners">,
  wasRemoved: (userId: string) => boolean,
): Promise<readonly Owned[]> {
  const found: Owned[] = [];
  for await (const items of readSection(plan, list, calling.signal))
    for (const item of items) {
      const fields = fieldsOf(JSON.parse(item.bytes.toString()));
      // Another person's account gets nothing.
      if (!wasRemoved(textMember(fields, "userId")) || (await owners?.whyNot(item)) !== undefined) continue;
      found.push({ item: kept(item), orgId: plan.scan.orgs[item.org]?.orgId ?? "", fields });
    }
  return found;
}

/** What recreated users lack of these entries. */
function findLacking(
  list: BelongingList,
  items: readonly Owned[],
  log: BelongingLog,
  known: JobMarks,
): readonly (Lacking & { readonly since: string })[] {
  return items.flatMap(({ item, orgId, fields: entry }) => {
    const former = log.former(list, entry, orgId);
    if (former === undefined || !isOwnOrEarlier({ at: former.since, by: former.by }, known)) return [];
    const { grantId, isInWay, since } = former;
    return [{ item, belonging: { list, orgId, entry, grantId }, isInWay, since }];
  });
}
