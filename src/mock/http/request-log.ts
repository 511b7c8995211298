/** One finished request. Path without query, no header, no token: nothing in it is secret, but for the body tests ask for. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** "reset": the connection was cut without an answer. "closed": so it was because the real service's process would have ended. */
  readonly status: number | "reset" | "closed";
  readonly ms: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** Why it was closed. */
  readonly note?: string;
  /** Only with `keepBodies`. */
  readonly body?: string;
}

export interface RequestLog {
  readonly requests: readonly LoggedRequest[];
  add(request: LoggedRequest): void;
  clear(): void;
}

const KEPT = 1_000;

/** Keeps the latest requests and tells each of them. */
export function createRequestLog(tell?: (request: LoggedRequest) => void): RequestLog {
  const requests: LoggedRequest[] = [];
  return {
    requests,
    add(request) {
      if (requests.push(request) > KEPT) requests.shift();
      tell?.(request);
    },
    clear() {
      requests.length = 0;
    },
  };
}
