import { join } from "node:path";
import { expect, test } from "vitest";
import type { Mimic } from "../../src/mock/api.ts";
import type { MockServer } from "../../src/mock/server.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { startCountingFront } from "../helpers/counting-front.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// On some versions, concurrent writes leave users without a login name (service behaviour 0.41): there, writes are sequential by default.

const orgs = [{ orgId: "org1", org: { name: "One" } }];
const secret = { otpCode: "JBSWY3DPEHPK3PXP" };
const noHash = { hashedPassword: undefined };
const WARNED = "warning: concurrent writes";

async function target(mimic: Mimic = "v4") {
  const mock = await startMock({ mimic, seed: { orgs } });
  return { mock, front: await startCountingFront(mock) };
}

/** Users of every way: in batches, with a secret that follows, one by one, and locked after that. */
function mixedBody(): string {
  const users = [
    ...testUsers(20),
    ...Array.from({ length: 10 }, (_, at) => testUser(21 + at, secret)),
    ...Array.from({ length: 10 }, (_, at) => testUser(31 + at, noHash)),
    ...Array.from({ length: 10 }, (_, at) => ({ ...testUser(41 + at, noHash), state: "USER_STATE_LOCKED" })),
  ];
  const userMetadata = users.map(({ userId }) => ({ id: userId, key: "plan", value: "Z29sZA==" }));
  const body = { dataOrgs: { orgs: [{ orgId: "org1", humanUsers: users, userMetadata }] }, timeout: "5m0s" };
  return JSON.stringify(body);
}

// The others show that the count would tell.
test.each([
  [[], 1],
  [["--concurrency", "1", "--max-concurrency", "8"], 1],
  [["--concurrency", "auto", "--max-concurrency", "1"], 1],
  [["--concurrency", "auto"], 2],
  [["--concurrency", "4"], 3],
])("an import %j has so many calls that write under way: %d", async (flags, calls) => {
  const { front } = await target();
  const { cwd, file } = inFolder(mixedBody());
  const argv = ["import", file, "--batch-users", "4", "--json", ...flags];
  const { stdout, stderr } = await runCli(argv, { cwd, env: front.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 0,
    users: { created: 50 },
    via: { import: 30, users: 20 },
  });
  expect(front.calls.some((call) => call.endsWith("/lock"))).toBe(true);
  if (calls === 1) expect(front.most).toBe(1);
  else expect(front.most).toBeGreaterThanOrEqual(calls);
  expect(stderr.includes(WARNED)).toBe(calls > 1);
});

test("on an unsafe version, concurrent calls that create users carry no metadata", async () => {
  const { mock, front } = await target();
  const { cwd, file } = inFolder(mixedBody());
  const bodies: string[] = [];
  const url = await startFront({ url: front.env["ZITADEL_IMPORT_DOMAIN"] ?? "" }, (path, body) => {
    if (path === "/v2/users/human") bodies.push(body.toString());
    return undefined;
  });
  const argv = ["import", file, "--concurrency", "4", "--json", "--verify"];
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(argv, { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 0,
    metadataCompared: 50,
    otherObjects: { user_metadata: { created: 50, failed: 0 } },
  });
  expect(bodies.filter((body) => body.includes("user"))).not.toEqual([]);
  expect(bodies.filter((body) => body.includes("metadata"))).toEqual([]);
});

test.each([
  ["v4.13", [], { calls: 8, reason: "safe-version" }, "up to 8 concurrent calls: safe on version v4.13.1"],
  ["v4.13", ["--max-concurrency", "2"], { calls: 2, reason: "safe-version" }, "up to 2 concurrent calls"],
  ["v4.13", ["--concurrency", "auto"], { calls: 8, reason: "flag" }, "up to 8 concurrent calls (--concurrency)"],
  ["v4.13", ["--concurrency", "1"], { calls: 1, reason: "flag" }, "sequential (--concurrency)"],
  ["v4.15", [], { calls: 1, reason: "unsafe-version" }, "sequential: on version v4.15-"],
  ["v4", [], { calls: 1, reason: "unsafe-version" }, "sequential: on version v4.0.0"],
  ["v2", [], { calls: 1, reason: "unsafe-version" }, "sequential: on version v2.62.0"],
] as const)("on %s with %j, %j is reported with the reason", async (mimic, flags, writes, words) => {
  const { mock, front } = await target(mimic);
  mock.addFault({ endpoint: "import", fault: "per-user", delay: "2ms" });
  const { cwd, file } = inFolder(testBody(testUsers(200)));
  const argv = ["import", file, "--batch-users", "10", "--json", ...flags];
  const { stdout, stderr } = await runCli(argv, { cwd, env: front.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { created: 200 }, writes });
  expect(stderr).toContain(`writes:   ${words}`);
  expect(stderr).not.toContain(WARNED);
  expect(front.most).toBeLessThanOrEqual(writes.calls);
  expect(front.most).toBeGreaterThan(writes.calls / 2);
});

test("users with links are written sequentially on a version that may lose links, even with the flag", async () => {
  for (const [mimic, words] of [
    ["v4.15", "sequential: users have links to identity providers"],
    ["v4.13", "up to 4 concurrent calls (--concurrency)"],
  ] as const) {
    const { front } = await target(mimic);
    const idps = [{ configId: "idp1", externalUserId: "x", displayName: "x" }];
    const linked = testUser(1);
    const { cwd, file } = inFolder(testBody([{ ...linked, user: { ...linked.user, idps } }, ...testUsers(20, 2)]));
    const { stderr } = await runCli(["import", file, "--batch-users", "2", "--concurrency", "4"], {
      cwd,
      env: front.env,
    });
    expect(stderr).toContain(`writes:   ${words}`);
    expect(front.most > 1).toBe(mimic === "v4.13");
  }
});

test("on a version that loses entries of its lists, only users are written concurrently", async () => {
  for (const [mimic, isConcurrent] of [
    ["v4.15", false],
    ["v4.13", true],
  ] as const) {
    const { mock, front } = await target(mimic);
    mock.addFault({ endpoint: "import", fault: "per-user", delay: "2ms" });
    const users = testUsers(20);
    const userMetadata = users.map(({ userId }) => ({ id: userId, key: "plan", value: "Zw==" }));
    const orgMembers = users.map(({ userId }) => ({ userId, roles: ["ORG_OWNER"] }));
    const first = inFolder(testBody(users));
    await runCli(["import", first.file, "--batch-users", "20"], { cwd: first.cwd, env: front.env });
    front.most = 0;
    const document = { dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [testUser(21)], userMetadata, orgMembers }] } };
    const { cwd, file } = inFolder(JSON.stringify(document));
    const argv = ["import", file, "--batch-users", "2", "--concurrency", "4", "--yes"];
    await runCli(argv, { cwd, env: front.env });
    expect(front.most > 1, mimic).toBe(isConcurrent);
  }
});

test("writes to a target that does not report its version are sequential", async () => {
  const { mock, front } = await target("v4.13");
  mock.addFault({ endpoint: "instance", fault: "403" });
  const { cwd, file } = inFolder(testBody(testUsers(50)));
  const { stdout, stderr } = await runCli(["import", file, "--batch-users", "5", "--json"], { cwd, env: front.env });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, writes: { calls: 1, reason: "unknown-version" } });
  expect(stderr).toContain("the target's version is not known to be safe");
  expect(front.most).toBe(1);
});

test("on a safe version, an update changes existing users sequentially and creates new ones concurrently", async () => {
  const { mock, front } = await target("v4.13");
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  const { cwd, file } = inFolder(testBody(testUsers(20)));
  const env = { ...front.env, PAT_IMPORT_TOKEN: "admin" };
  expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(0);
  const renamed = { profile: { firstName: "Grace", lastName: "Hopper" } };
  const changed = Array.from({ length: 20 }, (_, at) => testUser(at + 1, renamed));
  const next = inFolder(testBody([...changed, ...testUsers(100, 21)]));
  mock.addFault({ endpoint: "import", fault: "per-user", delay: "2ms" });
  front.calls.length = 0;
  front.mostOf = {};
  const argv = ["import", next.file, "--update", "--batch-users", "5", "--json"];
  const { stdout, stderr } = await runCli(argv, { cwd: next.cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { created: 100, updated: 20 } });
  expect(stderr).toContain("existing users are changed sequentially");
  expect(front.mostOf["PUT"]).toBe(1);
  expect(front.mostOf["POST"]).toBeGreaterThan(1);
});

test.each([
  [[], 1],
  [["--concurrency", "4"], 3],
])("an update %j, which changes, removes, makes and makes again, has so many: %d", async (flags, calls) => {
  const source = await startMock({ mimic: "v4" });
  const { mock, front } = await target();
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  const at = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${source.token}` };
    const { status } = await fetch(source.url + path, { method, headers, body: JSON.stringify(body) });
    expect(status).toBe(200);
  };
  const add = (humanUsers: readonly object[]): Promise<void> =>
    at("POST", "/admin/v1/import", { timeout: "1m", dataOrgs: { orgs: [{ ...orgs[0], humanUsers }] } });
  await add(testUsers(40));
  const cwd = tempDir();
  const env = { ...front.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = async (...more: readonly string[]) => {
    const argv = ["copy", "--org-id", "org1", "--with-passwords", "--update", "--delete", "--json", ...more];
    const { stdout, stderr } = await runCli(argv, { cwd, env });
    return { report: JSON.parse(stdout), stderr };
  };
  await copy();
  for (let n = 1; n <= 10; n += 1) {
    await at("PUT", `/v2/users/human/u${n}`, { profile: { givenName: "Grace", familyName: "Hopper" } });
    await at("POST", `/v2/users/u${n}/lock`, {});
    await at("POST", `/v2/users/u${n}/metadata`, { metadata: [{ key: "plan", value: "Z29sZA==" }] });
  }
  for (let n = 11; n <= 15; n += 1) source.removeUser(`u${n}`);
  await add(testUsers(10, 41));
  front.most = 0;
  const { report, stderr } = await copy("--batch-users", "2", ...flags);
  expect(report, stderr).toMatchObject({ exitCode: 0, deleted: 5, users: { created: 10, updated: 10 } });
  if (calls === 1) expect(front.most).toBe(1);
  else expect(front.most).toBeGreaterThanOrEqual(calls);
  expect(stderr.includes(WARNED)).toBe(calls > 1);
});

test.each([
  [[], 1],
  [["--concurrency", "8"], 5],
])("undo %j has so many: %d", async (flags, calls) => {
  const { front } = await target();
  const { cwd, file } = inFolder(testBody(testUsers(40)));
  expect((await runCli(["import", file], { cwd, env: front.env })).exitCode).toBe(0);
  front.most = 0;
  const argv = ["undo", join(cwd, `${file}.manifest.ndjson`), "--yes", ...flags];
  const { exitCode, stderr } = await runCli(argv, { cwd, env: front.env });
  expect(exitCode, stderr).toBe(0);
  if (calls === 1) expect(front.most).toBe(1);
  else expect(front.most).toBeGreaterThanOrEqual(calls);
  expect(stderr.includes(`${WARNED}: the service may then keep the login name of a deleted user`)).toBe(calls > 1);
});

test("the warning comes before anything is sent, also with --quiet, and from a dry run", async () => {
  const { front } = await target();
  const mailed = testUser(3, { ...noHash, email: { email: "user3@example.com", isEmailVerified: false } });
  const { cwd, file } = inFolder(testBody([...testUsers(2), mailed]));
  const flags = ["--max-mails", "0", "--concurrency", "2"];
  const refused = await runCli(["import", file, "--quiet", ...flags], { cwd, env: front.env });
  expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("so that the user cannot sign in") });
  expect(front.calls.filter((call) => call.endsWith("/import"))).toEqual([]);
  const dry = await runCli(["import", file, "--dry-run", "--concurrency", "auto"], { cwd, env: front.env });
  expect(dry).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(WARNED) });
});

test("a body that is sent as it is is one call, without a warning", async () => {
  const mock = await startMock({ seed: { orgs } });
  const ready = { data_orgsv1: JSON.stringify({ orgs: [{ orgId: "org1", humanUsers: [] }] }) };
  const { cwd, file } = inFolder(JSON.stringify(ready));
  const sent = await runCli(["import", file, "--concurrency", "2"], { cwd, env: mock.env });
  expect(sent).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining(WARNED) });
});

test("a dry run of undo warns of what the run would do", async () => {
  const { front } = await target();
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  await runCli(["import", file], { cwd, env: front.env });
  const argv = ["undo", `${file}.manifest.ndjson`, "--dry-run", "--concurrency", "8"];
  expect(await runCli(argv, { cwd, env: front.env })).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(WARNED),
  });
});

/** A shard of a job of one file; `during` is done whenever the run sleeps. */
async function shard(mimic: Mimic, during: (mock: MockServer) => Promise<void> = async () => {}) {
  const { mock, front } = await target(mimic);
  const { cwd, file } = inFolder(testBody(testUsers(4)));
  const orgs = [{ orgId: "org1", humanUsers: testUsers(1, 100) }];
  await post(mock, { dataOrgs: { orgs } });
  const sleep = async () => during(mock);
  const result = await runCli(["import", file, "--shard", "1/1"], { cwd, env: front.env, sleep });
  expect(result.exitCode, result.stderr).toBe(0);
  return result.stderr;
}

async function post({ url, token }: MockServer, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  await fetch(`${url}/admin/v1/import`, { method: "POST", headers, body: JSON.stringify({ ...body, timeout: "1m" }) });
}

/** Creates one user, another one each time. */
function writer(): (mock: MockServer) => Promise<void> {
  let number = 200;
  return async (mock) => {
    number += 1;
    await post(mock, { dataOrgs: { orgs: [{ orgId: "org1", humanUsers: testUsers(1, number) }] } });
  };
}

const OTHER_RUN = "warning: another run creates users with the same token";

test("a shard on a safe version says that shards may run in parallel, and looks for no other run", async () => {
  const stderr = await shard("v4.13", writer());
  expect(stderr).toContain("shards may run in parallel, too");
  expect(stderr).not.toContain(OTHER_RUN);
});

test("a shard on another version warns if another run creates users when it begins", async () => {
  expect(await shard("v4.15", writer())).toContain(OTHER_RUN);
  const alone = await shard("v4.15");
  expect(alone).not.toContain(OTHER_RUN);
  expect(alone).not.toContain("in parallel");
});
