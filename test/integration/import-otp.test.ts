import { expect, test } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { startCutOff, startFront } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock } from "../helpers/start-mock.ts";

const org = { orgId: "org1", org: { name: "One" } };
const otpCode = "JBSWY3DPEHPK3PXP";

async function secretsIn(mock: MockServer): Promise<Record<string, unknown>> {
  const response = await fetch(`${mock.url}/admin/v1/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.token}` },
    body: JSON.stringify({ org_ids: ["org1"], with_otp: true, timeout: "1m", response_output: true }),
  });
  const { orgs } = (await response.json()) as {
    orgs: { humanUsers: { userId: string; user: { otpCode?: string } }[] }[];
  };
  return Object.fromEntries((orgs[0]?.humanUsers ?? []).map(({ userId, user }) => [userId, user.otpCode]));
}

test("created users get their OTP secrets, existing users do not", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  await mock.importOrgs([{ orgId: "org1", humanUsers: [testUser(1), testUser(2)] }]);
  const { cwd, file } = inFolder(
    testBody([testUser(1, { otpCode }), testUser(2), testUser(3, { otpCode }), testUser(4)]),
  );
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 2, alreadyThere: 2 }, calls: 2, failures: [] });
  expect(await secretsIn(mock)).toEqual({ u1: undefined, u2: undefined, u3: otpCode, u4: undefined });
});

test.each(["reset-after", "truncated"] as const)("after %s the secrets still arrive, once", async (fault) => {
  const mock = await startMock({ seed: { orgs: [org] } });
  await mock.importOrgs([{ orgId: "org1", humanUsers: [testUser(1)] }]);
  for (const skip of [0, 1]) {
    const users = [1, 2, 3].map((number) => testUser(number + skip * 10, { otpCode }));
    mock.clearFaults();
    mock.addFault({ endpoint: "import", fault, times: 1, skip });
    const { cwd, file } = inFolder(testBody(users));
    const { report } = await importJson([file], { cwd, env: mock.env });
    expect(report).toMatchObject({ exitCode: 0, failures: [] });
  }
  expect(await secretsIn(mock)).toEqual({
    u1: undefined,
    u2: otpCode,
    u3: otpCode,
    u11: otpCode,
    u12: otpCode,
    u13: otpCode,
  });
  const events = await fetch(`${mock.url}/admin/v1/events/_search`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.token}` },
    body: JSON.stringify({ event_types: ["user.human.mfa.otp.added"] }),
  });
  expect(((await events.json()) as { events: unknown[] }).events).toHaveLength(5);
});

test("a run that continues with the token of another service user gives the secrets, and counts the users as created", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  mock.addToken("of-another", { userId: "another", roles: ["IAM_OWNER"] });
  const front = await startCutOff(mock, "/admin/v1/import", "u1");
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: front.url };
  const { cwd, file } = inFolder(testBody([testUser(1, { otpCode }), testUser(2)]));
  expect((await importJson([file], { cwd, env })).report).toMatchObject({ users: { created: 0 } });
  front.isBack = true;
  const again = await importJson([file, "--resume"], { cwd, env: { ...env, PAT_IMPORT_TOKEN: "of-another" } });
  expect(again.report).toMatchObject({ exitCode: 0, users: { created: 2, alreadyThere: 0 }, failures: [] });
  expect(await secretsIn(mock)).toEqual({ u1: otpCode, u2: undefined });
});

test.each([
  ["import", "/admin/v1/import"],
  ["users", "/v2/users/human"],
])("users of an earlier run by an unknown account are failures (%s)", async (via, path) => {
  const mock = await startMock({ seed: { orgs: [org] } });
  mock.addToken("of-another", { userId: "another", roles: ["IAM_OWNER"] });
  let state: "up" | "down" | "back" = "up";
  const url = await startFront(mock, async (called, body) => {
    if (state !== "back" && called.endsWith("/userinfo"))
      return { status: 404, body: { code: 5, message: "Not Found" } };
    if (state === "up" && called === path && body.includes("u1")) {
      state = "down";
      const headers = { authorization: `Bearer ${mock.token}` };
      await fetch(`${mock.url}${called}`, { method: "POST", headers, body: new Uint8Array(body) });
    }
    if (state === "down") throw new Error("the connection ends");
    return undefined;
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { cwd, file } = inFolder(testBody([testUser(1, { otpCode })]));
  await importJson([file, "--via", via], { cwd, env });
  expect(state).toBe("down");
  state = "back";
  const before = await secretsIn(mock);
  const again = { cwd, env: { ...env, PAT_IMPORT_TOKEN: "of-another" } };
  const { report, stderr } = await importJson([file, "--via", via, "--resume"], again);
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    users: { created: 0, alreadyThere: 0, failed: 1 },
    failures: [{ id: "u1", cause: "there-or-ours" }],
  });
  expect(await secretsIn(mock)).toEqual(before);
});

test("created users are counted when the call with their secrets is refused", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  let isRefusing = true;
  const url = await startFront(mock, (path, body) =>
    isRefusing && path.endsWith("/import") && body.includes(otpCode)
      ? { status: 400, body: { code: 3, message: "no" } }
      : undefined,
  );
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { cwd, file } = inFolder(testBody([testUser(1, { otpCode }), testUser(2)]));
  const { report } = await importJson([file], { cwd, env });
  expect(report).toMatchObject({ exitCode: 5, users: { sent: 2, unknown: 2, notSent: 0 } });
  expect(report.resume).toContain("--resume");
  isRefusing = false;
  const again = await importJson([file, "--resume"], { cwd, env });
  expect(again.report).toMatchObject({ exitCode: 0, users: { created: 2 }, failures: [] });
  expect(await secretsIn(mock)).toEqual({ u1: otpCode, u2: undefined });
});
