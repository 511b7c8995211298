import type { LoggedEvent } from "./event-log.ts";
import { applyChange, type Change, createState, type State } from "./state.ts";

/** An event to write; the store adds its time and its sequence. */
export type NewEvent = Omit<LoggedEvent, "at" | "sequence">;

/** The state and its writer: every change is applied and, with `--data`, recorded. */
export interface Store {
  readonly state: State;
  change(change: Change): void;
  /** Writes events of one push: they share one time, later than every earlier one (service behaviour 3). */
  push(events: readonly NewEvent[]): void;
  /** Makes the changes so far survive a crash. */
  commit(): void;
}

/** Records changes. */
export interface Recorder {
  record(change: Change): void;
  commit(): void;
}

/** A store of a state, new or restored. */
export function createStore(now: () => Date, state = createState(), recorder?: Recorder): Store {
  const { events } = state;
  let lastAt = events.all.at(-1)?.at ?? 0;
  const change = (made: Change): void => {
    applyChange(state, made);
    recorder?.record(made);
  };
  return {
    state,
    change,
    push(pushed) {
      lastAt = Math.max(now().getTime() * 1000, lastAt + 1);
      for (const event of pushed) {
        const sequence = events.ofAggregate(event.aggregateId).length + 1;
        change({ do: "event", event: { ...event, at: lastAt, sequence } });
      }
    },
    commit: () => recorder?.commit(),
  };
}
