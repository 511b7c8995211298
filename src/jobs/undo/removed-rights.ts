import { listEvents } from "../../admin/events.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { GRANT_ADDED, grantRemovals, membershipRemovals, rightIn } from "../../core/events/belonging-log.ts";
import type { ManifestHead } from "../../core/transfer/manifest-entries.ts";
import type { Asking } from "../shared/asking.ts";
import { ifOffered } from "../shared/not-offered.ts";

/** Those that end without their project or user. */
const REMOVALS = [...grantRemovals.slice(0, 1), ...membershipRemovals];

/**
 * Those of these users who have lost a role grant or a membership since the job by another account than the job's: once they are recreated, the
 * next run does not know of it. Empty if the accounts are unknown, or if the target does not offer its events. Raises net.*, auth.refused.
 */
export async function usersWithRemovedRights(
  isWanted: (userId: string) => boolean,
  { mark, by }: Pick<ManifestHead, "mark" | "by">,
  { api, retry, signal }: Asking,
): Promise<readonly string[]> {
  if (by === undefined) return [];
  const read = (eventTypes: readonly string[]): AsyncGenerator<ServiceEvent> =>
    listEvents(api, { eventTypes, ...(mark === undefined ? {} : { after: mark }) }, retry, signal);
  const found = await ifOffered(async () => {
    const users = new Set<string>();
    const grants = new Set<string>();
    for await (const event of read(REMOVALS)) {
      if (by.includes(event.editor?.userId ?? "")) continue;
      if (event.type.type === REMOVALS[0]) grants.add(event.aggregate.id);
      else users.add(rightIn(event).userId);
    }
    // Only its addition names the user of a grant.
    if (grants.size > 0)
      for await (const event of read([GRANT_ADDED]))
        if (grants.has(event.aggregate.id)) users.add(rightIn(event).userId);
    return users;
  });
  return [...(found ?? [])].filter(isWanted);
}
