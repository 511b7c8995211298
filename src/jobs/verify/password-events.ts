import type { BodyScan } from "../../core/document/scan-types.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import { describe } from "../../problem/describe.ts";
import { createRetry } from "../shared/create-retry.ts";
import { notOffered } from "../shared/not-offered.ts";
import { readLog } from "../shared/read-log.ts";
import type { Comparison } from "./by-events.ts";

const REHASHED = 1;
const CHANGED = 2;

/** The reason for which a hash may differ from the given one; undefined without one. */
export type HashReason = (orgId: string, userId: string) => "rehashed" | "changed" | undefined;

/**
 * Finds passwords that were changed, or only rehashed by a sign-in, since they were imported (service behaviour 0.28). Undefined, with a
 * warning, if events cannot be read: then every other hash counts as different.
 */
export async function readPasswordEvents(
  { api, ui, context }: Comparison,
  { orgs }: Pick<BodyScan, "orgs">,
): Promise<HashReason | undefined> {
  const table = new IdTable();
  const keyOf = (orgId: string, userId: string): string => `${orgId}\u0000${userId}`;
  const reading = { api, ui, retry: createRetry(ui, context), signal: context.signal };
  const eventTypes = ["user.human.password.changed", "user.human.password.hash.updated"];
  const filter = { eventTypes, orgIds: orgs.map(({ orgId }) => orgId) };
  try {
    await readLog("reading events", filter, reading, ({ aggregate: { id, resourceOwner }, type: { type } }) => {
      const key = keyOf(resourceOwner, id);
      if (type === "user.human.password.changed") table.set(key, CHANGED);
      else if (table.get(key) === undefined) table.set(key, REHASHED);
    });
  } catch (error) {
    const problem = notOffered(error);
    if (problem === undefined) throw error;
    ui.warn(
      `whether another hash is only a sign-in's is not known, since events cannot be read: ${describe(problem).message}`,
    );
    return undefined;
  }
  return (orgId, userId) => {
    const fate = table.get(keyOf(orgId, userId));
    return fate === undefined ? undefined : fate === CHANGED ? "changed" : "rehashed";
  };
}
