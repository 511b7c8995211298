import fc from "fast-check";
import { expect, test } from "vitest";
import type { AdminApi } from "../../../src/admin/client.ts";
import { listEvents } from "../../../src/admin/events.ts";
import type { EventsRequest, ServiceEvent } from "../../../src/contract/events.ts";
import { ProblemError } from "../../../src/problem.ts";
import { runs } from "../../helpers/runs.ts";

const retry = { sleep: async () => {}, random: () => 0, onPause() {} };
const signal = new AbortController().signal;

/** Microseconds since 1970 as the service writes them. */
function timestamp(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString().replace("Z", `${String(micros % 1000).padStart(3, "0")}Z`);
}

function micros(text: string): number {
  const fraction = (/\.(\d+)Z$/.exec(text)?.[1] ?? "").padEnd(6, "0");
  return Date.parse(text.replace(/\.\d+/, "")) * 1000 + Number(fraction);
}

function event(id: string, at: number, sequence = "1", type = "user.human.added"): ServiceEvent {
  return {
    aggregate: { id, resourceOwner: "org" },
    sequence,
    creationDate: timestamp(at),
    type: { type },
    payload: {},
  };
}

interface FakeService {
  readonly api: AdminApi;
  readonly calls: EventsRequest[];
}

/** The events in the order of their transactions, paged as the real service does it (service behaviour 3); a page holds at most `most`. */
function serving(log: readonly ServiceEvent[], most = 1_000): FakeService {
  return answering(({ asc, from, sequence, limit = most }) => {
    const found = log.filter(
      ({ creationDate, sequence: own }) =>
        (from === undefined || (asc ? micros(creationDate) > micros(from) : micros(creationDate) < micros(from))) &&
        (sequence === undefined || (asc ? Number(own) > Number(sequence) : Number(own) < Number(sequence))),
    );
    if (asc !== true) found.reverse();
    return found.slice(0, Math.min(limit, most));
  });
}

function answering(answer: (request: EventsRequest) => readonly ServiceEvent[]): FakeService {
  const calls: EventsRequest[] = [];
  const searchEvents: AdminApi["searchEvents"] = async (request) => {
    calls.push(request);
    if (calls.length > 60) throw new Error("it never stops asking");
    return { events: [...answer(request)] };
  };
  const address = { origin: "http://h", host: "h", base: "http://h", isLoopback: true };
  return { calls, api: { address, searchEvents } as unknown as AdminApi }; // listEvents uses these two alone
}

async function readAll(api: AdminApi, after?: string): Promise<ServiceEvent[]> {
  const events: ServiceEvent[] = [];
  const filter = { eventTypes: ["user.human.added"], ...(after === undefined ? {} : { after }) };
  for await (const one of listEvents(api, filter, retry, signal)) events.push(one);
  return events;
}

const START = Date.parse("2026-01-02T03:04:05Z") * 1000;

test("every event comes once, though events of concurrent calls are out of the order of their times", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ gap: fc.nat(2_000), late: fc.nat(100_000) }), {
        minLength: 1,
        maxLength: 3_500,
        size: "max",
      }),
      async (steps) => {
        let now = START;
        const log = steps.map(({ gap, late }, index) => {
          now += gap;
          // Few begin long before they end.
          return event(`u${index}`, index % 10 === 0 ? now - late : now);
        });
        const { api } = serving(log);
        const ids = (await readAll(api)).map(({ aggregate }) => aggregate.id);
        expect(ids.toSorted()).toEqual(log.map(({ aggregate }) => aggregate.id).toSorted());
      },
    ),
    { numRuns: runs(10) },
  );
});

test.each([
  ["counts per object", (): string => "1"],
  ["counts everything in one row", (index: number): string => String(index + 1)],
])(
  "1,500 events of one instant are all read from a service that %s, and what comes after them",
  async (_, sequence) => {
    const log = Array.from({ length: 1_500 }, (_, index) => event(`u${index}`, START, sequence(index)));
    log.push(
      ...Array.from({ length: 30 }, (_, index) =>
        event(`v${index}`, START + 5_000_000 + index, sequence(1_500 + index)),
      ),
    );
    const { api } = serving(log);
    const ids = (await readAll(api)).map(({ aggregate }) => aggregate.id);
    expect(ids).toHaveLength(1_530);
    expect(new Set(ids).size).toBe(1_530);
  },
);

test.each([1_000, 1_999])("exactly %i events of one instant are read", async (count) => {
  const { api } = serving(Array.from({ length: count }, (_, index) => event(`u${index}`, START)));
  await expect(readAll(api)).resolves.toHaveLength(count);
});

test("more events of one instant than two pages can show are a problem, not a loss", async () => {
  const { api } = serving(Array.from({ length: 2_500 }, (_, index) => event(`u${index}`, START)));
  await expect(readAll(api)).rejects.toThrow("api.events-stuck");
});

test.each([
  ["the same page", (index: number): string => timestamp(START + index * 1_000)],
  ["the same page without dates", (): string => ""],
  ["the same page with dates that are none", (): string => "yesterday"],
])("a service that answers %s to every call is called a few times only", async (_, date) => {
  const page = Array.from({ length: 1_000 }, (_, index) => ({
    ...event(`u${index}`, START),
    creationDate: date(index),
  }));
  const { api, calls } = answering(() => page);
  await expect(readAll(api)).rejects.toThrow("api.events-stuck");
  expect(calls.length).toBeLessThan(10);
});

test("an event without a date on a page that is not full is read", async () => {
  const { api } = answering(() => [{ ...event("u1", START), creationDate: "" }]);
  await expect(readAll(api)).resolves.toHaveLength(1);
});

test("a page that is too large to be answered is asked for in halves, and the rest in such pages, too", async () => {
  const log = Array.from({ length: 2_200 }, (_, index) => event(`u${index}`, START + index * 1_000));
  const { api: whole } = serving(log);
  const limits: number[] = [];
  const api = {
    ...whole,
    searchEvents: async (request: EventsRequest, abort: AbortSignal) => {
      limits.push(request.limit ?? 0);
      if ((request.limit ?? 0) > 300) throw new ProblemError({ code: "api.too-large", host: "h", sentBytes: 1 });
      return whole.searchEvents(request, abort);
    },
  };
  await expect(readAll(api)).resolves.toHaveLength(2_200);
  expect(limits.slice(0, 3)).toEqual([1_000, 500, 250]);
  expect(new Set(limits.slice(3))).toEqual(new Set([250]));
});

test("a small page of one object's events loses no events of others at the same time", async () => {
  const many = ["1", "2", "3", "4"].map((sequence) => event("ada", START, sequence, "user.metadata.set"));
  const { api: whole } = serving([...many, event("bob", START, "1"), event("cyd", START, "1")]);
  const api = {
    ...whole,
    searchEvents: async (request: EventsRequest, abort: AbortSignal) => {
      if ((request.limit ?? 0) > 4) throw new ProblemError({ code: "api.too-large", host: "h", sentBytes: 1 });
      return whole.searchEvents(request, abort);
    },
  };
  const ids = (await readAll(api)).map(({ aggregate }) => aggregate.id);
  expect(ids).toEqual(["ada", "ada", "ada", "ada", "bob", "cyd"]);
});

test("`after` leaves out what is not later", async () => {
  const log = Array.from({ length: 1_200 }, (_, index) => event(`u${index}`, START + index * 1_000));
  const { api } = serving(log);
  const ids = (await readAll(api, timestamp(START + 99_000))).map(({ aggregate }) => aggregate.id);
  expect(ids).toHaveLength(1_100);
  expect(ids[0]).toBe("u100");
});
