import type { LoggedRequest } from "../api.ts";

export interface RequestLog {
  readonly requests: readonly LoggedRequest[];
  add(request: LoggedRequest): void;
  clear(): void;
}

const KEPT = 1_000;

/** Keeps the latest requests and reports each of them. */
export function createRequestLog(report?: (request: LoggedRequest) => void): RequestLog {
  const requests: LoggedRequest[] = [];
  return {
    requests,
    add(request) {
      if (requests.push(request) > KEPT) requests.shift();
      report?.(request);
    },
    clear() {
      requests.length = 0;
    },
  };
}
