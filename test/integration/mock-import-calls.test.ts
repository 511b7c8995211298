import { describe, expect, test } from "vitest";
import { human, startMock } from "../helpers/mock-client.ts";

const IMPORT = "/admin/v1/import";
const EXPORT = "/admin/v1/export";
const EVENTS = "/admin/v1/events/_search";
const acme = { orgId: "1", org: { name: "Acme" } };

describe("service behaviour 2.4, whole-call failures", () => {
  test("PGV validation: one invalid user refuses the whole call with the nested message, and nothing is written", async () => {
    const { post, exportAll } = await startMock();
    const tooLong = human("b", { profile: { firstName: "B", lastName: "B", preferredLanguage: "en-u-rg-uszzzz" } });
    const data_orgsv1 = { orgs: [{ ...acme, humanUsers: [human("a"), tooLong] }] };
    const { status, body } = await post(IMPORT, { data_orgsv1, timeout: "1m" });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        code: 3,
        message:
          "invalid ImportDataRequest.DataOrgsv1: embedded message failed validation | caused by: " +
          "invalid ImportDataOrg.Orgs[0]: embedded message failed validation | caused by: " +
          "invalid DataOrg.HumanUsers[1]: embedded message failed validation | caused by: " +
          "invalid DataHumanUser.User: embedded message failed validation | caused by: " +
          "invalid ImportHumanUserRequest.Profile: embedded message failed validation | caused by: " +
          "invalid ImportHumanUserRequest_Profile.PreferredLanguage: value length must be at most 10 runes",
      },
    });
    expect(await exportAll()).toEqual({});
  });

  test("PGV validation stops at the first violation", async () => {
    const { post } = await startMock();
    const dataOrgs = { orgs: [{ ...acme, humanUsers: [human("a", { userName: "" }), human("b", { profile: {} })] }] };
    const { text } = await post(IMPORT, { dataOrgs, timeout: "1m" });
    expect(text).toContain("ImportHumanUserRequest.UserName: value length must be between 1 and 200 runes, inclusive");
    expect(text).not.toContain("HumanUsers[1]");
  });

  test.each([
    '{"dataOrgs":{}',
    '{"dataOrgs" 5}',
    '{"dataOrgs":[]}',
    '{"data_orgsv1":5}',
    '{"timeout":5}',
    '{"dataOrgs":{"orgs":[{"orgState":{}}]}}',
    '{"dataOrgs":{"orgs":[{},{"userMetadata":[{"value":"%"}]}]}}',
    '{"timeout":"1m","timeout":"2m"}',
    '{"dataOrgs":{},"data_orgs":{}}',
    '{"dataOrgs":{},"data_orgsv1":{}}',
  ])("malformed JSON or a wrong JSON type: %s", async (text) => {
    const { post } = await startMock();
    expect(await post(IMPORT, text)).toMatchObject({ status: 400, body: { code: 3, message: expect.any(String) } });
  });

  test("a string as data_orgsv1: read as the specification types it, refused when the service is mimicked", async () => {
    const body = { data_orgsv1: JSON.stringify({ orgs: [acme] }), timeout: "1m" };
    const { post } = await startMock();
    expect(await post(IMPORT, body)).toMatchObject({ status: 200, body: { success: { orgs: [{ orgId: "1" }] } } });
    const { post: postToService } = await startMock({ mimic: "v4" });
    expect(await postToService(IMPORT, body)).toMatchObject({ status: 400, body: { code: 3 } });
  });

  test("what follows the first value is not read", async () => {
    const { post } = await startMock();
    expect(await post(IMPORT, '{"timeout":"1m"} {')).toMatchObject({ status: 200, body: {} });
  });

  test.each([
    [{}, 'invalid duration ""'],
    [{ timeout: "5" }, 'missing unit in duration "5"'],
    [{ timeout: "5 m" }, 'unknown unit " m" in duration "5 m"'],
  ])("missing or invalid timeout: 500 code 2 (%j)", async (request, fault) => {
    const { post } = await startMock();
    const { status, body } = await post(IMPORT, { dataOrgs: { orgs: [acme] }, ...request });
    expect({ status, body }).toEqual({ status: 500, body: { code: 2, message: `time: ${fault}` } });
  });

  test("a timeout of 0s parses, and is over at once", async () => {
    const { post, exportAll } = await startMock();
    const { status, body } = await post(IMPORT, { dataOrgs: { orgs: [acme] }, timeout: "0s" });
    expect({ status, body }).toEqual({ status: 500, body: { code: 2, message: "context deadline exceeded" } });
    expect(await exportAll()).toEqual({});
  });

  test("an empty body is an empty request", async () => {
    const { post } = await startMock();
    expect((await post(IMPORT, "")).body).toEqual({ code: 2, message: 'time: invalid duration ""' });
    expect((await post(EXPORT, "")).body).toEqual({});
  });

  test("a body that is no UTF-8 is refused", async () => {
    const { post } = await startMock();
    expect(await post(IMPORT, Buffer.from([0x7b, 0xff]))).toMatchObject({ status: 400, body: { code: 3 } });
  });
});

describe("service behaviour 2.5, timeout", () => {
  test("a call past its timeout answers 500 code 2 and keeps what it had made; sent again, the rest is made", async () => {
    const { post, mock, importOrgs } = await startMock({
      faults: [{ endpoint: "import", fault: "per-user", delay: "1ms" }],
    });
    const dataOrgs = { orgs: [{ ...acme, humanUsers: [1, 2, 3, 4, 5, 6].map((n) => human(`u${n}`)) }] };
    const { status, body } = await post(IMPORT, { dataOrgs, timeout: "4ms" });
    expect({ status, body }).toEqual({ status: 500, body: { code: 2, message: "context deadline exceeded" } });
    mock.clearFaults();
    const again = await importOrgs(...dataOrgs.orgs);
    expect(again.success?.orgs).toEqual([{ orgId: "1", humanUserIds: ["u5", "u6"] }]);
    expect(again.errors?.filter(({ message }) => message.includes("COMMAND-ziuna"))).toHaveLength(4);
  });
});

describe("service behaviour 2.8, status and error body", () => {
  /** Read, but against the rules. */
  const invalid = { dataOrgs: { orgs: [{ orgId: "x".repeat(201) }] }, timeout: "1m" };

  test("what is no JSON is told also to strangers: the gateway reads it before it looks who calls (probed on v4)", async () => {
    const { post } = await startMock();
    expect(await post(IMPORT, "{", { token: "" })).toMatchObject({ status: 400, body: { code: 3 } });
  });

  test("no token: 401 code 16 without details, before the body is held against the rules", async () => {
    const { post } = await startMock();
    const { status, body } = await post(IMPORT, invalid, { token: "" });
    expect({ status, body }).toEqual({ status: 401, body: { code: 16, message: "auth header missing" } });
  });

  test.each(["wrong", "expired"])("a token that is %s: 401 AUTH-7fs1e with details", async (token) => {
    const { mock, post } = await startMock();
    mock.addToken("expired", { userId: "x", roles: ["IAM_OWNER"], expiresAt: new Date(0) });
    const { status, body } = await post(IMPORT, invalid, { token });
    expect({ status, body }).toEqual({
      status: 401,
      body: {
        code: 16,
        message: "Errors.Token.Invalid (AUTH-7fs1e)",
        details: [
          {
            "@type": "type.googleapis.com/zitadel.v1.ErrorDetail",
            id: "AUTH-7fs1e",
            message: "Errors.Token.Invalid",
          },
        ],
      },
    });
  });

  test("a token without the role: 403 AUTH-5mWD2; a viewer may export and read events", async () => {
    const { mock, post } = await startMock();
    mock.addToken("viewer", { userId: "v", roles: ["IAM_OWNER_VIEWER"] });
    mock.addToken("nobody", { userId: "n", roles: ["ORG_OWNER"] });
    const refused = { status: 403, body: { code: 7, message: "No matching permissions found (AUTH-5mWD2)" } };
    expect(await post(IMPORT, invalid, { token: "viewer" })).toMatchObject(refused);
    expect(await post(EXPORT, {}, { token: "nobody" })).toMatchObject(refused);
    expect(await post(EXPORT, {}, { token: "viewer" })).toMatchObject({ status: 200 });
    expect(await post(EVENTS, {}, { token: "viewer" })).toMatchObject({ status: 200 });
  });

  test("x-zitadel-orgid of no organization: 403 AUTH-Bs7Ds", async () => {
    const { post } = await startMock({ seed: { orgs: [acme] } });
    const bad = await post(EXPORT, {}, { headers: { "x-zitadel-orgid": "2" } });
    expect(bad).toMatchObject({ status: 403, body: { code: 7, message: "Organisation doesn't exist (AUTH-Bs7Ds)" } });
    expect(await post(EXPORT, {}, { headers: { "x-zitadel-orgid": "1" } })).toMatchObject({ status: 200 });
  });

  test("unknown path: 404 code 5 Not Found", async () => {
    const { post } = await startMock();
    expect(await post("/admin/v1/nothing", {})).toMatchObject({ status: 404, body: { code: 5, message: "Not Found" } });
  });

  test("wrong method on a known path: 405 code 12", async () => {
    const { mock } = await startMock();
    const response = await fetch(`${mock.url}${IMPORT}`);
    expect([response.status, await response.json()]).toEqual([405, { code: 12, message: "Method Not Allowed" }]);
  });

  test.each([
    ["400 code 3, validation", EVENTS, { event_types: Array.from({ length: 31 }, () => "x") }, 400, 3],
    ["500 code 2, Unknown", IMPORT, {}, 500, 2],
    ["409, 499, 501, 9 and 12 are no answer of these endpoints; an empty search is 200", EVENTS, {}, 200, undefined],
  ])("%s", async (_title, path, body, status, code) => {
    const { post } = await startMock();
    const reply = await post(path, body);
    expect([reply.status, (reply.body as { code?: number }).code]).toEqual([status, code]);
  });

  test.each([
    ["429", 8],
    ["503", 14],
    ["504", 4],
    ["500", 13],
  ] as const)("a fault answers %s with its own code %i", async (fault, code) => {
    const { post } = await startMock({ faults: [{ endpoint: "export", fault }] });
    expect(await post(EXPORT, {})).toMatchObject({ status: Number(fault), body: { code } });
  });

  test("the health paths of mock and service answer without a token", async () => {
    const { mock } = await startMock();
    for (const path of ["/health", "/debug/healthz", "/debug/ready", "/admin/v1/healthz"]) {
      expect([path, (await fetch(mock.url + path)).status]).toEqual([path, 200]);
    }
  });
});

describe("service behaviour 2.9, size limit", () => {
  test("a request larger than 4 MiB of protobuf is 429 code 8, though a larger JSON of a smaller message is not", async () => {
    const { post } = await startMock();
    const withHash = (length: number) => ({
      dataOrgs: { orgs: [{ ...acme, humanUsers: [human("a", { hashedPassword: { value: "x".repeat(length) } })] }] },
      timeout: "1m",
    });
    const over = await post(IMPORT, withHash(4 * 1024 * 1024));
    expect(over.status).toBe(429);
    expect(over.body).toEqual({
      code: 8,
      message: expect.stringMatching(/^grpc: received message larger than max \(41\d{5} vs\. 4194304\)$/),
    });
    const spaces = " ".repeat(5 * 1024 * 1024);
    expect(await post(IMPORT, spaces + JSON.stringify(withHash(4 * 1024 * 1024 - 500)))).toMatchObject({ status: 200 });
  });
});

describe("variants of the import", () => {
  test.each(["dataOrgs", "data_orgs", "dataOrgsv1", "data_orgsv1"])("%s is read", async (key) => {
    const { post } = await startMock();
    const users = [{ user_id: "a", user: { ...human("a").user, user_name: "x" } }];
    const orgs = [{ org_id: "1", org: { name: "Acme" }, human_users: users.map(withoutCamelName) }];
    const reply = await post(IMPORT, { [key]: { orgs }, timeout: "1m", typo: true });
    expect(reply.body).toEqual({ success: { orgs: [{ orgId: "1", humanUserIds: ["a"] }] } });
  });

  test("a user import has user.human.added, an instance import no events, unless a service is mimicked", async () => {
    const orgs = [{ ...acme, humanUsers: [human("a")] }];
    const types = async (mimic: "specification" | "v4" | "v2", key: string) => {
      const { post } = await startMock({ mimic });
      await post(IMPORT, { [key]: { orgs }, timeout: "1m" });
      const { body } = await post(EVENTS, { aggregate_id: "a", event_types: ["user.human.added"] });
      return (body as { events?: unknown[] }).events?.length ?? 0;
    };
    expect(await types("specification", "dataOrgs")).toBe(1);
    expect(await types("specification", "data_orgsv1")).toBe(0);
    expect(await types("v4", "data_orgsv1")).toBe(1);
    expect(await types("v2", "data_orgsv1")).toBe(1);
  });

  test("what only the first major version exported finds its place, and what it does not know is lost", async () => {
    const { post, exportAll } = await startMock();
    const org = {
      ...acme,
      iamPolicy: { orgId: "1", userLoginMustBeDomain: true },
      domainPolicy: { orgId: "1", validateOrgDomains: true },
      loginPolicy: { forceMfa: true },
      secondFactors: [{ type: "SECOND_FACTOR_TYPE_OTP" }],
      actions: [{ actionId: "a", action: { name: "n", script: "s" } }],
      triggerActions: [
        {
          flowType: "FLOW_TYPE_EXTERNAL_AUTHENTICATION",
          triggerType: "TRIGGER_TYPE_PRE_CREATION",
          actionIds: ["a"],
        },
      ],
      orgState: "ORG_STATE_ACTIVE",
    };
    await post(IMPORT, { data_orgsv1: { orgs: [org] }, timeout: "1m" });
    expect(await exportAll()).toEqual({
      orgs: [
        {
          ...acme,
          domainPolicy: { orgId: "1", userLoginMustBeDomain: true },
          loginPolicy: { forceMfa: true, secondFactors: ["SECOND_FACTOR_TYPE_OTP"] },
          // The service's own additions (service behaviour 0.19b; recording full 03).
          actions: [{ actionId: "a", action: { name: "n", script: "s", timeout: "20s" } }],
          domains: [{ orgId: "1", domainName: "acme.127.0.0.1", isVerified: true, isPrimary: true }],
          orgState: "ORG_STATE_ACTIVE",
          triggerActions: [{ flowType: "1", triggerType: "2", actionIds: ["a"] }],
        },
      ],
    });
  });

  test.each(["data_orgs_local", "dataOrgsS3"])("%s is answered {} at once, as the service does", async (key) => {
    const { post } = await startMock();
    expect((await post(IMPORT, { [key]: { path: "x" }, timeout: "1m" })).body).toEqual({});
  });
});

function withoutCamelName({ user_id, user }: { user_id: string; user: Record<string, unknown> }) {
  const { userName: _name, ...rest } = user;
  return { user_id, user: rest };
}
