import type { LoggedEvent } from "./event-log.ts";
import { applyChange, type Change, createState, type State } from "./state.ts";

/** What happened to one aggregate; when and as which of its events, the store knows. */
export type NewEvent = Omit<LoggedEvent, "at" | "sequence">;

/** The state with its writer: every change is applied and, with `--data`, written down. */
export interface Store {
  readonly state: State;
  change(change: Change): void;
  /** Writes events of one push: they share one time, later than every time before (service behaviour 3), and are numbered on. */
  push(events: readonly NewEvent[]): void;
  /** Makes what was changed so far survive a crash. */
  commit(): void;
}

/** Where changes are written down. */
export interface Recorder {
  record(change: Change): void;
  commit(): void;
}

export interface StoreOptions {
  readonly now: () => Date;
  /** Already holding what a recorder brought back. */
  readonly state?: State;
  readonly recorder?: Recorder;
}

export function createStore({ now, state = createState(), recorder }: StoreOptions): Store {
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
