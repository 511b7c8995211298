import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { humanEntry, keyEntries, linkEntries } from "../../../../../src/core/events/rebuild/user-entries.ts";
import { type FoldedEvent, foldUser, rebuildingEventTypes } from "../../../../../src/core/events/rebuild/user-fold.ts";

type Logged = readonly [type: string, payload?: object];

/** Events of one user, numbered in the given order. */
function events(...list: readonly Logged[]): FoldedEvent[] {
  return list.map(([type, payload], index) => ({ type, sequence: index + 1, ...(payload && { payload }) }));
}

const ADDED = [
  "user.human.added",
  {
    userName: "ada",
    firstName: "Ada",
    lastName: "Lovelace",
    displayName: "Ada Lovelace",
    preferredLanguage: "und",
    gender: -1,
    email: "ada@example.com",
    phone: "+41791234567",
    encodedHash: "$2b$10$first",
  },
] as const;

const entryOf = (...list: readonly Logged[]): object | undefined => {
  const user = foldUser(events(...list));
  return user && humanEntry("u", user, { withPasswords: true, withOtp: true });
};

const BASE = {
  userId: "u",
  user: {
    userName: "ada",
    profile: { firstName: "Ada", lastName: "Lovelace", displayName: "Ada Lovelace", preferredLanguage: "und" },
    email: { email: "ada@example.com" },
    phone: { phone: "+41791234567" },
    hashedPassword: { value: "$2b$10$first" },
  },
  state: "USER_STATE_ACTIVE",
};

describe("a user of the log", () => {
  test("is the entry that an export has", () => expect(entryOf(ADDED)).toEqual(BASE));

  test.each([
    ["user.human.password.changed", { encodedHash: "$2b$10$second" }, { hashedPassword: { value: "$2b$10$second" } }],
    ["user.human.password.hash.updated", { encodedHash: "$2b$04$re" }, { hashedPassword: { value: "$2b$04$re" } }],
    [
      "user.human.password.changed",
      { secret: { CryptoType: 1, Algorithm: "bcrypt", Crypted: Buffer.from("$2a$10$old").toString("base64") } },
      { hashedPassword: { value: "$2a$10$old" } },
    ],
    ["user.username.changed", { userName: "countess" }, { userName: "countess" }],
    ["user.domain.claimed", { userName: "claimed" }, { userName: "claimed" }],
    ["user.human.email.verified", {}, { email: { email: "ada@example.com", isEmailVerified: true } }],
    ["user.email.verified", {}, { email: { email: "ada@example.com", isEmailVerified: true } }],
    ["user.human.phone.verified", {}, { phone: { phone: "+41791234567", isPhoneVerified: true } }],
    ["user.human.phone.removed", {}, { phone: undefined }],
    [
      "user.human.profile.changed",
      { nickName: "Countess", gender: 1, preferredLanguage: "en" },
      { profile: { ...BASE.user.profile, nickName: "Countess", gender: "GENDER_FEMALE", preferredLanguage: "en" } },
    ],
  ] as const)("takes %s %j", (type, payload, changed) => {
    expect(entryOf(ADDED, [type, payload])).toEqual({ ...BASE, user: { ...BASE.user, ...changed } });
  });

  test("has the recovery codes that were not used, only with OTP secrets", () => {
    const codes = (...hashes: readonly string[]) => ["user.human.mfa.recoverycode.added", { codes: hashes }] as const;
    const used = ["user.human.mfa.recoverycode.check.succeeded", { codeChecked: "b" }] as const;
    const kept = ["a", "c", "d"].map((hash) => ({ hash }));
    const log = [ADDED, codes("a", "b", "c"), used, codes("d")] as const;
    expect(entryOf(...log)).toEqual({ ...BASE, user: { ...BASE.user, recoveryCodes: kept } });
    expect(entryOf(...log, ["user.human.mfa.recoverycode.removed"])).toEqual(BASE);
    const user = foldUser(events(...log));
    expect(user && humanEntry("u", user, { withPasswords: true, withOtp: false })).toEqual(BASE);
  });

  test("loses the verification with a new address or number", () => {
    const verified = [["user.human.email.verified"], ["user.human.phone.verified"]] as const;
    const changed = [
      ["user.human.email.changed", { email: "new@example.com" }],
      ["user.human.phone.changed", { phone: "+41790000000" }],
    ] as const;
    expect(entryOf(ADDED, ...verified, ...changed)).toMatchObject({
      user: { email: { email: "new@example.com" }, phone: { phone: "+41790000000" } },
    });
    expect(JSON.stringify(entryOf(ADDED, ...verified, ...changed))).not.toContain("Verified");
  });

  test.each([
    [["user.locked"], "LOCKED"],
    [["user.locked", "user.unlocked"], "ACTIVE"],
    [["user.deactivated"], "INACTIVE"],
    [["user.deactivated", "user.reactivated"], "ACTIVE"],
    [["user.human.initialization.code.added"], "INITIAL"],
    [["user.human.initialization.code.added", "user.human.initialization.check.succeeded"], "ACTIVE"],
    [["user.human.initialization.code.added", "user.locked", "user.unlocked"], "ACTIVE"],
  ])("after %j is %s", (types, state) => {
    expect(entryOf(ADDED, ...types.map((type) => [type] as const))).toMatchObject({ state: `USER_STATE_${state}` });
  });

  test("that was removed is none, and a recreated one has nothing of the former life", () => {
    const former = [
      ADDED,
      ["user.metadata.set", { key: "plan", value: "eA==" }],
      ["user.human.externalidp.added", { idpConfigId: "idp", userId: "x", displayName: "n" }],
      ["user.human.mfa.otp.verified"],
      ["user.locked"],
      ["user.removed"],
    ] as const;
    expect(foldUser(events(...former))).toBeUndefined();
    const again = foldUser(events(...former, ["user.human.added", { userName: "eve" }]));
    expect(again).toMatchObject({ state: "ACTIVE", hash: "", hasOtp: false, links: [], keys: [] });
    expect(again?.metadata.size).toBe(0);
  });

  test("keeps the last value of each key of metadata", () => {
    const user = foldUser(
      events(
        ADDED,
        ["user.metadata.set", { key: "a", value: "MQ==" }],
        ["user.metadata.set", { key: "b", value: "MQ==" }],
        ["user.metadata.set", { key: "a", value: "Mg==" }],
        ["user.metadata.removed", { key: "b" }],
      ),
    );
    expect([...(user?.metadata ?? [])]).toEqual([["a", "Mg=="]]);
    expect(
      foldUser(events(ADDED, ["user.metadata.set", { key: "a", value: "" }], ["user.metadata.removed.all"]))?.metadata
        .size,
    ).toBe(0);
  });

  test("has the links that were not removed, with their last ids and names", () => {
    const link = (idpConfigId: string, userId: string) =>
      ["user.human.externalidp.added", { idpConfigId, userId, displayName: "n" }] as const;
    const user = foldUser(
      events(
        ADDED,
        link("kept", "1"),
        link("gone", "2"),
        link("cascaded", "3"),
        ["user.human.externalidp.removed", { idpConfigId: "gone", userId: "2" }],
        ["user.human.externalidp.cascade.removed", { idpConfigId: "cascaded", userId: "3" }],
        ["user.human.externalidp.id.migrated", { idpConfigId: "kept", previousId: "1", newId: "9" }],
        ["user.human.externalidp.username.changed", { idpConfigId: "kept", userId: "9", username: "ada" }],
      ),
    );
    const idps = new Map([["kept", { idpName: "Google", idpType: 10 }]]);
    expect(user && linkEntries("u", user, idps)).toEqual([
      { userId: "u", idpId: "kept", idpName: "Google", providedUserId: "9", providedUserName: "ada", idpType: 10 },
    ]);
  });

  test("has its keys, with times in UTC", () => {
    const key = (keyId: string) =>
      ["user.machine.key.added", { keyId, expirationDate: "2035-01-02T04:04:05+01:00", publicKey: "LS0t" }] as const;
    const user = foldUser(
      events(["user.machine.added", { name: "R", userName: "r" }], key("a"), key("b"), [
        "user.machine.key.removed",
        { keyId: "a" },
      ]),
    );
    expect(user && keyEntries("m", user)).toEqual([
      { keyId: "b", userId: "m", type: "KEY_TYPE_JSON", expirationDate: "2035-01-02T03:04:05Z", publicKey: "LS0t" },
    ]);
  });

  test("does not depend on the order in which the log gives its events", () => {
    const types = rebuildingEventTypes.flat();
    const event = fc.record({
      type: fc.constantFrom("user.human.added", "user.removed", ...types),
      payload: fc.record({
        key: fc.constantFrom("a", "b"),
        value: fc.base64String(),
        email: fc.string(),
        phone: fc.string(),
        userName: fc.string(),
        encodedHash: fc.string(),
        idpConfigId: fc.constantFrom("i", "j"),
        userId: fc.constantFrom("x", "y"),
        keyId: fc.constantFrom("k", "l"),
      }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.infiniteStream(fc.nat()), (list, chance) => {
        const ordered = list.map((one, index) => ({ ...one, sequence: index + 1 }));
        const shuffled = [...ordered]
          .map((one) => [chance.next().value, one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one);
        expect(foldUser(shuffled)).toEqual(foldUser(ordered));
        // What came before the last removal has no effect.
        const removed = ordered.findLastIndex(({ type }) => type === "user.removed");
        expect(foldUser(ordered.slice(removed + 1))).toEqual(foldUser(ordered));
      }),
    );
  });

  test("has events of at most 30 types per search", () => {
    for (const types of rebuildingEventTypes) expect(types.length).toBeLessThanOrEqual(30);
    expect(new Set(rebuildingEventTypes.flat()).size).toBe(rebuildingEventTypes.flat().length);
  });
});
