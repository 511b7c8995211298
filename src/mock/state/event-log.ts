import { createAggregateIndex } from "./aggregate-index.ts";

/** One event as the log hands it out. `at` is in microseconds since 1970. */
export interface LoggedEvent {
  readonly at: number;
  readonly type: string;
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly orgId: string;
  /** User id of who did it; "" for the service itself. */
  readonly editor: string;
  /** Counts per aggregate, from 1 (service behaviour 3). */
  readonly sequence: number;
  /** Whoever added a person: the two endpoints word the event differently. */
  readonly origin?: "users-api";
  /** Where its text is kept: the payload, or the entry of the user that was added. */
  readonly slot?: number;
}

/**
 * Events in the order they happened, about 30 bytes each: a million imported users have two million. What repeats (type,
 * organization, editor, sequence) is kept once and referred to.
 */
export interface EventLog {
  readonly length: number;
  /** Events must be given in the order of their times. */
  append(event: LoggedEvent): void;
  eventAt(index: number): LoggedEvent;
  /** Index of the first event later than a time. */
  firstAfter(at: number): number;
  /** Events of one aggregate, the latest first. */
  ofAggregate(aggregateId: string): Generator<LoggedEvent>;
  /** The last sequence of an aggregate; 0 when it has no event. */
  lastSequence(aggregateId: string): number;
}

type Shared = Omit<LoggedEvent, "at" | "aggregateId" | "slot">;

const START = 1024;

export function createEventLog(): EventLog {
  const aggregates: string[] = [];
  let times = new Float64Array(START);
  let sharedIndexes = new Uint32Array(START);
  let slots = new Uint32Array(START); // plus 1; 0: no payload
  let previous = new Uint32Array(START); // event of the same aggregate before, plus 1; 0: none
  const index = createAggregateIndex((event) => aggregates[event] as string);
  const shared: Shared[] = [];
  const indexOfShared = new Map<string, number>();
  const indexFor = ({ type, aggregateType, orgId, editor, sequence, origin }: LoggedEvent): number => {
    const key = `${type}\n${aggregateType}\n${orgId}\n${editor}\n${sequence}\n${origin ?? ""}`;
    const known = indexOfShared.get(key);
    if (known !== undefined) return known;
    indexOfShared.set(key, shared.length);
    const one = { type, aggregateType, orgId, editor, sequence, ...(origin === undefined ? {} : { origin }) };
    return shared.push(one) - 1;
  };
  const grow = (): void => {
    const larger = new Float64Array(times.length * 2);
    larger.set(times);
    times = larger;
    [sharedIndexes, slots, previous] = [doubled(sharedIndexes), doubled(slots), doubled(previous)];
  };
  const eventAt = (event: number): LoggedEvent => {
    const slot = slots[event] as number;
    return {
      at: times[event] as number,
      aggregateId: aggregates[event] as string,
      ...(shared[sharedIndexes[event] as number] as Shared),
      ...(slot === 0 ? {} : { slot: slot - 1 }),
    };
  };
  return {
    get length() {
      return aggregates.length;
    },
    append(event) {
      const place = aggregates.length;
      if (place === times.length) grow();
      times[place] = event.at;
      sharedIndexes[place] = indexFor(event);
      slots[place] = event.slot === undefined ? 0 : event.slot + 1;
      const before = index.latest(event.aggregateId);
      previous[place] = before === undefined ? 0 : before + 1;
      aggregates.push(event.aggregateId);
      index.set(event.aggregateId, place);
    },
    eventAt,
    firstAfter(at) {
      let low = 0;
      let high = aggregates.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((times[middle] as number) > at) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    *ofAggregate(aggregateId) {
      for (let next = (index.latest(aggregateId) ?? -1) + 1; next > 0; next = previous[next - 1] as number) {
        yield eventAt(next - 1);
      }
    },
    lastSequence(aggregateId) {
      const last = index.latest(aggregateId);
      return last === undefined ? 0 : (shared[sharedIndexes[last] as number] as Shared).sequence;
    },
  };
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
