import type { AdminApi } from "../../admin/client.ts";
import { listEvents } from "../../admin/events.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import type { Ui } from "../../ui/ui.ts";

/** More organizations than that are not asked for one by one. */
const ASKED_ONE_BY_ONE = 20;

export interface LogReading {
  readonly api: AdminApi;
  readonly ui: Ui;
  readonly retry: RetryContext;
  readonly signal: AbortSignal;
}

/** Which events are wanted. */
export interface LogFilter {
  readonly eventTypes: readonly string[];
  /** Of these organizations; of all when there are none. */
  readonly orgIds: readonly string[];
  /** Only later ones; RFC 3339. */
  readonly after?: string | undefined;
}

/**
 * Hands the events of some organizations to `take`, those of one organization in the order they happened: organization by organization,
 * or where they are many, all that there are, once. Raises what reading events raises.
 */
export async function readLog(
  title: string,
  { eventTypes, orgIds, after }: LogFilter,
  { api, ui, retry, signal }: LogReading,
  take: (event: ServiceEvent) => void,
): Promise<void> {
  const wanted = new Set(orgIds);
  const parts = wanted.size > 0 && wanted.size <= ASKED_ONE_BY_ONE ? [...wanted] : [undefined];
  let read = 0;
  const progress = ui.progress(title, { unit: "events", amount: () => ({ done: read }) });
  try {
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
  } finally {
    progress.stop();
  }
}
