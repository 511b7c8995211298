import { expect, test } from "vitest";
import type { EventsRequest, ServiceEvent } from "../../../../src/contract/events.ts";
import { LifeSince } from "../../../../src/jobs/undo/life-since.ts";
import { fakeApi } from "../../../helpers/fake-api.ts";

const MARK = "2026-01-01T00:00:00.000Z";
const retry = { sleep: async () => {}, random: () => 0, onPause: () => {} };
let second = 0;

function event(id: string, type: string, sequence: number, payload?: unknown): ServiceEvent {
  second += 1;
  const creationDate = new Date(Date.parse(MARK) + second * 1_000).toISOString();
  return { aggregate: { id, resourceOwner: "o" }, sequence: String(sequence), creationDate, type: { type }, payload };
}

/** Reads a log that may grow; it returns only events later than the filter says. */
function reader(log: ServiceEvent[], ids: readonly string[]) {
  const asked: EventsRequest[] = [];
  const api = fakeApi({
    searchEvents: async (request) => {
      asked.push(request);
      return { events: log.filter(({ creationDate }) => creationDate > (request.from ?? "")) };
    },
  });
  const lives = new LifeSince(ids, MARK);
  return { lives, asked, read: () => lives.read(api, retry, new AbortController().signal) };
}

test("actions of users are distinguished from those of the import and from failed attempts", async () => {
  const ids = ["new", "failed", "signed", "changed", "link", "gone", "anew"];
  const log = [
    ...ids.map((id) => event(id, "user.human.added", 1)),
    event("failed", "user.human.password.check.failed", 2),
    event("signed", "user.human.password.check.succeeded", 2),
    event("changed", "user.human.password.changed", 2),
    event("session-1", "session.user.checked", 1, { userID: "link" }),
    event("gone", "user.removed", 2),
    event("anew", "user.removed", 2),
    event("anew", "user.human.added", 3),
    event("stranger", "user.human.password.changed", 2),
  ];
  const { lives, read, asked } = reader(log, [...ids, "unseen"]);
  await read();
  expect(
    Object.fromEntries(ids.map((id) => [id, lives.of(id)?.isGone === true ? "gone" : lives.of(id)?.touch])),
  ).toEqual({
    new: undefined,
    failed: undefined,
    signed: "signed-in",
    changed: "password-changed",
    link: "signed-in",
    gone: "gone",
    anew: "made-anew",
  });
  expect(lives.of("unseen")).toBeUndefined();
  expect(lives.of("stranger")).toBeUndefined();
  // Sessions belong to the instance, so the events of an organization lack them. The service takes at most 30 types.
  expect(asked[0]).not.toHaveProperty("resource_owner");
  expect(asked[0]?.event_types?.length).toBeLessThanOrEqual(30);
});

test("a second reading takes the new events, and counts no event twice", async () => {
  const log = [event("a", "user.human.added", 1), event("b", "user.human.added", 1)];
  const { lives, read } = reader(log, ["a", "b"]);
  await read();
  await read();
  expect(lives.of("a")).toMatchObject({ added: 1, touch: undefined });
  log.push(event("b", "user.human.password.check.succeeded", 2));
  await read();
  expect(lives.of("b")).toMatchObject({ added: 1, touch: "signed-in" });
});
