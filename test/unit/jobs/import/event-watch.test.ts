import { expect, test } from "vitest";
import { watchEvents } from "../../../../src/jobs/import/event-watch.ts";
import { startFrontApi } from "../../../helpers/front-api.ts";

test("the note of a progress line counts events that were read, and says nothing before the first", async () => {
  const event = { aggregate: { id: "a", resourceOwner: "o" }, sequence: "1", creationDate: "", type: { type: "x" } };
  const events: (typeof event)[] = [];
  const watched = watchEvents(await startFrontApi({ events: () => ({ events }) }));
  const read = () => watched.api.searchEvents({}, new AbortController().signal);
  expect(watched.note()).toBe("");
  await read();
  expect(watched.note()).toBe("");
  events.push(event);
  await read();
  expect(watched.note()).toBe("1 event read");
});
