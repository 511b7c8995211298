import { expect, test } from "vitest";
import { EditLog } from "../../../../src/core/events/edit-log.ts";

const event = (type: string, at: string, payload: object = {}, id = "u1") => ({
  aggregate: { id, resourceOwner: "org1" },
  sequence: "1",
  creationDate: at,
  type: { type },
  editor: { userId: "a", displayName: "Ann" },
  payload,
});

test("the newest change of the named fields counts, and creations and other users do not", () => {
  const edits = new EditLog();
  edits.take(event("user.human.added", "2026-01-01T00:00:00Z", { userName: "ann" }));
  expect(edits.newest("org1", "u1", ["userName", "email"])).toBeUndefined();
  edits.take(event("user.human.email.changed", "2026-01-02T00:00:00.5Z", { email: "a@example.com" }));
  edits.take(event("user.human.email.changed", "2026-01-02T00:00:00.51Z", { email: "b@example.com" }));
  edits.take({
    ...event("user.username.changed", "2026-01-01T00:00:00Z", { userName: "b" }),
    editor: { userId: "b", displayName: "b" },
  });
  edits.take(event("user.metadata.removed", "2026-01-03T00:00:00Z", { key: "plan" }));
  edits.take(event("user.removed", "2026-01-04T00:00:00Z", {}, "u2"));
  expect(edits.newest("org1", "u1", ["userName", "email"])).toEqual({
    userId: "a",
    name: "Ann",
    at: "2026-01-02T00:00:00.51Z",
  });
  expect(edits.newest("org1", "u1", ["userName"])).toEqual({ userId: "b", at: "2026-01-01T00:00:00Z" });
  expect(edits.newest("org1", "u1", ["metadata.plan"])?.at).toBe("2026-01-03T00:00:00Z");
  expect(edits.newest("org1", "u2", ["user"])?.at).toBe("2026-01-04T00:00:00Z");
  expect(edits.newest("org1", "u1", ["user"])).toBeUndefined();
  expect(edits.newest("org2", "u1", ["email"])).toBeUndefined();
});

test("of very many changes the last ones are kept", () => {
  const edits = new EditLog();
  for (let number = 0; number <= 100_000; number += 1)
    edits.take(event("user.locked", "2026-01-01T00:00:00Z", {}, `u${number}`));
  edits.take(event("user.locked", "2026-01-02T00:00:00Z", {}, "u2"));
  expect(["u0", "u1", "u2", "u100000"].map((id) => edits.newest("org1", id, ["state"])?.at.slice(0, 10))).toEqual([
    undefined,
    "2026-01-01",
    "2026-01-02",
    "2026-01-01",
  ]);
});
