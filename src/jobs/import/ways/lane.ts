import type { RetryContext } from "../../../admin/with-retry.ts";
import type { Ending, Pace } from "../../../core/transfer/pace.ts";
import { ProblemError, type RunProblem } from "../../../problem.ts";
import { createLimiter } from "../../shared/limiter.ts";

/** How calls of one kind are made: so many at a time and so large as their pace says. */
export interface Lane {
  readonly pace: Pick<Pace, "calls" | "users" | "share">;
  /** Does work when it is its turn. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** Makes one call, which the pace takes notice of; not before the service wants to be asked again. */
  call<T>(users: number, call: () => Promise<T>): Promise<T>;
}

interface LaneSettings {
  readonly retry: Pick<RetryContext, "sleep">;
  readonly signal: AbortSignal;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock: () => number;
  /** Calls at a time in all lanes together. */
  readonly maxCalls: number;
}

/** Retry-After is followed so far, as for a single call (admin/retry.ts). */
const MAX_WAIT_MS = 60_000;

/** One lane for each pace. What keeps one call waiting, because the service said so, keeps those of all lanes. */
export function createLanes<Key extends string>(
  paces: Readonly<Record<Key, Pace>>,
  { retry, signal, clock, maxCalls }: LaneSettings,
): Readonly<Record<Key, Lane>> {
  const all = createLimiter(() => maxCalls);
  let quietUntilMs = 0;
  const toLane = (pace: Pace): Lane => {
    const own = createLimiter(() => pace.calls);
    return {
      pace,
      turn: (work) => own.run(() => all.run(work)),
      async call(users, call) {
        const waitMs = quietUntilMs - clock();
        if (waitMs > 0) await retry.sleep(waitMs, signal);
        const paced = pace.began(clock(), users);
        let ending: Ending = "untold";
        try {
          const result = await call();
          ending = "answered";
          return result;
        } catch (error) {
          if (error instanceof ProblemError) {
            ending = endingOf(error.problem);
            quietUntilMs = Math.max(quietUntilMs, clock() + retryAfterMs(error.problem));
          }
          throw error;
        } finally {
          pace.ended(paced, clock(), ending);
        }
      },
    };
  };
  const entries = Object.entries<Pace>(paces).map(([key, pace]) => [key, toLane(pace)]);
  return Object.fromEntries(entries) as Record<Key, Lane>; // the same keys
}

function retryAfterMs(problem: RunProblem): number {
  return problem.code === "net.busy" ? Math.min(MAX_WAIT_MS, problem.retryAfterMs ?? 0) : 0;
}

/** What the end of a call without an answer says about the pace. */
function endingOf(problem: RunProblem): Ending {
  switch (problem.code) {
    case "net.busy":
      return problem.status === 429 ? "busy" : "overloaded";
    case "net.service-timeout":
    case "net.timeout":
    case "net.gateway":
    case "net.cut-off":
    case "net.broken-answer":
    case "net.unreachable":
      return "overloaded";
    default:
      return "untold";
  }
}
