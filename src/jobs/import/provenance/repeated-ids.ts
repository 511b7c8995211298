import { readItems } from "../../../core/document/items.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { SendContext } from "../ways/way.ts";

/** The places of every user id that stands more than once in the input. Reads the users once; asked for only after a lost answer. */
export async function placesOfRepeated({
  parts,
  scan,
  read,
  signal,
}: Pick<SendContext, "parts" | "scan" | "read" | "signal">): Promise<ReadonlyMap<string, readonly number[]>> {
  const first = new IdTable();
  const places = new Map<string, number[]>();
  const users = parts.filter(({ section }) => section?.key === "humanUsers");
  for await (const portion of readItems(users, scan, read, () => true)) {
    signal.throwIfAborted();
    for (const { index, bytes } of portion) {
      const id = userIdOf(bytes);
      if (id === "") continue;
      const before = first.get(id);
      if (before === undefined) first.set(id, index);
      else places.set(id, [...(places.get(id) ?? [before]), index]);
    }
  }
  return places;
}
