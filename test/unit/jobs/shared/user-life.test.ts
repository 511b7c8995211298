import { expect, test } from "vitest";
import type { EventsRequest } from "../../../../src/contract/events.ts";
import { isRemoved, LOOKED_UP, lastLifeEvents } from "../../../../src/jobs/shared/user-life.ts";
import type { Ui } from "../../../../src/ui/ui.ts";
import { startFrontApi } from "../../../helpers/front-api.ts";

/** An event as `<id> <type> <organization>`, one second after the one before. */
async function instance(log: readonly string[]) {
  const asked: EventsRequest[] = [];
  const events = log.map((text, at) => {
    const [id = "", type = "", resourceOwner = ""] = text.split(" ");
    const creationDate = new Date(Date.parse("2026-01-01T00:00:00Z") + at * 1_000).toISOString();
    return { aggregate: { id, resourceOwner }, sequence: String(at), creationDate, type: { type } };
  });
  const api = await startFrontApi({
    events: (request) => {
      asked.push(request);
      const { aggregate_id: id, event_types: types, from = "", asc, limit = 1_000 } = request;
      const found = events
        .filter(({ aggregate }) => id === undefined || aggregate.id === id)
        .filter(({ type, creationDate }) => types?.includes(type.type) !== false && creationDate > from);
      return { events: (asc === true ? found : found.reverse()).slice(0, limit) };
    },
  });
  const ui = { progress: () => ({ update() {}, stop() {} }) } as unknown as Ui; // the only part that is used
  const retry = { sleep: async () => {}, random: () => 0, onPause: () => {} };
  return { asked, reading: { api, ui, retry, signal: new AbortController().signal } };
}

const LOG = [
  "gone user.human.added o1",
  "gone user.removed o1",
  "again user.human.added o1",
  "again user.removed o1",
  "again user.human.added o1",
  "moved user.human.added o1",
  "moved user.removed o1",
  "moved user.human.added o2",
  "robot user.human.added o1",
  "robot user.removed o1",
  "robot user.machine.added o1",
  "old user.removed o1",
  "old user.added o1",
  "former user.human.added o3",
  "o3 org.removed o3",
  "later user.human.added o3",
];
const NAMED = ["gone", "again", "moved", "robot", "old", "former", "later", "unmentioned"];

/** Where and how the last life of each user began or ended. */
const lastOf = async (userIds: readonly string[], reading: Parameters<typeof lastLifeEvents>[1]) =>
  [...(await lastLifeEvents(userIds, reading))]
    .map(([id, { type, aggregate }]) => `${id} ${type.type} ${aggregate.resourceOwner}`)
    .sort();

const LAST = [
  "again user.human.added o1",
  "former org.removed o3",
  "gone user.removed o1",
  "later user.human.added o3",
  "moved user.human.added o2",
  "old user.added o1",
  "robot user.machine.added o1",
];

test("the last life event of a user is that of any organization; a user without events has none", async () => {
  const { reading, asked } = await instance(LOG);
  expect(await lastOf(NAMED, reading)).toEqual(LAST);
  // The last call reads the removals of organizations.
  expect(asked).toHaveLength(NAMED.length + 1);
});

test("a user is removed if the last life event is a removal, and never without events", async () => {
  const { reading } = await instance(LOG);
  const removed = [];
  for (const id of NAMED) if (await isRemoved(id, reading)) removed.push(id);
  expect(removed).toEqual(["gone", "former"]);
});

test("of many users the log is read once, of all organizations", async () => {
  const { reading, asked } = await instance(LOG);
  const many = Array.from({ length: LOOKED_UP }, (_, at) => `other${at}`);
  expect(await lastOf([...NAMED, ...many], reading)).toEqual(LAST);
  expect(asked.map(({ aggregate_id, resource_owner }) => [aggregate_id, resource_owner])).toEqual([
    [undefined, undefined],
  ]);
});
