import { describe, expect, test } from "vitest";
import { viewOfEntry } from "../../../../src/core/compare/user-view.ts";
import type { UserView } from "../../../../src/core/compared-fields.ts";
import { applyEvent, createInstanceLog, type InstanceLog } from "../../../../src/core/events/instance-log.ts";
import { type Preference, planUser, wholeView } from "../../../../src/core/update/plan-user.ts";

const SELF = "ferry";
const HASH = "$2b$04$abcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";
const OTHER_HASH = "$2b$04$zbcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";

type Step = readonly [type: string, payload?: object, editor?: string];

const added: Step = [
  "user.human.added",
  { userName: "ada", firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", encodedHash: HASH },
];
const verified: Step = ["user.human.email.verified"];

/** The log of one user, `u1` of `o1`; without an editor it was this job's service user. */
function logOf(...steps: readonly Step[]): InstanceLog {
  const log = createInstanceLog("key");
  for (const [type, payload, editor = SELF] of steps) {
    const event = {
      aggregate: { id: "u1", resourceOwner: "o1" },
      sequence: "1",
      creationDate: "2026-01-01T00:00:00Z",
      type: { type },
      editor: { userId: editor },
      payload,
    };
    applyEvent(log, event, { self: SELF, since: "2026-02-01T00:00:00Z" });
  }
  return log;
}

const entry = (fields: object = {}, state?: string): unknown => ({
  userId: "u1",
  ...(state === undefined ? {} : { state }),
  user: {
    userName: "ada",
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "ada@example.com", isEmailVerified: true },
    hashedPassword: { value: HASH },
    ...fields,
  },
});

function plan(log: InstanceLog, wanted: UserView, prefer: Preference = "none") {
  return planUser(log.users, log.users.find("o1", "u1"), wanted, { prefer });
}

const wantedOf = (fields?: object, state?: string): UserView => viewOfEntry(entry(fields, state));
const keep = (fields: readonly string[], conflicts: readonly string[] = [], notUpdated: readonly string[] = []) => ({
  kind: "keep",
  fields,
  conflicts,
  notUpdated,
});

test("a missing user is created, and so is a removed one", () => {
  expect(plan(logOf(), wantedOf())).toEqual({ kind: "create" });
  expect(plan(logOf(added, ["user.removed"]), wantedOf())).toEqual({ kind: "create" });
});

test("a user that is as wanted is not changed", () => {
  expect(plan(logOf(added, verified), wantedOf())).toEqual(keep([]));
});

test.each<[string, object, readonly string[]]>([
  ["the user name", { userName: "countess" }, ["userName"]],
  ["a name", { profile: { firstName: "Augusta", lastName: "Lovelace" } }, ["firstName"]],
  ["the address", { email: { email: "new@example.com", isEmailVerified: true } }, ["email"]],
  ["the hash", { hashedPassword: { value: OTHER_HASH } }, ["hash"]],
  ["a phone number", { phone: { phone: "+41791234567", isPhoneVerified: true } }, ["phone", "isPhoneVerified"]],
])("%s that differs is changed, and nothing else", (_, fields, expected) => {
  expect(plan(logOf(added, verified), wantedOf(fields))).toEqual(keep(expected));
});

test("a state that differs is changed", () => {
  const locked = logOf(added, verified, ["user.locked"]);
  expect(plan(locked, wantedOf({}, "USER_STATE_ACTIVE"))).toEqual(keep(["state"]));
  expect(plan(locked, wantedOf({}, "USER_STATE_LOCKED"))).toEqual(keep([]));
});

describe("fields that another user has changed on the target", () => {
  const byUser = logOf(added, verified, ["user.human.password.changed", { encodedHash: OTHER_HASH }, "u1"]);

  test("is a conflict, and left", () => {
    expect(plan(byUser, wantedOf())).toEqual(keep([], ["hash"]));
    expect(plan(byUser, wantedOf({ userName: "countess" }))).toEqual(keep(["userName"], ["hash"]));
  });

  test("is taken from the source, or left, as is preferred", () => {
    expect(plan(byUser, wantedOf(), "source")).toEqual(keep(["hash"]));
    expect(plan(byUser, wantedOf(), "target")).toEqual(keep([], ["hash"]));
  });

  test("is none where both sides agree", () => {
    expect(plan(byUser, wantedOf({ hashedPassword: { value: OTHER_HASH } }))).toEqual(keep([]));
  });

  test("is none any more once this job's service user has changed it after that", () => {
    const ours = logOf(
      added,
      verified,
      ["user.username.changed", { userName: "x" }, "u1"],
      ["user.username.changed", { userName: "y" }],
    );
    expect(plan(ours, wantedOf())).toEqual(keep(["userName"]));
  });

  test("is not a password that a sign-in has hashed again", () => {
    const rehashed = logOf(added, verified, ["user.human.password.hash.updated", { encodedHash: OTHER_HASH }, "u1"]);
    expect(plan(rehashed, wantedOf())).toEqual(keep([]));
    // An export after the sign-in has the new hash.
    expect(plan(rehashed, wantedOf({ hashedPassword: { value: OTHER_HASH } }))).toEqual(keep([]));
  });

  test("takes the rest of the profile along where it is a name: no call leaves the names alone", () => {
    const named = logOf(added, verified, ["user.human.profile.changed", { firstName: "Byron" }, "admin"]);
    const wanted = wantedOf({ profile: { firstName: "Ada", lastName: "King", nickName: "A" } });
    expect(plan(named, wanted)).toEqual(keep([], ["firstName", "lastName", "nickName"]));
  });

  test("leaves a nickname of its own alone, and lets the names be changed", () => {
    const named = logOf(added, verified, ["user.human.profile.changed", { nickName: "B" }, "admin"]);
    const wanted = wantedOf({ profile: { firstName: "Ada", lastName: "King", nickName: "A" } });
    expect(plan(named, wanted)).toEqual(keep(["lastName"], ["nickName"]));
  });
});

describe("a verified address", () => {
  test("that this account made verified is named where the input has it unverified", () => {
    const log = logOf(added, ["user.human.email.verified", {}]);
    expect(plan(log, wantedOf({ email: { email: "ada@example.com" } }))).toEqual(keep([], [], ["isEmailVerified"]));
    const other = wantedOf({ email: { email: "new@example.com" } });
    expect(plan(log, other)).toEqual(keep(["email", "isEmailVerified"]));
  });

  test("stays verified where the source's is not: no call takes that back", () => {
    const log = logOf(added, ["user.human.email.verified", {}, "u1"]);
    expect(plan(log, wantedOf({ email: { email: "ada@example.com" } }))).toEqual(keep([]));
  });

  test("that was verified by its owner is no reason to keep it when the source has another", () => {
    const log = logOf(added, ["user.human.email.verified", {}, "u1"]);
    expect(plan(log, wantedOf({ email: { email: "new@example.com" } }))).toEqual(keep(["email", "isEmailVerified"]));
  });

  test("is verified where the source's is", () => {
    expect(plan(logOf(added), wantedOf())).toEqual(keep(["isEmailVerified"]));
  });
});

describe("a user who has not finished registration", () => {
  const [type, { encodedHash: _, ...payload }] = added as [string, { encodedHash: string }];
  const code: Step = ["user.human.initialization.code.added", {}];

  test("gets the password if this job's service user created the user, and keeps it as a conflict otherwise", () => {
    for (const prefer of ["none", "source", "target"] as const) {
      const own = plan(logOf([type, payload], code), wantedOf({ userName: "countess" }), prefer);
      expect(own).toEqual(keep(["userName", "isEmailVerified", "hash"]));
      const strangers = plan(logOf([type, payload, "admin"], code), wantedOf({ userName: "countess" }), prefer);
      expect(strangers).toEqual(keep(["userName", "isEmailVerified"], ["hash"]));
    }
    const renamed = logOf([type, payload], code, ["user.username.changed", { userName: "x" }, "admin"]);
    expect(plan(renamed, wantedOf())).toEqual(keep(["isEmailVerified", "hash"], ["userName"]));
  });

  test("and was locked for the password is unlocked, also if the input does not mention the state", () => {
    const locked = logOf([type, payload], code, ["user.locked"]);
    expect(plan(locked, wantedOf())).toEqual(keep(["isEmailVerified", "hash", "state"]));
    expect(plan(locked, wantedOf({}, "USER_STATE_ACTIVE"))).toEqual(keep(["isEmailVerified", "hash", "state"]));
    expect(plan(locked, wantedOf({}, "USER_STATE_LOCKED"))).toEqual(keep(["isEmailVerified", "hash"]));
    // A lock of another account, or one that an input asked for, is left.
    const byAdmin = logOf([type, payload], code, ["user.locked", {}, "admin"]);
    expect(plan(byAdmin, wantedOf())).toEqual(keep(["isEmailVerified", "hash"]));
    const asked = logOf([type, payload], code, ["user.locked"], ["user.human.password.changed", { encodedHash: HASH }]);
    expect(plan(asked, wantedOf())).toEqual(keep(["isEmailVerified"]));
    const after = logOf([type, payload], ["user.locked"]);
    expect(plan(after, wantedOf())).toEqual(keep(["isEmailVerified", "hash"]));
    // A lock of the creation is left, too: the user has the password already.
    expect(plan(logOf(added, code, ["user.locked"]), wantedOf())).toEqual(keep(["isEmailVerified"]));
  });

  test("and has a password becomes active with a verified address; if the input does not mention the state, that is named", () => {
    const log = logOf(added, code);
    expect(plan(log, wantedOf({}, "USER_STATE_ACTIVE"))).toEqual(keep(["isEmailVerified", "state"]));
    const later = logOf(added, code, verified);
    expect(plan(later, wantedOf({}, "USER_STATE_ACTIVE"))).toEqual(keep(["state"]));
    expect(plan(later, wantedOf({ hashedPassword: undefined }, "USER_STATE_ACTIVE"))).toEqual(keep(["state"]));
    expect(plan(log, wantedOf())).toEqual(keep(["isEmailVerified"], [], ["state"]));
    expect(plan(later, wantedOf())).toEqual(keep([], [], ["state"]));
    expect(plan(later, wantedOf(), "source")).toEqual(keep(["state"]));
    const unfinished = { prefer: "source", isUnfinished: true } as const;
    expect(planUser(later.users, later.users.find("o1", "u1"), wantedOf(), unfinished)).toEqual(keep([]));
    expect(plan(later, wantedOf({}, "USER_STATE_LOCKED"))).toEqual(keep(["state"]));
    expect(plan(log, wantedOf({ email: { email: "ada@example.com" } }))).toEqual(keep([]));
    const withoutPassword = logOf([type, payload], code, verified);
    expect(plan(withoutPassword, wantedOf({ hashedPassword: undefined }))).toEqual(keep([]));
    expect(plan(withoutPassword, wantedOf({ hashedPassword: undefined }, "USER_STATE_ACTIVE"))).toEqual(
      keep(["state"]),
    );
  });

  test("has no conflict without a password in the source", () => {
    const wanted = wantedOf({ hashedPassword: undefined, userName: "countess", email: { email: "ada@example.com" } });
    expect(plan(logOf([type, payload], code), wanted)).toEqual(keep(["userName"]));
  });

  test("is given the password with a lock that the source asks for, before the lock and after it", () => {
    const wanted = wantedOf({}, "USER_STATE_LOCKED");
    const strangers = [type, payload, "admin"] as const;
    const fields = ["isEmailVerified", "hash"];
    for (const prefer of ["none", "source", "target"] as const) {
      expect(plan(logOf(strangers, code), wanted, prefer)).toEqual(keep([...fields, "state"]));
      expect(plan(logOf(strangers, code, ["user.locked"]), wanted, prefer)).toEqual(keep(fields));
      // The service deactivates such a user only after a lock.
      expect(plan(logOf(strangers, code), wantedOf({}, "USER_STATE_INACTIVE"), prefer)).toEqual(
        keep([...fields, "state"]),
      );
    }
  });

  test("is like any other user afterwards", () => {
    const finished = logOf([type, payload], code, ["user.human.initialization.check.succeeded"]);
    expect(plan(finished, wantedOf())).toMatchObject({ kind: "keep", fields: ["isEmailVerified", "hash"] });
  });
});

test("a field that a body does not mention is kept; a field that an export lacks is removed", () => {
  const rich = logOf(
    [
      added[0],
      {
        ...added[1],
        nickName: "A",
        phone: "+41791234567",
        preferredLanguage: "de",
        gender: 1,
        displayName: "Countess",
      },
    ],
    verified,
  );
  expect(plan(rich, wantedOf({ hashedPassword: undefined }))).toEqual(keep([]));
  expect(plan(rich, wholeView(wantedOf({ hashedPassword: undefined })))).toEqual(
    keep(["nickName", "displayName", "preferredLanguage", "gender", "phone"]),
  );
});

test("the password that was given before a sign-in of the source hashed it anew is the same password", () => {
  const log = logOf(added, verified);
  const user = log.users.find("o1", "u1");
  const wanted = wantedOf({ hashedPassword: { value: OTHER_HASH } });
  const options = { prefer: "none", givenHash: log.digest("hash", HASH) } as const;
  expect(planUser(log.users, user, wanted, options)).toEqual(keep([]));
  expect(planUser(log.users, user, wanted, { ...options, givenHash: log.digest("hash", OTHER_HASH) })).toEqual(
    keep(["hash"]),
  );
});

test("a name to be shown that is emptied is emptied, unless the service made it of both names", () => {
  const named: Step = [added[0], { ...added[1], displayName: "Ada Lovelace" }];
  const given: Step = [added[0], { ...added[1], displayName: "Countess" }];
  const whole = wholeView(wantedOf());
  expect(plan(logOf(named, verified), whole)).toEqual(keep([]));
  expect(plan(logOf(given, verified), whole)).toEqual(keep(["displayName"]));
  const changed: Step = ["user.human.profile.changed", { displayName: "Ada Lovelace" }];
  expect(plan(logOf(named, verified, changed), whole)).toEqual(keep(["displayName"]));
  expect(plan(logOf(given, verified), wantedOf())).toEqual(keep([]));
});

test("spaces around names, which some calls of the service take away, are no difference", () => {
  const profile = { firstName: " Ada", lastName: "Lovelace " };
  expect(plan(logOf(added, verified), wantedOf({ profile }))).toEqual(keep([]));
});

test("a user who was locked and unlocked counts as registered, and can get a password", () => {
  const initial: Step = ["user.human.initialization.code.added"];
  const wanted = wantedOf({ hashedPassword: { value: OTHER_HASH } });
  const strangers: Step = [added[0], added[1] ?? {}, "admin"];
  expect(plan(logOf(strangers, initial), wanted)).toMatchObject({ conflicts: ["hash"] });
  const letIn = logOf(strangers, initial, ["user.locked"], ["user.unlocked"]);
  expect(plan(letIn, wanted)).toMatchObject({ fields: expect.arrayContaining(["hash"]), conflicts: [] });
});

test("a required change of the password is set with the password; with another one that stays, it is not", () => {
  const wanted = wantedOf({ passwordChangeRequired: true });
  const changed: Step = ["user.human.password.changed", { encodedHash: OTHER_HASH, changeRequired: false }, "other"];
  expect(plan(logOf(added, verified), wanted)).toEqual(keep(["passwordChangeRequired"]));
  expect(plan(logOf(added, verified, changed), wanted)).toEqual(keep([], ["hash"]));
  expect(plan(logOf(added, verified, changed), wanted, "source")).toEqual(keep(["hash", "passwordChangeRequired"]));
  const plain = wantedOf({ passwordChangeRequired: true, hashedPassword: undefined, password: "Secret-1234!" });
  expect(plan(logOf(added, verified), plain)).toEqual(keep([], [], ["passwordChangeRequired"]));
  const initial: Step = ["user.human.initialization.code.added"];
  const unverified = wantedOf({ passwordChangeRequired: true, email: { email: "ada@example.com" } });
  expect(plan(logOf(added, initial), unverified)).toEqual(keep([], [], ["passwordChangeRequired"]));
  // A run that finishes the registration sets it.
  for (const state of ["USER_STATE_ACTIVE", "USER_STATE_LOCKED"])
    expect(plan(logOf(added, verified, initial), wantedOf({ passwordChangeRequired: true }, state))).toEqual(
      keep(["state", "passwordChangeRequired"]),
    );
});

test("an OTP secret that the user lacks is not updated, and is named, also if the target's values are preferred", () => {
  const wanted = wantedOf({ otpCode: "JBSWY3DPEHPK3PXP" });
  expect(plan(logOf(added, verified), wanted)).toEqual(keep([], [], ["otp"]));
  const removed: readonly Step[] = [["user.human.mfa.otp.verified"], ["user.human.mfa.otp.removed", {}, "u1"]];
  expect(plan(logOf(added, verified, ...removed), wanted)).toEqual(keep([], [], ["otp"]));
  expect(plan(logOf(added, verified, ...removed), wanted, "target")).toEqual(keep([], [], ["otp"]));
});
