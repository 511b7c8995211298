import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emailProblem } from "../../../../src/core/rules/email.ts";
import { describeRowCause } from "../../../../src/problem/row.ts";
import type { KeycloakOptions } from "../../../../src/sources/keycloak/options.ts";
import { RealmOrgs } from "../../../../src/sources/keycloak/orgs.ts";
import { createReadUser } from "../../../../src/sources/keycloak/read-user.ts";
import { RealmRoles } from "../../../../src/sources/keycloak/roles.ts";
import { keycloak } from "../../../../src/sources/keycloak/source.ts";
import { Granter } from "../../../../src/sources/shared/grants.ts";
import type { Settings } from "../../../../src/sources/source.ts";
import { settingsOf } from "../../../helpers/settings-of.ts";

type Given = Readonly<Record<string, readonly string[]>>;

function reader(given: Given = {}) {
  const settings = settingsOf(keycloak, given) as Settings<KeycloakOptions>; // its own options
  const realmOrgs = new RealmOrgs(settings.orgBy);
  return createReadUser(settings, { granter: new Granter(settings), realmRoles: new RealmRoles(), realmOrgs });
}

const USER = {
  id: "eeef322c",
  username: "ada",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@acme.example",
  emailVerified: true,
  enabled: true,
  credentials: [],
};

const remarksOf = (more: object, given: Given = {}) => reader(given)({ ...USER, ...more }).remarks;

test("a plain user has only the required fields", () => {
  expect(reader()(USER)).toEqual({
    faults: [],
    userId: "eeef322c",
    email: "ada@acme.example",
    isNamedByEmail: false,
    remarks: [],
    fields: [],
    providers: [],
    metadata: [],
    roles: [],
    user: {
      userId: "eeef322c",
      userName: "ada",
      email: "ada@acme.example",
      isEmailVerified: true,
      firstName: "Ada",
      lastName: "Lovelace",
      state: "active",
    },
  });
});

test("a user is active, inactive, or neither, as the realm says", () => {
  const stateOf = (enabled: unknown) => reader()({ ...USER, enabled }).user?.state;
  expect([true, false, undefined].map(stateOf)).toEqual(["active", "inactive", undefined]);
});

describe("names", () => {
  test.each([
    [{ firstName: undefined }, "Lovelace", ["first-name-missing"]],
    [{ lastName: "  " }, "Ada", ["last-name-missing"]],
    [{ firstName: null, lastName: "" }, "ada", []],
  ])("the other name, or else the user name, stands for %j", (more, name, remarks) => {
    const user = { firstName: name, lastName: name, displayName: name };
    expect(reader()({ ...USER, ...more })).toMatchObject({ user, remarks, isNamedByEmail: name === "ada" });
  });
});

describe("an address", () => {
  const withDomain = { emailDomain: ["users.example.com"] };

  test("is a fault where there is none, unless one may be made", () => {
    const row = { ...USER, email: undefined };
    expect(reader()(row).faults).toEqual([{ code: "user.no-email", field: "email", flag: "--email-domain" }]);
    expect(reader(withDomain)(row)).toMatchObject({
      user: { email: "ada@users.example.com", isEmailVerified: false },
      remarks: ["email-made-up"],
    });
  });

  test("of a user name with blanks is none, and the fault says that it was made of it", () => {
    const { faults } = reader(withDomain)({ ...USER, email: undefined, username: "lager halle 3" });
    expect(faults).toEqual([{ code: "field.email", field: "username", rule: "shape", isMadeUp: true }]);
    expect(faults.map((fault) => describeRowCause(fault).message)).toEqual([
      expect.stringMatching(/^no e-mail address, .* that --email-domain makes of this field: /),
    ]);
  });

  test("is never made twice of a user name that is one", () => {
    const row = { ...USER, email: null, username: "ada@elsewhere.example" };
    expect(reader(withDomain)(row).user?.email).toBe("ada@elsewhere.example");
  });

  test("of an international domain is written in punycode", () => {
    expect(reader()({ ...USER, email: "post@bücher.example" }).user?.email).toBe("post@xn--bcher-kva.example");
  });

  test("that is accepted is one that the service takes, with any user name", () => {
    const read = reader(withDomain);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 }), (username) => {
        const { user, faults } = read({ ...USER, username, email: undefined });
        if (user?.email === undefined) expect(faults).not.toEqual([]);
        else expect(emailProblem(user.email)).toBeUndefined();
      }),
    );
  });
});

describe("lost values are reported", () => {
  test.each([
    ["stays-inactive", { enabled: false }],
    ["roles-lost", { realmRoles: ["default-roles-acme", "editor"] }],
    ["roles-lost", { groups: ["/staff"] }],
    ["roles-lost", { clientRoles: { account: ["view-profile"], shop: ["buyer"] } }],
    ["factors-lost", { credentials: [{ type: "webauthn-passwordless", secretData: "{}", credentialData: "{}" }] }],
    ["factors-lost", { credentials: [{ type: "recovery-authn-codes" }] }],
    ["terms-lost", { requiredActions: ["TERMS_AND_CONDITIONS"] }],
    ["verify-email-lost", { requiredActions: ["VERIFY_EMAIL"] }],
    ["action-lost", { requiredActions: ["toString"] }],
    ["password-elsewhere", { federationLink: "5b1d" }],
    ["language-lost", { attributes: { locale: ["klingon"] } }],
    ["phone-lost", { attributes: { phoneNumber: ["0170 1"] } }],
    ["phone-unverified", { attributes: { phoneNumber: ["+49 170 1234567"] } }],
    ["attributes-left-out", { attributes: { department: ["R&D"] } }],
    ["link-lost", { federatedIdentities: [{ identityProvider: "google", userId: "1", userName: "a" }] }],
  ])("%s: %j", (remark, more) => expect(remarksOf(more)).toEqual([remark]));

  test.each([
    { realmRoles: ["default-roles-acme", "offline_access", "uma_authorization"], clientRoles: { account: ["x"] } },
    { requiredActions: ["VERIFY_EMAIL"], emailVerified: false },
    { requiredActions: ["UPDATE_PASSWORD"] }, // there is none to be changed
    { attributes: { locale: ["de"], phoneNumber: ["+49 170 1234567"], phoneNumberVerified: ["true"] } },
    { attributes: { department: [""] } },
    { realmRoles: 5, clientRoles: "x", groups: {} },
  ])("nothing is: %j", (more) => expect(remarksOf(more)).toEqual([]));
});

test("roles and groups are named, also without --grant", () => {
  const more = { realmRoles: ["default-roles-acme", "editor"], clientRoles: { shop: ["buyer"] }, groups: ["/staff"] };
  expect(reader()({ ...USER, ...more }).roles).toEqual(["editor", "shop:buyer", "/staff"]);
});

test("of several phone numbers the first valid one is read, and the others are left out", () => {
  const read = (phoneNumber: readonly string[], more: Parameters<typeof reader>[0] = {}) =>
    reader(more)({ ...USER, attributes: { phoneNumber, phoneNumberVerified: ["true"] } });
  const [first, second] = ["+491711234568", "+491711234569"];
  const left = { fields: ["phoneNumber"], remarks: ["attributes-left-out"] };
  expect(read([first, second])).toMatchObject({ ...left, user: { phone: first, isPhoneVerified: true } });
  // The verification is about the first one.
  expect(read(["none", second])).toMatchObject({
    user: { phone: second, isPhoneVerified: false },
    fields: ["phoneNumber"],
    remarks: ["phone-unverified", "attributes-left-out"],
  });
  expect(read([first, " ", "+49 171 1234568"])).toMatchObject({ user: { phone: first }, fields: [], remarks: [] });
  expect(read(["none", "neither"])).toMatchObject({ fields: [], remarks: ["phone-lost"] });
  expect(read([first, second], { metadata: ["phoneNumber"] })).toMatchObject({
    user: { phone: first, metadata: [{ key: "phoneNumber" }] },
    fields: [],
  });
});

test("--phone-country reads a national number", () => {
  const row = { ...USER, attributes: { phoneNumber: ["0170 1234567"], phoneNumberVerified: ["true"] } };
  expect(reader({ phoneCountry: ["DE"] })(row)).toMatchObject({ user: { phone: "+491701234567" }, remarks: [] });
  expect(reader()(row).remarks).toEqual(["phone-lost"]);
  expect(reader({ phoneCountry: ["CH"] })({ ...row, attributes: { phoneNumber: ["0170 1"] } }).remarks).toEqual([
    "phone-of-no-country",
  ]);
});

test("a row tells what the whole file may be", () => {
  const { credentials: _, ...bare } = USER;
  expect(reader()(bare).unfit).toBe("no-credentials");
  expect(reader()({ ...bare, serviceAccountClientId: "bot" })).toMatchObject({
    leftOut: "service-account",
    unfit: "service-accounts",
  });
  expect(reader()(USER).unfit).toBeUndefined();
});

test("nothing that a row holds stands in what is said of it, and no row stops the run", () => {
  const secret = "s3cret-value-of-a-row";
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      secret,
      `{"value":"${secret}"}`,
      null,
      17,
      true,
      [secret],
      { [secret]: secret },
      `$${secret}$`,
    ),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const stored = fc.record(
    {
      type: fc.constantFrom<unknown>("password", "otp", "totp", secret, 5),
      secretData: value,
      credentialData: value,
      hashedSaltedValue: value,
      salt: value,
      algorithm: value,
      hashIterations: value,
    },
    { requiredKeys: [] },
  );
  const row = fc.record(
    {
      id: value,
      username: value,
      email: value,
      emailVerified: value,
      enabled: value,
      firstName: value,
      attributes: fc.oneof(value, fc.dictionary(fc.constantFrom("locale", "phoneNumber", "x"), value)),
      credentials: fc.oneof(value, fc.array(stored, { maxLength: 3 })),
      requiredActions: value,
      federatedIdentities: fc.oneof(value, fc.array(fc.record({ identityProvider: value, userId: value }))),
      realmRoles: value,
      clientRoles: value,
    },
    { requiredKeys: [] },
  );
  const read = reader({ emailDomain: ["x.example"], metadata: ["all"], idp: ["google=1"] });
  fc.assert(
    fc.property(row, (given) => {
      const { faults, user } = read(given);
      expect(JSON.stringify(faults)).not.toContain(secret);
      expect(user === undefined).toBe(faults.length > 0);
    }),
  );
});
