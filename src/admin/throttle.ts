import { setTimeout } from "node:timers/promises";

interface ThrottleSettings {
  /** At most so many calls per second; undefined: no limit. */
  readonly maxRate: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Spreads calls over time: the result waits until the next call may begin. It raises the signal's reason. undefined: no limit. */
export function createThrottle({
  maxRate,
  clock = () => performance.now(),
  sleep = pause,
}: ThrottleSettings): ((signal: AbortSignal) => Promise<void>) | undefined {
  if (maxRate === undefined) return undefined;
  let freeMs = 0;
  return async (signal) => {
    const nowMs = clock();
    const beginMs = Math.max(nowMs, freeMs);
    freeMs = beginMs + 1_000 / maxRate;
    if (beginMs > nowMs) await sleep(beginMs - nowMs, signal);
  };
}

/** Waits that long. Raises the signal's reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
