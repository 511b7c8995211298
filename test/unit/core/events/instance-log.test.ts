import fc from "fast-check";
import { expect, test } from "vitest";
import { MOST_EVENT_TYPES } from "../../../../src/admin/events.ts";
import type { ServiceEvent } from "../../../../src/contract/events.ts";
import {
  applyEvent,
  createInstanceLog,
  type InstanceLog,
  loggedEventTypes,
  saveLog,
} from "../../../../src/core/events/instance-log.ts";
import { runs } from "../../../helpers/runs.ts";

const perspective = { self: "ferry", since: "2026-02-01T00:00:00Z" };

const payloads: Readonly<Record<string, (value: string) => object | undefined>> = {
  "user.human.added": (value) => ({ userName: value, firstName: value, lastName: "L", email: `${value}@example.com` }),
  "user.username.changed": (value) => ({ userName: value }),
  "user.human.password.changed": (value) => ({ encodedHash: value }),
  "user.human.email.verified": () => undefined,
  "user.locked": () => undefined,
  "user.unlocked": () => undefined,
  "user.removed": () => undefined,
  "user.human.initialization.code.added": () => ({}),
  "user.metadata.set": (value) => ({ key: "plan", value }),
  "user.metadata.removed": () => ({ key: "plan" }),
  "user.metadata.removed.all": () => ({}),
  "org.removed": () => undefined,
};

const event = fc
  .record({
    type: fc.constantFrom(...Object.keys(payloads)),
    user: fc.constantFrom("u1", "u2", "u3"),
    editor: fc.constantFrom("ferry", "admin"),
    value: fc.constantFrom("a", "b", "c"),
  })
  .map(({ type, user, editor, value }): ServiceEvent => {
    const id = type === "org.removed" ? (value === "a" ? "o1" : `other-${value}`) : user;
    return {
      aggregate: { id, resourceOwner: "o1" },
      sequence: "1",
      creationDate: "2026-01-01T00:00:00Z",
      type: { type },
      editor: { userId: editor },
      payload: payloads[type]?.(value),
    };
  });

function fold(log: InstanceLog, events: readonly ServiceEvent[]): InstanceLog {
  for (const one of events) applyEvent(log, one, perspective);
  return log;
}

type Life = "none" | "created" | "unfinished" | "open" | "locked";

/** The events in an order that the service can give them in: it neither locks a locked user, nor begins a registration after a lock. */
function possible(events: readonly ServiceEvent[]): readonly ServiceEvent[] {
  const lives = new Map<string, Life>();
  const next = (life: Life, type: string): Life | undefined => {
    if (type === "org.removed") return life;
    if (type === "user.human.added") return life === "none" ? "created" : undefined;
    if (life === "none") return undefined;
    switch (type) {
      case "user.removed":
        return "none";
      case "user.human.initialization.code.added":
        return life === "created" || life === "unfinished" ? "unfinished" : undefined;
      case "user.human.password.changed":
        return life === "unfinished" ? undefined : life;
      case "user.locked":
        return life === "locked" ? undefined : "locked";
      case "user.unlocked":
        return life === "locked" ? "open" : undefined;
      default:
        return life;
    }
  };
  return events.filter(({ type: { type }, aggregate: { id } }) => {
    const life = next(lives.get(id) ?? "none", type);
    if (life !== undefined) lives.set(id, life);
    return life !== undefined;
  });
}

/** Everything that planning asks a log. */
function answersOf({ users, metadata }: InstanceLog): unknown {
  return ["u1", "u2", "u3"].map((id) => {
    const user = users.find("o1", id);
    if (user === undefined || !user.isThere) return "none";
    const { number: _, ...rest } = user;
    const values = ["a", "b", "c"];
    return [
      rest,
      users.usersOf("o1"),
      values.map((value) =>
        users.differences(user, { userName: value, hash: value, state: "locked", isEmailVerified: "true" }),
      ),
      values.map((value) => metadata.compare(user.number, "plan", value)),
    ];
  });
}

test("a log that was saved and continues from a little before is the log of all events", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), fc.nat(), fc.nat(3), (all, cut, overlap) => {
      const events = possible(all);
      const at = events.length === 0 ? 0 : cut % events.length;
      const whole = fold(createInstanceLog("key"), events);
      const first = fold(createInstanceLog("key"), events.slice(0, at));
      const saved = saveLog(first);
      // From the making of the users concerned on, or from the cut: what is read twice changes nothing.
      const from = Math.max(0, at - overlap);
      const rest = fold(createInstanceLog("key", structuredClone(saved)), events.slice(from));
      expect(answersOf(rest)).toEqual(answersOf(whole));
    }),
    { numRuns: runs(300) },
  );
});

test.each([
  ["that is read twice stays one", "user.locked", true],
  ["that the link of an e-mail ended is none", "user.human.initialization.check.succeeded", false],
])("a lock before the end of the registration %s", (_, last, expected) => {
  const eventOf = (type: string): ServiceEvent => ({
    aggregate: { id: "u1", resourceOwner: "o1" },
    sequence: "1",
    creationDate: "2026-01-01T00:00:00Z",
    type: { type },
    editor: { userId: "ferry" },
    payload: payloads[type]?.("a"),
  });
  const events = ["user.human.added", "user.human.initialization.code.added", "user.locked", last].map(eventOf);
  const log = fold(createInstanceLog("key"), events);
  expect(log.users.find("o1", "u1")?.isLockedUnfinished).toBe(expected);
});

test("under another key the digests are others", () => {
  const events = fc.sample(event, 20);
  const words = (key: string) => [...saveLog(fold(createInstanceLog(key), events)).users.records];
  expect(words("key")).not.toEqual(words("other"));
});

test("the log asks for no more types of events than the service takes", () => {
  expect(loggedEventTypes.length).toBeLessThanOrEqual(MOST_EVENT_TYPES);
  expect(new Set(loggedEventTypes).size).toBe(loggedEventTypes.length);
});

test.each([
  ["a user who is active", [], false],
  ["one who was deactivated since", ["user.deactivated"], true],
  ["one who was locked since", ["user.locked"], true],
] as const)("the code of the first e-mail finishes registration and opens %s", (_who, closing, isForeign) => {
  const types = ["user.human.added", "user.human.initialization.code.added", ...closing];
  const own = types.map((type, at) => ({ type, at, by: "ferry" }));
  const log = createInstanceLog("key");
  for (const { type, at, by } of [...own, { type: "user.human.initialization.check.succeeded", at: 9, by: "u1" }])
    applyEvent(
      log,
      {
        aggregate: { id: "u1", resourceOwner: "o1" },
        sequence: "1",
        creationDate: `2026-01-01T00:00:0${at}Z`,
        type: { type },
        editor: { userId: by },
        payload: { userName: "ann" },
      },
      perspective,
    );
  const user = log.users.find("o1", "u1");
  if (user === undefined) throw new Error("no user");
  expect(user).toMatchObject({ isInitial: false, state: "active" });
  expect(log.users.differences(user, { state: "inactive" })).toEqual([{ field: "state", isForeign }]);
});
