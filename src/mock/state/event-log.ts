import type { JsonObject } from "../http/json.ts";

/** One event. `at` is in microseconds since 1970. */
export interface LoggedEvent {
  readonly at: number;
  readonly type: string;
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly orgId: string;
  /** Id of the user who caused it; "" for the service itself. */
  readonly editor: string;
  /** Counts per aggregate, from 1 (service behaviour 3). */
  readonly sequence: number;
  /** The two endpoints that create a user word the event differently. */
  readonly origin?: "users-api";
  /** Facts of the event; of an event that creates a user, the user's entry at that moment. */
  readonly payload?: JsonObject;
}

export interface EventLog {
  /** In the order of their times. */
  readonly all: readonly LoggedEvent[];
  append(event: LoggedEvent): void;
  /** Events of one aggregate, the latest first. */
  ofAggregate(aggregateId: string): readonly LoggedEvent[];
  /** The latest event of one aggregate that has one of these types. */
  latest(aggregateId: string, ...types: readonly string[]): LoggedEvent | undefined;
}

export function createEventLog(): EventLog {
  const all: LoggedEvent[] = [];
  const byAggregate = new Map<string, LoggedEvent[]>();
  return {
    all,
    append(event) {
      const events = byAggregate.get(event.aggregateId);
      if (events === undefined) byAggregate.set(event.aggregateId, [event]);
      else events.push(event);
      all.push(event);
    },
    ofAggregate: (aggregateId) => byAggregate.get(aggregateId)?.toReversed() ?? [],
    latest: (aggregateId, ...types) => byAggregate.get(aggregateId)?.findLast(({ type }) => types.includes(type)),
  };
}
