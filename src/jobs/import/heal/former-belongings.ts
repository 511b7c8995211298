import type { Item } from "../../../core/document/items.ts";
import { ownerOf } from "../../../core/document/user-id.ts";
import { type BelongingList, type BelongingLog, formerLists, type Life } from "../../../core/events/belonging-log.ts";
import type { JobMarks } from "../../../core/events/user-life.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { elementTypes } from "../../../core/transfer/answer/element-types.ts";
import { freshReading } from "../../shared/fresh.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { withProgress } from "../../shared/with-progress.ts";
import type { ImportRun } from "../import-run.ts";
import { readSection } from "../plan/plan.ts";
import type { Owners } from "../provenance/owners.ts";
import type { SenderContext } from "../ways/way.ts";
import { kept } from "./belongings.ts";
import { BelongingWatch, giveAgain, type Lacking } from "./give-again.ts";
import { changesFor } from "./stale-metadata.ts";

/**
 * Gives users who were deleted before, `wasRemoved`, the grants and memberships of the input that the service refused because those of
 * their former lives are in the way (service behaviour 9.14, 9.25). The event log says which, and immediately before each call that no
 * other person is in the place of one. What the run must not send it must not give again either. What the service refuses is a failure.
 * Returns how many were given. Raises the errors that remain after retries.
 */
export async function giveBelongingsAgain(
  run: Pick<ImportRun, "api" | "ui">,
  sending: Pick<SenderContext, "calling" | "plan" | "ledger" | "provenance" | "screen"> & { readonly owners: Owners },
  wasRemoved: (userId: string) => boolean,
  known: JobMarks,
): Promise<number> {
  const { calling, plan, ledger, provenance, owners } = sending;
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
  const look = freshReading(async () => {
    await read();
    await provenance.replaced.failAll();
  });
  let given = 0;
  for (const [list, items] of owned) {
    const isKnownLife = (userId: string, life: Life): boolean => owners.isKnownLife(userId, life, known);
    const found = findLacking(list, items, log, isKnownLife);
    const lives = new Map(found.map(({ item, life }) => [item.index, life.at]));
    // The user may be recreated, also by the same account, or get the same from another one.
    const isWanted = ({ item, belonging: { entry, orgId } }: Lacking): boolean =>
      wasRemoved(ownerOf(item)) && log.former(list, entry, orgId)?.life.at === lives.get(item.index);
    const giveTo = (some: typeof found): Promise<number> => giveAgain(some, sending, changes, { read: look, isWanted });
    // Of users that this run has recreated, they count as created since their first life.
    const isCounted = ({ item }: Lacking): boolean => ledger.state.healed.has(ownerOf(item));
    const created = await giveTo(found.filter((one) => !isCounted(one)));
    ledger.createExisting(elementTypes[list]?.type ?? list, created);
    given += created + (await giveTo(found.filter(isCounted)));
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
  { plan, calling, owners, screen }: Pick<SenderContext, "calling" | "plan" | "screen"> & { readonly owners: Owners },
  wasRemoved: (userId: string) => boolean,
): Promise<readonly Owned[]> {
  const found: Owned[] = [];
  for await (const items of readSection(plan, list, calling.signal))
    for (const item of items) {
      const fields = fieldsOf(JSON.parse(item.bytes.toString()));
      if (!wasRemoved(textMember(fields, "userId"))) continue;
      // Another person's account gets nothing.
      const isUnsent =
        (await owners.whyNot(item)) !== undefined ||
        (await owners.changesOfOthers([item])).size > 0 ||
        (await screen.whyRemoved(item)) !== undefined;
      if (isUnsent) continue;
      found.push({ item: kept(item), orgId: plan.scan.orgs[item.org]?.orgId ?? "", fields });
    }
  return found;
}

/** What recreated users lack of these entries. */
function findLacking(
  list: BelongingList,
  items: readonly Owned[],
  log: BelongingLog,
  isKnownLife: (userId: string, life: Life) => boolean,
): readonly (Lacking & { readonly life: Life })[] {
  return items.flatMap(({ item, orgId, fields: entry }) => {
    const former = log.former(list, entry, orgId);
    if (former === undefined || !isKnownLife(ownerOf(item), former.life)) return [];
    const { grantId, isInWay, life } = former;
    return [{ item, belonging: { list, orgId, entry, grantId }, isInWay, life }];
  });
}
