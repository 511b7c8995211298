import { MOST_EVENT_TYPES, readEventTypes } from "../../admin/events.ts";
import { withRetry } from "../../admin/with-retry.ts";
import { userEventTypes } from "../../contract/events.ts";
import type { Asking } from "./asking.ts";
import { ifOffered } from "./not-offered.ts";

/** More types than this are one too many to name: the log is of another service. */
const MOST_TYPES = 1_000;

/**
 * The types of events of users in these organizations that orgferry does not know: those of a newer service, and what they change of the
 * users. Empty if the instance does not list its types. Raises net.*, auth.refused.
 */
export async function findUnknownEvents(
  { api, retry, signal }: Asking,
  orgIds: readonly string[],
): Promise<readonly string[]> {
  const listed = await ifOffered(() => withRetry(() => readEventTypes(api, signal), retry, signal));
  const unknown = (listed ?? []).filter((type) => type.startsWith("user.") && !userEventTypes.has(type));
  const isInLog = async (types: readonly string[], orgId: string): Promise<boolean> => {
    const request = { limit: 1, asc: false, event_types: [...types], resource_owner: orgId };
    return (await withRetry(() => api.searchEvents(request, signal), retry, signal)).events.length > 0;
  };
  const found = new Set<string>();
  for (let at = 0; at < Math.min(unknown.length, MOST_TYPES); at += MOST_EVENT_TYPES) {
    const types = unknown.slice(at, at + MOST_EVENT_TYPES);
    for (const orgId of orgIds) {
      const open = types.filter((type) => !found.has(type));
      if (open.length === 0 || !(await isInLog(open, orgId))) continue;
      for (const type of open) if (await isInLog([type], orgId)) found.add(api.redactor.clean(type));
    }
  }
  return [...found];
}
