import { describe, expect, test } from "vitest";
import type { MockOptions } from "../../src/mock/server.ts";
import { human, startMock } from "../helpers/mock-client.ts";

// Differences between versions that were measured on running services and are in no recording.

const PASSWORD_HASH = "$2b$10$abcdefghijklmnopqrstuuM1NmTCB1Wc9MzZ0IYiSbJIE3Z1fsbhG";
const bcrypt = (cost: string, prefix = "2b") => `$${prefix}$${cost}$${PASSWORD_HASH.slice(7)}`;
const argon2 = (costs: string, kind = "argon2id") => `$${kind}$v=19$${costs}$c2FsdHNhbHQ$aGFzaGhhc2g`;
const IMPORT = "/admin/v1/import";
const EXPORT = "/admin/v1/export";

async function startAcme(mimic: NonNullable<MockOptions["mimic"]>, options: MockOptions = {}) {
  const client = await startMock({ mimic, ...options });
  await client.importOrgs({ orgId: "1", org: { name: "Acme" } });
  const add = async (...humanUsers: object[]) => {
    const { errors = [], success } = await client.importOrgs({ orgId: "1", humanUsers });
    const [orgFault, ...faults] = errors;
    expect(orgFault?.type).toBe("org");
    return { faults, created: success?.orgs?.[0]?.["humanUserIds"] ?? [] };
  };
  return { ...client, add };
}

describe("hashes", () => {
  const withHash = (value: string) => human("ada", { hashedPassword: { value } });
  const known = { verifiers: ["argon2", "pbkdf2", "scrypt"] } as const;

  test.each([
    ...["10", "16"].map((cost) => [bcrypt(cost), undefined]),
    [bcrypt("10", "2a"), undefined],
    [bcrypt("10", "2y"), undefined],
    ...["04", "09", "17"].map((cost) => [bcrypt(cost), "CRYPT-5uV9n"]),
    [bcrypt("10", "2x"), "CRYPT-r8Qm2"],
    ["$2b$10$short", "CRYPT-r8Qm2"],
    ["plain", "CRYPT-r8Qm2"],
    [argon2("m=7168,t=5,p=1"), "CRYPT-5uV9n"],
    [argon2("m=8192,t=5,p=1"), undefined],
    [argon2("m=65536,t=3,p=4", "argon2i"), undefined],
    [argon2("m=8192,t=11,p=1"), "CRYPT-5uV9n"],
    [argon2("m=524289,t=1,p=1"), "CRYPT-5uV9n"],
    [argon2("m=8192,t=5,p=1", "argon2d"), "CRYPT-r8Qm2"],
    ["$pbkdf2-sha512$999$c2FsdA$aGFzaA", "CRYPT-5uV9n"],
    ["$pbkdf2-sha256$27500$c2FsdA$aGFzaA", undefined],
    ["$scrypt$ln=13,r=8,p=1$c2FsdA$aGFzaA", "CRYPT-5uV9n"],
  ])("an import into v4.15 of %s: %s", async (hash, id) => {
    const { add, post } = await startAcme("v4.15", known);
    const { faults, created } = await add(withHash(String(hash)), human("bob"));
    const message = `ID=${id} Message=Errors.User.Password.Invalid`;
    expect(faults).toEqual(id === undefined ? [] : [{ type: "human_user", id: "ada", message }]);
    expect(created).toEqual(id === undefined ? ["ada", "bob"] : ["bob"]);
    const { status, body } = await post("/v2/users/human", {
      organization: { orgId: "1" },
      profile: { givenName: "C", familyName: "D" },
      email: { email: "c@example.com", isVerified: true },
      hashedPassword: { hash },
    });
    expect([status, body]).toEqual(
      id === undefined
        ? [200, expect.anything()]
        : [400, expect.objectContaining({ code: 3, message: `Password is invalid (${id})` })],
    );
  });

  test("without a verifier a hash cannot be read, and limits are those of the instance", async () => {
    const stock = await startAcme("v4.15");
    expect((await stock.add(withHash(argon2("m=8192,t=5,p=1")))).faults[0]?.message).toContain("CRYPT-r8Qm2");
    const limits = { ARGON2_MINMEMORY: 7168, BCRYPT_MINCOST: 4 };
    const { add } = await startAcme("v4.15", { verifiers: ["argon2"], limits });
    const { created } = await add(
      withHash(argon2("m=7168,t=5,p=1")),
      human("b", { hashedPassword: { value: bcrypt("04") } }),
    );
    expect(created).toEqual(["ada", "b"]);
    const seeded = await startAcme("v4.15", { seed: { limits: { BCRYPT_MINCOST: 4 } } });
    expect((await seeded.add(withHash(bcrypt("04")))).created).toEqual(["ada"]);
  });

  test.each(["v4", "v4.13"] as const)("an import into %s takes any hash", async (mimic) => {
    const { add } = await startAcme(mimic);
    expect(await add(withHash("plain"))).toEqual({ faults: [], created: ["ada"] });
  });

  test("the contents of a seed are not checked", async () => {
    const orgs = [{ orgId: "2", org: { name: "Old" }, humanUsers: [withHash("plain")] }];
    const { exportOf } = await startAcme("v4.15", { seed: { orgs } });
    expect(await exportOf("2")).toMatchObject({ humanUsers: [{ userId: "ada" }] });
  });
});

describe("addresses", () => {
  const withEmail = (email: string) => human("ada", { userName: "ada", email: { email } });

  test.each([
    ...["a@b_c.example", "a@exämple.com", "a@-example.com", "a@example-.com", "a@[127.0.0.1]", "a@e\u200bxample.com"],
    ...[`${"x".repeat(65)}@example.com`, "ü@example.com", '"a b"@example.com', "A@EXAMPLE.COM", "o'b@example.com"],
  ])("v4.13 and v4.15 take %s", async (email) => {
    for (const mimic of ["v4.13", "v4.15"] as const) {
      const { add } = await startAcme(mimic);
      expect(await add(withEmail(email))).toEqual({ faults: [], created: ["ada"] });
    }
  });

  test("spaces around an address are dropped", async () => {
    const { add, exportOf } = await startAcme("v4.15");
    await add(withEmail(" a@example.com "));
    expect(await exportOf("1")).toMatchObject({ humanUsers: [{ user: { email: { email: "a@example.com" } } }] });
  });

  test.each([
    ...[
      "a..b@example.com",
      ".a@example.com",
      "a.@example.com",
      "a@example.com.",
      "a@b@example.com",
      "a",
      "@example.com",
    ],
    ...["a,b@example.com", "a@example..com"],
  ])("v4.15 refuses %s alone", async (email) => {
    const { add } = await startAcme("v4.15");
    const { faults, created } = await add(withEmail(email), human("bob"));
    expect([faults[0]?.message, created]).toEqual(["ID=EMAIL-599BI Message=Errors.User.Email.Invalid", ["bob"]]);
  });

  test("an address with a name has an error of its own kind", async () => {
    const { add } = await startAcme("v4.15");
    expect((await add(withEmail("Max <m@example.com>"))).faults[0]?.message).toContain("ID=EMAIL-599GV");
  });

  test.each([
    ["v4.13", 500, 2],
    ["v4.15", 400, 3],
  ] as const)("an address of 201 characters makes %s refuse the call", async (mimic, status, code) => {
    const { post } = await startAcme(mimic);
    const email = `a@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.example`;
    expect(email).toHaveLength(201);
    const orgs = [{ orgId: "1", humanUsers: [withEmail(email)] }];
    const answer = await post(IMPORT, { dataOrgs: { orgs }, timeout: "1m" });
    expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ code })]);
    expect(answer.text).toContain("ImportHumanUserRequest_Email.Email: value length must be between 1 and 200 runes");
  });
});

describe("answers", () => {
  const value = Buffer.alloc(490_000, "x").toString("base64");
  const filled = async (mimic: "v4" | "v4.15", count: number) => {
    const client = await startAcme(mimic, { maxRequestBytes: 64 * 1024 * 1024 });
    const userMetadata = Array.from({ length: count }, (_, at) => ({ id: "ada", key: `k${at}`, value }));
    await client.importOrgs({ orgId: "1", humanUsers: [human("ada")], userMetadata });
    return client;
  };
  const overGrpc = async ({ mock }: Awaited<ReturnType<typeof filled>>) => {
    const headers = { authorization: `Bearer ${mock.token}`, "content-type": "application/grpc-web+proto" };
    const url = `${mock.url}/zitadel.admin.v1.AdminService/ExportData`;
    return fetch(url, { method: "POST", headers, body: Buffer.alloc(5) });
  };

  test.each([
    ["v4", 8, /received message larger than max \(\d+ vs\. 4194304\)/],
    ["v4.15", 21, /trying to send message larger than max \(\d+ vs\. 10485760\)/],
  ] as const)("%s sends %i values of 490,000 bytes over REST, and no more", async (mimic, most, text) => {
    expect((await (await filled(mimic, most)).post(EXPORT, {})).status).toBe(200);
    const tooMany = await (await filled(mimic, most + 1)).post(EXPORT, {});
    expect([tooMany.status, tooMany.text]).toEqual([429, expect.stringMatching(text)]);
  });

  test("gRPC-Web has the limit in v4.15 alone, with the status in the headers", async () => {
    const { headers, body } = await overGrpc(await filled("v4.15", 22));
    expect(headers.get("grpc-status")).toBe("8");
    expect(headers.get("grpc-message")).toContain("trying to send message larger than max");
    expect(body === null ? "" : await new Response(body).text()).toBe("");
    expect((await overGrpc(await filled("v4", 22))).headers.get("grpc-status")).toBeNull();
  });
});

describe("the version", () => {
  test.each([
    ["specification", "v4.0.0"],
    ["v2", "v2.62.0"],
    ["v4", "v4.0.0"],
    ["v4.13", "v4.13.1"],
    ["v4.15", "v4.15-02d07e951"],
    ["latest", "v4.15-02d07e951"],
  ] as const)("%s says that it is %s", async (mimic, version) => {
    const { send } = await startAcme(mimic);
    const { status, body } = await send("GET", "/admin/v1/instances/me");
    expect([status, body]).toMatchObject([200, { instance: { version } }]);
  });

  test("v4.13 answers 500 without a token to the APIs of version 1", async () => {
    const { mock } = await startAcme("v4.13");
    const text = "rpc error: code = Unauthenticated desc = auth header missing ()";
    const answer = await fetch(`${mock.url}/admin/v1/instances/me`);
    expect([answer.status, await answer.json()]).toMatchObject([500, { code: 2, message: text }]);
    expect((await fetch(`${mock.url}/v2/users/ada`)).status).toBe(401);
  });
});

test.each([
  ["v4", 1],
  ["v4.13", 0],
  ["v4.15", 0],
] as const)("%s reports an existing JWT identity provider %i times, and an OIDC one always", async (mimic, count) => {
  const { importOrgs } = await startAcme(mimic);
  const idps = {
    jwtIdps: [
      {
        idpId: "j",
        idp: {
          name: "j",
          jwtEndpoint: "http://a.example",
          issuer: "a",
          keysEndpoint: "http://a.example",
          headerName: "x",
        },
      },
    ],
    oidcIdps: [{ idpId: "o", idp: { name: "o", issuer: "http://a.example", clientId: "c", clientSecret: "s" } }],
  };
  await importOrgs({ orgId: "1", ...idps });
  const { errors = [] } = await importOrgs({ orgId: "1", ...idps });
  const types = errors.map(({ type }) => type);
  expect([types.filter((type) => type === "jwt_idp").length, types.includes("oidc_idp")]).toEqual([count, true]);
});

describe("the second life of a user", () => {
  const userMetadata = [{ id: "ada", key: "k", value: "dmFsdWU=" }];

  test.each([
    ["v4", "1", []],
    ["v4.13", "1", []],
    ["v4.15", "2", ["k"]],
  ] as const)("in %s it is in organization %s, and has the metadata %j", async (mimic, orgId, keys) => {
    const { importOrgs, mock, send, post } = await startAcme(mimic);
    await importOrgs({ orgId: "2", org: { name: "Bolt" } });
    await importOrgs({ orgId: "1", humanUsers: [human("ada")], userMetadata });
    mock.removeUser("ada");
    await importOrgs({ orgId: "2", humanUsers: [human("ada")] });
    expect((await send("GET", "/v2/users/ada")).body).toMatchObject({ user: { details: { resourceOwner: orgId } } });
    expect(await importOrgs({ orgId, userMetadata })).toMatchObject({
      success: { orgs: [{ userMetadata: [{ userId: "ada", key: "k" }] }] },
    });
    const { body } = await post("/v2/users/ada/metadata/search", {});
    const { metadata = [] } = body as { metadata?: readonly { readonly key: string }[] };
    expect(metadata.map(({ key }) => key)).toEqual(keys);
  });
});

test.each([
  ["v4", ["b", "c", "a"]],
  ["v4.13", ["c", "b", "a"]],
  ["v4.15", ["c", "b", "a"]],
] as const)("%s exports users in the order %j", async (mimic, order) => {
  const { add, exportOf } = await startAcme(mimic);
  await add(human("b"), human("c"), human("a"));
  const { humanUsers } = (await exportOf("1")) as { humanUsers: readonly { readonly userId: string }[] };
  expect(humanUsers.map(({ userId }) => userId)).toEqual(order);
});

describe("recovery codes", () => {
  const codes = (...recoveryCodes: object[]) => human("ada", { recoveryCodes });
  const many = Array.from({ length: 11 }, () => ({ hash: PASSWORD_HASH }));

  test("v4.15 writes an event with the hashes, and exports none", async () => {
    const { add, post, exportOf } = await startAcme("v4.15");
    expect(await add(codes({ hash: PASSWORD_HASH }, { raw: "code" }))).toEqual({ faults: [], created: ["ada"] });
    const { body } = await post("/admin/v1/events/_search", { event_types: ["user.human.mfa.recoverycode.added"] });
    const payload = { codes: [PASSWORD_HASH, expect.stringMatching(/^\$2/)] };
    expect(body).toMatchObject({ events: [{ payload }] });
    expect(JSON.stringify(await exportOf("1"))).not.toContain("recoveryCodes");
  });

  test.each([
    ["DOMAIN-JDk4t Message=Errors.Hash.NotSupported", [{ hash: "plain" }]],
    ["DOMAIN-JDk4t Message=Errors.Hash.NotSupported", [{}]],
    ["COMMAND-53cjw Message=Errors.User.MFA.RecoveryCodes.MaxCountExceeded", many],
  ])("%s leaves the user without codes", async (text, given) => {
    const { add } = await startAcme("v4.15");
    const fault = { type: "human_user_recovery_codes", id: "ada", message: `ID=${text}` };
    expect(await add(codes(...given))).toEqual({ faults: [fault], created: ["ada"] });
  });

  test("v4 ignores them", async () => {
    const { add, post } = await startAcme("v4");
    expect(await add(codes(...many))).toEqual({ faults: [], created: ["ada"] });
    const { body } = await post("/admin/v1/events/_search", { event_types: ["user.human.mfa.recoverycode.added"] });
    expect(body).toEqual({});
  });
});
