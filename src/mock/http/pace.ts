import { setImmediate, setTimeout } from "node:timers/promises";
import { Refusal } from "./answer.ts";

/** How fast one call goes, and when it must stop. */
export interface Pace {
  /** Counts one user; raises Refusal 500 code 2 when the call is past its time (service behaviour 2.5). */
  user(): void;
  /** True when it is time to let other calls in; `rest` then waits as long as the work so far should have taken. */
  readonly due: boolean;
  rest(): Promise<void>;
}

export interface PaceOptions {
  readonly timeoutMs: number;
  /** What one user costs. 0: as fast as it goes, and the real clock decides when the time is over. */
  readonly perUserMs: number;
  /** The caller hung up: what is left is abandoned (service behaviour 2.5). */
  readonly signal: AbortSignal;
  /** A fault: the time runs out after that many users. */
  readonly stopAfterUsers?: number;
}

const BREATH_USERS = 1_000;
const BREATH_MS = 20;

/**
 * With a cost per user the time is counted, not measured, so that the same call always ends at the same user; the waits only
 * make it last as long as it says.
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
export function deadlineExceeded(): Refusal {
  return new Refusal("unknown", "context deadline exceeded");
}
