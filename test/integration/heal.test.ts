import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// Users of this run whose login names the service has lost are deleted and recreated (service behaviour 0.41). The mock loses them on demand.

const seed = { orgs: [{ orgId: "org1", org: { name: "Org" } }] };
const nameless = { endpoint: "users", fault: "nameless", users: 2 } as const;
const MANIFEST = "body.json.manifest.ndjson";

async function run(mock: TestMock, cwd: string, ...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await runCli([...args, "--json"], { cwd, env: mock.env });
  return { exitCode, stderr, report: JSON.parse(stdout) };
}

/** The calls that deleted users, by the mock's log. */
const deletions = (mock: TestMock): readonly string[] =>
  mock.requests.flatMap(({ method, path }) => (method === "DELETE" && /^.v2.users.[^/]+$/.test(path) ? [path] : []));
const userMetadata = ["u1", "u2", "u3"].map((id) => ({ id, key: "theme", value: "ZGFyaw==" }));
const bodyOf = (humanUsers: readonly object[]): string =>
  JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers, userMetadata }] }, timeout: "5m0s" });

for (const mimic of ["v4", "v4.15"] as const)
  test(`users who lost their login names are recreated in the same run, and undo knows them (${mimic})`, async () => {
    const mock = await startMock({ mimic, seed, faults: [{ ...nameless, users: 3 }] });
    const { cwd, file } = inFolder(bodyOf([testUser(1), testUser(2, { hashedPassword: undefined }), testUser(3)]));
    const { report, stderr } = await run(mock, cwd, "import", file, "--verify");
    expect(report, stderr).toMatchObject({
      exitCode: 0,
      users: { created: 3, failed: 0 },
      healed: { users: 2 },
      otherObjects: { user_metadata: { created: 3, failed: 0 } },
      cannotSignIn: [],
      cannotSignInCount: 0,
      metadataCompared: 3,
      differentCount: 0,
    });
    expect(stderr).toContain("2 users without a login name were deleted and recreated");
    expect(deletions(mock)).toHaveLength(2);
    expect(readFileSync(join(cwd, MANIFEST), "utf8").match(/"createdAs"/g)).toHaveLength(2);
    const undone = await run(mock, cwd, "undo", MANIFEST, "--yes");
    expect(undone.report, undone.stderr).toMatchObject({ exitCode: 0, users: { removed: 3, kept: 0 } });
  });

/** No user is deleted, and the report names the user as before. */
async function expectNotHealed(mock: TestMock, content: string, flags: readonly string[], ids: readonly string[]) {
  const { cwd, file } = inFolder(content);
  const { report, stderr } = await run(mock, cwd, "import", file, ...flags);
  expect(report, stderr).toMatchObject({ exitCode: 1, cannotSignIn: ids });
  expect(report).not.toHaveProperty("healed");
  expect(deletions(mock)).toEqual([]);
  return stderr;
}

test("--no-heal only reports, and so does a version whose ids cannot be recreated", async () => {
  for (const [mimic, flags, advice] of [
    ["v4.15", ["--no-heal"], "To recreate them: orgferry undo "],
    ["v2", [], "Version v2.62.0 refuses the id of a deleted user. To recreate them: orgferry undo "],
  ] as const) {
    const mock = await startMock({ mimic, seed, faults: [nameless] });
    expect(await expectNotHealed(mock, testBody(testUsers(3)), flags, ["u1"])).toContain(advice);
  }
});

test("a shard heals its own users, and the reports of all shards say how many", async () => {
  const mock = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const args = ["import", file, "--shard", "1/1", "--verify", "--report", "1.report.json"];
  const { report, stderr } = await run(mock, cwd, ...args);
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 3 }, healed: { users: 1 }, found: 3 });
  const merged = await run(mock, cwd, "report", "merge", "1.report.json");
  expect(merged.report).toMatchObject({ exitCode: 0, isWhole: true, healed: { users: 1 }, cannotSignInCount: 0 });
});

test("an import names users of the input who exist and cannot sign in, and deletes none of them", async () => {
  const mock = await startMock({ mimic: "v4.15", seed });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  expect((await run(mock, cwd, "import", file)).exitCode).toBe(0);
  mock.addFault(nameless);
  const { report, stderr } = await run(mock, cwd, "import", file);
  expect(report, stderr).toMatchObject({ exitCode: 1, users: { alreadyThere: 3 }, cannotSignIn: ["u1"] });
  expect(deletions(mock)).toEqual([]);
});

test("a list that is slow heals no user", async () => {
  const mock = await startMock({ mimic: "v4.15", seed, faults: [{ endpoint: "users", fault: "lag", users: 1 }] });
  await expectNotHealed(mock, testBody(testUsers(3)), [], ["u3"]);
});

test("users who would get a message again are not recreated with --max-mails, or with an OTP secret", async () => {
  const unverified = { email: { email: "user1@example.com" } };
  const first = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
  await expectNotHealed(first, testBody([testUser(1, unverified), testUser(2)]), ["--max-mails", "5"], ["u1"]);
  const second = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
  await expectNotHealed(second, testBody([testUser(1, { otpCode: "JBSWY3DPEHPK3PXP" }), testUser(2)]), [], ["u1"]);
});

/** What others do to the user while the run looks: each alone keeps the user. */
const touches: Readonly<Record<string, (mock: TestMock) => Promise<unknown>>> = {
  "signed in": (mock) => send(mock, "POST", "/v2/sessions", { checks: { user: { userId: "u1" } } }),
  "was renamed": (mock) => send(mock, "PUT", "/v2/users/human/u1", { username: "other" }),
  "got metadata": (mock) =>
    send(mock, "POST", "/v2/users/u1/metadata", { metadata: [{ key: "by-hand", value: "MQ==" }] }),
  "was locked by another program of the same service user": (mock) => send(mock, "POST", "/v2/users/u1/lock", {}),
  "was deactivated by another program of the same service user": (mock) =>
    send(mock, "POST", "/v2/users/u1/deactivate", {}),
  "got another value of metadata": (mock) =>
    send(mock, "POST", "/v2/users/u1/metadata", { metadata: [{ key: "theme", value: "R09MRA==" }] }),
  "was locked and unlocked": async (mock) => {
    await send(mock, "POST", "/v2/users/u1/lock", {});
    await send(mock, "POST", "/v2/users/u1/unlock", {});
  },
  "was deleted and recreated": async (mock) => {
    await send(mock, "DELETE", "/v2/users/u1", {});
    const entry = { orgId: "org1", humanUsers: [testUser(1)] };
    await send(mock, "POST", "/admin/v1/import", { dataOrgs: { orgs: [entry] }, timeout: "9s" });
  },
};

async function send(mock: TestMock, method: string, path: string, body: object, token = mock.token) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${mock.url}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

for (const [name, touch] of Object.entries(touches))
  test(`a user who ${name} since is not deleted`, async () => {
    const mock = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
    let isTouched = false;
    const url = await startFront(mock, async (path) => {
      // The lists are asked after everything was sent.
      if (path !== "/admin/v1/views/_search" || isTouched) return undefined;
      isTouched = true;
      await touch(mock);
      return undefined;
    });
    const { cwd, file } = inFolder(bodyOf(testUsers(3)));
    const before = name.startsWith("was deleted") ? 1 : 0;
    const imported = await runCli(["import", file, "--json"], {
      cwd,
      env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url },
    });
    expect(isTouched, imported.stderr).toBe(true);
    expect(JSON.parse(imported.stdout)).not.toHaveProperty("healed");
    expect(deletions(mock)).toHaveLength(before);
    if (before > 0) return;
    expect(imported.stderr).toContain("not recreated, because of changes or sign-ins since the import: u1\n");
    expect(JSON.parse(imported.stdout)).toMatchObject({ exitCode: 1, cannotSignIn: ["u1"] });
  });

test("without an answer to where the lists are, no user is deleted", async () => {
  for (const answer of [
    {},
    { result: [] },
    { result: [{ viewName: "projections.login_names3", eventTimestamp: "9999" }] },
  ]) {
    const mock = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
    const url = await startFront(mock, (path) =>
      path === "/admin/v1/views/_search" ? { status: 200, body: answer } : undefined,
    );
    const { cwd, file } = inFolder(testBody(testUsers(3)));
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 1, cannotSignIn: ["u1"] });
    expect(deletions(mock)).toEqual([]);
  }
});

/** An instance that answers no import after a user was deleted, while `isDown`. */
async function cutOffWhileHealing(): Promise<{ mock: TestMock; url: string; front: { isDown: boolean } }> {
  const mock = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
  const front = { isDown: true };
  const url = await startFront(mock, (path) => {
    const isCutOff = front.isDown && path === "/admin/v1/import" && deletions(mock).length > 0;
    return isCutOff ? { status: 503, body: {} } : undefined;
  });
  return { mock, url, front };
}

test("a run that ends between a deletion and the recreation is completed by --resume", async () => {
  const { mock, url, front } = await cutOffWhileHealing();
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const first = await runCli(["import", file, "--json"], { cwd, env });
  expect(first.exitCode, first.stderr).toBe(6);
  expect(JSON.parse(first.stdout)).toMatchObject({ resume: expect.stringContaining("--resume") });
  expect(deletions(mock)).toHaveLength(1);
  front.isDown = false;
  // A run that may not heal completes what was begun.
  const second = await runCli(["import", file, "--resume", "--no-heal", "--verify", "--json"], { cwd, env });
  expect(JSON.parse(second.stdout), second.stderr).toMatchObject({
    exitCode: 0,
    users: { created: 3, failed: 0 },
    healed: { users: 1 },
    found: 3,
  });
  expect(deletions(mock)).toHaveLength(1);
});

test("--restart names a user who was deleted and not recreated, and that run can still be completed", async () => {
  const { mock, url, front } = await cutOffWhileHealing();
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(6);
  front.isDown = false;
  writeFileSync(join(cwd, file), testBody(testUsers(2, 2)));
  const second = await runCli(["import", file, "--restart"], { cwd, env });
  expect(second.exitCode, second.stderr).toBe(0);
  expect(second.stderr).toContain("It was deleting and recreating u1: they may be missing.");
  writeFileSync(join(cwd, file), testBody(testUsers(3)));
  const args = ["--journal", "body.json.discarded.journal.ndjson", "--resume", "--verify", "--json"];
  const third = await runCli(["import", file, ...args], { cwd, env });
  expect(JSON.parse(third.stdout), third.stderr).toMatchObject({ exitCode: 0, healed: { users: 1 }, found: 3 });
});

test("--restart with the same input recreates a user who was deleted", async () => {
  const { mock, url, front } = await cutOffWhileHealing();
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(6);
  front.isDown = false;
  const second = await runCli(["import", file, "--restart", "--verify", "--json"], { cwd, env });
  expect(JSON.parse(second.stdout), second.stderr).toMatchObject({ exitCode: 0, found: 3 });
});

test("a user who was deleted by undo meanwhile is not brought back by --resume", async () => {
  const { mock, url, front } = await cutOffWhileHealing();
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(6);
  front.isDown = false;
  const entry = { orgId: "org1", humanUsers: [testUser(1)] };
  await send(mock, "POST", "/admin/v1/import", { dataOrgs: { orgs: [entry] }, timeout: "9s" });
  await send(mock, "DELETE", "/v2/users/u1", {});
  const second = await runCli(["import", file, "--resume", "--json"], { cwd, env });
  expect(JSON.parse(second.stdout), second.stderr).not.toHaveProperty("healed");
  expect((await run(mock, cwd, "verify", file)).report).toMatchObject({ exitCode: 1, missing: [{ id: "u1" }] });
});

test("a run of another service user completes it, too", async () => {
  const { mock, url, front } = await cutOffWhileHealing();
  mock.addToken("of-another", { userId: "another", roles: ["IAM_OWNER"] });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(6);
  front.isDown = false;
  const args = ["import", file, "--resume", "--verify", "--json"];
  const second = await runCli(args, { cwd, env: { ...env, PAT_IMPORT_TOKEN: "of-another" } });
  expect(JSON.parse(second.stdout), second.stderr).toMatchObject({ exitCode: 0, users: { created: 3 }, found: 3 });
});

test("a user that another account created meanwhile is a failure, not a user of this run", async () => {
  const { mock, url, front } = await cutOffWhileHealing();
  mock.addToken("of-another", { userId: "another", roles: ["IAM_OWNER"] });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(6);
  front.isDown = false;
  const entry = { orgId: "org1", humanUsers: [testUser(1)] };
  await send(mock, "POST", "/admin/v1/import", { dataOrgs: { orgs: [entry] }, timeout: "9s" }, "of-another");
  const second = await runCli(["import", file, "--resume", "--json"], { cwd, env });
  expect(JSON.parse(second.stdout), second.stderr).toMatchObject({
    exitCode: 1,
    users: { created: 2, failed: 1 },
    failures: [{ id: "u1", cause: "taken-over" }],
  });
});

test("a deletion that is repeated is decided anew: a user of another account stays", async () => {
  const mock = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
  mock.addToken("of-another", { userId: "another", roles: ["IAM_OWNER"] });
  let isLost = false;
  const url = await startFront(mock, async (path) => {
    if (path !== "/v2/users/u1" || isLost) return undefined;
    isLost = true;
    await send(mock, "DELETE", "/v2/users/u1", {});
    const entry = { orgId: "org1", humanUsers: [testUser(1)] };
    await send(mock, "POST", "/admin/v1/import", { dataOrgs: { orgs: [entry] }, timeout: "9s" }, "of-another");
    return { status: 503, body: {} };
  });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const { stdout, stderr } = await runCli(["import", file, "--json"], {
    cwd,
    env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url },
  });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 1, failures: [{ id: "u1", cause: "taken-over" }] });
  expect(deletions(mock)).toHaveLength(1);
});

test("a user who begins a session while another one is healed is not deleted", async () => {
  const mock = await startMock({ mimic: "v4.15", seed, faults: [{ ...nameless, users: 3 }] });
  let first: string | undefined;
  const url = await startFront(mock, async (path) => {
    const [, id] = /^\/v2\/users\/(u[12])$/.exec(path) ?? [];
    if (id === undefined || first !== undefined) return undefined;
    first = id;
    const other = id === "u1" ? "u2" : "u1";
    await send(mock, "POST", "/v2/sessions", { checks: { user: { userId: other } } });
    return undefined;
  });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 1, healed: { users: 1 }, cannotSignInCount: 1 });
  expect(deletions(mock)).toHaveLength(1);
});

test("a user that the service refuses to recreate is a failure, and in the rejects", async () => {
  const mock = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
  const url = await startFront(mock, (path) => {
    const errors = [{ type: "human_user", id: "u1", message: "ID=V3-DKcYh Message=Errors.User.AlreadyExists" }];
    return path === "/admin/v1/import" && deletions(mock).length > 0
      ? { status: 200, body: { errors, success: {} } }
      : undefined;
  });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--rejects", "left", "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 1,
    users: { created: 2, failed: 1 },
    failures: [{ type: "human_user", id: "u1" }],
  });
  expect(readFileSync(join(cwd, "left", "body.json"), "utf8")).toContain('"u1"');
});

test.each([
  { by: "another account", token: "of-another", user: testUser(1) },
  { by: "the same account, with other values,", token: undefined, user: { ...testUser(9), userId: "u1" } },
])("a user that $by creates between the deletion and the recreation is a failure", async ({ token, user }) => {
  const mock = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
  mock.addToken("of-another", { userId: "another", roles: ["IAM_OWNER"] });
  let isTaken = false;
  const url = await startFront(mock, async (path, body) => {
    const isRecreation = path === "/admin/v1/import" && deletions(mock).length > 0 && body.includes('"u1"');
    if (!isRecreation || isTaken) return undefined;
    isTaken = true;
    const entry = { orgId: "org1", humanUsers: [user] };
    await send(mock, "POST", "/admin/v1/import", { dataOrgs: { orgs: [entry] }, timeout: "9s" }, token);
    return undefined;
  });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(isTaken, stderr).toBe(true);
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 1,
    users: { created: 2, failed: 1 },
    failures: [{ id: "u1", cause: "taken-over" }],
  });
});

test("a user who was recreated when the run was cut off is of this run", async () => {
  const mock = await startMock({ mimic: "v4.15", seed, faults: [nameless] });
  let state: "up" | "down" | "back" = "up";
  const url = await startFront(mock, async (path, body) => {
    if (state === "up" && path === "/admin/v1/import" && deletions(mock).length > 0) {
      // The user is recreated, and the answer is lost.
      state = "down";
      await send(mock, "POST", path, JSON.parse(body.toString()) as object);
    }
    return state === "down" ? { status: 503, body: {} } : undefined;
  });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(6);
  expect(state).toBe("down");
  state = "back";
  const { stdout, stderr } = await runCli(["import", file, "--resume", "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { created: 3, failed: 0 }, failures: [] });
  expect(deletions(mock)).toHaveLength(1);
});
