import { createUserChanges } from "../../../admin/user-changes.ts";
import { ProblemError } from "../../../problem.ts";
import type { Asking } from "../../shared/asking.ts";

/** A push of the service ends within this time (service behaviour 9.2). */
const MOST_MS = 15_000;
const LOOK_MS = 500;
/** Without a new event for so long, the abandoned call has ended. */
const QUIET_MS = 2_000;

/**
 * The wait after a call without an answer: the service may still be writing, and a second call beside it would be a concurrent write. It
 * lasts until the event log is at rest, or 15 s at most.
 */
export class Rest {
  readonly #asking: Asking;
  #isDue: boolean;
  #waiting: Promise<void> | undefined;

  /** @param isDue a call of an earlier run has no answer. */
  constructor(asking: Asking, isDue: boolean) {
    this.#asking = asking;
    this.#isDue = isDue;
  }

  /** A call has no answer. */
  due(): void {
    this.#isDue = true;
  }

  /** For a progress line; "" while nothing waits. */
  note(): string {
    return this.#waiting === undefined ? "" : "waiting for an abandoned call to end";
  }

  /** Returns when the next call may write. Raises the signal's reason. */
  async wait(): Promise<void> {
    if (!this.#isDue && this.#waiting === undefined) return;
    this.#waiting ??= this.#untilAtRest().finally(() => {
      this.#waiting = undefined;
    });
    await this.#waiting;
  }

  async #untilAtRest(): Promise<void> {
    const { api, retry, signal } = this.#asking;
    this.#isDue = false;
    const self = await ifAnswered(() => createUserChanges(api).self(signal));
    let last = await this.#newest(self);
    let quietMs = 0;
    for (let waitedMs = 0; waitedMs < MOST_MS && quietMs < QUIET_MS; waitedMs += LOOK_MS) {
      await retry.sleep(LOOK_MS, signal);
      const newest = await this.#newest(self);
      quietMs = newest !== undefined && newest === last ? quietMs + LOOK_MS : 0;
      last = newest;
    }
  }

  /** The newest event that this job's service user caused; undefined if it cannot be read. */
  async #newest(self: string | undefined): Promise<string | undefined> {
    const { api, signal } = this.#asking;
    const request = { limit: 1, asc: false, ...(self === undefined ? {} : { editor_user_id: self }) };
    const page = await ifAnswered(() => api.searchEvents(request, signal));
    const [event] = page?.events ?? [];
    if (page === undefined || event === undefined) return page && "";
    return `${event.aggregate.id} ${event.sequence} ${event.creationDate}`;
  }
}

/**
 * The answer to one call that nothing depends on; undefined without one: the next call that writes meets the same problem, and reports
 * it. Raises run.aborted, and what is no problem.
 */
export async function ifAnswered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
    return undefined;
  }
}
