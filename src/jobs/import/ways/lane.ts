import { mayHaveWorked, remedyFor, remedyForSmallest } from "../../../admin/retry.ts";
import { type Decide, type RetryContext, withRetry } from "../../../admin/with-retry.ts";
import type { Item } from "../../../core/document/items.ts";
import type { Ending, Pace } from "../../../core/transfer/pace.ts";
import { ProblemError, type RunProblem } from "../../../problem.ts";
import type { Asking } from "../../shared/asking.ts";
import { createLimiter } from "../../shared/limiter.ts";
import type { Ledger } from "../ledger.ts";
import type { LaneKey } from "../settings.ts";
import type { Rest } from "./rest.ts";

/** How calls of one kind are made: as many at a time and as large as their pace says. */
export interface Lane {
  readonly pace: Pick<Pace, "calls" | "users" | "largest" | "share" | "tookTooLong">;
  /** Does work when it is its turn. `isFirst`: before all that waits for a turn. */
  turn<T>(work: () => Promise<T>, isFirst?: boolean): Promise<T>;
  /** Makes one call and measures it for the pace; waits as long as the service asked for. */
  call<T>(users: number, call: () => Promise<T>): Promise<T>;
  /** An answer is no answer: the service may still be writing. */
  noteLost(): void;
}

export type Lanes = Readonly<Record<LaneKey, Lane>>;

/** What calls that write need. */
export interface Calling extends Asking {
  readonly lanes: Lanes;
}

interface LaneSettings {
  readonly retry: Pick<RetryContext, "sleep">;
  readonly signal: AbortSignal;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  /** Concurrent calls in all lanes together. */
  readonly maxCalls: number;
  /** The wait after a lost answer; undefined where the next call may be made at once. */
  readonly rest?: Pick<Rest, "due" | "wait"> | undefined;
  /** Called with the milliseconds of each answered call. */
  readonly onCall?: (ms: number) => void;
}

/** The longest Retry-After that is followed, as for a single call (admin/retry.ts). */
const MAX_WAIT_MS = 60_000;

/** Changes an existing user as soon as there is room for the call, and repeats it as the retry policy says. */
export function callUser<T>(calling: Calling, call: () => Promise<T>): Promise<T> {
  return calling.lanes.changes.turn(() => callInTurn(calling, call));
}

/** The same within a turn of this lane that has begun. */
export function callInTurn<T>({ lanes: { changes }, retry, signal }: Calling, call: () => Promise<T>): Promise<T> {
  return withRetry(() => changes.call(1, call), retry, signal);
}

/**
 * The retry policy of a call that creates these items: notes in the ledger what a failed call may have created. `shrink` is called where
 * a smaller call is the remedy; false: the call cannot be made smaller, and is repeated as it is.
 */
export function decideFor(
  items: readonly Item[],
  ledger: Ledger,
  shrink: (problem: RunProblem, how: "halve-by-count" | "halve-by-bytes") => boolean,
): Decide {
  const begun = ledger.clock;
  return (problem, attempts, random) => {
    if (mayHaveWorked(problem)) ledger.lose(items, begun);
    else ledger.release(items);
    const remedy = remedyFor(problem, attempts, random);
    if (remedy.kind !== "halve-by-count" && remedy.kind !== "halve-by-bytes") return remedy;
    return shrink(problem, remedy.kind) ? remedy : remedyForSmallest(problem, attempts, random);
  };
}

/** One lane for each pace. If the service asks one call to wait, or an answer is lost, calls of all lanes wait. */
export function createLanes<Key extends string>(
  paces: Readonly<Record<Key, Pace>>,
  { retry, signal, clock, maxCalls, rest, onCall = () => {} }: LaneSettings,
): Readonly<Record<Key, Lane>> {
  const all = createLimiter(() => maxCalls);
  let quietUntilMs = 0;
  const noteLoss = (error: unknown): void => {
    if (error instanceof ProblemError && mayHaveWorked(error.problem)) rest?.due();
  };
  const atRest = async <T>(work: () => Promise<T>): Promise<T> => {
    await rest?.wait();
    try {
      return await work();
    } catch (error) {
      noteLoss(error);
      throw error;
    }
  };
  const toLane = (pace: Pace): Lane => {
    const own = createLimiter(() => pace.calls);
    return {
      pace,
      turn: (work, isFirst) => own.run(() => all.run(() => atRest(work), isFirst), isFirst),
      noteLost: () => rest?.due(),
      async call(users, call) {
        const waitMs = quietUntilMs - clock();
        if (waitMs > 0) await retry.sleep(waitMs, signal);
        await rest?.wait();
        const begunMs = clock();
        const paced = pace.began(begunMs, users);
        let ending: Ending = "other";
        try {
          const result = await call();
          ending = "answered";
          onCall(clock() - begunMs);
          return result;
        } catch (error) {
          noteLoss(error);
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
      return "other";
  }
}
