import { readItems } from "../../../core/document/items.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { Items } from "./plan.ts";

/** The ids of the machine users of an input. Reads their lists once. */
export async function readMachineIds({ parts, scan, read }: Items, signal: AbortSignal): Promise<IdTable> {
  const ids = new IdTable();
  const lists = parts.filter(({ section }) => section?.key === "machineUsers");
  for await (const items of readItems(lists, scan, read, () => true)) {
    signal.throwIfAborted();
    for (const { bytes } of items) ids.set(machineIdOf(bytes), 0);
  }
  return ids;
}

/** The id that the service gives a machine user: that of `user` (service behaviour 2.6); an id beside `user` is moved there before. */
export function machineIdOf(entry: Buffer): string {
  const fields = fieldsOf(JSON.parse(entry.toString()));
  return textMember(fieldsOf(member(fields, "user")), "userId") || textMember(fields, "userId");
}
