import { ProblemError, type RunProblem } from "../problem.ts";
import { type Attempts, type Remedy, remedyFor } from "./retry.ts";

/** What waiting needs; tests bring their own clock and chance. */
export interface RetryContext {
  /** Resolves after `ms`; rejects with the signal's reason when that is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0..1 */
  random(): number;
  /** Called before each pause. */
  onPause(problem: RunProblem, pauseMs: number): void;
}

/** Decides about a call that failed; it may note the failure as well. */
export type Decide = (problem: RunProblem, attempts: Attempts, random: () => number) => Remedy;

/** Repeats a call as the retry policy, or `decide`, says. Raises the problem of a call that is not repeated. */
export async function withRetry<T>(
  call: () => Promise<T>,
  retry: RetryContext,
  signal: AbortSignal,
  decide: Decide = remedyFor,
): Promise<T> {
  let attempts: Attempts = { busy: 0, network: 0 };
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const remedy = decide(error.problem, attempts, retry.random);
      if (remedy.kind !== "again") throw error;
      attempts = { ...attempts, [remedy.reason]: attempts[remedy.reason] + 1 };
      retry.onPause(error.problem, remedy.pauseMs);
      await retry.sleep(remedy.pauseMs, signal);
    }
  }
}
