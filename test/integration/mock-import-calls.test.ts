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

  test.each([
    [{}, 'invalid duration ""'],
    [{ timeout: "5" }, 'missing unit in duration "5"'],
    [{ timeout: "5 m" }, 'unknown unit " m" in duration "5 m"'],
  ])("missing or invalid timeout: 500 code 2 (%j)", async (request, fault) => {
    const { post } = await startMock();
    const { status, body } = await post(IMPORT, { dataOrgs: { orgs: [acme] }, ...request });
    expect({ status, body }).toEqual({ status: 500, body: { code: 2, message: `time: ${fault}` } });
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
  test.each([
    ["429", 8],
    ["503", 14],
    ["504", 4],
    ["500", 13],
  ] as const)("a fault answers %s with its own code %i", async (fault, code) => {
    const { post } = await startMock({ faults: [{ endpoint: "export", fault }] });
    expect(await post(EXPORT, {})).toMatchObject({ status: Number(fault), body: { code } });
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
