import { listEvents } from "../../admin/events.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { readAgainFrom } from "../../core/events/user-life.ts";
import type { Ui } from "../../ui/ui.ts";
import type { Asking } from "./asking.ts";
import { withProgress } from "./with-progress.ts";

/** Above this many organizations, the log of all organizations is read once. */
const ASKED_ONE_BY_ONE = 20;

export interface LogReading extends Asking {
  readonly ui: Ui;
}

/** The wanted events. */
export interface LogFilter {
  readonly eventTypes: readonly string[];
  /** Of these organizations; of all if the list is empty. */
  readonly orgIds: readonly string[];
  /** Only later ones; RFC 3339. */
  readonly after?: string | undefined;
  /** Those of all organizations in one order. */
  readonly inOrder?: boolean;
}

/**
 * Passes the events of some organizations to `take`, those of one organization in order: organization by organization, or for many of them
 * the log of all organizations, once. Without `ui` there is no progress line. Raises what reading events raises.
 */
export async function readLog(
  title: string,
  { eventTypes, orgIds, after, inOrder = false }: LogFilter,
  { api, ui, retry, signal }: Asking & Partial<LogReading>,
  take: (event: ServiceEvent) => void,
): Promise<void> {
  const wanted = new Set(orgIds);
  const isApart = wanted.size === 1 || (wanted.size > 0 && wanted.size <= ASKED_ONE_BY_ONE && !inOrder);
  const parts = isApart ? [...wanted] : [undefined];
  let read = 0;
  const readAll = async (): Promise<void> => {
    for (const orgId of parts) {
      const filter = {
        eventTypes,
        ...(after === undefined ? {} : { after }),
        ...(orgId === undefined ? {} : { orgId }),
      };
      for await (const event of listEvents(api, filter, retry, signal)) {
        read += 1;
        if (wanted.size === 0 || wanted.has(event.aggregate.resourceOwner)) take(event);
      }
    }
  };
  const progress = { unit: "events", amount: () => ({ done: read }) } as const;
  await (ui === undefined ? readAll() : withProgress(ui, title, readAll, progress));
}

/** A log that grows: each reading continues where the one before ended. An event may be taken twice. */
export class GrowingLog {
  readonly #title: string;
  #filter: LogFilter;

  constructor(title: string, filter: LogFilter) {
    this.#title = title;
    this.#filter = filter;
  }

  /** The time from which the next reading reads; undefined if no event was read. */
  get readUntil(): string | undefined {
    return this.#filter.after;
  }

  /** Passes the events since the last reading to `take`. Raises what reading events raises. */
  async read(reading: Asking & Partial<LogReading>, take: (event: ServiceEvent) => void): Promise<void> {
    let newest = "";
    await readLog(this.#title, this.#filter, reading, (event) => {
      if (event.creationDate > newest) newest = event.creationDate;
      take(event);
    });
    const after = readAgainFrom(newest);
    if (after !== undefined && after > (this.readUntil ?? "")) this.#filter = { ...this.#filter, after };
  }
}
