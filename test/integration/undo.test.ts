import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { run } from "../../src/cli.ts";
import { createCleanUp } from "../../src/io/clean-up.ts";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const orgs = [{ orgId: "org1", org: { name: "One" } }];
/** bcrypt, cost 4: of "hunter2-Old". */
const HASH = "$2b$04$abcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";
const MANIFEST = "body.json.manifest.ndjson";

interface UndoReport {
  readonly exitCode: number;
  readonly users: Readonly<Record<string, number>>;
  readonly kept: readonly { readonly id: string; readonly reason: string }[];
  readonly otherObjects: Readonly<Record<string, number>>;
}

const instance = (): Promise<TestMock> => startMock({ mimic: "v4", seed: { orgs } });
const linesOf = (cwd: string, name = MANIFEST): Record<string, unknown>[] =>
  readFileSync(join(cwd, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const idsOf = (cwd: string, name = MANIFEST): unknown[] =>
  linesOf(cwd, name)
    .slice(1, -1)
    .map(({ id }) => id);

async function call(
  mock: TestMock,
  method: string,
  path: string,
  body: object = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${mock.token}`, "content-type": "application/json" };
  const response = await fetch(`${mock.url}${path}`, {
    method,
    headers,
    ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Makes the manifest that of an instance at another address. */
function moveManifest(cwd: string, target: string): void {
  const [head, ...rest] = linesOf(cwd);
  writeFileSync(
    join(cwd, MANIFEST),
    [{ ...head, target }, ...rest].map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
}

const isThere = async (mock: TestMock, id: string): Promise<boolean> =>
  (await call(mock, "GET", `/v2/users/${encodeURIComponent(id)}`)).status === 200;

/** Imports some users; the first one exists before. */
async function importJob(mock: TestMock, count: number) {
  const users = testUsers(count).map((user) => ({ ...user, user: { ...user.user, hashedPassword: { value: HASH } } }));
  const before = inFolder(testBody(users.slice(0, 1)));
  await runCli(["import", before.file], { cwd: before.cwd, env: mock.env });
  const { cwd, file } = inFolder(testBody(users));
  const result = await runCli(["import", file], { cwd, env: mock.env });
  return { cwd, file, ids: users.map(({ userId }) => userId), result };
}

async function undo(
  mock: TestMock,
  cwd: string,
  ...flags: string[]
): Promise<UndoReport & { readonly stderr: string }> {
  const { stdout, stderr } = await runCli(["undo", MANIFEST, "--json", ...flags], {
    cwd,
    env: mock.env,
    answer: undefined,
  });
  return { ...(JSON.parse(stdout) as UndoReport), stderr };
}

test("an import writes the ids of created users, not of existing ones, readable by its owner only", async () => {
  const mock = await instance();
  const { cwd, ids, result } = await importJob(mock, 5);
  expect(result.exitCode).toBe(0);
  expect(idsOf(cwd)).toEqual(ids.slice(1));
  expect(linesOf(cwd)[0]).toMatchObject({ kind: "manifest", target: mock.url });
  expect(linesOf(cwd).at(-1)).toMatchObject({ kind: "end", users: 4, withoutId: 0 });
  if (process.platform !== "win32") expect(statSync(join(cwd, MANIFEST)).mode & 0o077).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual(["body.json", MANIFEST]);
});

test("a run that creates no user keeps the manifest of an earlier run, and another job gets a numbered name", async () => {
  const mock = await instance();
  const { cwd, file, ids } = await importJob(mock, 3);
  await runCli(["import", file], { cwd, env: mock.env });
  expect(idsOf(cwd)).toEqual(ids.slice(1));
  writeFileSync(join(cwd, file), testBody([testUser(9)]));
  await runCli(["import", file], { cwd, env: mock.env });
  expect(idsOf(cwd)).toEqual(ids.slice(1));
  expect(idsOf(cwd, "body.json-2.manifest.ndjson")).toEqual(["u9"]);
});

test("interrupted and resumed, every id that any run created is named once", async () => {
  const mock = await startMock({
    mimic: "v4",
    seed: { orgs },
    faults: [{ endpoint: "import", fault: "latency", skip: 1, times: 1, delay: "3s" }],
  });
  const { cwd, file } = inFolder(
    testBody(testUsers(30).map((user) => ({ ...user, user: { ...user.user, hashedPassword: { value: HASH } } }))),
  );
  const controller = new AbortController();
  const secondCall = mock.arrived("/admin/v1/import", 2);
  const args = ["import", file, "--batch-users", "10", "--concurrency", "1"];
  const first = runCli(args, { cwd, env: mock.env, signal: controller.signal });
  await secondCall;
  controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
  expect((await first).exitCode).toBe(130);
  expect(idsOf(cwd)).toHaveLength(10);
  expect((await runCli([...args, "--resume"], { cwd, env: mock.env })).exitCode).toBe(0);
  expect(idsOf(cwd)).toEqual(testUsers(30).map(({ userId }) => userId));
  expect(readdirSync(cwd).sort()).toEqual(["body.json", MANIFEST]);
});

/** A job that was killed after its first call of ten, while the second was under way: no manifest was written. */
async function killedJob(mock: TestMock) {
  const { cwd, file } = inFolder(
    testBody(testUsers(30).map((user) => ({ ...user, user: { ...user.user, hashedPassword: { value: HASH } } }))),
  );
  const args = ["import", file, "--batch-users", "10", "--concurrency", "1"];
  const controller = new AbortController();
  const secondCall = mock.arrived("/admin/v1/import", 2);
  const first = runCli(args, { cwd, env: mock.env, signal: controller.signal });
  await secondCall;
  controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
  await first;
  rmSync(join(cwd, MANIFEST));
  return { cwd, file, args };
}

test("after --restart the manifest also names users that the discarded run created", async () => {
  const mock = await startMock({
    mimic: "v4",
    seed: { orgs },
    faults: [{ endpoint: "import", fault: "reset-after", skip: 1, times: 1 }],
  });
  const { cwd, args } = await killedJob(mock);
  const again = await runCli([...args, "--restart"], { cwd, env: mock.env });
  expect(again.exitCode, again.stderr).toBe(0);
  expect(idsOf(cwd)).toEqual(testUsers(30).map(({ userId }) => userId));
  expect(await undo(mock, cwd, "--yes")).toMatchObject({ exitCode: 0, users: { removed: 30 } });
});

test("--restart over the journal of another input keeps it, and its job can be completed and undone", async () => {
  const mock = await startMock({
    mimic: "v4",
    seed: { orgs },
    faults: [{ endpoint: "import", fault: "latency", skip: 1, times: 1, delay: "3s" }],
  });
  const { cwd, file, args } = await killedJob(mock);
  const content = readFileSync(join(cwd, file));
  writeFileSync(join(cwd, file), testBody([testUser(99)]));
  const refused = await runCli([...args, "--resume"], { cwd, env: mock.env });
  expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("kept under another name") });
  const again = await runCli([...args, "--restart"], { cwd, env: mock.env });
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("created 10 users") });
  const kept = "body.json.discarded.journal.ndjson";
  expect(again.stderr).toContain(`--journal ${kept} --resume`);
  expect(idsOf(cwd)).toEqual(["u99"]);
  writeFileSync(join(cwd, file), content);
  const completed = await runCli([...args, "--journal", kept, "--resume"], { cwd, env: mock.env });
  expect(completed.exitCode, completed.stderr).toBe(0);
  expect(idsOf(cwd, "body.json.discarded.manifest.ndjson")).toEqual(testUsers(30).map(({ userId }) => userId));
  expect(readdirSync(cwd).filter((name) => name.includes("journal"))).toEqual([]);
});

test("undo deletes exactly these users, and a second undo finds them deleted", async () => {
  const mock = await instance();
  const { cwd, ids } = await importJob(mock, 6);
  const dry = await undo(mock, cwd, "--dry-run");
  expect(dry).toMatchObject({ exitCode: 0, users: { listed: 5, toRemove: 5, removed: 0 } });
  expect(await isThere(mock, "u2")).toBe(true);
  const report = await undo(mock, cwd, "--yes");
  expect(report).toMatchObject({
    exitCode: 0,
    users: { listed: 5, removed: 5, alreadyGone: 0, kept: 0, failed: 0, unknown: 0, toRemove: 0 },
  });
  for (const id of ids.slice(1)) expect(await isThere(mock, id)).toBe(false);
  expect(await isThere(mock, ids[0] ?? "")).toBe(true);
  expect(await undo(mock, cwd, "--yes")).toMatchObject({ exitCode: 0, users: { removed: 0, alreadyGone: 5 } });
});

test("undo warns of users whose rights another account has removed since: they come back with the users", async () => {
  const mock = await instance();
  const rights = {
    projects: [{ projectId: "p1", project: { name: "Shop" } }],
    projectRoles: [{ projectId: "p1", roleKey: "admin", displayName: "Admin" }],
    userGrants: ["u1", "u2", "u3"].map((userId) => ({ projectId: "p1", userId, roleKeys: ["admin"] })),
    orgMembers: ["u1", "u2", "u3"].map((userId) => ({ userId, roles: ["ORG_OWNER"] })),
  };
  const body = { dataOrgs: { orgs: [{ ...orgs[0], humanUsers: testUsers(3), ...rights }] } };
  const { cwd, file } = inFolder(JSON.stringify(body));
  const imported = await runCli(["import", file], { cwd, env: mock.env });
  expect(imported.exitCode, imported.stderr).toBe(0);
  const plan = await undo(mock, cwd, "--dry-run");
  expect(plan.stderr).not.toContain("Another account has removed");
  // The grants and memberships are deleted with their users.
  expect(plan.otherObjects).toEqual({ project: 1, project_role: 1 });
  mock.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
  const remove = async (token: string, path: string): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, "x-zitadel-orgid": "org1" };
    expect((await fetch(`${mock.url}/management/v1/${path}`, { method: "DELETE", headers })).status, path).toBe(200);
  };
  const added = await call(mock, "POST", "/admin/v1/events/_search", { asc: true, event_types: ["user.grant.added"] });
  const [first] = added.body["events"] as readonly { readonly aggregate: { readonly id: string } }[]; // of u1
  await remove("of-others", `users/u1/grants/${first?.aggregate.id}`);
  await remove("of-others", "orgs/me/members/u2");
  await remove(mock.token, "orgs/me/members/u3");
  const warning =
    "warning: another account has removed role grants or memberships of 2 users of the manifest, and they come back if the users are created again: u2 (user2@example.com), u1 (user1@example.com). If";
  expect((await undo(mock, cwd, "--dry-run")).stderr).toContain(warning);
  const quiet = await undo(mock, cwd, "--yes", "--quiet", "--html", "r.html");
  expect(quiet).toMatchObject({ exitCode: 0, removedRights: ["u2", "u1"], stderr: expect.stringContaining(warning) });
  const [remarks = ""] = /<h2>Remarks<.*?<\/section>/s.exec(readFileSync(join(cwd, "r.html"), "utf8")) ?? [];
  expect(remarks).toContain("of 2 users of the manifest, and they come back if the users are created again: u2 (user2");
});

test("who signed in or changed the password stays, unless it is forced", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 6);
  const password = { password: "hunter2-Old" };
  const signIn = await call(mock, "POST", "/v2/sessions", { checks: { user: { userId: "u2" }, password } });
  const changed = await call(mock, "PUT", "/v2/users/human/u4", {
    password: { password: { password: "Secret-1-New", changeRequired: false } },
  });
  expect([signIn.status, changed.status]).toEqual([201, 200]);
  const report = await undo(mock, cwd, "--yes");
  expect(report).toMatchObject({ exitCode: 1, users: { listed: 5, removed: 3, kept: 2 } });
  expect(report.kept).toMatchObject([
    { id: "u2", reason: "signed-in" },
    { id: "u4", reason: "password-updated" },
  ]);
  expect(report.stderr).toContain("kept:     1: the account of this job changed the password after the job began");
  expect(await isThere(mock, "u4")).toBe(true);
  const forced = await undo(mock, cwd, "--yes", "--force");
  expect(forced).toMatchObject({ exitCode: 0, users: { removed: 2, alreadyGone: 3, kept: 0 } });
  expect(forced).toMatchObject({ inUse: { "signed-in": 1, "password-updated": 1 } });
  expect(forced.stderr).toContain(
    "--force deletes 1 of them although: the user signed in, or tried to, after the job began",
  );
  expect(await isThere(mock, "u4")).toBe(false);
});

test("users who stay or go have their login names, on the terminal, in the report and on the page", async () => {
  const mock = await instance();
  const { cwd, ids } = await importJob(mock, 3);
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  const body = JSON.stringify({ username: "countess" });
  const headers = { authorization: "Bearer admin" };
  await fetch(`${mock.url}/v2/users/human/${ids[2]}`, { method: "PUT", headers, body });
  const dry = await undo(mock, cwd, "--dry-run");
  const gone = ["u2"];
  expect(dry, dry.stderr).toMatchObject({ removedUsers: gone, users: { toRemove: 1 } });
  expect(dry.stderr).toContain("delete:   u2 (user2@example.com)\n");
  const done = await undo(mock, cwd, "--yes", "--html", "r.html");
  expect(done.stderr).toContain("delete:   u2 (user2@example.com)\n");
  expect(done.stderr).toContain("          u3 (countess)\n");
  const loginNames = { u2: "user2@example.com", u3: "countess" };
  expect(done).toMatchObject({ removedUsers: gone, loginNames });
  expect(readFileSync(join(cwd, "r.html"), "utf8")).toContain("<bdi>u3 (countess)</bdi>");
});

test("without a list of users, undo names those who stay by id, and ends as usual", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 2);
  await call(mock, "POST", "/v2/sessions", { checks: { user: { userId: "u2" } } });
  const url = await startFront(mock, async (path) =>
    path === "/v2/users" ? { status: 403, body: { code: 7, message: "no" } } : undefined,
  );
  moveManifest(cwd, url);
  const { exitCode, stderr } = await undo(mock, cwd, "--yes", "--target", url);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("          u2\n");
});

test("a token that may not delete users is exit 4, with the role that it needs", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 2);
  mock.addToken("weak", { userId: "weak", roles: [] });
  mock.addToken("manager", { userId: "manager", roles: ["IAM_USER_MANAGER"] }); // may delete users, and read no events
  for (const token of ["weak", "manager"]) {
    const env = { ...mock.env, PAT_IMPORT_TOKEN: token };
    const { exitCode, stderr } = await runCli(["undo", "body.json.manifest.ndjson", "--yes"], { cwd, env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: expect.stringContaining("with the role IAM_OWNER.") });
  }
});

test("an older manifest of a job names the newest one beside it", async () => {
  const mock = await instance();
  const { cwd, file } = await importJob(mock, 2);
  for (const number of [8, 9]) {
    writeFileSync(join(cwd, file), testBody([testUser(number)]));
    await runCli(["import", file], { cwd, env: mock.env });
  }
  const newer =
    "warning: body.json-3.manifest.ndjson is the newest manifest of later runs. Users that those runs created stay.\n";
  expect((await undo(mock, cwd, "--dry-run")).stderr).toContain(newer);
  const last = await runCli(["undo", "body.json-3.manifest.ndjson", "--dry-run"], { cwd, env: mock.env });
  expect(last.stderr).not.toContain("newest manifest");
  const [head, ...rest] = linesOf(cwd, "body.json-3.manifest.ndjson");
  const moved = [{ ...head, target: "https://other.example.com" }, ...rest];
  writeFileSync(join(cwd, "body.json-3.manifest.ndjson"), moved.map((line) => `${JSON.stringify(line)}\n`).join(""));
  writeFileSync(join(cwd, "body.json-4.manifest.ndjson"), "none");
  expect((await undo(mock, cwd, "--dry-run")).stderr).toContain("warning: body.json-2.manifest.ndjson is the newest");
});

test("beside the journal of an unfinished import, a warning says that users may be missing from the manifest", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 2);
  expect((await undo(mock, cwd, "--dry-run")).stderr).not.toContain("not finished");
  writeFileSync(join(cwd, "body.json.journal.ndjson"), "");
  expect((await undo(mock, cwd, "--dry-run")).stderr).toContain(
    "warning: the import of this manifest is not finished: users that a call without an answer has created are not in it. To undo them, too, complete the import first (orgferry status body.json.journal.ndjson shows the command), then undo.\n",
  );
});

test("who has begun a session without a password stays, too", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 4);
  expect((await call(mock, "POST", "/v2/sessions", { checks: { user: { userId: "u3" } } })).status).toBe(201);
  const report = await undo(mock, cwd, "--yes");
  expect(report).toMatchObject({
    exitCode: 1,
    users: { removed: 2, kept: 1 },
    kept: [{ id: "u3", reason: "signed-in" }],
  });
});

test("a user whose id fits no path is never taken for deleted", async () => {
  const mock = await instance();
  const { cwd, file } = inFolder(
    testBody(
      [{ ...testUser(1), userId: "samlp|a/b" }].map((user) => ({
        ...user,
        user: { ...user.user, hashedPassword: { value: HASH } },
      })),
    ),
  );
  await runCli(["import", file], { cwd, env: mock.env });
  expect(idsOf(cwd)).toEqual(["samlp|a/b"]);
  // The mock, as 2.x does, knows no call that takes the id in its body.
  expect(await undo(mock, cwd, "--yes")).toMatchObject({
    exitCode: 1,
    users: { removed: 0, alreadyGone: 0, failed: 1 },
  });
});

test("a user who was deleted and recreated by another account is kept, also with --force", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  mock.removeUser("u2");
  const anew = {
    userId: "u2",
    username: "x@example.com",
    profile: { givenName: "X", familyName: "Y" },
    email: { email: "x@example.com", isVerified: true },
  };
  expect((await call(mock, "POST", "/v2/users/human", { ...anew, organization: { orgId: "org1" } })).status).toBe(200);
  const report = await undo(mock, cwd, "--yes", "--force");
  expect(report).toMatchObject({
    exitCode: 1,
    users: { removed: 1, kept: 1 },
    kept: [{ id: "u2", reason: "made-anew" }],
  });
  expect(await isThere(mock, "u2")).toBe(true);
});

// As a run of an earlier version left it, which deleted users to recreate them.
test("a user who existed before the job and was recreated since stays, also by force", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  mock.removeUser("u1");
  await call(mock, "POST", "/admin/v1/import", JSON.parse(testBody([testUser(1)])) as object);
  const [head, ...users] = linesOf(cwd).slice(0, -1);
  const listed = [...users, { id: "u1", orgId: "org1" }];
  const end = { kind: "end", users: listed.length, withoutId: 0, others: {} };
  writeFileSync(join(cwd, MANIFEST), [head, ...listed, end].map((line) => `${JSON.stringify(line)}\n`).join(""));
  for (const flags of [["--dry-run"], ["--yes"], ["--yes", "--force"]]) {
    expect(await undo(mock, cwd, ...flags)).toMatchObject({
      exitCode: 1,
      kept: [{ id: "u1", reason: "existed-before" }],
    });
  }
  expect(await isThere(mock, "u1")).toBe(true);
  expect(await isThere(mock, "u2")).toBe(false);
});

test.each([[], ["--force"]])(
  "a user who is recreated by another account after the log was read stays %j",
  async (...force) => {
    const mock = await instance();
    const { cwd } = await importJob(mock, 3);
    const again = {
      aggregate: { id: "u2", type: { type: "user" }, resourceOwner: "org1" },
      editor: { userId: "admin" },
      type: { type: "user.human.added" },
      sequence: "9",
      creationDate: new Date().toISOString(),
    };
    const url = await startFront(mock, (_, body) =>
      body.includes('"aggregate_id":"u2"') ? { status: 200, body: { events: [again] } } : undefined,
    );
    moveManifest(cwd, url);
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const { stdout, stderr } = await runCli(["undo", MANIFEST, "--yes", "--json", ...force], { cwd, env });
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 1,
      users: { removed: 1, kept: 1 },
      kept: [{ id: "u2", reason: "made-anew" }],
    });
    expect(await isThere(mock, "u2")).toBe(true);
  },
);

test("a user without events in the log at the last check is kept", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  const url = await startFront(mock, (_, body) =>
    body.includes('"aggregate_id":"u2"') ? { status: 200, body: { events: [] } } : undefined,
  );
  moveManifest(cwd, url);
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["undo", MANIFEST, "--yes", "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 1, kept: [{ id: "u2", reason: "not-in-log" }] });
});

test("with --force, one empty answer of the log does not delete a user recreated by another account", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  mock.removeUser("u2");
  await call(mock, "POST", "/admin/v1/import", JSON.parse(testBody([testUser(2)])) as object);
  let asked = 0;
  const url = await startFront(mock, (path) => {
    if (!path.endsWith("/events/_search")) return undefined;
    asked += 1;
    return asked === 1 ? { status: 200, body: { events: [] } } : undefined;
  });
  moveManifest(cwd, url);
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["undo", MANIFEST, "--yes", "--force", "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 1,
    users: { removed: 1, kept: 1 },
    kept: [{ id: "u2", reason: "made-anew" }],
  });
  expect(await isThere(mock, "u2")).toBe(true);
});

test("a user who was changed by another account is kept, except by force; one with a role on the instance always", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 8);
  mock.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
  mock.addToken("of-u8", { userId: "u8", roles: ["IAM_OWNER_VIEWER"] });
  const by = async (token: string, method: string, path: string, body: object = {}): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${mock.url}${path}`, { method, headers, body: JSON.stringify(body) });
    expect(answer.status, path).toBe(200);
  };
  const profile = { profile: { givenName: "Grace", familyName: "Hopper" } };
  await by("of-others", "PUT", "/v2/users/human/u2", profile);
  await by("of-others", "POST", "/v2/users/u3/metadata", { metadata: [{ key: "plan", value: "Z29sZA==" }] });
  await by("of-others", "POST", "/v2/users/u4/lock");
  await by("of-others", "PUT", "/v2/users/human/u5", { email: { email: "new@example.com", isVerified: true } });
  await by(mock.token, "PUT", "/v2/users/human/u6", profile);
  const changed = ["u2", "u3", "u4", "u5"].map((id) => ({ id, reason: "changed" }));
  const known = { exitCode: 1, kept: [...changed, { id: "u8", reason: "protected" }] };
  expect(await undo(mock, cwd, "--dry-run")).toMatchObject({ ...known, users: { toRemove: 2, kept: 5 } });
  const report = await undo(mock, cwd, "--yes");
  expect(report).toMatchObject({ ...known, users: { removed: 2, kept: 5 } });
  expect(report.stderr).toContain("4: another account changed the user, or gave the user rights, after the job began");
  expect(await undo(mock, cwd, "--yes", "--force")).toMatchObject({
    exitCode: 1,
    users: { removed: 4, alreadyGone: 2, kept: 1 },
    kept: [{ id: "u8", reason: "protected" }],
  });
  expect(await isThere(mock, "u8")).toBe(true);
});

/** Adds users to a manifest by hand, and changes its head. */
function editManifest(cwd: string, ids: readonly string[], change: Record<string, unknown> = {}): void {
  const [head = {}, ...users] = linesOf(cwd);
  const end = users.pop() ?? {};
  const added = ids.map((id) => ({ id, orgId: "org1" }));
  const lines = [{ ...head, ...change }, ...users, ...added, { ...end, users: users.length + added.length }];
  writeFileSync(join(cwd, MANIFEST), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test.each([
  { flags: [], change: {} },
  { flags: ["--force"], change: {} },
  { flags: [], change: { by: undefined, until: undefined } },
])(
  "a user that another account created is not deleted by a line that was added by hand ($flags, $change)",
  async ({ flags, change }) => {
    const mock = await instance();
    const { cwd } = await importJob(mock, 3);
    mock.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
    await call({ ...mock, token: "of-others" }, "POST", "/admin/v1/import", JSON.parse(testBody([testUser(9)])));
    editManifest(cwd, ["u9"], change);
    const kept = [{ id: "u9", reason: "not-by-job" }];
    expect(await undo(mock, cwd, "--dry-run", ...flags)).toMatchObject({ users: { toRemove: 2, kept: 1 }, kept });
    expect(await undo(mock, cwd, "--yes", ...flags)).toMatchObject({
      exitCode: 1,
      users: { removed: 2, kept: 1 },
      kept,
    });
    expect(await isThere(mock, "u9")).toBe(true);
  },
);

test.each([[], ["--force"]])(
  "a user who existed before the job is not deleted by a line that was added by hand %s",
  async (...flags) => {
    const mock = await instance();
    const { cwd } = await importJob(mock, 2);
    editManifest(cwd, ["u1"]);
    const kept = [{ id: "u1", reason: "not-in-log" }];
    const plan = await undo(mock, cwd, "--dry-run", ...flags);
    expect(plan).toMatchObject({ users: { toRemove: 1, kept: 1 }, kept, removedUsers: ["u2"] });
    expect(plan.stderr).toContain("2 in the manifest: 1 to delete, 0 already gone, 1 kept");
    expect(plan).not.toHaveProperty("inUse");
    expect(await undo(mock, cwd, "--yes", ...flags)).toMatchObject({ users: { removed: 1, kept: 1 }, kept });
    expect(await isThere(mock, "u1")).toBe(true);
  },
);

test("a user of a later job is not deleted by a line that was added by hand", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  const { until } = linesOf(cwd)[0] as { readonly until: string };
  await call(mock, "POST", "/admin/v1/import", JSON.parse(testBody([testUser(9)])));
  // The later job begins a minute after the first.
  const minuteBefore = (time: string): string => new Date(Date.parse(time) - 60_000).toISOString();
  editManifest(cwd, ["u9"], { until: minuteBefore(until) });
  const report = await undo(mock, cwd, "--yes", "--force");
  expect(report.kept).toContainEqual({ id: "u9", reason: "not-by-job", line: 4 });
  expect(await isThere(mock, "u9")).toBe(true);
});

test("a job that two accounts ran is undone by a third one", async () => {
  const fault = { endpoint: "import", fault: "latency", skip: 1, times: 1, delay: "3s" } as const;
  const mock = await startMock({ mimic: "v4", seed: { orgs }, faults: [fault] });
  mock.addToken("second", { userId: "second-account", roles: ["IAM_OWNER"] });
  mock.addToken("third", { userId: "third-account", roles: ["IAM_OWNER"] });
  const { cwd, args } = await killedJob(mock);
  const env = { ...mock.env, PAT_IMPORT_TOKEN: "second" };
  expect((await runCli([...args, "--resume"], { cwd, env })).exitCode).toBe(0);
  expect(linesOf(cwd)[0]).toMatchObject({ by: [expect.any(String), "second-account"] });
  const third = { ...mock.env, PAT_IMPORT_TOKEN: "third" };
  const { exitCode, stderr } = await runCli(["undo", MANIFEST, "--yes"], { cwd, env: third });
  expect(exitCode, stderr).toBe(0);
});

test.each([
  { flags: [], answer: { status: 403, body: { code: 7, message: "no" } }, exitCode: 4 },
  { flags: ["--force"], answer: { status: 403, body: { code: 7, message: "no" } }, exitCode: 4 },
  { flags: ["--force"], answer: { status: 200, body: "<html>" }, exitCode: 5 },
])(
  "no user is deleted where the users with a role cannot be listed ($flags, $answer.status)",
  async ({ flags, answer, exitCode }) => {
    const mock = await instance();
    const { cwd } = await importJob(mock, 3);
    mock.addToken("of-u2", { userId: "u2", roles: ["IAM_OWNER_VIEWER"] });
    const url = await startFront(mock, (path) => (path === "/admin/v1/members/_search" ? answer : undefined));
    moveManifest(cwd, url);
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const result = await runCli(["undo", MANIFEST, "--yes", ...flags], { cwd, env });
    expect(result.exitCode, result.stderr).toBe(exitCode);
    for (const id of ["u2", "u3"]) expect(await isThere(mock, id)).toBe(true);
  },
);

test("an import that is not finished is named, with and without a manifest", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  expect((await undo(mock, cwd, "--dry-run")).stderr).not.toContain("not finished");
  writeFileSync(join(cwd, "body.json.journal.ndjson"), "");
  const line =
    "not finished: body.json.journal.ndjson may have users that the manifest lacks, and undo does not delete these.";
  expect((await undo(mock, cwd, "--dry-run")).stderr).toContain(line);
  rmSync(join(cwd, MANIFEST));
  const { exitCode, stderr } = await runCli(["undo", MANIFEST, "--dry-run"], { cwd, env: mock.env });
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`${MANIFEST}: no such file, because its import is not finished.`);
  expect(stderr).toContain("with --resume: orgferry status body.json.journal.ndjson has the command.");
});

test("an import that continues after undo says that undo may have deleted its users", async () => {
  const mock = await instance();
  const { cwd, file } = inFolder(testBody(testUsers(4)));
  mock.addFault({ endpoint: "import", fault: "not-json", skip: 1 });
  const argv = ["import", file, "--batch-users", "2", "--json"];
  await runCli(argv, { cwd, env: mock.env });
  mock.clearFaults();
  expect((await undo(mock, cwd, "--yes")).exitCode).toBe(0);
  const { exitCode, stdout, stderr } = await runCli([...argv, "--resume"], { cwd, env: mock.env });
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ users: { created: 2, failed: 2 }, failureCauses: { "taken-over": 2 } });
  expect(stderr).toContain("by another account, by another job or by orgferry undo");
});

test("a user who signs in while undo asks is kept", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  const signIn = async (): Promise<void> => {
    const checks = { user: { userId: "u2" }, password: { password: "hunter2-Old" } };
    expect((await call(mock, "POST", "/v2/sessions", { checks })).status).toBe(201);
  };
  expect(await atTerminal(mock, cwd, "y\n", signIn)).toMatchObject({ exitCode: 1 });
  expect(await isThere(mock, "u2")).toBe(true);
  expect(await isThere(mock, "u3")).toBe(false);
});

test("a user who signs in between two deletions is kept", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 8);
  // What was read of the target counts for half a second.
  mock.addFault({ endpoint: "users", fault: "latency", delay: 600 });
  let asked = 0;
  const url = await startFront(mock, async (path) => {
    if (!/^\/v2\/users\/u\d$/.test(path)) return undefined;
    asked += 1;
    if (asked === 1) await call(mock, "POST", "/v2/sessions", { checks: { user: { userId: "u8" } } });
    return undefined;
  });
  moveManifest(cwd, url);
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["undo", MANIFEST, "--yes", "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ users: { removed: 6, kept: 1 }, kept: [{ reason: "signed-in" }] });
  expect(await isThere(mock, "u8")).toBe(true);
}, 60_000);

test("with --force, one refusal of the log does not delete a user recreated by another account", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  mock.removeUser("u2");
  await call(mock, "POST", "/admin/v1/import", JSON.parse(testBody([testUser(2)])) as object);
  mock.addFault({ endpoint: "events", fault: "403", times: 1 });
  const report = await undo(mock, cwd, "--yes", "--force");
  expect(report).toMatchObject({ exitCode: 1, users: { kept: 1 }, kept: [{ id: "u2", reason: "made-anew" }] });
  expect(await isThere(mock, "u2")).toBe(true);
});

test("users who were undone and imported again are undone once more", async () => {
  const mock = await instance();
  const { cwd, file } = await importJob(mock, 3);
  expect(await undo(mock, cwd, "--yes")).toMatchObject({ exitCode: 0, users: { removed: 2 } });
  rmSync(join(cwd, MANIFEST));
  expect((await runCli(["import", file], { cwd, env: mock.env })).exitCode).toBe(0);
  expect(await undo(mock, cwd, "--yes")).toMatchObject({ exitCode: 0, users: { removed: 2, kept: 0 } });
});

test("after a lost answer the call is repeated, and a deleted user counts as deleted", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 4);
  mock.addFault({ endpoint: "users", fault: "reset-after", skip: 1, times: 1 });
  expect(await undo(mock, cwd, "--yes", "--concurrency", "1")).toMatchObject({
    exitCode: 0,
    users: { removed: 3, failed: 0, unknown: 0 },
  });
});

test("a user whose last look fails was not called, so nothing about the user is unknown", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 4);
  mock.addFault({ endpoint: "events", fault: "500", skip: 2 });
  expect(await undo(mock, cwd, "--yes", "--concurrency", "1")).toMatchObject({
    exitCode: 5,
    users: { removed: 0, failed: 0, unknown: 0, toRemove: 3 },
  });
});

test("a dry run warns of concurrent writes, as the run does", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 4);
  for (const flag of ["--dry-run", "--yes"])
    expect((await undo(mock, cwd, flag, "--concurrency", "2")).stderr).toContain("warning: concurrent writes");
});

test("nothing is removed without a yes", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  const unasked = await undo(mock, cwd);
  expect(unasked).toMatchObject({ exitCode: 2, users: { toRemove: 2 } });
  expect(unasked).not.toHaveProperty("removedUsers");
  expect(unasked.stderr).toContain("add --yes");
  expect(await atTerminal(mock, cwd, "n\n")).toMatchObject({
    exitCode: 3,
    said: expect.stringContaining("2 users will be permanently deleted from 127.0.0.1"),
  });
  expect(await isThere(mock, "u2")).toBe(true);
  expect(await atTerminal(mock, cwd, "y\n")).toMatchObject({ exitCode: 0 });
  expect(await isThere(mock, "u2")).toBe(false);
});

/** @param before is done while the question waits. */
async function atTerminal(
  mock: TestMock,
  cwd: string,
  typed: string,
  before: () => Promise<void> = async () => {},
): Promise<{ exitCode: number; said: string }> {
  let said = "";
  async function* answer(): AsyncGenerator<Buffer> {
    while (!said.includes("Continue?")) await setTimeout(5);
    await before();
    yield Buffer.from(typed);
  }
  const sink = () =>
    new Writable({
      write(chunk, _, done) {
        said += String(chunk);
        done();
      },
    });
  const context = {
    stdin: Object.assign(Readable.from(answer()), { isTTY: true }),
    stdout: sink(),
    stderr: Object.assign(sink(), { isTTY: true, columns: 80 }),
    env: { ...mock.env, TERM: "dumb" },
    cwd,
    signal: new AbortController().signal,
    now: () => new Date(),
    self: { command: process.execPath, args: [] },
    cleanUp: createCleanUp(),
  };
  const exitCode = await run(["undo", MANIFEST], context);
  return { exitCode, said };
}

test("a manifest of another instance, one that was cut off and a file that is none are refused", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  const other = await instance();
  const elsewhere = await runCli(["undo", MANIFEST, "--yes"], { cwd, env: other.env });
  expect(elsewhere).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("another instance, http://127.0.0.1:"),
  });
  expect(elsewhere.stderr).toMatch(/use --target http:\/\/127\.0\.0\.1:\d+ with a token of that instance/);
  const text = readFileSync(join(cwd, MANIFEST), "utf8");
  writeFileSync(join(cwd, "cut.ndjson"), text.split("\n").slice(0, 2).join("\n"));
  for (const name of ["cut.ndjson", "body.json"]) {
    const refused = await runCli(["undo", name, "--yes"], { cwd, env: mock.env });
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("not a manifest") });
  }
  expect(await isThere(mock, "u2")).toBe(true);
});

test("without events, undo needs --force", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs } });
  const { cwd } = await importJob(mock, 3);
  mock.addFault({ endpoint: "events", fault: "404" });
  expect(await undo(mock, cwd, "--yes")).toMatchObject({ exitCode: 5, users: { removed: 0 } });
  const forced = await undo(mock, cwd, "--yes", "--force");
  expect(forced).toMatchObject({ exitCode: 0, users: { removed: 2 } });
  expect(forced.stderr).toContain("because events cannot be read");
});

test("with --force, an event log that a proxy answers for ends undo, and no user is deleted", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 3);
  const url = await startFront(mock, (path) =>
    path.endsWith("/events/_search") ? { status: 200, body: "<html>maintenance</html>" } : undefined,
  );
  moveManifest(cwd, url);
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { exitCode, stderr } = await runCli(["undo", MANIFEST, "--yes", "--force"], { cwd, env });
  expect(exitCode, stderr).toBe(5);
  expect(await isThere(mock, "u2")).toBe(true);
});

test("a copy writes its manifest to the given path", async () => {
  const [source, target] = [await instance(), await startMock({ mimic: "v4" })];
  const { cwd } = await importJob(source, 3);
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--manifest", "copy.ndjson", "--insecure-http"];
  expect((await runCli(args, { cwd, env })).exitCode).toBe(0);
  expect(idsOf(cwd, "copy.ndjson").sort()).toEqual(["u1", "u2", "u3"]);
  expect(linesOf(cwd, "copy.ndjson").at(-1)).toMatchObject({ users: 3 });
  const undone = await runCli(["undo", "copy.ndjson", "--yes"], { cwd, env });
  expect(undone.exitCode).toBe(0);
});

test("a copy with a state file writes its manifests beside it, not into the working folder", async () => {
  const [source, target] = [await instance(), await startMock({ mimic: "v4" })];
  const { cwd } = await importJob(source, 3);
  mkdirSync(join(cwd, "var"));
  const before = readdirSync(cwd);
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--update", "--state", "var/night.state"];
  const { exitCode, stderr } = await runCli(args, { cwd, env });
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain("3 ids in var/night.state.manifest.ndjson; orgferry undo deletes these users");
  expect(readdirSync(cwd)).toEqual(before);
});

test("an import from a stream says before and after that undo will not know its users, unless --manifest names a file", async () => {
  const mock = await instance();
  const run = (...flags: string[]) =>
    runCli(["import", "-", ...flags], { cwd: tempDir(), stdin: testBody(testUsers(2)), env: mock.env });
  const without = await run();
  expect(without.exitCode, without.stderr).toBe(0);
  expect(without.stderr).toContain("undo:     no manifest, because the input is a stream: name a file with --manifest");
  expect(without.stderr).toContain("created:  2 users; no manifest was written, so orgferry undo cannot delete them");
  mock.removeUser("u1");
  const named = await run("--manifest", "m.ndjson");
  expect(named.stderr).not.toContain("no manifest");
  expect(named.stderr).toContain("created:  1 id in m.ndjson; orgferry undo deletes these users");
});

test("users that another account deletes before their turn count as already gone", async () => {
  const mock = await instance();
  const { cwd } = await importJob(mock, 5);
  let asked = 0;
  const url = await startFront(mock, (path) => {
    if (!/^\/v2\/users\/u\d$/.test(path)) return undefined;
    asked += 1;
    if (asked === 1) for (const id of ["u3", "u4"]) mock.removeUser(id);
    return undefined;
  });
  moveManifest(cwd, url);
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["undo", MANIFEST, "--yes", "--json", "--concurrency", "1"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { listed: 4, removed: 2, alreadyGone: 2 } });
});
