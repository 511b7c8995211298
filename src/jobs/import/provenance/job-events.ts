import { withRetry } from "../../../admin/with-retry.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import { isOwn, readSelf } from "../../shared/user-life.ts";
import type { Asking } from "../import-run.ts";

/** True for an event that a call of this job may have written, in `orgId` if it is given. */
export type IsOwnEvent = (event: ServiceEvent, orgId?: string) => boolean;

/** The target's event log, as far as it says what this job created. */
export class JobEvents {
  readonly asking: Asking;
  readonly #state: Pick<JobState, "job">;
  #self: Promise<string | undefined> | undefined;

  constructor(asking: Asking, state: Pick<JobState, "job">) {
    this.asking = asking;
    this.#state = state;
  }

  /** The time of the target's newest event before the job; undefined if its events cannot be read. */
  get mark(): string | undefined {
    return this.#state.job?.mark;
  }

  /** Tells the events of this job from others: later than its mark, by its service user. Raises net.*, auth.refused. */
  async isOwn(): Promise<IsOwnEvent> {
    const { mark } = this;
    if (mark === undefined) return () => false;
    this.#self ??= readSelf(this.asking);
    const self = await this.#self;
    return (event, orgId) => isOwn(event, { mark, self, orgId });
  }

  /** The newest event of some types about an object; undefined without one. Raises what reading events raises. */
  async newest(id: string, eventTypes: readonly string[]): Promise<ServiceEvent | undefined> {
    const { api, retry, signal } = this.asking;
    const request = { limit: 1, asc: false, aggregate_id: id, event_types: [...eventTypes] };
    return (await withRetry(() => api.searchEvents(request, signal), retry, signal)).events[0];
  }
}
