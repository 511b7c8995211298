import type { Item } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { type Plan, readOwnedElements, readSection } from "../plan/plan.ts";

/** A user of the input, and what the input gives to the user. */
export interface OwnedUser {
  readonly item: Item;
  readonly belongings: readonly Item[];
}

/** Reads some users of the input by their items. */
export async function readOwned(
  plan: Plan,
  ids: ReadonlySet<string>,
  isMade: (index: number, id: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, OwnedUser>> {
  const users = new Map<string, { readonly item: Item; readonly belongings: Item[] }>();
  for await (const items of readSection(plan, "humanUsers", signal)) {
    for (const item of items) {
      const id = userIdOf(item.bytes);
      if (ids.has(id) && isMade(item.index, id)) users.set(id, { item: kept(item), belongings: [] });
    }
  }
  for await (const { item, owner } of readOwnedElements(plan, signal)) users.get(owner)?.belongings.push(kept(item));
  return users;
}

/** The bytes of an item hold only until the next one is read. */
export function kept(item: Item): Item {
  return { ...item, bytes: Buffer.from(item.bytes) };
}
