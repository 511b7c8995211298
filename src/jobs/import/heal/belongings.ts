import { type Item, readItems } from "../../../core/document/items.ts";
import { ownedLists } from "../../../core/document/org-sections.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import type { Plan } from "../plan/plan.ts";

/** A user of the input, and what the input gives to the user. */
export interface OwnedUser {
  readonly item: Item;
  readonly belongings: readonly Item[];
}

/** Reads some users of the input by their items. A user whose id the input has twice is left out: which of them counts is not sure. */
export async function readOwned(
  { scan, parts, read }: Plan,
  ids: ReadonlySet<string>,
  isMade: (index: number, id: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, OwnedUser>> {
  const users = new Map<string, { readonly item: Item; readonly belongings: Item[] }>();
  const twice = new Set<string>();
  const sectionOf = (wants: (key: string) => boolean) =>
    parts.filter(({ section }) => section !== undefined && wants(section.key));
  for await (const items of readItems(
    sectionOf((key) => key === "humanUsers"),
    scan,
    read,
    () => true,
  )) {
    signal.throwIfAborted();
    for (const item of items) {
      const id = userIdOf(item.bytes);
      if (!ids.has(id)) continue;
      if (users.has(id)) twice.add(id);
      else if (isMade(item.index, id)) users.set(id, { item: kept(item), belongings: [] });
      else twice.add(id);
    }
  }
  for (const id of twice) users.delete(id);
  for await (const items of readItems(
    sectionOf((key) => Object.hasOwn(ownedLists, key)),
    scan,
    read,
    () => true,
  )) {
    signal.throwIfAborted();
    for (const item of items) {
      const owner = textMember(fieldsOf(JSON.parse(item.bytes.toString())), ownedLists[item.key] ?? "");
      users.get(owner)?.belongings.push(kept(item));
    }
  }
  return users;
}

/** The bytes of an item hold only until the next one is read. */
export function kept(item: Item): Item {
  return { ...item, bytes: Buffer.from(item.bytes) };
}
