import { setImmediate, setTimeout } from "node:timers/promises";
import { LibraryError } from "./answer.ts";

/** The rate of one call, and its time limit. */
export interface Pace {
  /** Counts one user. Raises Refusal 500 code 2 when the call is over its time limit (service behaviour 2.5). */
  user(): void;
  /** True when other calls should get a turn. `rest` waits as long as the work so far is meant to take. */
  readonly due: boolean;
  rest(): Promise<void>;
}

export interface PaceOptions {
  readonly timeoutMs: number;
  /** Milliseconds per user. 0: no added delay; the time limit is measured by the clock. */
  readonly perUserMs: number;
  /** Aborted when the caller closes the connection: the rest of the call is abandoned (service behaviour 2.5). */
  readonly signal: AbortSignal;
  /** A fault: the time limit is reached after that many users. */
  readonly stopAfterUsers?: number | undefined;
}

const BREATH_USERS = 1_000;
const BREATH_MS = 20;

/**
 * With a delay per user, time is counted, not measured, so that the same call always ends at the same user. The waits only make
 * the call last that long.
 */
export function createPace({ timeoutMs, perUserMs, signal, stopAfterUsers }: PaceOptions): Pace {
  const startedAt = performance.now();
  let users = 0;
  let restedMs = 0;
  let sinceBreath = 0;
  const isOver = (): boolean =>
    signal.aborted ||
    users > (stopAfterUsers ?? Number.POSITIVE_INFINITY) ||
    (perUserMs > 0 ? users * perUserMs > timeoutMs : performance.now() - startedAt >= timeoutMs);
  return {
    user() {
      users += 1;
      sinceBreath += 1;
      if (isOver()) throw deadlineExceeded();
    },
    get due() {
      return sinceBreath >= BREATH_USERS || users * perUserMs - restedMs >= BREATH_MS;
    },
    async rest() {
      sinceBreath = 0;
      const owedMs = users * perUserMs - restedMs;
      restedMs += owedMs;
      await (owedMs >= 1 ? setTimeout(owedMs, undefined, { signal, ref: true }).catch(() => {}) : setImmediate());
    },
  };
}

/** Not 504: the service returns the plain context error (service behaviour 2.5). */
export function deadlineExceeded(): LibraryError {
  return new LibraryError("unknown", "context deadline exceeded");
}
