import type { AdminApi } from "../../admin/client.ts";
import { type RetryContext, withRetry } from "../../admin/with-retry.ts";
import type { ServiceEvent } from "../../contract/events.ts";

export const USER_REMOVED = "user.removed";

/** The events that say whether a user exists. Users created by the first major version have its types. */
export const lifeEvents = [
  "user.human.added",
  "user.human.selfregistered",
  "user.machine.added",
  "user.added",
  "user.selfregistered",
  USER_REMOVED,
] as const;

/**
 * The last event that says whether a user exists, in whatever organization (`aggregate.resourceOwner`); undefined where there is none, as
 * for users of an instance import (spec: Events). Raises what reading events raises.
 */
export async function lastLifeEvent(
  userId: string,
  { api, retry, signal }: { readonly api: AdminApi; readonly retry: RetryContext; readonly signal: AbortSignal },
): Promise<ServiceEvent | undefined> {
  const request = {
    limit: 1,
    asc: false,
    aggregate_types: ["user"],
    aggregate_id: userId,
    event_types: [...lifeEvents],
  };
  return (await withRetry(() => api.searchEvents(request, signal), retry, signal)).events[0];
}

/** True for the event of a user who exists by it. */
export function isAlive(event: ServiceEvent | undefined): event is ServiceEvent {
  return event !== undefined && event.type.type !== USER_REMOVED;
}
