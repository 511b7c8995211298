/** Calls that may be in flight at a time, at most, and the users of one call, from the first call on. */
export interface PaceLimits {
  readonly calls: number;
  readonly users: Range;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** A range of one value. */
export const exactly = (value: number): Range => ({ min: value, max: value });

/** A call in flight. */
export interface PacedCall {
  readonly beganMs: number;
  readonly users: number;
  /** The setting at the begin of the call. */
  readonly epoch: number;
}

/**
 * The end of a call: answered; refused because there are too many calls (429); in trouble (503, a lost connection, a time limit); or an
 * end that does not measure the rate.
 */
export type Ending = "answered" | "busy" | "overloaded" | "other";

/** Calls that take less time get more users, so that the fixed cost of a call does not count. */
const SHORT_MS = 4_000;
const VERY_SHORT_MS = 500;
/** Calls that take more time get fewer users, so that Ctrl-C does not wait long. */
const LONG_MS = 15_000;
/** The last calls hold at least this part of the users of a call. */
const SMALLEST_SHARE = 4;
/** Answers in a row, for each concurrent call, before a setting that failed is tried again. Doubles each time. */
const PATIENCE = 8;
/** Half of the answers before calls may get larger again after the first time limit. */
const GROW_AFTER = 4;

/**
 * The number of concurrent calls and the number of users in a call. Calls are small at first and grow until they take some seconds. The
 * number of concurrent calls only falls, after refusals and trouble, and rises again to the limit: a faster answer is no reason for more
 * calls, because it does not show what the service still has to do for its lists (service behaviour 9.2). The caller gives the time, in
 * milliseconds of one clock.
 */
export class Pace {
  readonly #limits: PaceLimits;
  #calls: number;
  #users: number;
  /** Larger calls failed or took long. */
  #mostUsers: number;
  /** Changes with the setting: calls of an earlier one do not change it again. */
  #epoch = 0;
  #answersInRow = 0;
  #patience = PATIENCE;
  /** Larger calls ran into their time limit; below the range of the limits, too. */
  #largest: number;
  #answersOfLargest = 0;
  #growAfter = GROW_AFTER;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
    this.#calls = limits.calls;
    this.#users = limits.users.min;
    this.#mostUsers = limits.users.max;
    this.#largest = limits.users.max;
  }

  /** Concurrent calls, as of now. */
  get calls(): number {
    return this.#calls;
  }

  /** Users in a call, as of now. */
  get users(): number {
    return this.#users;
  }

  /** Users in a call, at most: larger calls ran into their time limit. */
  get largest(): number {
    return this.#largest;
  }

  /** Users in the next call if so many are left: the last calls share the rest, so that all end at about the same time. */
  share(left: number): number {
    const share = Math.max(left / this.#calls, this.#users / SMALLEST_SHARE);
    return Math.min(this.#largest, this.#within(Math.ceil(Math.min(this.#users, share))));
  }

  began(nowMs: number, users: number): PacedCall {
    return { beganMs: nowMs, users, epoch: this.#epoch };
  }

  ended({ beganMs, users, epoch }: PacedCall, nowMs: number, ending: Ending): void {
    if (ending === "other") return;
    const isCurrent = epoch === this.#epoch;
    if (ending !== "answered") {
      this.#answersInRow = 0;
      if (isCurrent) this.#slowDown(ending);
      return;
    }
    this.#answersInRow += 1;
    this.#enlarge();
    if (this.#answersInRow >= this.#patience * this.#calls) this.#recover();
    else if (isCurrent) this.#resize(nowMs - beganMs, users);
  }

  /** A call with so many users ran into its time limit: later calls have half of them, until enough calls were answered. */
  tookTooLong(users: number): void {
    this.#largest = Math.min(this.#largest, Math.ceil(users / 2));
    this.#answersOfLargest = 0;
    this.#growAfter *= 2;
  }

  #enlarge(): void {
    this.#answersOfLargest += 1;
    if (this.#answersOfLargest < this.#growAfter) return;
    this.#largest = Math.min(this.#limits.users.max, this.#largest * 2);
    this.#answersOfLargest = 0;
  }

  #slowDown(ending: "busy" | "overloaded"): void {
    if (this.#calls > 1) this.#calls = Math.floor(this.#calls / 2);
    else if (ending === "overloaded") this.#shrink();
    this.#patience *= 2;
    this.#epoch += 1;
  }

  #recover(): void {
    this.#answersInRow = 0;
    if (this.#calls === this.#limits.calls && this.#mostUsers === this.#limits.users.max) return;
    this.#calls = Math.min(this.#limits.calls, this.#calls + 1);
    this.#mostUsers = Math.min(this.#limits.users.max, this.#mostUsers * 2);
    this.#epoch += 1;
  }

  #resize(ms: number, users: number): void {
    if (ms > LONG_MS) {
      this.#shrink();
      this.#epoch += 1;
    } else if (ms < SHORT_MS && users >= this.#users && this.#users < this.#mostUsers) {
      this.#users = Math.min(this.#mostUsers, this.#users * (ms < VERY_SHORT_MS ? 4 : 2));
      this.#epoch += 1;
    }
  }

  #shrink(): void {
    this.#users = this.#within(Math.ceil(this.#users / 2));
    this.#mostUsers = this.#users;
  }

  #within(users: number): number {
    const { min, max } = this.#limits.users;
    return Math.min(max, Math.max(min, users));
  }
}
