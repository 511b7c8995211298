import type { EventsRequest, ServiceEvent } from "../contract/events.ts";
import type { AdminApi } from "./client.ts";
import { type RetryContext, withRetry } from "./with-retry.ts";

const PAGE = 1_000;

/** Which events are wanted. */
export interface EventFilter {
  readonly eventTypes: readonly string[];
  readonly orgId?: string;
  /** Only later ones; RFC 3339. */
  readonly after?: string;
}

/**
 * All events of some types, oldest first, each once. Pages by time, overlapping by a millisecond because several events may have
 * the same one; what was seen on the page before is left out (service behaviour 3).
 */
export async function* listEvents(
  api: AdminApi,
  filter: EventFilter,
  retry: RetryContext,
  signal: AbortSignal,
): AsyncGenerator<ServiceEvent> {
  let from = filter.after;
  let seen = new Set<string>();
  for (;;) {
    const { events } = await withRetry(() => api.searchEvents(toRequest(filter, from), signal), retry, signal);
    const page = new Set<string>();
    let fresh = 0;
    for (const event of events) {
      const key = `${event.aggregate.id} ${event.sequence} ${event.type.type}`;
      page.add(key);
      if (seen.has(key)) continue;
      fresh += 1;
      yield event;
    }
    const last = events.at(-1)?.creationDate;
    if (events.length < PAGE || last === undefined) return;
    // A page with nothing new: a thousand events within the overlap. Go on without it.
    from = fresh === 0 ? last : new Date(Date.parse(last) - 1).toISOString();
    seen = page;
  }
}

/** The time of the newest event on users and organizations by the instance's own clock; undefined when there is none. */
export async function newestEvent(api: AdminApi, signal: AbortSignal): Promise<string | undefined> {
  const { events } = await api.searchEvents({ limit: 1, asc: false, aggregate_types: ["user", "org"] }, signal);
  return events[0]?.creationDate;
}

function toRequest({ eventTypes, orgId }: EventFilter, from: string | undefined): EventsRequest {
  return {
    asc: true,
    limit: PAGE,
    event_types: [...eventTypes],
    ...(orgId === undefined ? {} : { resource_owner: orgId }),
    ...(from === undefined ? {} : { from }),
  };
}
