import type { Ending, Pace, PacedCall, PaceRanges, Setting } from "./pace-types.ts";

/** A longer call gets half the users, so that Ctrl-C does not wait long. */
const LONG_MS = 15_000;
/** The last calls hold at least this part of the users of a call. */
const SMALLEST_SHARE = 4;
/** So many answers in a row, per call at a time, and one more call is made at a time. */
const QUIET_ROUNDS = 8;

/**
 * A pace that begins at its best setting and is only slowed down: fewer calls after refusals and trouble, fewer users in calls that take
 * long. It tries nothing out, because the answers of a service do not show what it has yet to do for its lists (service behaviour 9.2).
 */
export class SteadyPace implements Pace {
  readonly #ranges: PaceRanges;
  readonly #most: number;
  #calls: number;
  #users: number;
  /** Changes with the setting: calls of an earlier one do not slow it down again. */
  #epoch = 0;
  #quiet = 0;

  constructor(ranges: PaceRanges, { calls, users }: Setting) {
    this.#ranges = ranges;
    this.#most = Math.min(ranges.calls.max, calls);
    this.#calls = this.#most;
    this.#users = this.#within(users);
  }

  get calls(): number {
    return this.#calls;
  }

  get users(): number {
    return this.#users;
  }

  share(left: number): number {
    const share = Math.max(left / this.#calls, this.#users / SMALLEST_SHARE);
    return this.#within(Math.ceil(Math.min(this.#users, share)));
  }

  began(nowMs: number, users: number): PacedCall {
    return { beganMs: nowMs, users, epoch: this.#epoch };
  }

  ended({ beganMs, epoch }: PacedCall, nowMs: number, ending: Ending): void {
    if (ending === "untold") return;
    if (ending !== "answered") {
      this.#quiet = 0;
      if (epoch === this.#epoch) this.#change(Math.floor(this.#calls / 2), this.#users);
      return;
    }
    this.#quiet += 1;
    if (epoch === this.#epoch && nowMs - beganMs > LONG_MS) this.#change(this.#calls, Math.ceil(this.#users / 2));
    if (this.#calls < this.#most && this.#quiet >= QUIET_ROUNDS * this.#calls)
      this.#change(this.#calls + 1, this.#users);
  }

  #change(calls: number, users: number): void {
    this.#epoch += 1;
    this.#quiet = 0;
    this.#calls = Math.max(1, calls);
    this.#users = this.#within(users);
  }

  #within(users: number): number {
    const { min, max } = this.#ranges.users;
    return Math.min(max, Math.max(min, users));
  }
}
