import { expect, test } from "vitest";
import { viewOfEntry } from "../../../../src/core/compare/user-view.ts";
import type { UserState } from "../../../../src/core/events/user-log.ts";
import { wholeView } from "../../../../src/core/update/plan-user.ts";
import { toUpdateCalls } from "../../../../src/core/update/update-calls.ts";
import type { ComparedField } from "../../../../src/core/user-fields.ts";

const HASH = "$2b$04$abcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";
const entry = {
  userId: "u1",
  state: "USER_STATE_LOCKED",
  user: {
    userName: "ada",
    profile: { firstName: "Ada", lastName: "Lovelace", gender: "GENDER_FEMALE" },
    email: { email: "ada@example.com", isEmailVerified: true },
    phone: { phone: "+41791234567" },
    hashedPassword: { value: HASH },
  },
};

const calls = (fields: readonly ComparedField[], from: UserState = "active", noMail = false, of: object = entry) =>
  toUpdateCalls(of, wholeView(viewOfEntry(of)), fields, { from, isInitial: false, isLockedUnfinished: false, noMail });

test("only what differs is in the body", () => {
  expect(calls(["userName"])).toEqual({
    put: { username: "ada" },
    removesPhone: false,
    states: [],
    isForPassword: false,
  });
  expect(calls(["hash"]).put).toEqual({ password: { hashedPassword: { hash: HASH } } });
  expect(calls(["isEmailVerified"]).put).toEqual({ email: { email: "ada@example.com", isVerified: true } });
});

test("a change of the profile sends both names and the fields that differ", () => {
  expect(calls(["lastName"]).put).toEqual({ profile: { givenName: "Ada", familyName: "Lovelace" } });
  expect(calls(["gender", "nickName"]).put).toEqual({
    profile: { givenName: "Ada", familyName: "Lovelace", gender: "GENDER_FEMALE", nickName: "" },
  });
});

test("the service asks for proof of an unverified number, or with --no-mail returns the code", () => {
  expect(calls(["phone"]).put).toEqual({ phone: { phone: "+41791234567", sendCode: {} } });
  expect(calls(["phone"], "active", true).put).toEqual({ phone: { phone: "+41791234567", returnCode: {} } });
});

test("a user who is inactive or locked afterwards gets no code", () => {
  const active = { ...entry, state: "USER_STATE_ACTIVE" };
  const code = { phone: { phone: "+41791234567", returnCode: {} } };
  const message = { phone: { phone: "+41791234567", sendCode: {} } };
  expect(calls(["phone", "state"], "active").put).toEqual(code);
  expect(calls(["phone"], "locked").put).toEqual(code);
  expect(calls(["phone"], "inactive", false, active).put).toEqual(code);
  expect(calls(["phone", "state"], "locked", false, active).put).toEqual(message);
  // The lock of another account that was taken away stays away.
  expect(calls(["phone"], "active").put).toEqual(message);
});

test("a number that the source does not have is removed", () => {
  const { phone: _, ...user } = entry.user;
  const without = calls(["phone"], "active", false, { ...entry, user });
  expect(without).toEqual({ removesPhone: true, states: [], isForPassword: false });
});

test.each<[string, UserState, readonly string[]]>([
  ["USER_STATE_LOCKED", "active", ["lock"]],
  ["USER_STATE_LOCKED", "inactive", ["reactivate", "lock"]],
  ["USER_STATE_INACTIVE", "active", ["deactivate"]],
  ["USER_STATE_INACTIVE", "locked", ["deactivate"]],
  ["USER_STATE_ACTIVE", "locked", ["unlock"]],
  ["USER_STATE_ACTIVE", "inactive", ["reactivate"]],
])("%s from %s", (state, from, expected) => {
  expect(calls(["state"], from, false, { ...entry, state }).states).toEqual(expected);
});

test("each field is emptied by its value", () => {
  const { put } = calls(["preferredLanguage", "displayName"]);
  expect(put).toMatchObject({ profile: { preferredLanguage: "und", displayName: "" } });
});

test("a user who has not finished registration gets the password in a separate call, after the lock", () => {
  const options = { from: "active", isInitial: true, isLockedUnfinished: false, noMail: false } as const;
  const wanted = wholeView(viewOfEntry(entry));
  expect(toUpdateCalls(entry, wanted, ["userName", "hash", "state"], options)).toEqual({
    put: { username: "ada" },
    removesPhone: false,
    states: ["lock"],
    isForPassword: true,
    lastPut: { password: { hashedPassword: { hash: HASH } } },
  });
  const active = { ...wanted, state: "active" };
  expect(toUpdateCalls(entry, active, ["hash"], options)).toMatchObject({ states: ["lock", "unlock"] });
  const inactive = { ...wanted, state: "inactive" };
  expect(toUpdateCalls(entry, inactive, ["hash"], options)).toMatchObject({ states: ["lock", "deactivate"] });
  expect(toUpdateCalls(entry, inactive, ["state"], options)).toMatchObject({ states: ["lock", "deactivate"] });
  expect(toUpdateCalls(entry, wanted, ["userName"], options)).toEqual({
    put: { username: "ada" },
    removesPhone: false,
    states: [],
    isForPassword: false,
  });
});

test("a user who was locked for the password is unlocked before it", () => {
  const options = { from: "locked", isInitial: false, isLockedUnfinished: true, noMail: false } as const;
  expect(toUpdateCalls(entry, viewOfEntry({ ...entry, state: undefined }), ["hash", "state"], options)).toEqual({
    removesPhone: false,
    states: ["unlock"],
    isForPassword: true,
    lastPut: { password: { hashedPassword: { hash: HASH } } },
  });
});
