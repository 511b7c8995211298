import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// What a nightly copy cannot change and must name: second factors, and the states of service users.

const otp = (otpCode: string) => ({ otpCode });
const robot = (userId: string, state: string) => ({
  ...{ userId, state: `USER_STATE_${state}` },
  user: { userId, userName: userId, name: userId },
});

function startSource(users: readonly object[], robots: readonly object[]): Promise<TestMock> {
  const org = { orgId: "org1", org: { name: "One" }, humanUsers: users, machineUsers: robots };
  return startMock({ mimic: "v4.15", seed: { orgs: [org] } });
}

async function copyFrom(source: { url: string; token: string }, target: TestMock, cwd: string, ...more: string[]) {
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const flags = ["--org-id", "org1", "--with-passwords", "--with-otp", "--yes", "--json", ...more];
  const { stdout, stderr } = await runCli(["copy", ...flags], { cwd, env });
  return { report: JSON.parse(stdout), stderr };
}

test("a quiet night names users whose second factor went, is another one, or is new, and service users who are closed", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const cwd = tempDir();
  const first = await startSource(
    [testUser(1, otp("JBSWY3DPEHPK3PXP")), testUser(2, otp("JBSWY3DPEHPK3PXP")), testUser(3), testUser(4)],
    [robot("m1", "ACTIVE"), robot("m2", "ACTIVE"), robot("m3", "INACTIVE")],
  );
  const copied = await copyFrom(first, target, cwd);
  expect(copied.report, copied.stderr).toMatchObject({ exitCode: 0, users: { created: 4 } });
  const next = await startSource(
    [testUser(1), testUser(2, otp("KRSXG5CTMVRXEZLU")), testUser(3, otp("KRSXG5CTMVRXEZLU")), testUser(4)],
    [robot("m1", "ACTIVE"), robot("m2", "INACTIVE"), robot("m3", "INACTIVE")],
  );
  // The mock has no call that removes one-time codes.
  const url = await startFront(next, (path, body) => {
    if (!path.endsWith("/events/_search") || !body.includes('["user.human.mfa.otp.removed"]')) return undefined;
    const event = {
      aggregate: { id: "u2", resourceOwner: "org1", type: { type: "user" } },
      ...{ sequence: "9", creationDate: "2999-01-01T00:00:00Z", payload: {} },
      ...{ type: { type: "user.human.mfa.otp.removed" }, editor: { userId: "u2" } },
    };
    return { status: 200, body: { events: [event] } };
  });
  const night = await copyFrom({ ...next, url }, target, cwd, "--update", "--quiet");
  expect(night.report, night.stderr).toMatchObject({
    exitCode: 0,
    update: {
      notUpdated: ["u1", "u2"].map((userId) => ({ userId, fields: ["otp"] })),
      update: [{ userId: "u3", fields: ["otp"] }],
    },
    otherDifferences: [{ type: "machineUsers", id: "m2", orgId: "org1", fields: ["closed"], inputState: "inactive" }],
  });
  expect(night.stderr).toContain(
    "2 users have other one-time codes (OTP) on the target than in the input, or only on one side. ",
  );
  expect(night.stderr).toContain("          u1 (user1@example.com)\n          u2 (user2@example.com)\n");
  expect(night.stderr).toContain(
    "service user m2 of organization org1 (One): inactive in the input, and not inactive on the target; an active service user can sign in",
  );
});

/** The one-time codes of the users of the mock. */
async function codesIn(mock: TestMock): Promise<Readonly<Record<string, string | undefined>>> {
  const asked = { org_ids: ["org1"], with_otp: true, timeout: "1m", response_output: true };
  const headers = { authorization: `Bearer ${mock.token}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(asked) };
  const { orgs } = (await (await fetch(`${mock.url}/admin/v1/export`, init)).json()) as {
    orgs: { humanUsers?: { userId: string; user: { otpCode?: string } }[] }[];
  };
  return Object.fromEntries((orgs[0]?.humanUsers ?? []).map(({ userId, user }) => [userId, user.otpCode]));
}

test("a run that ends between its users and their one-time codes: the next update gives the codes", async () => {
  const target = await startMock({ mimic: "v4.13", seed: { orgs: [] } });
  const source = await startSource(
    [1, 2, 3, 4].map((number) => testUser(number, otp("JBSWY3DPEHPK3PXP"))),
    [],
  );
  const cwd = tempDir();
  const front = await startFront(target, (path, body) =>
    path.endsWith("/import") && body.includes("JBSWY3DPEHPK3PXP")
      ? { status: 403, body: { code: 7, message: "membership not found" } }
      : undefined,
  );
  const env = { ...target.env, ZITADEL_IMPORT_DOMAIN: front };
  const ended = await copyFrom(source, { ...target, env }, cwd, "--via", "import");
  expect(ended.report, ended.stderr).toMatchObject({ exitCode: 4 });
  expect(await codesIn(target)).toEqual({ u1: undefined, u2: undefined, u3: undefined, u4: undefined });
  // Another account changes a user.
  target.addToken("other", { userId: "other", roles: ["IAM_OWNER"] });
  const put = { method: "PUT", headers: { authorization: "Bearer other", "content-type": "application/json" } };
  const renamed = await fetch(`${target.url}/v2/users/human/u2`, {
    ...put,
    body: JSON.stringify({ profile: { givenName: "Other", familyName: "Name" } }),
  });
  expect(renamed.status).toBe(200);
  // Codes that u3 had were removed; the service itself sent u1 a message.
  const newest: Readonly<Record<string, object>> = {
    u1: { type: { type: "user.human.initialization.code.sent" }, editor: { userId: "NOTIFICATION" } },
    u3: { type: { type: "user.human.mfa.otp.removed" } },
  };
  const withNewest = await startFront(target, async (path, body) => {
    const id = Object.keys(newest).find((one) => body.includes(`"aggregate_id":"${one}"`));
    if (id === undefined || !path.endsWith("/events/_search") || body.includes("event_types")) return undefined;
    const headers = { ...put.headers, authorization: `Bearer ${target.token}` };
    const answer = await fetch(`${target.url}${path}`, { method: "POST", headers, body: new Uint8Array(body) });
    const { events } = (await answer.json()) as { events: object[] };
    return { status: 200, body: { events: [{ ...events[0], ...newest[id] }, ...events] } };
  });
  const nightly = { ...target, env: { ...target.env, ZITADEL_IMPORT_DOMAIN: withNewest } };
  const dry = await copyFrom(source, nightly, cwd, "--update", "--prefer", "target", "--dry-run");
  const given = ["u1", "u4"].map((userId) => ({ userId, fields: ["otp"] }));
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: 0, update: { update: given } });
  const night = await copyFrom(source, nightly, cwd, "--update", "--prefer", "target");
  expect(night.report, night.stderr).toMatchObject({
    exitCode: 0,
    users: { updated: 2 },
    update: { update: given, notUpdated: ["u2", "u3"].map((userId) => ({ userId, fields: ["otp"] })) },
  });
  const codes = { u1: "JBSWY3DPEHPK3PXP", u2: undefined, u3: undefined, u4: "JBSWY3DPEHPK3PXP" };
  expect(await codesIn(target)).toEqual(codes);
  const next = await copyFrom(source, nightly, cwd, "--update", "--prefer", "target");
  expect(next.report, next.stderr).toMatchObject({ exitCode: 0, users: { updated: 0 }, update: { update: [] } });
  expect(await codesIn(target)).toEqual(codes);
  expect(target.mails()).toEqual([]);
});

test("a user with many events since the creation gets the one-time codes", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const cwd = tempDir();
  const userMetadata = Array.from({ length: 60 }, (_, at) => ({ id: "u1", key: `k${at}`, value: "YQ==" }));
  const sourceOf = (more: Parameters<typeof testUser>[1]) => {
    const org = { orgId: "org1", org: { name: "One" }, humanUsers: [testUser(1, more)], userMetadata };
    return startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  };
  expect((await copyFrom(await sourceOf({}), target, cwd)).report.exitCode).toBe(0);
  const night = await copyFrom(await sourceOf(otp("JBSWY3DPEHPK3PXP")), target, cwd, "--update");
  expect(night.report, night.stderr).toMatchObject({
    exitCode: 0,
    update: { update: [{ userId: "u1", fields: ["otp"] }] },
  });
});

test.each([
  ["before the last look", 2],
  ["while that look has no answer", 3],
])(
  "a set-up that the user begins between the plan and the call stays the user's own: %s",
  async (_, firstWithSetUp) => {
    const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
    const cwd = tempDir();
    expect((await copyFrom(await startSource([testUser(1), testUser(2)], []), target, cwd)).report.exitCode).toBe(0);
    const codes = otp("JBSWY3DPEHPK3PXP");
    const source = await startSource([testUser(1, codes), testUser(2, codes)], []);
    let looks = 0;
    const front = await startFront(target, async (path, body) => {
      const isLook = path.endsWith("/events/_search") && body.includes('"aggregate_id":"u1"');
      if (!isLook || body.includes("event_types")) return undefined;
      looks += 1;
      if (looks === 1) return undefined; // the plan
      if (looks < firstWithSetUp) {
        await setTimeout(700); // longer than a look counts for
        return undefined;
      }
      const headers = { authorization: `Bearer ${target.token}`, "content-type": "application/json" };
      const answer = await fetch(`${target.url}${path}`, { method: "POST", headers, body: new Uint8Array(body) });
      const { events } = (await answer.json()) as { events: object[] };
      const begun = { ...events[0], type: { type: "user.human.mfa.otp.added" }, editor: { userId: "u1" } };
      return { status: 200, body: { events: [begun, ...events] } };
    });
    const env = { ...target.env, ZITADEL_IMPORT_DOMAIN: front };
    const night = await copyFrom(source, { ...target, env }, cwd, "--update");
    expect(night.report, night.stderr).toMatchObject({
      exitCode: 1,
      update: { update: [{ userId: "u2", fields: ["otp"] }], conflict: [{ userId: "u1", fields: ["otp"] }] },
    });
    expect(await codesIn(target)).toEqual({ u1: undefined, u2: "JBSWY3DPEHPK3PXP" });
  },
);

test("the call that gives codes creates no user that another account deletes meanwhile", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const cwd = tempDir();
  expect((await copyFrom(await startSource([testUser(1), testUser(2)], []), target, cwd)).report.exitCode).toBe(0);
  const source = await startSource([testUser(1, otp("JBSWY3DPEHPK3PXP")), testUser(2)], []);
  target.addToken("other", { userId: "other", roles: ["IAM_OWNER"] });
  const front = await startFront(target, async (path, body) => {
    if (!path.endsWith("/import") || !body.includes("JBSWY3DPEHPK3PXP")) return undefined;
    await fetch(`${target.url}/v2/users/u1`, { method: "DELETE", headers: { authorization: "Bearer other" } });
    return undefined;
  });
  const env = { ...target.env, ZITADEL_IMPORT_DOMAIN: front };
  const night = await copyFrom(source, { ...target, env }, cwd, "--update");
  expect(night.report, night.stderr).toMatchObject({ exitCode: 1, failures: [{ id: "u1", cause: "gone" }] });
  expect(Object.keys(await codesIn(target))).toEqual(["u2"]);
});

test.each([[[]], [["--prefer", "target"]]])(
  "with another service user on the target, users whose codes went at the source are still named: %j",
  async (flags) => {
    const target = await startMock({ mimic: "v4.13", seed: { orgs: [] } });
    const cwd = tempDir();
    const codes = otp("JBSWY3DPEHPK3PXP");
    const before = await startSource([testUser(1, codes), testUser(2, codes), testUser(3, codes)], []);
    const copied = await copyFrom(before, target, cwd);
    expect(copied.report, copied.stderr).toMatchObject({ exitCode: 0, users: { created: 3 } });
    target.addToken("of-the-next", { userId: "next", roles: ["IAM_OWNER"] });
    const now = await startSource([testUser(1), testUser(2), testUser(3)], []);
    const otpEvent = (id: string, change: string, creationDate: string) => ({
      ...{ aggregate: { id, resourceOwner: "org1", type: { type: "user" } }, sequence: "9", creationDate, payload: {} },
      ...{ type: { type: `user.human.mfa.otp.${change}` }, editor: { userId: id } },
    });
    // The mock has no call that removes one-time codes, and none with which a user sets them up. u3 had none at the source.
    const url = await startFront(now, (path, body) =>
      path.endsWith("/events/_search") && body.includes('["user.human.mfa.otp.removed"]')
        ? { status: 200, body: { events: ["u1", "u2"].map((id) => otpEvent(id, "removed", "2999-01-01T00:00:00Z")) } }
        : undefined,
    );
    const front = await startFront(target, (path, body) =>
      path.endsWith("/events/_search") && body.includes('"aggregate_id":"u2"') && body.includes("mfa.otp.verified")
        ? { status: 200, body: { events: [otpEvent("u2", "verified", "2026-01-01T00:00:00Z")] } }
        : undefined,
    );
    const env = { ...target.env, ZITADEL_IMPORT_DOMAIN: front, PAT_IMPORT_TOKEN: "of-the-next" };
    const night = await copyFrom({ ...now, url }, { ...target, env }, cwd, "--update", "--quiet", ...flags);
    expect(night.report, night.stderr).toMatchObject({
      exitCode: 0,
      update: { notUpdated: [{ userId: "u1", fields: ["otp"] }] },
    });
    expect(night.stderr).toContain("1 user has other one-time codes (OTP) on the target than in the input");
  },
);

test("a quiet night says on which side an organization is deactivated", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const cwd = tempDir();
  const org = (state: string) => ({ orgId: "org1", org: { name: "One" }, orgState: state, humanUsers: [testUser(1)] });
  const startOrg = (state: string) => startMock({ mimic: "v4.15", seed: { orgs: [org(`ORG_STATE_${state}`)] } });
  await copyFrom(await startOrg("ACTIVE"), target, cwd);
  const night = await copyFrom(await startOrg("INACTIVE"), target, cwd, "--update", "--quiet");
  expect(night.report.otherDifferences, night.stderr).toMatchObject([{ orgId: "org1", inputState: "inactive" }]);
  expect(night.stderr).toContain("organization org1 (One): inactive in the input, active on the target");
});

test("a user whose update fails in part gets the one-time codes", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const cwd = tempDir();
  const copied = await copyFrom(await startSource([testUser(1), testUser(2)], []), target, cwd);
  expect(copied.report, copied.stderr).toMatchObject({ exitCode: 0, users: { created: 2 } });
  await target.importOrgs([{ orgId: "org1", humanUsers: [testUser(9)] }]);
  const renamed = testUser(1, { userName: "user9@example.com", ...otp("KRSXG5CTMVRXEZLU") });
  const next = await startSource([renamed, testUser(2)], []);
  const night = await copyFrom(next, target, cwd, "--update", "--quiet");
  expect(night.report, night.stderr).toMatchObject({
    exitCode: 1,
    failures: [{ id: "u1", cause: "user-name-taken" }],
    update: { notUpdated: [] },
  });
  expect(await codesIn(target)).toMatchObject({ u1: "KRSXG5CTMVRXEZLU" });
});

test("users with codes by SMS or e-mail, or a security key, are named until they have a second factor on the target", async () => {
  const source = await startSource([testUser(1), testUser(2), testUser(3), testUser(4)], []);
  const factor = (type: string, id: string, payload: object = {}) => ({
    aggregate: { id, resourceOwner: "org1", type: { type: "user" } },
    ...{ sequence: "9", creationDate: "2999-01-01T00:00:00Z", payload, editor: { userId: id } },
    type: { type: `user.human.mfa.${type}` },
  });
  const events = [
    factor("otp.sms.added", "u1"),
    factor("otp.email.added", "u2"),
    factor("otp.sms.added", "u2"),
    factor("otp.sms.removed", "u2"),
    factor("u2f.token.verified", "u3", { webAuthNTokenId: "1" }),
    factor("u2f.token.removed", "u3", { webAuthNTokenId: "1" }),
  ];
  // The mock has no such factors.
  const url = await startFront(source, (path, body) =>
    path.endsWith("/events/_search") && body.includes("otp.sms.added") ? { status: 200, body: { events } } : undefined,
  );
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const first = await copyFrom({ ...source, url }, target, tempDir(), "--quiet");
  expect(first.report, first.stderr).toMatchObject({
    exitCode: 0,
    export: { factorsLeft: 2, factorsLeftUsers: ["u1", "u2"] },
  });
  expect(first.stderr).toContain(
    "2 users have a second factor that no export has (codes by SMS or e-mail, security keys)",
  );
  const safe = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  await safe.importOrgs([{ orgId: "org1", org: { name: "One" }, humanUsers: [testUser(1, otp("JBSWY3DPEHPK3PXP"))] }]);
  const night = await copyFrom({ ...source, url }, safe, tempDir(), "--update");
  expect(night.report, night.stderr).toMatchObject({ export: { factorsLeft: 1, factorsLeftUsers: ["u2"] } });
});
