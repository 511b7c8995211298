import type { AdminApi } from "../../admin/client.ts";
import { counted } from "../../problem/format.ts";

/** Events are being read as long as the last of them came that recently. */
const RECENT_MS = 3_000;

/** An instance whose events are counted as they are read, for whoever waits: on a target with a long history that takes a while. */
export interface WatchedApi {
  readonly api: AdminApi;
  /** How many were read, while some are being read; "" otherwise. */
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
    note: () => (performance.now() - lastMs > RECENT_MS ? "" : `${counted(read, "event")} read`),
  };
}
