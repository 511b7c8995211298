import type { Ending, Pace } from "../../src/core/transfer/pace.ts";

/**
 * The throughput of a service as a formula, in simulated time: for the pace alone, which no call is needed to test. It is no fake of
 * the service: the mock would take hours for these cases.
 */
export interface SimulatedService {
  /** Users a second that it makes in all while it works on so many calls. */
  rate(calls: number, nowMs: number): number;
  /** Fixed duration of each call. */
  readonly fixedMs?: number;
  /** Work a user is, by the users of the call; 1 when not given. */
  cost?(callUsers: number): number;
  /** Whether a call is refused at once. */
  refuse?(state: { readonly calls: number; readonly nowMs: number; readonly users: number }): Refusal | undefined;
  /** Calls that take longer fail. */
  readonly limitMs?: number;
}

export interface Refusal {
  readonly ending: Exclude<Ending, "answered" | "other">;
  readonly pauseMs: number;
  /** The pause is for all calls, as Retry-After. */
  readonly isForAll?: boolean;
}

export interface Simulated {
  readonly usersPerSecond: number;
  readonly seconds: number;
  readonly calls: number;
  readonly refused: number;
  readonly mostAtATime: number;
  readonly firstDoneMs: number;
  readonly longestCallMs: number;
  readonly final: { readonly calls: number; readonly users: number };
  readonly trace: readonly { readonly atMs: number; readonly calls: number; readonly users: number }[];
}

interface Running {
  readonly users: number;
  readonly beganMs: number;
  readonly paced: ReturnType<Pace["began"]>;
  fixedLeftMs: number;
  work: number;
}

/** At least that often it is looked at what the service gives. */
const MAX_STEP_MS = 50;
const NETWORK_PAUSE_MS = 400;
const MAX_SECONDS = 3_600;

/** Sends so many users at that pace: the first call alone, because it makes the organization, and the last ones smaller. */
export function simulate(service: SimulatedService, pace: Pace, users: number): Simulated {
  const running = new Set<Running>();
  const again: { users: number; fromMs: number }[] = [];
  const trace: { atMs: number; calls: number; users: number }[] = [];
  let left = users;
  let done = 0;
  let [calls, refused, mostAtATime, firstDoneMs, longestCallMs, gateMs, nowMs] = [0, 0, 0, 0, 0, 0, 0];
  const begin = (size: number): void => {
    calls += 1;
    const paced = pace.began(nowMs, size);
    const refusal = service.refuse?.({ calls: running.size, nowMs, users: size });
    if (refusal !== undefined) {
      refused += 1;
      pace.ended(paced, nowMs + 1, refusal.ending);
      const fromMs = nowMs + refusal.pauseMs;
      if (refusal.isForAll === true) gateMs = Math.max(gateMs, fromMs);
      again.push({ users: size, fromMs });
      return;
    }
    const work = size * (service.cost?.(size) ?? 1);
    running.add({ users: size, beganMs: nowMs, paced, fixedLeftMs: service.fixedMs ?? 0, work });
    mostAtATime = Math.max(mostAtATime, running.size);
  };
  const end = (call: Running, ending: Ending): void => {
    running.delete(call);
    longestCallMs = Math.max(longestCallMs, nowMs - call.beganMs);
    pace.ended(call.paced, nowMs, ending);
    if (ending === "answered") done += call.users;
    else for (const half of halves(call.users)) again.push({ users: half, fromMs: nowMs + NETWORK_PAUSE_MS });
    if (firstDoneMs === 0 && done > 0) firstDoneMs = nowMs;
    const last = trace.at(-1);
    if (last?.calls !== pace.calls || last.users !== pace.users)
      trace.push({ atMs: nowMs, calls: pace.calls, users: pace.users });
  };
  while (done < users && nowMs < 1000 * MAX_SECONDS) {
    while (nowMs >= gateMs && running.size < (done === 0 ? 1 : pace.calls)) {
      const ready = again.findIndex(({ fromMs }) => fromMs <= nowMs);
      if (ready >= 0) begin(again.splice(ready, 1)[0]?.users ?? 0);
      else if (left > 0 && again.length + running.size < (done === 0 ? 1 : pace.calls)) {
        const size = Math.min(left, pace.share(left));
        left -= size;
        begin(size);
      } else break;
    }
    const working = [...running].filter(({ fixedLeftMs }) => fixedLeftMs <= 0).length;
    const share = service.rate(working, nowMs) / Math.max(working, 1) / 1000;
    const untilNextMs = [...running].map(({ fixedLeftMs, work }) => (fixedLeftMs > 0 ? fixedLeftMs : work / share));
    const stepMs = Math.max(0.01, Math.min(MAX_STEP_MS, ...untilNextMs));
    nowMs += stepMs;
    for (const call of [...running]) {
      if (call.fixedLeftMs > 0) call.fixedLeftMs -= stepMs;
      else call.work -= share * stepMs;
      if (call.work <= 1e-6) end(call, "answered");
      else if (nowMs - call.beganMs > (service.limitMs ?? Number.POSITIVE_INFINITY)) end(call, "overloaded");
    }
  }
  const seconds = nowMs / 1000;
  const final = { calls: pace.calls, users: pace.users };
  return {
    usersPerSecond: done / seconds,
    seconds,
    calls,
    refused,
    mostAtATime,
    firstDoneMs,
    longestCallMs,
    final,
    trace,
  };
}

function halves(users: number): readonly number[] {
  return users < 2 ? [users] : [Math.ceil(users / 2), Math.floor(users / 2)];
}
