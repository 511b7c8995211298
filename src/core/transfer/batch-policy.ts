import type { BatchLimits } from "./batches.ts";

/**
 * The sizes of the calls of a job. Pure: the sender asks it before each call, and reports how each call ended.
 */
export interface BatchPolicy {
  /** What the next call may hold. */
  readonly limits: BatchLimits;
  /** A call was answered in time. */
  wentWell(): void;
  /** A call with that many elements ran into its time limit. */
  tookTooLong(elements: number): void;
  /** A call of that many bytes was refused for its size. */
  wasTooLarge(bytes: number): void;
}

/** Half of the calls that must go well before calls get larger again after the first time-out. */
const GROW_AFTER = 4;

/**
 * Begins with what is allowed, halves what was too much, and after a time-out doubles again towards what is allowed, each time after
 * a longer row of calls that went well. A size that was refused stays refused.
 */
export function createHalvingPolicy(allowed: BatchLimits): BatchPolicy {
  let { users, bytes } = allowed;
  let smooth = 0;
  let growAfter = GROW_AFTER;
  return {
    get limits() {
      return { users, bytes };
    },
    wentWell() {
      smooth += 1;
      if (smooth < growAfter || users >= allowed.users) return;
      users = Math.min(users * 2, allowed.users);
      smooth = 0;
    },
    tookTooLong(elements) {
      users = Math.min(users, Math.ceil(elements / 2));
      smooth = 0;
      growAfter *= 2;
    },
    wasTooLarge(size) {
      bytes = Math.min(bytes, Math.ceil(size / 2));
    },
  };
}
