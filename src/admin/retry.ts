import type { RunProblem } from "../problem.ts";

/** The reaction to a failed call. */
export type Remedy =
  | { readonly kind: "again"; readonly pauseMs: number; readonly reason: "busy" | "network" }
  | { readonly kind: "halve-by-count" }
  | { readonly kind: "halve-by-bytes" }
  | { readonly kind: "stop" };

/** How often this call has failed, by the kind of failure. */
export interface Attempts {
  readonly busy: number;
  readonly network: number;
}

const MAX_NETWORK = 3;
/** With the maximal Retry-After, these are fifteen minutes. */
const MAX_BUSY = 15;
const MAX_RETRY_AFTER_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/**
 * The retry policy (design: Trouble). A batch can be repeated because its users have fixed ids: users that an earlier attempt created are
 * reported as existing (service behaviour 2.5). `random` is in 0..1.
 */
export function remedyFor(problem: RunProblem, attempts: Attempts, random: () => number): Remedy {
  switch (problem.code) {
    case "net.busy": {
      if (attempts.busy >= MAX_BUSY) return { kind: "stop" };
      const wait = Math.max(problem.retryAfterMs ?? 0, pause(attempts.busy, random));
      return { kind: "again", pauseMs: Math.min(wait, MAX_RETRY_AFTER_MS), reason: "busy" };
    }
    case "net.gateway":
    case "net.cut-off":
    case "net.broken-answer":
    // Each request gets a new link.
    case "api.link-refused":
      return again(attempts, random);
    case "net.unreachable":
      return problem.reason === "reset" || problem.reason === "refused" ? again(attempts, random) : { kind: "stop" };
    case "net.service-timeout":
    case "net.timeout":
      return { kind: "halve-by-count" };
    case "api.too-large":
      return { kind: "halve-by-bytes" };
    default:
      return { kind: "stop" };
  }
}

/** The remedy for a call of one element, which cannot be halved: a time-out may be temporary. */
export function remedyForSmallest(problem: RunProblem, attempts: Attempts, random: () => number): Remedy {
  return problem.code === "api.too-large" ? { kind: "stop" } : again(attempts, random);
}

function again(attempts: Attempts, random: () => number): Remedy {
  if (attempts.network >= MAX_NETWORK) return { kind: "stop" };
  return { kind: "again", pauseMs: pause(attempts.network, random), reason: "network" };
}

/** Doubles with each attempt up to a limit. A random part of up to half avoids that many clients repeat at the same time. */
function pause(attempt: number, random: () => number): number {
  const full = Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
  return Math.round(full * (0.5 + random() / 2));
}

/** True if the service may have worked on a call that failed with this problem: its outcome is unknown. */
export function mayHaveWorked(problem: RunProblem): boolean {
  switch (problem.code) {
    case "net.cut-off":
    case "net.broken-answer":
    case "net.timeout":
    case "net.service-timeout":
    case "net.gateway":
    case "api.not-json":
    case "api.unexpected":
    case "api.nothing-done":
    case "api.answer-too-large":
    case "run.aborted":
      return true;
    case "net.busy":
      // 429 is sent before any work; a 503 may come from a proxy that stopped waiting.
      return problem.status !== 429;
    case "api.rejected":
      return problem.status >= 500 || problem.status === 499 || problem.status === 408;
    default:
      return false;
  }
}
