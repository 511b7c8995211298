import type { AdminApi } from "../../../src/admin/client.ts";
import { listEvents } from "../../../src/admin/events.ts";
import { EventsResult } from "../../../src/contract/events.ts";
import type { JsonObject } from "../../../src/mock/http/json.ts";
import { matchingEvents } from "../../../src/mock/routes/admin-api/event-search.ts";
import { createEventLog, type LoggedEvent } from "../../../src/mock/state/event-log.ts";
import { createState } from "../../../src/mock/state/state.ts";
import { ProblemError } from "../../../src/problem.ts";
import type { Notes } from "../checks/findings.ts";
import { fields } from "../instance/json.ts";
import type { Random } from "../random.ts";

const retry = { sleep: async () => {}, random: () => 0, onPause() {} };
const { signal } = new AbortController();
const TYPE = "user.human.added";

/** A log of any density, with or without lies: the reading ends, and without lies each event comes once. */
export async function eventsCase(random: Random, notes: Notes): Promise<void> {
  const events = createEventLog();
  let atMs = Date.parse("2026-03-01T08:00:00.000Z");
  const count = random.pick([0, 1, 40, 1_500, 4_000]);
  const density = random.pick([0.01, 0.3, 1]);
  for (let at = 0; at < count; at += 1) {
    if (random.chance(density)) atMs += random.pick([1, 1, 50, 20_000]);
    const [aggregateId, sequence] = [`u${at}`, at + 1];
    events.append({
      at: atMs * 1000,
      type: TYPE,
      aggregateType: "user",
      aggregateId,
      orgId: "o",
      editor: "admin",
      sequence,
    });
  }
  const isLying = random.chance(0.4);
  const bound = 100 + count;
  let calls = 0;
  const searchEvents: AdminApi["searchEvents"] = async (request) => {
    calls += 1;
    if (calls > bound) throw new Error(`asks for ever: ${calls} calls for ${count} events`);
    const page = matchingEvents(request as JsonObject, { ...createState(), events }).map(shown);
    const read = EventsResult.safeParse({ events: isLying ? lied(random, page) : page });
    if (read.success) return read.data;
    throw new ProblemError({ code: "api.unexpected", host: "h", what: "events" });
  };
  const api = { address: { host: "h" }, searchEvents } as unknown as AdminApi; // listEvents uses these two alone
  const seen: string[] = [];
  try {
    for await (const { aggregate } of listEvents(api, { eventTypes: [TYPE] }, retry, signal)) seen.push(aggregate.id);
  } catch (error) {
    if (error instanceof ProblemError && (isLying || error.problem.code === "api.events-stuck")) return;
    throw error;
  }
  if (isLying) return;
  notes.expect(new Set(seen).size === seen.length, "an event came twice");
  notes.expect(seen.length === count, `${seen.length} of ${count} events came`);
}

function shown({ at, type, aggregateId, orgId, editor, sequence }: LoggedEvent): object {
  return {
    editor: { userId: editor },
    aggregate: { id: aggregateId, resourceOwner: orgId, type: { type: "user" } },
    sequence: String(sequence),
    creationDate: new Date(at / 1000).toISOString(),
    type: { type },
  };
}

function lied(random: Random, page: readonly unknown[]): unknown[] {
  const events = page.map(fields);
  return random.pick([
    () => events.reverse(),
    () => events.map((event) => ({ ...event, creationDate: "" })),
    () => events.map((event) => ({ ...event, creationDate: "2026-03-01T08:00:00Z" })),
    () => events.map((event) => ({ ...event, sequence: "0" })),
    () => [...events, ...events],
    () => random.shuffled(events.slice(0, 50)),
    () => events.filter(() => random.chance(0.9)),
    () => Array.from({ length: 1_000 }, () => events[0] ?? { type: { type: TYPE } }),
  ])();
}
