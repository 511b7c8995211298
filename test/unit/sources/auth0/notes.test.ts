import { describe, expect, test } from "vitest";
import { createNotesOf } from "../../../../src/sources/auth0/notes.ts";
import { auth0 } from "../../../../src/sources/auth0/source.ts";
import { settingsOf } from "../../../helpers/settings-of.ts";

const notesOf = (given: Parameters<typeof settingsOf>[1], row: object) =>
  createNotesOf(settingsOf(auth0, given) as Parameters<typeof createNotesOf>[0])(row);

describe("fields", () => {
  const row = {
    user_id: "auth0|1",
    given_name: "Ann",
    family_name: "",
    nickname: null,
    phone_number: "+4917",
    username: "ann",
    user_metadata: { theme: "dark" },
    app_metadata: {},
  };

  test("names what a plain profile leaves out", () => {
    expect(notesOf({}, row).fields).toEqual(["given_name", "phone_number", "username", "user_metadata"]);
  });

  test("names nothing that a flag carries over", () => {
    const given = { profile: ["full"], metadata: ["user"], userName: ["username"] };
    expect(notesOf(given, row).fields).toEqual([]);
  });

  test("names roles and groups in app_metadata, unless --roles-by takes some", () => {
    const roles = { ...row, app_metadata: { roles: ["editor"], groups: [], org: "acme" } };
    const left = (given: Parameters<typeof settingsOf>[1]) =>
      notesOf({ profile: ["full"], userName: ["username"], metadata: ["user", "app"], ...given }, roles).fields;
    expect(left({})).toEqual(["app_metadata.roles"]);
    expect(left({ rolesBy: ["app_metadata.roles"] })).toEqual([]);
    expect(left({ rolesBy: ["app_metadata.groups"] })).toEqual(["app_metadata.roles"]);
  });

  test("names what it does not know and says something, and no record of Auth0 itself", () => {
    const others = {
      department: "Sales",
      upn: "ann@corp",
      groups: ["staff"],
      floor: 0,
      gender: "",
      tags: [],
      vip: false,
    };
    const records = { created_at: "2020-01-01T00:00:00Z", logins_count: 3, last_ip: "192.0.2.1", phone_verified: true };
    const given = { profile: ["full"], metadata: ["user"], userName: ["username"] };
    expect(notesOf(given, { ...row, ...others, ...records }).fields).toEqual(["department", "upn", "groups", "floor"]);
  });
});

describe("providers", () => {
  test.each([
    [{ user_id: "auth0|1" }, []],
    [{ user_id: "google-oauth2|1" }, ["google-oauth2"]],
    [{ user_id: "sms|1" }, []],
    [{ user_id: "without a provider" }, []],
    [{ user_id: "ann@x.org|1" }, []],
    [
      { user_id: "samlp|okta|a", identities: [{ provider: "samlp", connection: "okta", user_id: "okta|a" }] },
      ["okta (samlp)"],
    ],
    [
      { user_id: "auth0|1", identities: [{ provider: "auth0" }, { provider: "github", connection: "github" }] },
      ["github"],
    ],
    [{ user_id: "github|1", identities: [] }, ["github"]],
  ])("%j: %j", (row, providers) => {
    expect(notesOf({}, row).providers).toEqual(providers);
  });

  test("--idp names a provider or a connection", () => {
    const row = {
      user_id: "github|1",
      identities: [{ provider: "github" }, { provider: "samlp", connection: "okta" }],
    };
    expect(notesOf({ idp: ["github=1"] }, row).providers).toEqual(["okta (samlp)"]);
    expect(notesOf({ idp: ["github=1", "okta=2"] }, row).providers).toEqual([]);
    expect(notesOf({ idp: ["github=1", "samlp=2"] }, row).providers).toEqual([]);
  });
});

describe("what a row becomes", () => {
  const readWith = async (given: Parameters<typeof settingsOf>[1], row: object) => {
    const { load } = auth0.createRows(settingsOf(auth0, given) as never, new Date(0));
    return (await load(undefined)).readUser(row);
  };
  const row = { user_id: "auth0|1", email: "ann@x.org", name: "Ann E", username: "admin", blocked: true };

  test.each([[{}], [{ profile: ["full"] }]])("a blocked user stays inactive: %j", async (given) => {
    const reading = await readWith(given, row);
    expect(reading).toMatchObject({ user: { state: "inactive", userName: "ann@x.org" } });
    expect(reading.remarks).toContain("stays-inactive");
  });

  test.each(
    [{}, { profile: ["full"] }].flatMap((given) =>
      ["true", "yes", 1, 0, [], [true], {}].map((blocked) => [given, blocked] as const),
    ),
  )("a user is rejected whose blocked is neither true nor false: %j, %j", async (given, blocked) => {
    const reading = await readWith(given, { ...row, blocked });
    expect(reading).toMatchObject({ user: undefined, faults: [{ code: "field.type", field: "blocked" }] });
  });

  test.each([[{}], [{ profile: ["full"] }]])("--unblock opens: %j", async (given) => {
    const reading = await readWith({ ...given, unblock: [""] }, row);
    expect(reading.user?.state).toBe("active");
    expect(reading.remarks).toContain("blocked-becomes-active");
  });

  test.each([
    [false, "active"],
    [null, undefined],
    [undefined, undefined],
  ])(
    "a user who is not blocked any more is active, so that an update opens the account: %s",
    async (blocked, state) => {
      const { user, remarks = [] } = await readWith({}, { ...row, blocked });
      expect([user?.state, remarks.some((remark) => remark.includes("inactive"))]).toEqual([state, false]);
    },
  );

  test("the login name is the address unless --user-name says otherwise", async () => {
    const given = { profile: ["full"], userName: ["username"] };
    expect((await readWith(given, row)).user?.userName).toBe("admin");
  });

  test("blanks around an address are removed, and an international domain is written in punycode", async () => {
    expect((await readWith({}, { ...row, email: " ann@münchen.de " })).user?.email).toBe("ann@xn--mnchen-3ya.de");
  });

  test("roles that are no texts are counted, beside those that are", async () => {
    const given = { rolesBy: ["app_metadata.roles"], grant: ["*=1:*"] };
    const read = async (roles: unknown) => {
      const { user, remarks } = await readWith(given, { ...row, app_metadata: { roles } });
      return [user?.grants?.[0]?.roleKeys ?? [], remarks?.filter((remark) => remark === "roles-unread")];
    };
    expect(await read(["editor", { id: "rol_1", name: "viewer" }])).toEqual([["editor"], ["roles-unread"]]);
    expect(await read({ editor: true })).toEqual([[], ["roles-unread"]]);
    expect(await read(["editor", "", null])).toEqual([["editor"], []]);
  });

  const wrong = {
    ...{ given_name: 1, nickname: [], locale: 2, phone_number: 49, phone_verified: "yes", username: 3 },
    ...{ user_metadata: ["a"], app_metadata: "b", identities: "c" },
  };
  const taken: readonly (readonly [Parameters<typeof settingsOf>[1], readonly string[]])[] = [
    [{}, []],
    [{ userName: ["username"] }, ["username"]],
    [{ profile: ["full"] }, ["given_name", "nickname", "locale", "phone_number", "phone_verified"]],
    [{ metadata: ["user"] }, ["user_metadata"]],
    [{ metadata: ["app"] }, ["app_metadata"]],
    [{ orgBy: ["app_metadata.org"] }, ["app_metadata"]],
    [{ rolesBy: ["user_metadata.roles"] }, ["user_metadata"]],
    [{ rolesBy: ["user_metadata.roles", "app_metadata.groups"] }, ["user_metadata", "app_metadata"]],
    [{ orgBy: ["connection"] }, ["identities"]],
    [{ idp: ["github=1"] }, ["identities"]],
  ];

  test.each(taken)("with %j, only fields that are taken over reject: %j", async (given, fields) => {
    const { user, faults } = await readWith(given, { ...row, ...wrong });
    expect(faults.map(({ field }) => field)).toEqual(fields);
    expect(user === undefined).toBe(fields.length > 0);
  });

  test("--email-domain makes an address of the user name, or of the id", async () => {
    const given = { emailDomain: ["users.example.com"] };
    const made = { ...row, email: undefined };
    expect(await readWith(given, made)).toMatchObject({
      user: { email: "admin@users.example.com", isEmailVerified: false },
      email: undefined,
    });
    const byId = await readWith(given, { ...made, user_id: "sms|5f7c", username: undefined });
    expect(byId.user?.email).toBe("sms.5f7c@users.example.com");
    const byAddress = await readWith(given, { ...made, username: undefined, user_id: "samlp|okta|bob@gmail.com" });
    expect(byAddress.user?.email).toBe("samlp.okta.bob.gmail.com@users.example.com");
    const byName = await readWith(given, { ...made, username: "bob@gmail.com" });
    expect(byName.user?.email).toBe("bob@gmail.com");
    expect((await readWith({}, made)).faults).toMatchObject([{ code: "user.no-email", flag: "--email-domain" }]);
  });

  test.each([
    [{ phone_number: "+491711234567" }, ["phone-unverified"]],
    [{ phone_number: "+491711234567", phone_verified: true }, []],
    [{ phone_number: "none", phone_verified: false }, ["phone-lost"]],
  ])("a full profile says which users get an SMS: %j", async (phone, remarks) => {
    const account = { user_id: "auth0|1", email: "ann@x.org", name: "Ann E" };
    expect((await readWith({ profile: ["full"] }, { ...account, ...phone })).remarks).toEqual(remarks);
  });

  test.each([
    ["0171 1234567", { phone: "+491711234567" }, ["phone-unverified"]],
    ["+41 79 123 45 67", { phone: "+41791234567" }, ["phone-unverified"]],
    ["123", {}, ["phone-of-no-country"]],
  ])("--phone-country is that of a number without a country code: %s", async (phone_number, user, remarks) => {
    const given = { profile: ["full"], phoneCountry: ["de"] };
    const row = { user_id: "auth0|1", email: "ann@x.org", name: "Ann E", phone_number };
    expect(await readWith(given, row)).toMatchObject({ user, remarks });
  });

  test.each([
    ["samlp|okta|ann@x.org", [{ provider: "samlp", connection: "okta", user_id: "okta|ann@x.org" }], "ann@x.org"],
    ["samlp|okta|ann@x.org", undefined, "ann@x.org"],
    ["samlp|other|ann", [{ provider: "samlp", connection: "okta", user_id: "other|ann" }], "other|ann"],
    ["samlp|ann", [{ provider: "samlp", connection: "okta", user_id: "ann" }], "ann"],
    ["samlp|okta|", [{ provider: "samlp", connection: "okta", user_id: "okta|" }], "okta|"],
  ])(
    "the id of an enterprise account has no connection in front: %s %j",
    async (user_id, identities, externalUserId) => {
      const row = { user_id, identities, email: "ann@x.org", name: "A" };
      expect((await readWith({ idp: ["samlp=9"] }, row)).user?.idpLinks).toMatchObject([
        { idpId: "9", externalUserId },
      ]);
    },
  );

  test.each([
    [
      "github|1",
      [
        { provider: "github", user_id: 1 },
        { provider: "auth0", user_id: "7" },
      ],
      true,
    ],
    ["github|1", [{ provider: "github", user_id: 1 }, null], false],
    [
      "auth0|7",
      [
        { provider: "auth0", user_id: "7" },
        { provider: "github", user_id: 1 },
      ],
      false,
    ],
  ])("the password of a linked database account is a loss: %s %j", (user_id, identities, isLost) => {
    const { remarks = [] } = notesOf({}, { user_id, identities });
    expect(remarks.includes("linked-password-lost")).toBe(isLost);
  });

  const LARGE = "12345678901234567891";

  test.each([
    ["facebook|1", "facebook", LARGE, undefined],
    [`facebook|${LARGE}`, "facebook", LARGE, LARGE],
    ["facebook|12345678900000000000", "facebook", LARGE, undefined],
    ["auth0|1", "facebook", LARGE, undefined],
    [`samlp|okta|${LARGE}`, "samlp", LARGE, LARGE],
    ["auth0|1", "facebook", `"${LARGE}"`, LARGE],
    ["auth0|1", "facebook", "9007199254740991", "9007199254740991"],
  ])(
    "a large number is an account only with all of its digits: %s has %s %s",
    async (user_id, provider, number, externalUserId) => {
      const identities: unknown = JSON.parse(`[{"provider":"${provider}","connection":"okta","user_id":${number}}]`);
      const row = { user_id, identities, email: "ann@x.org", name: "A" };
      const { user, remarks = [] } = await readWith({ idp: [`${provider}=9`] }, row);
      expect(user?.idpLinks?.map((link) => link.externalUserId)).toEqual(externalUserId && [externalUserId]);
      expect(remarks).toEqual(externalUserId === undefined ? ["link-number-lost"] : []);
    },
  );

  test("a user of an export without identities is linked by the id", async () => {
    const google = { user_id: "google-oauth2|7", email: "a@x.org", name: "A" };
    expect((await readWith({ idp: ["google-oauth2=9"] }, google)).user?.idpLinks).toEqual([
      { idpId: "9", externalUserId: "7", displayName: "a@x.org" },
    ]);
  });
});
