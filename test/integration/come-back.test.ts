import { expect, test } from "vitest";
import { belongingEventTypes } from "../../src/core/events/belonging-log.ts";
import { metadataEventTypes } from "../../src/core/events/instance-log.ts";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// People who are imported, removed by undo, and imported again. The service takes their former metadata for set, and does not write it
// (service behaviour 9.9).

const seed = { orgs: [{ orgId: "org1", org: { name: "Org" } }] };
/** One user by each endpoint. */
const humanUsers = [testUser(1), testUser(2, { hashedPassword: undefined })];
const bodyWith = (userMetadata: readonly object[]): string =>
  JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers, userMetadata }] }, timeout: "5m0s" });
const body = bodyWith(["u1", "u2"].map((id) => ({ id, key: "theme", value: "ZGFyaw==" })));

async function run(mock: TestMock, cwd: string, ...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await runCli([...args, "--json"], { cwd, env: mock.env });
  return { exitCode, stderr, report: JSON.parse(stdout) };
}

async function send(mock: TestMock, method: string, path: string, content: object = {}, token = mock.token) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${mock.url}${path}`, { method, headers, body: JSON.stringify(content) });
  return (await answer.json()) as { readonly metadata?: readonly { readonly key: string; readonly value: string }[] };
}

async function metadataOf(mock: TestMock, userId: string): Promise<unknown> {
  const { metadata = [] } = await send(mock, "POST", `/v2/users/${userId}/metadata/search`);
  return metadata.map(({ key, value }) => ({ key, value }));
}

async function homeOf({ url, token }: TestMock, userId: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/v2/users/${userId}`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { user?: { details?: { resourceOwner?: string } } }).user?.details?.resourceOwner;
}

const theme = [{ key: "theme", value: "ZGFyaw==" }];

for (const mimic of ["v4", "v4.13", "v4.15"] as const)
  test(`users who come back after undo have their metadata (${mimic})`, async () => {
    const mock = await startMock({ mimic, seed });
    const { cwd, file } = inFolder(body);
    expect((await run(mock, cwd, "import", file)).report).toMatchObject({ users: { created: 2 } });
    const undone = await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
    expect(undone.report, undone.stderr).toMatchObject({ exitCode: 0, users: { removed: 2 } });
    const again = await run(mock, cwd, "import", file, "--verify");
    expect(again.report, again.stderr).toMatchObject({
      exitCode: 0,
      users: { created: 2 },
      otherObjects: { user_metadata: { created: 2, failed: 0 } },
      metadataCompared: 2,
      differentCount: 0,
    });
    expect(await metadataOf(mock, "u1")).toEqual(theme);
    expect(await metadataOf(mock, "u2")).toEqual(theme);
  });

test("of an id that a file has twice, the first user is compared, and the second is named", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const other = testUser(1, { userName: "five", email: { email: "five@example.com" } });
  const users = [testUser(1), testUser(2), { ...other, hashedPassword: undefined }];
  const { cwd, file } = inFolder(
    JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers: users }] }, timeout: "5m0s" }),
  );
  const first = await run(mock, cwd, "import", file, "--skip-invalid", "--verify", "--yes");
  expect(first.report, first.stderr).toMatchObject({ users: { created: 2, skipped: 1 }, expected: 2, different: [] });
  const again = await run(mock, cwd, "import", file, "--skip-invalid", "--yes");
  expect(again.stderr).not.toContain("--update");
  expect(again.report).toMatchObject({ users: { alreadyThere: 2 }, alreadyThereDifferentCount: 0 });
  for (const by of ["events", "export"]) {
    const { report, stderr } = await run(mock, cwd, "verify", file, "--by", by);
    expect(report, stderr).toMatchObject({ exitCode: 1, found: report.expected, different: [] });
    expect(report.problems).toMatchObject([{ code: "user.duplicate-id", id: "u1", message: expect.any(String) }]);
    expect(stderr).toMatch(/duplicate id: the user at line \d+ has the same/);
  }
});

test("the name of another user is the reason, also for a user who comes back", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const body = (id: string) => ({ ...testUser(1, { hashedPassword: undefined }), userId: id });
  const bodyOf = (user: object) =>
    JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [user] }] }, timeout: "5m0s" });
  const { cwd, file } = inFolder(bodyOf(body("u1")));
  await run(mock, cwd, "import", file);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const other = inFolder(bodyOf(body("u2")));
  expect((await run(mock, other.cwd, "import", other.file)).exitCode).toBe(0);
  const { report } = await run(mock, cwd, "import", file);
  expect(report).toMatchObject({ exitCode: 1, failures: [{ id: "u1", cause: "user-name-taken" }] });
});

test("metadata that the service refuses to set again count as failed, and verify names the user", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const { cwd, file } = inFolder(body);
  await run(mock, cwd, "import", file);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const url = await startFront(mock, (path) =>
    path.startsWith("/v2/users/u1/metadata")
      ? { status: 400, body: { code: 9, message: "no (COMMAND-none)" } }
      : undefined,
  );
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const again = await runCli(["import", file, "--verify", "--json"], { cwd, env });
  expect(JSON.parse(again.stdout), again.stderr).toMatchObject({
    exitCode: 1,
    otherObjects: { user_metadata: { created: 1, failed: 1 } },
    different: [{ id: "u1", fields: ["metadata.theme"] }],
  });
});

test("verify compares metadata: entries that are missing, and entries that were changed since", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const { cwd, file } = inFolder(body);
  await run(mock, cwd, "import", file);
  const same = await run(mock, cwd, "verify", file);
  expect(same.report, same.stderr).toMatchObject({ exitCode: 0, metadataCompared: 2, changedSinceCount: 0 });
  expect(same.stderr).toContain("2 entries of their metadata compared too");
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  await send(mock, "POST", "/v2/users/u2/metadata", { metadata: [{ key: "theme", value: "bGlnaHQ=" }] }, "admin");
  const changed = await run(mock, cwd, "verify", file);
  expect(changed.report).toMatchObject({
    exitCode: 0,
    changedSince: [{ id: "u2", fields: ["metadata.theme"] }],
    loginNames: { u2: "user2@example.com" },
  });
  const other = inFolder(bodyWith([{ id: "u1", key: "new", value: "MQ==" }]));
  const missing = await run(mock, other.cwd, "verify", other.file);
  expect(missing.report).toMatchObject({ exitCode: 1, different: [{ id: "u1", fields: ["metadata.new"] }] });
});

test.each([
  { mimic: "v4", flags: [] },
  { mimic: "v4.15", flags: [] },
  { mimic: "v4", flags: ["--update", "--prefer", "source"] },
] as const)("a user that another account recreated gets no metadata ($mimic $flags)", async ({ mimic, flags }) => {
  const mock = await startMock({ mimic, seed });
  const { cwd, file } = inFolder(body);
  await run(mock, cwd, "import", file);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const other = { ...mock, token: "other" };
  mock.addToken(other.token, { userId: "admin", roles: ["IAM_OWNER"] });
  await send(other, "POST", "/admin/v1/import", JSON.parse(bodyWith([])));
  // With --update, a user with a role on the instance is never changed.
  if (flags.length > 0)
    for (const userId of ["u1", "u2"]) mock.addToken(userId, { userId, roles: ["IAM_OWNER_VIEWER"] });
  const { report, stderr } = await run(mock, cwd, "import", file, ...flags, "--yes");
  expect(report.healed, stderr).toBeUndefined();
  for (const userId of ["u1", "u2"]) expect(await metadataOf(mock, userId)).toEqual([]);
});

test("a user that another account creates while an update runs gets no metadata", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const { cwd, file } = inFolder(body);
  await run(mock, cwd, "import", file);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const other = { ...mock, token: "other" };
  mock.addToken(other.token, { userId: "admin", roles: ["IAM_OWNER"] });
  let isCreated = false;
  const url = await startFront(mock, async (path) => {
    if (path === "/admin/v1/import" && !isCreated) {
      isCreated = true;
      await send(other, "POST", path, JSON.parse(bodyWith([])));
    }
    return undefined;
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stderr } = await runCli(["import", file, "--update", "--yes"], { cwd, env });
  expect(isCreated, stderr).toBe(true);
  for (const userId of ["u1", "u2"]) expect(await metadataOf(mock, userId)).toEqual([]);
});

test("a link that was removed on the target is not created again by an import without --update", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const userLinks = ["u1", "u2"].map((userId) => ({ userId, idpId: "idp1", providedUserId: `google-${userId}` }));
  const content = { orgs: [{ orgId: "org1", humanUsers, userLinks }] };
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: content, timeout: "5m0s" }));
  await run(mock, cwd, "import", file);
  const removal = {
    editor: { userId: "u1" },
    aggregate: { id: "u1", type: { type: "user" }, resourceOwner: "org1" },
    sequence: "99",
    creationDate: new Date().toISOString(),
    payload: { idpConfigId: "idp1", userId: "google-u1" },
    type: { type: "user.human.externalidp.removed" },
  };
  const bodies: string[] = [];
  const url = await startFront(mock, async (path, bytes) => {
    if (path === "/admin/v1/import") bodies.push(bytes.toString());
    if (path !== "/admin/v1/events/_search" || !bytes.includes(removal.type.type)) return undefined;
    const { events } = (await send(mock, "POST", path, JSON.parse(bytes.toString()))) as { events?: object[] };
    return { status: 200, body: { events: [...(events ?? []), removal] } };
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  // The target lacks the identity provider: the other link is sent, and fails.
  expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(1);
  const sent = bodies.join("\n");
  expect(sent).toContain("google-u2");
  expect(sent).not.toContain("google-u1");
});

test.each(["v4", "v4.15"] as const)(
  "metadata that another account removed are not set again by an import without --update (%s)",
  async (mimic) => {
    const mock = await startMock({ mimic, seed });
    const { cwd, file } = inFolder(body);
    await run(mock, cwd, "import", file);
    const other = { ...mock, token: "other" };
    mock.addToken(other.token, { userId: "admin", roles: ["IAM_OWNER"] });
    await send(other, "DELETE", "/v2/users/u1/metadata?keys=theme");
    expect(await metadataOf(mock, "u1")).toEqual([]);
    const { report, stderr } = await run(mock, cwd, "import", file);
    expect(report.exitCode, stderr).toBe(0);
    expect(await metadataOf(mock, "u1")).toEqual([]);
    expect(await metadataOf(mock, "u2")).toEqual(theme);
  },
);

test("many users who come back are looked up in one reading of the log, not one by one", async () => {
  const mock = await startMock({ mimic: "v4.15", seed });
  const users = Array.from({ length: 250 }, (_, index) => testUser(index + 1));
  const many = JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers: users }] }, timeout: "5m0s" });
  const { cwd, file } = inFolder(many);
  expect((await run(mock, cwd, "import", file)).report).toMatchObject({ users: { created: 250 } });
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const before = mock.requests.length;
  const again = await run(mock, cwd, "import", file);
  expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { created: 250 } });
  const searches = mock.requests.slice(before).filter(({ path }) => path.endsWith("/events/_search"));
  expect(searches.length).toBeLessThan(60);
});

// Imported into the wrong organization, undone, and imported into the right one.
test.each([
  ["v2", "does not accept the ids of deleted users again", []],
  ["v4", "again only in the organization that they are deleted from", []],
  ["v4.13", "again only in the organization that they are deleted from", []],
  ["v4.15", "", ["u1", "u2"]],
] as const)("users deleted from the wrong organization, on %s", async (mimic, idsLine, created) => {
  const orgs = ["wrong", "right"].map((orgId) => ({ orgId, org: { name: orgId } }));
  const mock = await startMock({ mimic, seed: { orgs } });
  const bodyOf = (orgId: string): string => bodyWith([]).replaceAll("org1", orgId);
  const { cwd, file } = inFolder(bodyOf("wrong"));
  const right = inFolder(bodyOf("right"));
  await run(mock, cwd, "import", file);
  const undone = await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  expect(undone.stderr.includes("\nids: "), undone.stderr).toBe(idsLine !== "");
  expect(undone.stderr).toContain(idsLine);
  const dry = await run(mock, right.cwd, "import", right.file, "--dry-run");
  const isRefused = created.length === 0;
  const refused = ["u1", "u2"].map((userId) => ({ userId, orgId: "wrong" }));
  expect(dry.report, dry.stderr).toMatchObject({
    exitCode: isRefused ? 1 : 0,
    foreseen: {
      users: { new: created.length, removed: isRefused ? 2 : 0 },
      removed: isRefused ? refused : [],
    },
  });
  expect(dry.stderr.includes("u1 (user1@example.com), u2 (user2@example.com)")).toBe(isRefused);
  expect(dry.stderr.includes("named here: organization wrong")).toBe(isRefused);
  const { report, stderr } = await run(mock, right.cwd, "import", right.file, "--verify");
  expect(report, stderr).toMatchObject({
    exitCode: isRefused ? 1 : 0,
    users: { created: created.length, failed: isRefused ? 2 : 0 },
    different: [],
  });
  for (const { cause, message } of report.failures) {
    expect(cause).toBe("user-removed");
    expect(message).toBe("organization wrong");
  }
  for (const id of created) expect(await homeOf(mock, id)).toBe("right");
});

// An update does not undo a deletion by another account.
test.each([
  [[], "removed-by-other", 0],
  [["--prefer", "source"], undefined, 1],
] as const)(
  "an update with %j and a user that another account deleted from another organization",
  async (more, cause, created) => {
    const orgs = ["wrong", "right"].map((orgId) => ({ orgId, org: { name: orgId } }));
    const mock = await startMock({ mimic: "v4.15", seed: { orgs } });
    const bodyOf = (orgId: string): string =>
      JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers: [testUser(1)] }] }, timeout: "5m0s" });
    const { cwd, file } = inFolder(bodyOf("wrong"));
    const right = inFolder(bodyOf("right"));
    await run(mock, cwd, "import", file);
    mock.removeUser("u1");
    const dry = await run(mock, right.cwd, "import", right.file, "--update", "--dry-run", ...more);
    expect(dry.report, dry.stderr).toMatchObject({
      exitCode: 1 - created,
      foreseen: { users: { new: created, removedByOther: 1 - created } },
      update: { create: created === 1 ? ["u1"] : [] },
    });
    if (cause !== undefined) expect(dry.stderr).toContain("1 deleted by another account (u1 (user1@example.com))");
    const { report, stderr } = await run(mock, right.cwd, "import", right.file, "--update", "--yes", ...more);
    expect(report, stderr).toMatchObject({ users: { created } });
    expect(report.failures[0]?.cause).toBe(cause);
  },
);

test.each([
  ["right", "wrong"],
  ["wrong", "right"],
])("another person gets nothing of a user who lived in two organizations of the input (%s, %s)", async (...order) => {
  const orgs = ["wrong", "right"].map((orgId) => ({ orgId, org: { name: orgId } }));
  const mock = await startMock({ mimic: "v4.15", seed: { orgs } });
  const { cwd, file } = inFolder(bodyWith([]).replaceAll("org1", "wrong"));
  const right = inFolder(bodyWith([]).replaceAll("org1", "right"));
  await run(mock, cwd, "import", file);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  expect((await run(mock, right.cwd, "import", right.file)).report).toMatchObject({ users: { created: 2 } });
  const stranger = testUser(1, {
    userName: "mallory",
    email: { email: "mallory@example.org", isEmailVerified: true },
    hashedPassword: { value: `$2b$10$${"z".repeat(53)}` },
  });
  const entries = {
    right: { orgId: "right", humanUsers: [stranger], userMetadata: [{ id: "u1", key: "evil", value: "ZGFyaw==" }] },
    wrong: { orgId: "wrong", humanUsers: [testUser(9)] },
  };
  const both = inFolder(
    JSON.stringify({
      dataOrgs: { orgs: order.map((name) => entries[name as keyof typeof entries]) },
      timeout: "5m0s",
    }),
  );
  const { report, stderr } = await run(mock, both.cwd, "import", both.file);
  expect(report, stderr).toMatchObject({ exitCode: 1, failures: [{ cause: "other-person" }] });
  expect(await metadataOf(mock, "u1")).toEqual([]);
});

test.each([
  ["v4.13", 1, 0],
  ["v4.15", 0, 1],
] as const)("a service user deleted from another organization, on %s", async (mimic, failed, created) => {
  const orgs = ["wrong", "right"].map((orgId) => ({ orgId, org: { name: orgId } }));
  const mock = await startMock({ mimic, seed: { orgs } });
  const bodyOf = (orgId: string): string => {
    const machineUsers = [{ userId: "m1", user: { userName: "m1", name: "M" } }];
    const orgMembers = [{ userId: "m1", roles: ["ORG_OWNER"] }];
    return JSON.stringify({ dataOrgs: { orgs: [{ orgId, machineUsers, orgMembers }] }, timeout: "5m0s" });
  };
  const { cwd, file } = inFolder(bodyOf("wrong"));
  expect((await run(mock, cwd, "import", file)).exitCode).toBe(0);
  await send(mock, "DELETE", "/v2/users/m1");
  const right = inFolder(bodyOf("right"));
  const dry = await run(mock, right.cwd, "import", right.file, "--dry-run");
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: failed, foreseen: { users: { removed: failed } } });
  const { report, stderr } = await run(mock, right.cwd, "import", right.file);
  expect(report, stderr).toMatchObject({ exitCode: failed, otherObjects: { machine_user: { created, failed } } });
  expect(await homeOf(mock, "m1")).toBe(created === 1 ? "right" : undefined);
});

// Another account deleted the user on the target, and another person has the id in another organization by now.
test.each([[[]], [["--prefer", "target"]]])("that person gets nothing from an update, with %j", async (more) => {
  const orgs = ["here", "away"].map((orgId) => ({ orgId, org: { name: orgId } }));
  const mock = await startMock({ mimic: "v4.15", seed: { orgs } });
  const bodyOf = (count: number, ...others: readonly object[]): string => {
    const ids = Array.from({ length: count }, (_, at) => `u${at + 1}`);
    const org = {
      orgId: "here",
      humanUsers: [...ids.map((_, at) => testUser(at + 1)), ...others],
      projects: [{ projectId: "p", project: { name: "P" } }],
      projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
      userGrants: ids.map((userId) => ({ userId, projectId: "p", roleKeys: ["r"] })),
      orgMembers: ids.map((userId) => ({ userId, roles: ["ORG_OWNER"] })),
      projectMembers: ids.map((userId) => ({ projectId: "p", userId, roles: ["PROJECT_OWNER"] })),
      userMetadata: ids.map((id) => ({ id, key: "theme", value: "ZGFyaw==" })),
    };
    return JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" });
  };
  const { cwd, file } = inFolder(bodyOf(2));
  expect((await run(mock, cwd, "import", file)).exitCode).toBe(0);
  mock.removeUser("u1");
  // By the very account of the run: only the organization tells.
  const stranger = testUser(1, { userName: "mallory", email: { email: "mallory@example.org", isEmailVerified: true } });
  await send(mock, "POST", "/admin/v1/import", {
    dataOrgs: { orgs: [{ orgId: "away", humanUsers: [stranger, testUser(9)] }] },
    timeout: "1m",
  });
  const given = async (): Promise<number> => {
    const types = ["user.grant.added", "org.member.added", "project.member.added", "user.metadata.set"];
    const asked = { asc: true, limit: 1000, event_types: types };
    const { events = [] } = (await send(mock, "POST", "/admin/v1/events/_search", asked)) as {
      events?: { aggregate: { id: string }; payload?: { userId?: string } }[];
    };
    return events.filter(({ aggregate, payload }) => aggregate.id === "u1" || payload?.userId === "u1").length;
  };
  expect(await given()).toBe(4);
  const next = inFolder(bodyOf(3, testUser(9)));
  const dry = await run(mock, next.cwd, "import", next.file, "--update", "--dry-run", ...more);
  expect(dry.report, dry.stderr).toMatchObject({
    exitCode: 1,
    foreseen: { users: { new: 1, elsewhere: 1 } },
  });
  const { report, stderr } = await run(mock, next.cwd, "import", next.file, "--update", "--yes", ...more);
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    users: { read: 4, created: 1, alreadyThere: 0, unchanged: 1, conflict: 1, failed: 1 },
    update: { conflict: [{ userId: "u1", reason: "removed" }] },
  });
  expect(await given()).toBe(4);
  expect(await metadataOf(mock, "u1")).toEqual([]);
});

// The run compares lists at its end for a while: another account deletes a user meanwhile, and another person gets the id.
test.each([
  ["grants", belongingEventTypes],
  ["metadata", metadataEventTypes],
])("a user who is replaced before the run gives %s again gets none", async (_, types) => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "Org" } }] } });
  const other = "another-token";
  mock.addToken(other, { userId: "another-account", roles: ["IAM_OWNER"] });
  const org = {
    orgId: "org1",
    humanUsers: [testUser(1), testUser(2)],
    projects: [{ projectId: "p", project: { name: "P" } }],
    projectMembers: ["u1", "u2"].map((userId) => ({ projectId: "p", userId, roles: ["PROJECT_OWNER"] })),
    userMetadata: ["u1", "u2"].map((id) => ({ id, key: "theme", value: "ZGFyaw==" })),
  };
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" }));
  await run(mock, cwd, "import", file);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const as = (method: string, path: string, content: object = {}) =>
    fetch(`${mock.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${other}`, "content-type": "application/json" },
      ...(method === "DELETE" ? {} : { body: JSON.stringify(content) }),
    });
  let looks = 0;
  let isSent = false;
  const url = await startFront(mock, async (path, body) => {
    isSent ||= path.endsWith("/import") && body.includes('"userMetadata"');
    // This log is first read after the last look at replaced users.
    const asked = path.endsWith("/events/_search") ? JSON.parse(body.toString()).event_types : undefined;
    if (!isSent || JSON.stringify(asked) !== JSON.stringify(types)) return undefined;
    looks += 1;
    if (looks > 1) return undefined;
    await as("DELETE", "/v2/users/u1");
    const stranger = testUser(1, { userName: "mallory", hashedPassword: undefined });
    await as("POST", "/admin/v1/import", {
      dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [stranger] }] },
      timeout: "1m",
    });
    return undefined;
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { exitCode, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(looks).toBeGreaterThan(0);
  expect(exitCode, stderr).toBe(1);
  const asked = { asc: true, limit: 1000, event_types: ["project.member.added"] };
  const { events = [] } = (await send(mock, "POST", "/admin/v1/events/_search", asked)) as {
    events?: { payload?: { userId?: string } }[];
  };
  const of = (id: string): number => events.filter(({ payload }) => payload?.userId === id).length;
  expect({ u1: of("u1"), u2: of("u2") }).toEqual({ u1: 1, u2: 2 });
  expect(await metadataOf(mock, "u1")).toEqual([]);
  expect(await metadataOf(mock, "u2")).toEqual(theme);
});

interface Given {
  readonly aggregate: { readonly id: string };
  readonly payload?: { readonly userId?: string };
}

/** How many roles, grants and memberships this id was ever given. */
async function timesGiven(mock: TestMock, userId: string): Promise<number> {
  const event_types = ["user.grant.added", "org.member.added", "project.member.added"];
  const asked = { asc: true, limit: 1000, event_types };
  const { events = [] } = (await send(mock, "POST", "/admin/v1/events/_search", asked)) as { events?: Given[] };
  return events.filter(({ payload }) => payload?.userId === userId).length;
}

/** What another account of the target does. */
function asOther(mock: TestMock): (method: string, path: string, content?: object) => Promise<Response> {
  mock.addToken("another-token", { userId: "another-account", roles: ["IAM_OWNER"] });
  return (method, path, content = {}) =>
    fetch(`${mock.url}${path}`, {
      method,
      headers: { authorization: "Bearer another-token", "content-type": "application/json" },
      ...(method === "DELETE" ? {} : { body: JSON.stringify(content) }),
    });
}

/** An organization with rights for these ids, and these users of them. */
const withRights = (ids: readonly string[], users: readonly object[]) => ({
  orgId: "org1",
  humanUsers: users,
  projects: [{ projectId: "p", project: { name: "P" } }],
  projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
  userGrants: ids.map((userId) => ({ userId, projectId: "p", roleKeys: ["r"] })),
  orgMembers: ids.map((userId) => ({ userId, roles: ["ORG_OWNER"] })),
  projectMembers: ids.map((userId) => ({ projectId: "p", userId, roles: ["PROJECT_OWNER"] })),
});
const asBody = (...orgs: readonly object[]): string => JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" });
const away = { orgId: "away", org: { name: "Away" } };
const stranger = testUser(1, { userName: "mallory", email: { email: "mallory@example.org", isEmailVerified: true } });

// The rights of a file can be those of users who are in another file.
test.each([["away"], ["org1"]])(
  "nothing is given again to a stranger in %s who is no user of the file",
  async (home) => {
    const mock = await startMock({ mimic: "v4.15", seed: { orgs: [...seed.orgs, away] } });
    const other = asOther(mock);
    await send(mock, "POST", "/admin/v1/import", JSON.parse(asBody({ orgId: "away", humanUsers: [testUser(1)] })));
    const { cwd, file } = inFolder(asBody(withRights(["u1", "u2"], [testUser(2)])));
    const first = await run(mock, cwd, "import", file);
    expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 1 } });
    expect(await timesGiven(mock, "u1")).toBe(3);
    await other("DELETE", "/v2/users/u1");
    await other("POST", "/admin/v1/import", JSON.parse(asBody({ orgId: home, humanUsers: [stranger] })));
    expect(await homeOf(mock, "u1")).toBe(home);
    const next = inFolder(asBody(withRights(["u1", "u2"], [testUser(2), testUser(3)])));
    for (const more of [[], ["--update", "--yes"]]) {
      const { report, stderr } = await run(mock, next.cwd, "import", next.file, ...more);
      expect(report.healed, stderr).toBeUndefined();
      expect(await timesGiven(mock, "u1")).toBe(3);
    }
  },
);

test.each([["away"], ["org1"]])("a stranger in %s, who appears after a user has failed, gets nothing", async (home) => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [...seed.orgs, away] } });
  const other = asOther(mock);
  const holder = testUser(9, { userName: "user1@example.com" });
  await other("POST", "/admin/v1/import", JSON.parse(asBody({ orgId: "org1", humanUsers: [holder] })));
  let isThere = false;
  const url = await startFront(mock, async (path, content) => {
    if (isThere || !path.endsWith("/import") || !content.includes('"userGrants"')) return undefined;
    isThere = true;
    await other("POST", "/admin/v1/import", JSON.parse(asBody({ orgId: home, humanUsers: [stranger] })));
    return undefined;
  });
  const { cwd, file } = inFolder(asBody(withRights(["u1", "u2"], [testUser(1), testUser(2)])));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--batch-users", "1", "--json"], { cwd, env });
  expect(await homeOf(mock, "u1")).toBe(home);
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 1,
    users: { created: 1, failed: 1 },
    otherObjects: { user_grant: { created: 1, failed: 1 }, org_member: { created: 1, failed: 1 } },
  });
  expect(await timesGiven(mock, "u1")).toBe(0);
  expect(await timesGiven(mock, "u2")).toBe(3);
});

test("memberships of an earlier life are given again also by a run that creates no user", async () => {
  const mock = await startMock({ mimic: "v4.15", seed });
  const users = [testUser(1), testUser(2)];
  const { cwd, file } = inFolder(asBody(withRights(["u1", "u2"], users)));
  await run(mock, cwd, "import", file);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const alone = inFolder(asBody({ orgId: "org1", humanUsers: users }));
  expect((await run(mock, alone.cwd, "import", alone.file)).report).toMatchObject({ users: { created: 2 } });
  const { report, stderr } = await run(mock, cwd, "import", file);
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 0, alreadyThere: 2 } });
  const asked = { asc: true, limit: 1000, event_types: ["project.member.added"] };
  const { events = [] } = (await send(mock, "POST", "/admin/v1/events/_search", asked)) as { events?: Given[] };
  expect(events.map(({ payload }) => payload?.userId).sort()).toEqual(["u1", "u1", "u2", "u2"]);
});

test("a user whose id moves during an update is counted once", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [...seed.orgs, away] } });
  const other = asOther(mock);
  const { cwd, file } = inFolder(asBody({ orgId: "org1", humanUsers: [testUser(1)] }));
  await run(mock, cwd, "import", file);
  await other("POST", "/admin/v1/import", JSON.parse(asBody({ orgId: "away", humanUsers: [testUser(3)] })));
  let isDone = false;
  const url = await startFront(mock, async (path, content) => {
    if (isDone || !path.endsWith("/import") || !content.includes('"u2"')) return undefined;
    isDone = true;
    await other("DELETE", "/v2/users/u1");
    await other("POST", "/admin/v1/import", JSON.parse(asBody({ orgId: "away", humanUsers: [stranger] })));
    return undefined;
  });
  const next = inFolder(asBody({ orgId: "org1", humanUsers: [testUser(1), testUser(2), testUser(3)] }));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const flags = ["--update", "--yes", "--json"];
  const { stdout, stderr } = await runCli(["import", next.file, ...flags], { cwd: next.cwd, env });
  const { users, exitCode, failures } = JSON.parse(stdout);
  expect({ exitCode, ...users }, stderr).toMatchObject({
    exitCode: 1,
    read: 3,
    created: 1,
    alreadyThere: 0,
    unchanged: 1,
  });
  expect(failures).toContainEqual(expect.objectContaining({ id: "u1", cause: "taken-over" }));
});

test("an update after --restart completes the users that the discarded run created", async () => {
  const mock = await startMock({ mimic: "v4.13", seed });
  const ids = ["u1", "u2"];
  const userMetadata = ids.map((id) => ({ id, key: "theme", value: "ZGFyaw==" }));
  const { cwd, file } = inFolder(asBody({ ...withRights(ids, [testUser(1), testUser(2)]), userMetadata }));
  await run(mock, cwd, "import", file);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const url = await startFront(mock, (path, content) =>
    path.endsWith("/import") && content.includes('"userGrants"') ? { status: 403, body: "{}" } : undefined,
  );
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const broken = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(broken.stdout), broken.stderr).toMatchObject({ exitCode: 4, users: { created: 2 } });
  const { report, stderr } = await run(mock, cwd, "import", file, "--restart", "--update", "--yes");
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 0, failed: 0 } });
  for (const id of ids) expect(await metadataOf(mock, id)).toEqual(theme);
  for (const id of ids) expect(await timesGiven(mock, id)).toBe(6);
});

test("without --update, users that another account deleted are named before they are created again", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const { cwd, file } = inFolder(body);
  await run(mock, cwd, "import", file);
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  await send(mock, "DELETE", "/v2/users/u1", undefined, "admin");
  await send(mock, "DELETE", "/v2/users/u2", undefined);
  const words = "1 user of the input was deleted on the target by another account, and is created again (u1).";
  for (const flags of [["--dry-run"], []]) {
    const { stderr, report } = await run(mock, cwd, "import", file, ...flags);
    expect(stderr.replace(/\s+/g, " ")).toContain(words);
    expect(report.exitCode).toBe(0);
  }
  expect((await run(mock, cwd, "import", file)).stderr).not.toContain("was deleted on the target");
});
