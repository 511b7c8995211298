import type { AdminApi } from "../../admin/client.ts";
import { counted } from "../../problem/format.ts";

/** The reading of events is under way for this long after the last event. */
const RECENT_MS = 3_000;

/** An instance whose events are counted as they are read, for a progress line: a long history takes a while. */
export interface WatchedApi {
  readonly api: AdminApi;
  /** How many events were read, while some are being read; otherwise, and before the first, "". */
  note(): string;
}

export function watchEvents(api: AdminApi): WatchedApi {
  let read = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    api: {
      ...api,
      async searchEvents(body, signal) {
        const page = await api.searchEvents(body, signal);
        read += page.events.length;
        lastMs = performance.now();
        return page;
      },
    },
    note: () => (read === 0 || performance.now() - lastMs > RECENT_MS ? "" : `${counted(read, "event")} read`),
  };
}
