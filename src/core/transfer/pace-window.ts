/** What the calls of a while came to. */
export interface Measure {
  readonly usersPerSecond: number;
  readonly usersPerCallMs: number;
  /** Of one call, on average. */
  readonly callMs: number;
  readonly callUsers: number;
}

/** Takes note of calls for a while. Times are milliseconds of one clock. */
export class PaceWindow {
  readonly #sinceMs: number;
  #nowMs: number;
  #inFlight: number;
  #inFlightMs = 0;
  #callMs = 0;
  #users = 0;
  #ended = 0;
  #failed = 0;

  /** Begins while so many calls are under way. */
  constructor(nowMs: number, inFlight: number) {
    this.#sinceMs = nowMs;
    this.#nowMs = nowMs;
    this.#inFlight = inFlight;
  }

  get ended(): number {
    return this.#ended;
  }

  get failed(): number {
    return this.#failed;
  }

  get ms(): number {
    return this.#nowMs - this.#sinceMs;
  }

  /** From now on so many calls are under way. */
  inFlight(calls: number, nowMs: number): void {
    this.#inFlightMs += this.#inFlight * (nowMs - this.#nowMs);
    this.#nowMs = nowMs;
    this.#inFlight = calls;
  }

  /** A call ended that took so long; users: those that were answered for. */
  end({ ms, users, isFailed }: { readonly ms: number; readonly users: number; readonly isFailed: boolean }): void {
    this.#callMs += ms;
    this.#users += users;
    this.#ended += 1;
    if (isFailed) this.#failed += 1;
  }

  /** By Little's law: how many were in flight on average, times how fast one of them was. One that failed is time without users. */
  measure(): Measure {
    const usersPerCallMs = this.#users / Math.max(this.#callMs, 1);
    const inFlight = this.#inFlightMs / Math.max(this.ms, 1);
    const ended = Math.max(this.#ended, 1);
    return {
      usersPerCallMs,
      usersPerSecond: 1000 * inFlight * usersPerCallMs,
      callMs: this.#callMs / ended,
      callUsers: this.#users / ended,
    };
  }
}

/** The fixed cost of a call in milliseconds, from calls of two sizes. */
export function fixedCost(a: Measure, b: Measure): number {
  if (b.callUsers <= a.callUsers) return 0;
  const each = (b.callMs - a.callMs) / (b.callUsers - a.callUsers);
  return Math.max(0, Math.min(a.callMs, a.callMs - each * a.callUsers));
}
