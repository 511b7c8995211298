/** Spreads work over time. */
export interface Throttle {
  /** Waits until work on so many users may begin. Raises the reason of the signal. */
  turn(users: number): Promise<void>;
}

interface ThrottleSettings {
  /** At most so many users per second; undefined: no limit. */
  readonly maxRate: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

export function createThrottle({ maxRate, clock, sleep, signal }: ThrottleSettings): Throttle {
  let freeMs = 0;
  return {
    async turn(users) {
      if (maxRate === undefined) return;
      const nowMs = clock();
      const beginMs = Math.max(nowMs, freeMs);
      freeMs = beginMs + (users * 1_000) / maxRate;
      if (beginMs > nowMs) await sleep(beginMs - nowMs, signal);
    },
  };
}
