import { expect, test } from "vitest";
import type { EventsRequest, ServiceEvent } from "../../../../src/contract/events.ts";
import { GrowingLog } from "../../../../src/jobs/shared/read-log.ts";
import type { Ui } from "../../../../src/ui/ui.ts";
import { startFrontApi } from "../../../helpers/front-api.ts";

const ui = { progress: () => ({ update() {}, stop() {} }) } as unknown as Ui; // the only part that is used
const retry = { sleep: async () => {}, random: () => 0, onPause: () => {} };

function event(id: string, second: number): ServiceEvent {
  const creationDate = new Date(Date.parse("2026-01-01T00:00:00Z") + second * 1_000).toISOString();
  return { aggregate: { id, resourceOwner: "o" }, sequence: "1", creationDate, type: { type: "user.human.added" } };
}

test("a second reading begins ten seconds before the newest event of the first, and takes what is new", async () => {
  const log = [event("a", 60)];
  const asked: EventsRequest[] = [];
  const api = await startFrontApi({
    events: (request) => {
      asked.push(request);
      return { events: log.filter(({ creationDate }) => creationDate > (request.from ?? "")) };
    },
  });
  const reading = { api, ui, retry, signal: new AbortController().signal };
  const growing = new GrowingLog("reading", { eventTypes: ["user.human.added"], orgIds: [] });
  const taken: string[] = [];
  const read = () => growing.read(reading, ({ aggregate }) => void taken.push(aggregate.id));
  await read();
  log.push(event("b", 61));
  await read();
  await read();
  expect(taken).toEqual(["a", "a", "b", "a", "b"]);
  expect(asked.map(({ from }) => from)).toEqual([undefined, "2026-01-01T00:00:50.000Z", "2026-01-01T00:00:51.000Z"]);
  expect(growing.readUntil).toBe("2026-01-01T00:00:51.000Z");
});
