import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// A key of a service user is a way to sign in as that service user: it is held to the same rules as links of users.

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = Buffer.from(publicKey.export({ type: "spki", format: "pem" })).toString("base64");
const machine = (id: string, userName: string) => ({ userId: id, user: { userId: id, userName, name: "Bot" } });
const key = (userId: string) => ({
  keyId: `key-${userId}`,
  userId,
  type: "KEY_TYPE_JSON",
  expirationDate: "2030-01-01T00:00:00Z",
  publicKey: pem,
});
const orgs = ["org1", "org2"].map((orgId) => ({ orgId, org: { name: orgId } }));
const bodyOf = (...lists: readonly object[]) => ({ dataOrgs: { orgs: lists }, timeout: "5m0s" });

async function call({ url }: TestMock, token: string, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "x-zitadel-orgid": "org1" };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  expect(answer.status, path).toBe(200);
  return answer.json();
}

/** An instance on which another account has created the service users of the lists. */
async function instance(...lists: readonly object[]): Promise<TestMock> {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs } });
  mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
  if (lists.length > 0) await call(mock, "other", "POST", "/admin/v1/import", bodyOf(...lists));
  return mock;
}

/** The service users to which keys were given, in order. */
async function given(mock: TestMock): Promise<readonly string[]> {
  const request = { event_types: ["user.machine.key.added"], limit: 1000, asc: true };
  const { events = [] } = (await call(mock, mock.token, "POST", "/admin/v1/events/_search", request)) as {
    events?: readonly { aggregate: { id: string } }[];
  };
  return events.map(({ aggregate: { id } }) => id);
}

async function run(mock: TestMock, input: object, ...flags: readonly string[]) {
  const { cwd, file } = inFolder(JSON.stringify(input));
  const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: mock.env });
  return { report: JSON.parse(stdout), stderr };
}

test.each([[[]], [["--update"]]])("only service users of the job get a key of the input (%j)", async (flags) => {
  const mock = await instance(
    { orgId: "org1", machineUsers: [machine("m1", "payroll"), machine("m2", "ci2"), machine("m3", "ci3")] },
    { orgId: "org2", machineUsers: [machine("m4", "ci4")] },
  );
  mock.addToken("of-m3", { userId: "m3", roles: ["IAM_OWNER"] });
  const ids = ["m1", "m2", "m3", "m4", "m5"];
  const machineUsers = ids.map((id) => machine(id, id.replace("m", "ci")));
  const org = { orgId: "org1", humanUsers: [testUser(1)], machineUsers, machineKeys: ids.map(key) };
  const { report, stderr } = await run(mock, bodyOf(org), ...flags);
  expect(await given(mock), stderr).toEqual(["m5"]);
  expect(report.otherObjects.machine_user_key).toEqual({ created: 1, alreadyThere: 0, failed: 2, heldBack: 2 });
});

test("service users that the input does not have get no key and, with a role on the instance, no membership", async () => {
  const mock = await instance({ orgId: "org1", machineUsers: [machine("m1", "ci1"), machine("m2", "ci2")] });
  mock.addToken("of-m2", { userId: "m2", roles: ["IAM_OWNER"] });
  const orgMembers = ["m2"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  const org = { orgId: "org1", humanUsers: [testUser(1)], machineKeys: ["m1", "m2"].map(key), orgMembers };
  const { report, stderr } = await run(mock, bodyOf(org));
  expect(report, stderr).toMatchObject({
    exitCode: 0,
    otherObjects: { machine_user_key: { created: 0 }, org_member: { created: 0, heldBack: 1 } },
  });
  expect(await given(mock)).toEqual([]);
});

test("a key that another account has revoked is not given again", async () => {
  const mock = await instance();
  const ids = ["m1", "m2"];
  const machineUsers = ids.map((id) => machine(id, id.replace("m", "ci")));
  const input = bodyOf({ orgId: "org1", machineUsers, machineKeys: ids.map(key) });
  expect((await run(mock, input)).report).toMatchObject({ otherObjects: { machine_user_key: { created: 2 } } });
  await call(mock, "other", "DELETE", "/management/v1/users/m1/keys/key-m1");
  // Its own account has taken this one away: the next run gives it again.
  await call(mock, mock.token, "DELETE", "/management/v1/users/m2/keys/key-m2");
  const { report, stderr } = await run(mock, input);
  expect(report, stderr).toMatchObject({ otherObjects: { machine_user_key: { created: 1, heldBack: 1 } } });
  expect(await given(mock)).toEqual(["m1", "m2", "m2"]);
});

test.each([
  ["other", ["--update"], { created: 0, failed: 1 }],
  ["other", ["--update", "--prefer", "source", "--yes"], { created: 1, failed: 0 }],
  ["other", [], { created: 1, failed: 0 }],
  ["own", ["--update"], { created: 1, failed: 0 }],
] as const)("a service user that an account has deleted (%s) before an import %j", async (by, flags, counts) => {
  const mock = await instance();
  const orgMembers = [{ userId: "m1", roles: ["ORG_OWNER"] }];
  const machineUsers = [machine("m1", "ci1")];
  const org = { orgId: "org1", humanUsers: [testUser(1)], machineUsers, machineKeys: [key("m1")], orgMembers };
  expect((await run(mock, bodyOf(org))).report).toMatchObject({ exitCode: 0 });
  await call(mock, by === "own" ? mock.token : by, "DELETE", "/v2/users/m1");
  const { report, stderr } = await run(mock, bodyOf(org), ...flags);
  expect(report, stderr).toMatchObject({
    exitCode: counts.failed,
    otherObjects: { machine_user: counts, machine_user_key: counts, org_member: counts },
  });
  expect(await given(mock)).toHaveLength(1 + counts.created);
  if (counts.failed === 0) return;
  expect(report.failures).toMatchObject([{ id: "m1", cause: "removed-by-other" }, {}, { cause: "consequence" }]);
  expect(report.loginNames).toEqual({ m1: "ci1" });
  expect(stderr).toContain("machine_user m1 (ci1)");
  expect(stderr).toContain("machine_user_key key-m1, of service user m1 (ci1)");
});

test.each([[[]], [["--update"]]])(
  "an account of the same token with another user name and name is another service user (%j)",
  async (flags) => {
    const mock = await instance();
    const existing = ["m1", "m2", "m3"].map((id) => machine(id, `own-${id}`));
    await call(mock, mock.token, "POST", "/admin/v1/import", bodyOf({ orgId: "org1", machineUsers: existing }));
    const named = (id: string, userName: string, name: string) => ({
      userId: id,
      user: { userId: id, userName, name },
    });
    const machineUsers = [named("m1", "ci-m1", "Other"), named("m2", "ci-m2", "Bot"), named("m3", "own-m3", "Robot")];
    const ids = ["m1", "m2", "m3"];
    const orgMembers = ids.map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
    const org = { orgId: "org1", machineUsers, machineKeys: ids.map(key), orgMembers };
    const { report, stderr } = await run(mock, bodyOf(org), ...flags);
    expect(await given(mock), stderr).toEqual(["m2", "m3"]);
    expect(report).toMatchObject({
      exitCode: 1,
      otherObjects: { org_member: { created: 2, failed: 1 } },
      failures: [{ cause: "other-person" }, { cause: "other-person" }],
    });
  },
);

test.each([[[]], [["--update"]]])(
  "an account of the same token that the input has not as a service user gets no key (%j)",
  async (flags) => {
    const mock = await instance();
    const existing = [machine("m1", "ci1"), machine("m2", "ci2"), machine("m3", "ci3")];
    await call(mock, mock.token, "POST", "/admin/v1/import", bodyOf({ orgId: "org1", machineUsers: existing }));
    const person = { ...testUser(3), userId: "m2" };
    await call(mock, mock.token, "POST", "/admin/v1/import", bodyOf({ orgId: "org1", humanUsers: [person] }));
    const machineUsers = [machine("m2", "ci2"), machine("m3", "ci3")];
    const org = { orgId: "org1", machineUsers, machineKeys: ["m1", "m2", "m3"].map(key) };
    const { report, stderr } = await run(mock, bodyOf(org), ...flags);
    expect(await given(mock), stderr).toEqual(["m3"]);
    expect(report.heldBack).toContainEqual(expect.objectContaining({ userId: "m1", cause: "no-service-user" }));
  },
);

test("a copy names service users that the source deleted, and keys that are on the target only", async () => {
  const input = { ...{ orgId: "org1", machineUsers: [machine("m1", "ci1"), machine("m2", "ci2")] }, machineKeys: [] };
  const source = await instance({ ...input, machineKeys: [key("m1"), key("m2")] });
  const target = await instance();
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = async (...flags: readonly string[]) => {
    const args = ["copy", "--org-id", "org1", "--with-passwords", "--json", ...flags];
    const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
    return { report: JSON.parse(stdout), stderr };
  };
  expect((await copy()).report.exitCode).toBe(0);
  const before = await copy("--update", "--delete");
  expect([before.report.exitCode, before.report.onlyOnTarget], before.stderr).toEqual([0, undefined]);
  await call(source, "other", "DELETE", "/management/v1/users/m1/keys/key-m1");
  await call(source, "other", "DELETE", "/v2/users/m2");
  for (const flags of [["--dry-run"], []]) {
    const { report, stderr } = await copy("--update", "--delete", ...flags);
    expect(report.onlyOnTarget, stderr).toMatchObject([
      { type: "machineUsers", id: "m2", orgId: "org1" },
      { type: "machineKeys", id: "key-m1", userId: "m1", orgId: "org1" },
    ]);
    expect(stderr).toMatch(
      /service user m2 \(ci2\) of organization org1\b.*\n\s+key key-m1 of user m1 \(ci1\) of organization org1\b/,
    );
  }
});
