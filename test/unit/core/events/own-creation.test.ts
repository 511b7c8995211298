import { expect, test } from "vitest";
import type { ServiceEvent } from "../../../../src/contract/events.ts";
import { healingState, isOwnCreation } from "../../../../src/core/events/own-creation.ts";

const MARK = "2026-01-01T00:00:00.000000Z";
const own = {
  orgId: "o",
  view: { userName: "ada", email: "ada@example.com" },
  metadata: [{ key: "theme", value: "ZGFyaw==" }],
  links: 1,
  self: "me",
  mark: MARK,
};

interface Given {
  readonly by?: string | undefined;
  readonly at?: string;
  readonly org?: string;
  readonly payload?: unknown;
  readonly sequence?: number;
}

type Told = readonly [type: string, more?: Given];

/** A history: the events are numbered from 1, and written by this job after its mark, unless they say otherwise. */
function history(...given: readonly Told[]): readonly ServiceEvent[] {
  return given.map(([type, { by = "me", at = "2026-01-02T00:00:00Z", org = "o", payload, sequence } = {}], index) => ({
    aggregate: { id: "u1", resourceOwner: org },
    editor: { userId: by },
    sequence: String(sequence ?? index + 1),
    creationDate: at,
    type: { type },
    payload,
  }));
}

const payload = { userName: "ada", email: "ada@example.com" };
const ADDED = ["user.human.added", { payload }] as const;
const VERIFIED = ["user.human.email.verified"] as const;
const REMOVED = ["user.removed"] as const;
const THEME = ["user.metadata.set", { payload: { key: "theme", value: "ZGFyaw==" } }] as const;

test("a creation by this job that nothing followed is proven, also one of an id that was deleted before", () => {
  expect(isOwnCreation(history(ADDED), own)).toBe(true);
  expect(isOwnCreation(history(ADDED, VERIFIED, THEME, ["user.human.externalidp.added"]), own)).toBe(true);
  expect(isOwnCreation(history(ADDED, ["user.human.initialization.code.sent", { by: "system" }]), own)).toBe(true);
  const before = { by: "other", at: "2025-01-01T00:00:00Z", org: "p" };
  expect(isOwnCreation(history(["user.human.added", before], ["user.removed", before], ADDED), own)).toBe(true);
});

test("metadata that is removed and set again is part of the creation", () => {
  const removed = ["user.metadata.removed", { payload: { key: "theme" } }] as const;
  expect(isOwnCreation(history(ADDED, THEME, removed, THEME), own)).toBe(true);
});

test("a state that the input gives is part of the creation", () => {
  const locked = { ...own, view: { ...own.view, state: "locked" } };
  expect(isOwnCreation(history(ADDED, ["user.locked"]), locked)).toBe(true);
  expect(isOwnCreation(history(ADDED, ["user.deactivated"], ["user.locked"]), locked)).toBe(false);
});

const unproven: Readonly<Record<string, readonly ServiceEvent[]>> = {
  "no events": [],
  "a gap in the history": history(ADDED, ["user.metadata.set", { ...THEME[1], sequence: 3 }]),
  "a history without its beginning": history(["user.human.added", { payload, sequence: 2 }]),
  "created by another account": history(["user.human.added", { payload, by: "other" }]),
  "created without an editor": history(["user.human.added", { payload, by: "" }]),
  "created before the job": history(["user.human.added", { payload, at: "2025-12-31T00:00:00Z" }]),
  "created at the mark": history(["user.human.added", { payload, at: MARK }]),
  "created in another organization": history(["user.human.added", { payload, org: "p" }]),
  "self-registered": history(["user.human.selfregistered", { payload }]),
  "a machine user": history(["user.machine.added"], ADDED),
  "created twice": history(ADDED, ADDED),
  deleted: history(ADDED, REMOVED),
  "another address than in the input": history([
    "user.human.added",
    { payload: { ...payload, email: "eve@example.com" } },
  ]),
  "verified by the user": history(ADDED, ["user.human.email.verified", { by: "u1" }]),
  "more links than in the input": history(ADDED, ["user.human.externalidp.added"], ["user.human.externalidp.added"]),
  "metadata that the input does not have": history(ADDED, ["user.metadata.set", { payload: { key: "by-hand" } }]),
  "another value of metadata than in the input": history(ADDED, [
    "user.metadata.set",
    { payload: { key: "theme", value: "R09MRA==" } },
  ]),
  "metadata of the input that was removed": history(ADDED, THEME, [
    "user.metadata.removed",
    { payload: { key: "theme" } },
  ]),
  "locked by another program of the same account": history(ADDED, ["user.locked"]),
  "deactivated by another program of the same account": history(ADDED, ["user.deactivated"]),
  "metadata of another account": history(ADDED, ["user.metadata.set", { ...THEME[1], by: "other" }]),
};

for (const [name, events] of Object.entries(unproven))
  test(`not proven: ${name}`, () => expect(isOwnCreation(events, own)).toBe(false));

test("any event that is not one of a creation proves nothing, also if this job caused it", () => {
  const types = [
    "user.human.password.check.succeeded",
    "user.human.password.check.failed",
    "user.human.password.changed",
    "user.human.mfa.otp.added",
    "user.human.passwordless.token.added",
    "user.token.added",
    "user.pat.added",
    "user.unlocked",
    "user.username.changed",
    "user.human.email.changed",
    "user.some.new.event",
  ];
  for (const type of types) expect(isOwnCreation(history(ADDED, [type]), own), type).toBe(false);
});

test("without the id of the token's user nothing is proven", () => {
  expect(isOwnCreation(history(["user.human.added", { payload, by: "" }]), { ...own, self: "" })).toBe(false);
});

test("what an interrupted healing had done", () => {
  const state = (...rest: readonly Told[]) => healingState(history(ADDED, ...rest), 1, new Set(["me"]));
  expect(state()).toBe("untouched");
  expect(state(REMOVED)).toBe("deleted");
  expect(state(REMOVED, ADDED)).toBe("recreated");
  expect(state(REMOVED, ADDED, REMOVED)).toBe("foreign"); // undo came in between
  expect(state(["user.removed", { by: "other" }])).toBe("foreign");
  expect(state(REMOVED, ["user.human.added", { by: "other" }])).toBe("foreign");
  expect(healingState([], 1, new Set(["me"]))).toBe("foreign");
  expect(healingState(history(ADDED, REMOVED), 1, new Set([""]))).toBe("foreign");
});
