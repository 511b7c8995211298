import fc from "fast-check";
import { expect, test } from "vitest";
import { viewOfEntry } from "../../../../src/core/compare/user-view.ts";
import { comparedFields, type UserView } from "../../../../src/core/compared-fields.ts";
import { changeOf, comparedEventTypes } from "../../../../src/core/events/user-change.ts";
import { UserComparison } from "../../../../src/core/events/user-comparison.ts";
import type { ComparedField } from "../../../../src/core/user-fields.ts";
import { testUser } from "../../../helpers/bodies.ts";
import { runs } from "../../../helpers/runs.ts";

const HASH = "$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE";

/** What the service records of `testUser(1)` when it has been imported well. */
const ADDED = {
  userName: "user1@example.com",
  email: "user1@example.com",
  firstName: "Ada",
  lastName: "Lovelace",
  displayName: "Ada Lovelace",
  preferredLanguage: "und",
  gender: -1,
  encodedHash: HASH,
};

type Event = readonly [type: string, payload?: unknown];

/** Compares an entry with a row of events of its user. */
function compare(entry: { userId: string }, events: readonly Event[]) {
  const comparison = new UserComparison(1);
  comparison.expect("org", entry.userId, viewOfEntry(entry));
  for (const [type, payload] of events) {
    const change = changeOf(type, payload);
    if (change !== undefined) comparison.apply("org", entry.userId, change);
  }
  return { ...comparison.takeVerdict("org", entry.userId), mailed: comparison.mailed };
}

const verified: Event = ["user.human.email.verified"];
const good: readonly Event[] = [["user.human.added", ADDED], verified];

test("a user that was imported well is the same", () => {
  expect(compare(testUser(1), good)).toEqual({
    isThere: true,
    different: [],
    changedSince: [],
    lacksHash: false,
    isUnfinished: false,
    mailed: 0,
  });
});

test.each<[string, Record<string, unknown>, readonly Event[], readonly ComparedField[]]>([
  ["another user name", {}, [["user.human.added", { ...ADDED, userName: "other" }], verified], ["userName"]],
  ["another address", {}, [["user.human.added", { ...ADDED, email: "other@example.com" }], verified], ["email"]],
  [
    "other names",
    {},
    [["user.human.added", { ...ADDED, firstName: "A", lastName: "L" }], verified],
    ["firstName", "lastName"],
  ],
  ["an address that was not verified", {}, [["user.human.added", ADDED]], ["isEmailVerified"]],
  ["another hash", {}, [["user.human.added", { ...ADDED, encodedHash: "$2b$10$other" }], verified], ["hash"]],
  ["a password that was not given", { hashedPassword: undefined }, good, ["hash"]],
  ["no phone", { phone: { phone: "+41 79 123 45 67" } }, good, ["phone"]],
  ["no required change of the password", { passwordChangeRequired: true }, good, ["passwordChangeRequired"]],
  [
    "a required change of the password",
    { passwordChangeRequired: false },
    [["user.human.added", { ...ADDED, changeRequired: true }], verified],
    ["passwordChangeRequired"],
  ],
  ["no second factor", { otpCode: "JBSWY3DPEHPK3PXP" }, good, ["otp"]],
  [
    "another display name",
    { profile: { firstName: "Ada", lastName: "Lovelace", displayName: "A. L." } },
    good,
    ["displayName"],
  ],
  ["no gender", { profile: { firstName: "Ada", lastName: "Lovelace", gender: "GENDER_DIVERSE" } }, good, ["gender"]],
])("%s is different", (_, fields, events, different) => {
  expect(compare(testUser(1, fields), events)).toMatchObject({ isThere: true, different, changedSince: [] });
});

test("a missing hash is distinguished from another one", () => {
  const { encodedHash: _, ...without } = ADDED;
  const verdict = compare(testUser(1), [["user.human.added", without], verified]);
  expect(verdict).toMatchObject({ different: ["hash"], lacksHash: true });
  expect(compare(testUser(1), [["user.human.added", { ...ADDED, encodedHash: "$6$x" }], verified])).toMatchObject({
    lacksHash: false,
  });
});

test("a hash that the input lacks is a difference of an export, and not of a body", () => {
  for (const isWhole of [true, false]) {
    const comparison = new UserComparison(0);
    comparison.expect("org", "u1", { email: "a", hash: "" }, isWhole);
    comparison.apply("org", "u1", { kind: "added", view: { email: "a", hash: "h" } });
    expect(comparison.takeVerdict("org", "u1")?.different).toEqual(isWhole ? ["hash"] : []);
  }
});

test.each([
  ["the creator of the user", "ferry", false, { different: [], changedSince: [] }],
  ["the account of the token", "other", true, { different: [], changedSince: [] }],
  ["the user", "u1", false, { different: [], changedSince: ["otp"] }],
])("one-time codes by %s", (_, by, isOwn, expected) => {
  const comparison = new UserComparison(1);
  comparison.expect("org", "u1", { otp: "true" });
  comparison.apply("org", "u1", { kind: "added", view: { otp: "false" } }, { isOwn: true, by: "ferry" });
  comparison.apply("org", "u1", { kind: "changed", view: { otp: "true" } }, { isOwn, by });
  expect(comparison.takeVerdict("org", "u1")).toMatchObject(expected);
});

test("what people changed themselves is no difference but a change since", () => {
  const events: readonly Event[] = [
    ...good,
    ["user.human.password.changed", { encodedHash: "$2b$10$new" }],
    ["user.username.changed", { userName: "ada" }],
    ["user.human.profile.changed", { firstName: "Augusta" }],
    ["user.human.email.changed", { email: "ada@example.org" }],
    ["user.human.email.verified"],
  ];
  expect(compare(testUser(1), events)).toMatchObject({
    different: [],
    changedSince: ["userName", "email", "firstName", "hash"],
  });
});

test("a password set to the same hash, and one that was hashed again at sign-in, are the same", () => {
  expect(comparedEventTypes).toContain("user.human.password.hash.updated");
  const same: Event = ["user.human.password.changed", { encodedHash: HASH }];
  const anew: Event = ["user.human.password.hash.updated", { encodedHash: "$2b$04$anew" }];
  expect(compare(testUser(1), [...good, same, anew])).toMatchObject({ different: [], changedSince: [] });
  // An export after the sign-in has the new hash.
  const exported = testUser(1, { hashedPassword: { value: "$2b$04$anew" } });
  expect(compare(exported, [...good, anew])).toMatchObject({ different: [], changedSince: [] });
  const later: Event = ["user.human.password.changed", { encodedHash: "$2b$04$other" }];
  expect(compare(exported, [...good, anew, later])).toMatchObject({ different: [], changedSince: ["hash"] });
  expect(compare(exported, good)).toMatchObject({ different: ["hash"] });
});

test("a user who verified the address later has changed since", () => {
  const entry = testUser(1, { email: { email: "user1@example.com", isEmailVerified: false } });
  expect(compare(entry, good)).toMatchObject({ different: [], changedSince: ["isEmailVerified"] });
});

test("who was removed is not there; who came back is compared anew", () => {
  expect(compare(testUser(1), [...good, ["user.removed"]])).toMatchObject({ isThere: false, different: [] });
  const back: readonly Event[] = [["user.human.added", { ...ADDED, email: "other@example.com" }], verified];
  expect(compare(testUser(1), [...good, ["user.removed"], ...back])).toMatchObject({
    isThere: true,
    different: ["email"],
  });
  expect(compare(testUser(1), [])).toMatchObject({ isThere: false });
});

test("mails are counted once a user, and codes handed to the caller are none", () => {
  const mail: Event = ["user.human.initialization.code.added", { code: {} }];
  expect(compare(testUser(1), [...good, mail, mail, ["user.human.email.code.sent"]])).toMatchObject({ mailed: 1 });
  const returned: Event = ["user.human.email.code.added", { code_returned: true }];
  expect(compare(testUser(1), [...good, returned])).toMatchObject({ mailed: 0 });
});

test("small things that the service writes in its own way are the same", () => {
  const entry = testUser(1, {
    userName: " user1@example.com ",
    profile: { firstName: "Ada", lastName: "Lovelace", preferredLanguage: "DE_ch", gender: "GENDER_FEMALE" },
    phone: { phone: "+41 79 123-45-67 ext 5", isPhoneVerified: true },
    otpCode: "JBSWY3DPEHPK3PXP",
  });
  const payload = { ...ADDED, preferredLanguage: "de-CH", gender: 1, phone: "+41791234567" };
  const events: readonly Event[] = [
    ["user.human.added", payload],
    verified,
    ["user.human.phone.verified"],
    ["user.human.mfa.otp.verified"],
  ];
  expect(compare(entry, events)).toMatchObject({ different: [], changedSince: [] });
});

test("one-time codes whose set-up was begun and not confirmed are none", () => {
  const entry = testUser(1, { otpCode: "JBSWY3DPEHPK3PXP" });
  expect(compare(entry, [...good, ["user.human.mfa.otp.added"]])).toMatchObject({ different: ["otp"] });
  const removed: readonly Event[] = [["user.human.mfa.otp.verified"], ["user.human.mfa.otp.removed"]];
  const begunAgain = compare(entry, [...good, ...removed, ["user.human.mfa.otp.added"]]);
  expect(begunAgain).toMatchObject({ changedSince: ["otp"] });
});

test("a language that the service does not know is none to it, and not compared", () => {
  const entry = testUser(1, { profile: { firstName: "Ada", lastName: "Lovelace", preferredLanguage: "english" } });
  expect(compare(entry, good)).toMatchObject({ different: [] });
});

test("snake case is read, and a state that was asked for is compared", () => {
  const entry = {
    userId: "u1",
    state: "USER_STATE_LOCKED",
    user: {
      user_name: "user1@example.com",
      profile: { first_name: "Ada", last_name: "Lovelace" },
      email: { email: "user1@example.com", is_email_verified: true },
      hashed_password: { value: HASH },
    },
  };
  expect(compare(entry, good)).toMatchObject({ different: ["state"] });
  expect(compare(entry, [...good, ["user.locked"]])).toMatchObject({ different: [] });
});

test("an older service's hash is read from its secret", () => {
  const { encodedHash: _, ...payload } = ADDED;
  const secret = { Algorithm: "bcrypt", Crypted: Buffer.from(HASH).toString("base64") };
  expect(compare(testUser(1), [["user.human.added", { ...payload, secret }], verified])).toMatchObject({
    different: [],
  });
});

test("a required change of the password is compared beside a password, until another account sets one", () => {
  const entry = testUser(1, { passwordChangeRequired: true });
  const required: Event = ["user.human.added", { ...ADDED, changeRequired: true }];
  expect(compare(entry, [required, verified])).toMatchObject({ different: [], changedSince: [] });
  const set: Event = ["user.human.password.changed", { encodedHash: "$2b$10$other", changeRequired: false }];
  for (const first of [required, good[0] as Event])
    expect(compare(entry, [first, verified, set])).toMatchObject({
      different: [],
      changedSince: ["hash", "passwordChangeRequired"],
    });
  const { encodedHash: _, ...without } = ADDED;
  const bare = testUser(1, { passwordChangeRequired: true, hashedPassword: undefined });
  expect(compare(bare, [["user.human.added", without], verified])).toMatchObject({ different: [] });
});

test("a verdict is given once, and compares the first of two users with one id", () => {
  const comparison = new UserComparison(0);
  comparison.expect("org", "u1", { email: "a", hash: "h" });
  comparison.expect("org", "u1", { email: "b", hash: "" });
  comparison.apply("org", "u1", { kind: "added", view: { email: "a", hash: "h" } });
  expect(comparison.size).toBe(1);
  expect(comparison.takeVerdict("org", "u1")).toMatchObject({ different: [] });
  expect(comparison.takeVerdict("org", "u1")).toBeUndefined();
  expect(comparison.takeVerdict("other", "u1")).toBeUndefined();
});

test("no more types of events are asked for than the service takes", () => {
  expect(comparedEventTypes.length).toBeLessThanOrEqual(28); // two more are asked for with them
});

const view = fc.record(
  Object.fromEntries(comparedFields.map((field) => [field, fc.constantFrom("", "a", "b")])) as Record<
    ComparedField,
    fc.Arbitrary<string>
  >,
  { requiredKeys: [] },
);

test("any number of users and changes comes to what comparing their texts comes to", () => {
  const change = fc.oneof(
    fc.record({ kind: fc.constant("added" as const), view }),
    fc.record({ kind: fc.constant("changed" as const), view }),
    fc.constant({ kind: "removed" as const }),
  );
  const step = fc.record({ user: fc.nat(6), change });
  fc.assert(
    fc.property(fc.array(view, { maxLength: 6 }), fc.array(step, { maxLength: 40 }), (expected, steps) => {
      const comparison = new UserComparison(2);
      for (const [index, user] of expected.entries()) comparison.expect("org", `u${index}`, user);
      for (const { user, change: one } of steps) comparison.apply("org", `u${user}`, one);
      for (const [index, user] of expected.entries()) {
        const own = steps.filter((one) => one.user === index).map((one) => one.change);
        const { isThere, different, changedSince } = comparison.takeVerdict("org", `u${index}`) ?? {};
        expect({ isThere, different, changedSince }).toEqual(model(user, own));
      }
    }),
    { numRuns: runs(300) },
  );
});

type Change = { kind: "added" | "changed"; view: UserView } | { kind: "removed" };

/** The same, said of one user with texts and sets. */
function model(expected: UserView, changes: readonly Change[]) {
  let isThere = false;
  let now: UserView = {};
  let ever = new Set<ComparedField>();
  for (const change of changes) {
    if (change.kind === "removed") {
      isThere = false;
      continue;
    }
    if (change.kind === "added") {
      isThere = true;
      now = {};
      ever = new Set();
    }
    now = { ...now, ...change.view };
    for (const field of comparedFields)
      if (change.view[field] !== undefined && change.view[field] === expected[field]) ever.add(field);
    if (change.kind === "changed" && change.view.passwordChangeRequired !== undefined)
      ever.add("passwordChangeRequired");
  }
  const wrong = isThere
    ? comparedFields.filter((field) => expected[field] !== undefined && expected[field] !== now[field])
    : [];
  return {
    isThere,
    different: wrong.filter((field) => !ever.has(field)),
    changedSince: wrong.filter((field) => ever.has(field)),
  };
}

test("e-mails to a former user of the id do not count", () => {
  const mailed: Event = ["user.human.initialization.code.added"];
  const former: readonly Event[] = [...good, mailed, ["user.removed"]];
  expect(compare(testUser(1), [...former, ...good])).toMatchObject({ isThere: true, mailed: 0 });
  expect(compare(testUser(1), [...former, ...good, mailed])).toMatchObject({ isThere: true, mailed: 1 });
});
