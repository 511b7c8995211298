import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { type Plan, readOwnedElements, readSection } from "../plan/plan.ts";

/** A user of the input, and what the input gives to the user. */
export interface OwnedUser {
  readonly item: Item;
  readonly belongings: readonly Item[];
}

/** Reads some users of the input by their items. A user whose id the input has twice is left out: which of them counts is not sure. */
export async function readOwned(
  plan: Plan,
  ids: ReadonlySet<string>,
  isMade: (index: number, id: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, OwnedUser>> {
  const users = new Map<string, { readonly item: Item; readonly belongings: Item[] }>();
  const twice = new Set<string>();
  for await (const items of readSection(plan, "humanUsers", signal)) {
    for (const item of items) {
      const id = userIdOf(item.bytes);
      if (!ids.has(id)) continue;
      if (users.has(id)) twice.add(id);
      else if (isMade(item.index, id)) users.set(id, { item: kept(item), belongings: [] });
      else twice.add(id);
    }
  }
  for (const id of twice) users.delete(id);
  for await (const { item, owner } of readOwnedElements(plan, signal)) users.get(owner)?.belongings.push(kept(item));
  return users;
}

/** The bytes of an item hold only until the next one is read. */
export function kept(item: Item): Item {
  return { ...item, bytes: Buffer.from(item.bytes) };
}
