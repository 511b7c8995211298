import { afterAll, expect, expectTypeOf, test, vi } from "vitest";
import type { SourceUser } from "../../../src/core/merge/source-user.ts";
import type { UserField, WrittenField } from "../../../src/core/user-fields.ts";

/** A field that no service can have, so that a real field never collides with it. The table gets it before any other module reads the table. */
const madeUp: UserField = {
  name: "inventedQ7",
  compared: "inventedQ7",
  entry: "user.profile.inventedQ7",
  form: "text",
  api: "profile.inventedQ7Shown",
  event: "inventedQ7",
  limit: 12,
  initial: "",
  empty: { compared: "", api: "-" },
};

// The files of a process share their modules: these are loaded anew, before and after.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { userFields } = await import("../../../src/core/user-fields.ts");
const fieldCount = userFields.length;
(userFields as unknown as UserField[]).push(madeUp);
// Loaded after that, so that everything derived from the table is derived from the longer one.
const { EntryBuffer } = await import("../../../src/core/merge/entry/entry-buffer.ts");
const { checkHumanUser } = await import("../../../src/core/rules/human-user.ts");
const { viewOfEntry } = await import("../../../src/core/compare/user-view.ts");
const { fieldsOf } = await import("../../../src/core/compare/element-fields.ts");
const { changeOf } = await import("../../../src/core/events/user-change.ts");
const { UserComparison } = await import("../../../src/core/events/user-comparison.ts");
const { applyEvent, createInstanceLog } = await import("../../../src/core/events/instance-log.ts");
const { planUser, wholeView } = await import("../../../src/core/update/plan-user.ts");
const { toUpdateCalls } = await import("../../../src/core/update/update-calls.ts");
const { foldUser } = await import("../../../src/core/events/rebuild/user-fold.ts");
const { humanEntry } = await import("../../../src/core/events/rebuild/user-entries.ts");
const { toUsersRequest } = await import("../../../src/core/transfer/users-request.ts");

const plain = { userId: "u1", userName: "eve", email: "eve@example.com", firstName: "Eve", lastName: "Example" };
const user = { ...plain, isEmailVerified: true, inventedQ7: "some value" } as SourceUser;

/** The entry as it stands in a body. */
function bodyEntry(of: SourceUser): { user: { profile: Record<string, unknown> } } {
  const buffer = new EntryBuffer();
  buffer.add(of);
  return JSON.parse(buffer.slice(0, 1).toString().replace(/^,/, ""));
}

const entry = bodyEntry(user);
const event = (type: string, payload: object, sequence: string) => ({
  aggregate: { id: "u1", resourceOwner: "org" },
  sequence,
  creationDate: `2026-01-01T00:00:0${sequence}Z`,
  type: { type },
  editor: { userId: "self" },
  payload,
});
const added = { userName: "eve", email: "eve@example.com", firstName: "Eve", lastName: "Example" };

test("a field of the table stands in the body, also of a user who has nothing else beyond the plain fields", () => {
  expect(entry.user.profile["inventedQ7"]).toBe("some value");
});

test("a field of the table is checked by its limit", () => {
  const faults: unknown[] = [];
  const long = { ...entry, user: { ...entry.user, profile: { ...entry.user.profile, inventedQ7: "x".repeat(13) } } };
  checkHumanUser(long, (field, fault) => faults.push([field, fault.code]));
  expect(faults).toEqual([["user.profile.inventedQ7", "field.too-long"]]);
});

test("a field of the table is in the request that creates a user, and in the call that changes or empties it", () => {
  expect(toUsersRequest(entry, "org", [], { noMail: true })["profile"]).toMatchObject({
    inventedQ7Shown: "some value",
  });
  const options = { from: "active", isInitial: false, isLockedUnfinished: false, noMail: true } as const;
  const changed = (of: unknown) =>
    toUpdateCalls(of, wholeView(viewOfEntry(of)), ["inventedQ7" as never], options).put?.["profile"];
  const names = { givenName: "Eve", familyName: "Example" };
  expect(changed(entry)).toEqual({ ...names, inventedQ7Shown: "some value" });
  expect(changed(bodyEntry(plain))).toEqual({ ...names, inventedQ7Shown: "-" });
});

test("a field of the table is compared with the events by its name", () => {
  const expected = viewOfEntry(entry);
  expect(expected).toMatchObject({ inventedQ7: "some value" });
  expect(changeOf("user.human.profile.changed", { inventedQ7: "other value" })).toMatchObject({
    view: { inventedQ7: "other value" },
  });
  const comparison = new UserComparison(1);
  comparison.expect("org", "u1", expected);
  const take = (type: string, payload: object): void => {
    const change = changeOf(type, payload);
    if (change !== undefined) comparison.apply("org", "u1", change);
  };
  take("user.human.added", { ...added, inventedQ7: "some value" });
  take("user.human.email.verified", {});
  take("user.human.profile.changed", { inventedQ7: "other value" });
  expect(comparison.takeVerdict("org", "u1")).toMatchObject({ different: [], changedSince: ["inventedQ7"] });
});

test("an update changes a field of the table, and keeps it in the digests of the log", () => {
  const log = createInstanceLog("key");
  const perspective = { self: "self", since: "2026-12-31T00:00:00Z" };
  applyEvent(log, event("user.human.added", { ...added, inventedQ7: "he/him" }, "1"), perspective);
  applyEvent(log, event("user.human.email.verified", {}, "2"), perspective);
  const found = log.users.find("org", "u1");
  expect(planUser(log.users, found, viewOfEntry(entry), { prefer: "none" })).toEqual({
    kind: "keep",
    notUpdated: [],
    fields: ["inventedQ7"],
    conflicts: [],
  });
  applyEvent(log, event("user.human.profile.changed", { inventedQ7: "some value" }, "3"), perspective);
  expect(planUser(log.users, found, viewOfEntry(entry), { prefer: "none" })).toMatchObject({ fields: [] });
});

test("a field of the table is in an export that is rebuilt from events", () => {
  const events = [
    { type: "user.human.added", sequence: 1, payload: { ...added, inventedQ7: "old" } },
    { type: "user.human.profile.changed", sequence: 2, payload: { inventedQ7: "some value" } },
  ];
  for (const [count, value] of [
    [1, "old"],
    [2, "some value"],
  ] as const) {
    const rebuilt = foldUser(events.slice(0, count));
    expect(rebuilt && humanEntry("u1", rebuilt, { withPasswords: true, withOtp: true })).toMatchObject({
      user: { profile: { inventedQ7: value } },
    });
  }
});

test("a field of the table is one of the fields of an export's user", () => {
  expect(fieldsOf("humanUsers", entry)).toContainEqual(["inventedQ7", "some value"]);
});

test("every field that a provider can give is in the table, and every field that is written has its place", () => {
  // These are not part of an entry: a password is hashed, the others stand beside it or decide where it stands.
  expectTypeOf<Exclude<keyof SourceUser, WrittenField>>().toEqualTypeOf<
    "plainPassword" | "metadata" | "grants" | "orgId" | "orgName"
  >();
  expectTypeOf<Exclude<WrittenField, keyof SourceUser>>().toBeNever();
  const places = userFields.slice(0, fieldCount).map(({ entry: place }) => place);
  expect(new Set(places).size).toBe(fieldCount);
});
