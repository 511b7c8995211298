import { endpoints } from "../contract/endpoints.ts";
import type { EventsRequest, ServiceEvent } from "../contract/events.ts";
import { EventTypesResult, type View, ViewSearchResult } from "../contract/events.ts";
import { ProblemError } from "../problem.ts";
import { type AdminApi, readJson, VIEWER } from "./client.ts";
import { type RetryContext, withRetry } from "./with-retry.ts";

/** The most events in one answer, and the most types in one search (service behaviour 0.19). */
const PAGE = 1_000;
export const MOST_EVENT_TYPES = 30;

/** The wanted events. */
export interface EventFilter {
  /** At most 30. */
  readonly eventTypes: readonly string[];
  readonly orgId?: string;
  /** Of one object. */
  readonly aggregateId?: string;
  /** Only later ones; RFC 3339. */
  readonly after?: string;
}

/**
 * All events of some types, each once, in order. It reads page by page, by time. Events of concurrent calls are not strictly in the order
 * of their times, so each page overlaps with the one before. Raises api.events-stuck if a page brings nothing new, so that it ends with
 * any server.
 */
export async function* listEvents(
  api: AdminApi,
  filter: EventFilter,
  retry: RetryContext,
  signal: AbortSignal,
): AsyncGenerator<ServiceEvent> {
  if (filter.eventTypes.length > MOST_EVENT_TYPES) throw new Error("more event types than the service takes");
  const read = createPageReader(api, retry, signal);
  const seen = new RecentPages();
  let cursor: Cursor = filter.after === undefined ? {} : { from: filter.after };
  let passed = "";
  for (;;) {
    const { events, isFull } = await read(toRequest(filter, cursor));
    const fresh = seen.takeNew(events);
    yield* fresh;
    if (!isFull) return;
    const next = nextCursor(events, cursor);
    if (next === undefined) {
      // A whole page of one instant: reads the rest of the instant from its end, and then the events after it.
      const newest = newestOf(events);
      if (newest === passed) throw new ProblemError({ code: "api.events-stuck", host: api.address.host });
      yield* await restOfInstant(read, filter, events, seen, api);
      passed = newest;
    }
    cursor = next ?? { from: passed };
  }
}

/** The newest event that the request asks for, by default on users and organizations; undefined when there is none. One call. */
export async function newestEvent(
  api: Pick<AdminApi, "searchEvents">,
  signal: AbortSignal,
  request: Omit<EventsRequest, "limit" | "asc"> = { aggregate_types: ["user", "org"] },
): Promise<ServiceEvent | undefined> {
  return (await api.searchEvents({ limit: 1, asc: false, ...request }, signal)).events[0];
}

/** The beginning of the next page. */
interface Cursor {
  readonly from?: string;
  readonly sequence?: string;
}

interface Page {
  readonly events: readonly ServiceEvent[];
  /** There may be more events. */
  readonly isFull: boolean;
}

/** Reads pages, and smaller ones after a page that was too large for the service (service behaviour 0.19). */
function createPageReader(
  api: AdminApi,
  retry: RetryContext,
  signal: AbortSignal,
): (request: EventsRequest) => Promise<Page> {
  let limit = PAGE;
  return async (request) => {
    for (;;) {
      try {
        const ask = (): ReturnType<AdminApi["searchEvents"]> => api.searchEvents({ ...request, limit }, signal);
        const { events } = await withRetry(ask, retry, signal);
        return { events, isFull: events.length >= limit };
      } catch (error) {
        if (!(error instanceof ProblemError) || error.problem.code !== "api.too-large" || limit === 1) throw error;
        limit = Math.ceil(limit / 2);
      }
    }
  };
}

/** Events are recorded in the order in which their transactions end, and bear the times at which these began. */
const OVERLAP_MS = 10_000;
/** The most of a page that is read twice, so that paging advances with any number of events in that time. */
const OVERLAP_PART = 0.25;

/** The beginning of the next page by time, or by sequence if the service counts all events in one row; undefined if neither advances. */
function nextCursor(events: readonly ServiceEvent[], { from, sequence }: Cursor): Cursor | undefined {
  const times = events.map(({ creationDate }) => Date.parse(creationDate)).filter((time) => !Number.isNaN(time));
  times.sort((a, b) => a - b);
  const newest = times.at(-1) ?? Number.NaN;
  const anchor = Math.max(newest - OVERLAP_MS, times[Math.floor(times.length * (1 - OVERLAP_PART))] ?? Number.NaN);
  const before = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
  // Times of events are finer than a millisecond, so the page begins one millisecond earlier.
  for (const time of [anchor, newest]) if (time - 1 > before) return { from: new Date(time - 1).toISOString() };
  const last = events.at(-1)?.sequence ?? "";
  if (!isOneRow(events) || !isLater(last, sequence)) return undefined;
  return { ...(from === undefined ? {} : { from }), sequence: last };
}

/** Fewer events can be in one row by chance, where the service counts those of each object (service behaviour 3). */
const LEAST_ROW = 100;

/** True if the service counts the events of all objects in one row. */
function isOneRow(events: readonly ServiceEvent[]): boolean {
  const [first] = events;
  if (events.length < LEAST_ROW || events.every(({ aggregate }) => aggregate.id === first?.aggregate.id)) return false;
  return events.every((event, at) => at === 0 || isLater(event.sequence, events[at - 1]?.sequence));
}

function isLater(sequence: string, other: string | undefined): boolean {
  return other === undefined || Number(sequence) > Number(other);
}

/**
 * The rest of the events of one instant that fills a page: read newest first, returned oldest first. Raises api.events-stuck if the two
 * pages do not meet, because events between them would be lost, and if the events bear no time.
 */
async function restOfInstant(
  read: (request: EventsRequest) => Promise<Page>,
  filter: EventFilter,
  stuck: readonly ServiceEvent[],
  seen: RecentPages,
  { address }: Pick<AdminApi, "address">,
): Promise<readonly ServiceEvent[]> {
  const problem = { code: "api.events-stuck", host: address.host } as const;
  const end = Date.parse(newestOf(stuck));
  if (Number.isNaN(end)) throw new ProblemError(problem);
  const until = new Date(end + 1).toISOString();
  const { events } = await read({ ...toRequest(filter, { from: until }), asc: false });
  const known = new Set(stuck.map(keyOf));
  const met = events.findIndex((event) => known.has(keyOf(event)));
  if (met === -1) throw new ProblemError(problem);
  return seen.takeNew(events.slice(0, met).reverse());
}

function newestOf(events: readonly ServiceEvent[]): string {
  return events.reduce((newest, { creationDate }) => (creationDate > newest ? creationDate : newest), "");
}

function keyOf({ aggregate, sequence, type }: ServiceEvent): string {
  return `${aggregate.id} ${sequence} ${type.type}`;
}

/** The events of the last pages, which overlap. */
class RecentPages {
  #pages: ReadonlySet<string>[] = [];

  takeNew(events: readonly ServiceEvent[]): readonly ServiceEvent[] {
    const page = new Set<string>();
    const fresh = events.filter((event) => {
      const key = keyOf(event);
      if (page.has(key) || this.#pages.some((earlier) => earlier.has(key))) return false;
      page.add(key);
      return true;
    });
    // Also the events of earlier pages, since the next page may repeat them.
    for (const event of events) page.add(keyOf(event));
    this.#pages = [page, ...this.#pages].slice(0, KEPT_PAGES);
    return fresh;
  }
}

const KEPT_PAGES = 4;

function toRequest({ eventTypes, orgId, aggregateId }: EventFilter, { from, sequence }: Cursor): EventsRequest {
  return {
    asc: true,
    event_types: [...eventTypes],
    ...(orgId === undefined ? {} : { resource_owner: orgId }),
    ...(aggregateId === undefined ? {} : { aggregate_id: aggregateId }),
    ...(from === undefined ? {} : { from }),
    ...(sequence === undefined ? {} : { sequence }),
  };
}

/** How far the readers of the event log are. Raises auth.*, api.*, net.*. */
export async function readViews(api: Pick<AdminApi, "request">, signal: AbortSignal): Promise<readonly View[]> {
  const request = { path: endpoints.searchViews.path, body: Buffer.from("{}"), role: VIEWER };
  return (await readJson(await api.request(request, signal), ViewSearchResult, "a list of views")).result;
}

/** The types of events that the instance knows. Raises auth.*, api.*, net.*. */
export async function readEventTypes(api: Pick<AdminApi, "request">, signal: AbortSignal): Promise<readonly string[]> {
  const request = { path: endpoints.eventTypes.path, body: Buffer.from("{}"), role: VIEWER };
  const { eventTypes } = await readJson(await api.request(request, signal), EventTypesResult, "a list of event types");
  return eventTypes.map(({ type }) => type);
}
