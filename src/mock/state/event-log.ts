/** One event as the log hands it out. `at` is in microseconds since 1970. */
export interface LoggedEvent {
  readonly at: number;
  readonly type: string;
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly orgId: string;
  readonly editor: string;
  /** Counts per aggregate, from 1 (service behaviour 3). */
  readonly sequence: number;
}

/**
 * Events in the order they happened, about 20 bytes each: a million imported users have two million. What repeats (type,
 * organization, editor, sequence) is kept once and referred to.
 */
export interface EventLog {
  readonly length: number;
  /** Events must be given in the order of their times. */
  append(event: LoggedEvent): void;
  eventAt(index: number): LoggedEvent;
  /** Index of the first event later than a time. */
  firstAfter(at: number): number;
  /** The last sequence of an aggregate; looks through the whole log. */
  lastSequence(aggregateId: string): number;
}

type Shared = Pick<LoggedEvent, "type" | "aggregateType" | "orgId" | "editor" | "sequence">;

export function createEventLog(): EventLog {
  const aggregates: string[] = [];
  let times = new Float64Array(1024);
  let sharedIndexes = new Uint32Array(1024);
  const shared: Shared[] = [];
  const indexOfShared = new Map<string, number>();
  const indexFor = ({ type, aggregateType, orgId, editor, sequence }: LoggedEvent): number => {
    const key = `${type}\n${aggregateType}\n${orgId}\n${editor}\n${sequence}`;
    const known = indexOfShared.get(key);
    if (known !== undefined) return known;
    indexOfShared.set(key, shared.length);
    return shared.push({ type, aggregateType, orgId, editor, sequence }) - 1;
  };
  const grow = (): void => {
    const [oldTimes, oldIndexes] = [times, sharedIndexes];
    times = new Float64Array(oldTimes.length * 2);
    sharedIndexes = new Uint32Array(oldIndexes.length * 2);
    times.set(oldTimes);
    sharedIndexes.set(oldIndexes);
  };
  return {
    get length() {
      return aggregates.length;
    },
    append(event) {
      if (aggregates.length === times.length) grow();
      times[aggregates.length] = event.at;
      sharedIndexes[aggregates.length] = indexFor(event);
      aggregates.push(event.aggregateId);
    },
    eventAt: (index) => ({
      at: times[index] as number,
      aggregateId: aggregates[index] as string,
      ...(shared[sharedIndexes[index] as number] as Shared),
    }),
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
    lastSequence(aggregateId) {
      const last = aggregates.lastIndexOf(aggregateId);
      return last < 0 ? 0 : (shared[sharedIndexes[last] as number] as Shared).sequence;
    },
  };
}
