import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { forward, serve, startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// Without --update, an import changes no existing user: the service itself would take metadata and links of the input.

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const OTHERS = "of-others";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const entry = (id: string, key: string, value: string) => ({ id, key, value: base64(value) });
const bodyOf = (lists: object): string =>
  JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", ...lists }] }, timeout: "1m" });

async function call(mock: TestMock, path: string, body: object, token = mock.token): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${mock.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status, path).toBeLessThan(300);
  return answer.json();
}

/** The metadata of an organization's users: `u1 plan=gold`. */
async function metadataOf(mock: TestMock): Promise<readonly string[]> {
  const exported = (await call(mock, "/admin/v1/export", { org_ids: ["org1"], timeout: "1m" })) as {
    orgs: readonly { userMetadata?: readonly { id: string; key: string; value: string }[] }[];
  };
  const entries = exported.orgs.flatMap(({ userMetadata = [] }) => userMetadata);
  return entries.map(({ id, key, value }) => `${id} ${key}=${Buffer.from(value, "base64")}`).sort();
}

/** An instance with the user u1 of another account, who has metadata. */
async function instance(): Promise<TestMock> {
  const mock = await startMock({ mimic: "v4", seed });
  mock.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  const lists = { humanUsers: [testUser(1), testUser(9)], userMetadata: [entry("u1", "plan", "gold")] };
  await call(mock, "/admin/v1/import", JSON.parse(bodyOf(lists)), OTHERS);
  return mock;
}

test("metadata of users of another account is not changed, whether the input has the user or not", async () => {
  const mock = await instance();
  const userMetadata = [
    entry("u1", "plan", "free"),
    entry("u1", "new", "n"),
    entry("u9", "new", "n"),
    entry("u2", "plan", "free"),
  ];
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(1), testUser(2)], userMetadata }));
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 0,
    users: { created: 1, alreadyThere: 1 },
    otherObjects: { user_metadata: { created: 1, alreadyThere: 0, failed: 0, heldBack: 3 } },
    heldBack: [
      { type: "userMetadata", id: "u1_plan", orgId: "org1", userId: "u1", cause: "other-account" },
      { id: "u1_new" },
      { id: "u9_new" },
    ],
    heldBackCauses: { "other-account": 3 },
  });
  expect(stderr).toContain(
    "3 entries of metadata, links, keys, grants or memberships not sent: another account created the user, and no existing user is changed without --update.",
  );
  expect(stderr).toContain("metadata plan of user u1 (user1@example.com) of organization org1\n");
  expect(await metadataOf(mock)).toEqual(["u1 plan=gold", "u2 plan=free"]);
});

test("a link is not given to a user of another account", async () => {
  const mock = await instance();
  const userLinks = [{ userId: "u1", idpId: "1", providedUserId: "g-1", providedUserName: "ann" }];
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(1)], userLinks }));
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 0,
    otherObjects: { user_link: { alreadyThere: 0, heldBack: 1 } },
  });
});

test("what an earlier run of the same account left out is sent; what the user has stays", async () => {
  const mock = await instance();
  const first = inFolder(bodyOf({ humanUsers: [testUser(2)], userMetadata: [entry("u2", "plan", "free")] }));
  expect((await runCli(["import", first.file], { cwd: first.cwd, env: mock.env })).exitCode).toBe(0);
  await call(mock, "/v2/users/u2/metadata", { metadata: [{ key: "plan", value: base64("gold") }] }, OTHERS);
  const userMetadata = [entry("u2", "plan", "free"), entry("u2", "team", "red")];
  const cwd = tempDir();
  writeFileSync(join(cwd, "b.json"), bodyOf({ humanUsers: [testUser(2)], userMetadata }));
  const { stdout, stderr } = await runCli(["import", "b.json", "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 0,
    otherObjects: { user_metadata: { created: 1, alreadyThere: 1 } },
  });
  expect(await metadataOf(mock)).toEqual(["u1 plan=gold", "u2 plan=gold", "u2 team=red"]);
});

test.each([[[]], [["--update"]]])(
  "grants and memberships that another account took away are not given back (%j)",
  async (flags) => {
    const mock = await instance();
    const people = [2, 3, 4, 5, 6];
    const body = bodyOf({
      humanUsers: people.map((number) => testUser(number)),
      projects: [{ projectId: "p", project: { name: "P" } }],
      projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
      orgMembers: people.map((number) => ({ userId: `u${number}`, roles: ["ORG_OWNER"] })),
      projectMembers: people.map((number) => ({ userId: `u${number}`, projectId: "p", roles: ["PROJECT_OWNER"] })),
      userGrants: people.map((number) => ({ userId: `u${number}`, projectId: "p", roleKeys: ["r"] })),
    });
    const { cwd, file } = inFolder(body);
    expect((await runCli(["import", file], { cwd, env: mock.env })).exitCode).toBe(0);
    const remove = async (path: string, token: string): Promise<void> => {
      const headers = { authorization: `Bearer ${token}`, "x-zitadel-orgid": "org1" };
      expect((await fetch(`${mock.url}${path}`, { method: "DELETE", headers })).status, path).toBe(200);
    };
    const grantOf = async (userId: string): Promise<string> => {
      const { events } = (await call(mock, "/admin/v1/events/_search", { event_types: ["user.grant.added"] })) as {
        events: readonly { aggregate: { id: string }; payload: { userId: string } }[];
      };
      return events.find(({ payload }) => payload.userId === userId)?.aggregate.id ?? "";
    };
    await remove("/management/v1/orgs/me/members/u2", OTHERS);
    await remove("/management/v1/projects/p/members/u3", OTHERS);
    await remove(`/management/v1/users/u4/grants/${await grantOf("u4")}`, OTHERS);
    // The own account's removals are no one else's: an earlier run may have been stopped between removing and giving.
    await remove(`/management/v1/users/u5/grants/${await grantOf("u5")}`, mock.token);
    await remove("/management/v1/orgs/me/members/u6", mock.token);
    const dry = await runCli(["import", file, "--json", "--dry-run", ...flags], { cwd, env: mock.env });
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: mock.env });
    expect(new Set(JSON.parse(dry.stdout).heldBack), dry.stderr).toEqual(new Set(JSON.parse(stdout).heldBack));
    expect(JSON.parse(stdout), stderr).toMatchObject({
      otherObjects: {
        org_member: { created: 1, heldBack: 1 },
        project_member: { created: 0, heldBack: 1 },
        user_grant: { created: 1, heldBack: 1 },
      },
      heldBack: expect.arrayContaining([
        expect.objectContaining({ type: "orgMembers", userId: "u2", cause: "taken-away" }),
        expect.objectContaining({ type: "projectMembers", userId: "u3", cause: "taken-away" }),
        expect.objectContaining({ type: "userGrants", userId: "u4", cause: "taken-away", roleKeys: ["r"] }),
      ]),
    });
    expect(stderr).toContain("not sent: another account, or the user, removed it on the target.");
    expect(stderr).toContain(
      "role grant in project p (P) of user u4 (user4@example.com) of organization org1 (in the input: role r)\n",
    );
    expect(stderr).toContain(
      "membership in project p (P) of user u3 (user3@example.com) of organization org1 (in the input: role PROJECT_OWNER)\n",
    );
  },
);

test("a copy without --update overwrites no metadata either", async () => {
  const source = await startMock({ mimic: "v4", seed });
  const target = await startMock({ mimic: "v4" });
  target.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  const lists = { humanUsers: [testUser(1)], userMetadata: [entry("u1", "plan", "gold")] };
  await call(source, "/admin/v1/import", JSON.parse(bodyOf(lists)));
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = () =>
    runCli(["copy", "--org-id", "org1", "--with-passwords", "--yes", "--json"], { cwd: tempDir(), env });
  const first = await copy();
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ exitCode: 0, users: { created: 1 } });
  await call(target, "/v2/users/u1/metadata", { metadata: [{ key: "plan", value: base64("silver") }] }, OTHERS);
  const second = await copy();
  expect(JSON.parse(second.stdout), second.stderr).toMatchObject({ exitCode: 0, users: { alreadyThere: 1 } });
  expect(await metadataOf(target)).toEqual(["u1 plan=silver"]);
});

test.each([
  ["that the input does not have", (_: number) => [testUser(2)], []],
  [
    "that --skip-invalid leaves out",
    (id: number) => [testUser(2), testUser(id, { email: { email: "none", isEmailVerified: true } })],
    ["--skip-invalid"],
  ],
] as const)(
  "a user %s gets grants and memberships only if the same account created the user",
  async (_, users, flags) => {
    const mock = await instance();
    const projects = [{ projectId: "p", project: { name: "P" } }];
    const own = bodyOf({
      humanUsers: [testUser(3)],
      projects,
      projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
    });
    await call(mock, "/admin/v1/import", JSON.parse(own));
    const orgMembers = ["u1", "u2", "u3"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
    const userGrants = ["u1", "u2", "u3"].map((userId) => ({ userId, projectId: "p", roleKeys: ["r"] }));
    const { cwd, file } = inFolder(bodyOf({ humanUsers: users(1), orgMembers, userGrants }));
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: mock.env });
    expect(JSON.parse(stdout).otherObjects, stderr).toMatchObject({
      org_member: { created: 2, alreadyThere: 0, heldBack: 1 },
      user_grant: { created: 2, alreadyThere: 0, heldBack: 1 },
    });
    const { events } = (await call(mock, "/admin/v1/events/_search", {
      event_types: ["org.member.added", "user.grant.added"],
      limit: 100,
    })) as { events: readonly { payload: { userId: string } }[] };
    const ids = events.map(({ payload }) => payload.userId).filter((id) => /^u\d$/.test(id));
    expect(ids.sort()).toEqual(["u2", "u2", "u3", "u3"]);
  },
);

test("a grant and a membership that another account takes away after a lost answer are not given again", async () => {
  const mock = await instance();
  const list = { org: { name: "One" }, projects: [{ projectId: "p", project: { name: "P" } }] };
  const projectRoles = [{ projectId: "p", roleKey: "r", displayName: "R" }];
  await call(mock, "/admin/v1/import", JSON.parse(bodyOf({ ...list, projectRoles })));
  const ids = ["u2", "u3"];
  const orgMembers = ids.map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  const projectMembers = ids.map((userId) => ({ userId, projectId: "p", roles: ["PROJECT_OWNER"] }));
  const userGrants = ids.map((userId) => ({ userId, projectId: "p", roleKeys: ["r"] }));
  const search = (types: readonly string[]) =>
    call(mock, "/admin/v1/events/_search", { event_types: types, limit: 100 }) as Promise<{
      events?: readonly { aggregate: { id: string }; payload: { userId: string } }[];
    }>;
  let isTaken = false;
  const url = await startFront(mock, async (path, body) => {
    if (path !== "/admin/v1/import" || isTaken || !body.includes("userGrants")) return undefined;
    isTaken = true;
    await call(mock, path, JSON.parse(body.toString()));
    const { events = [] } = await search(["user.grant.added"]);
    const grant = events.find(({ payload }) => payload.userId === "u2");
    await take(mock, `/management/v1/users/u2/grants/${grant?.aggregate.id}`);
    await take(mock, "/management/v1/orgs/me/members/u2");
    await take(mock, "/management/v1/projects/p/members/u2");
    return { status: 502, body: "" };
  });
  const users = { humanUsers: [testUser(2), testUser(3)] };
  const { cwd, file } = inFolder(bodyOf({ ...users, orgMembers, projectMembers, userGrants }));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { created: 2 } });
  const added = ["org.member.added", "project.member.added", "user.grant.added"];
  const { events = [] } = await search(added);
  expect(events.filter(({ payload }) => payload.userId === "u2")).toHaveLength(added.length);
});

test.each([
  ["a service user with the id appears during an earlier call", "u2", "u3", "id-of-other-kind", "consequence", "v4"],
  ["a service user with the id appears in the call itself", "u3", "u3", "taken-over", "consequence", "v4.15"],
  ["the user is deleted in the call itself", "u3", "u3", "taken-over", "consequence", "v4.13"],
] as const)("%s: the user is a failure and gets no role", async (what, at, id, cause, why, mimic) => {
  const mock = await startMock({ mimic, seed });
  mock.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  const isDeletion = what.includes("deleted");
  const robot = { userId: id, user: { userId: id, userName: "robot", name: "Robot" } };
  if (isDeletion) await call(mock, "/admin/v1/import", JSON.parse(bodyOf({ humanUsers: [testUser(3)] })), OTHERS);
  let isDone = false;
  const url = await startFront(mock, async (path, body) => {
    if (path !== "/admin/v1/import" || isDone || !body.includes(`"${at}"`)) return undefined;
    isDone = true;
    if (isDeletion) await take(mock, `/v2/users/${id}`);
    else await call(mock, path, JSON.parse(bodyOf({ machineUsers: [robot] })), OTHERS);
    return undefined;
  });
  const orgMembers = ["u2", "u3"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(2), testUser(3)], orgMembers }));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const flags = ["--batch-users", "1", "--concurrency", "1", "--json"];
  const { stdout, stderr } = await runCli(["import", file, ...flags], { cwd, env });
  const report = JSON.parse(stdout);
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    users: { created: 1, failed: 1 },
    failures: [
      { id, cause },
      { type: "org_member", cause: why },
    ],
    otherObjects: { org_member: { created: 1, failed: 1 } },
  });
});

test("a service user that the service writes onto a person of the same moment is a failure and gets no role", async () => {
  const mock = await startMock({ mimic: "v4.15", seed });
  mock.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  let isDone = false;
  const url = await startFront(mock, async (path, body) => {
    if (path !== "/admin/v1/import" || isDone || !body.includes('"robot"')) return undefined;
    isDone = true;
    await call(mock, path, JSON.parse(bodyOf({ humanUsers: [testUser(7)] })), OTHERS);
    return undefined;
  });
  const robot = (id: string, userName: string) => ({ userId: id, user: { userId: id, userName, name: "Robot" } });
  const machineUsers = [robot("u7", "robot"), robot("u8", "other-robot")];
  const orgMembers = ["u7", "u8"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(2)], machineUsers, orgMembers }));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 1,
    otherObjects: { machine_user: { created: 1, failed: 1 }, org_member: { created: 1, failed: 1 } },
    failures: [
      { id: "u7", cause: "taken-over" },
      { type: "org_member", cause: "consequence" },
    ],
  });
});

test.each(["before the memberships are sent", "after the last call"])(
  "a person that the service writes onto a service user of the job is a failure and gets nothing more (%s)",
  async (when) => {
    const mock = await startMock({ mimic: "v4.15", seed });
    mock.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
    let isDone = false;
    const url = await serve(async (request, body, response) => {
      const isLast = body.includes("orgMembers");
      const writePerson = async () => {
        if (isDone) return;
        isDone = true;
        const person = testUser(7);
        await call(mock, "/admin/v1/import", JSON.parse(bodyOf({ humanUsers: [person] })), OTHERS);
      };
      const isCreation = body.includes('"robot"');
      const isNow = when.startsWith("before") ? isCreation : isLast;
      await forward(mock.url, request, body, response, isNow ? writePerson : undefined);
    });
    const robot = (id: string, userName: string) => ({ userId: id, user: { userId: id, userName, name: "Robot" } });
    const machineUsers = [robot("u7", "robot"), robot("u8", "other-robot")];
    const orgMembers = ["u7", "u8"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
    const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(2)], machineUsers, orgMembers }));
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const { stdout, stderr } = await runCli(["import", file, "--batch-users", "1", "--json"], { cwd, env });
    const isBefore = when.startsWith("before");
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 1,
      otherObjects: {
        machine_user: { created: 1, failed: 1 },
        org_member: isBefore ? { created: 1, failed: 1 } : { created: 2 },
      },
    });
    expect(JSON.parse(stdout).failures[0]).toMatchObject({ type: "machine_user", id: "u7", cause: "taken-over" });
  },
);

async function take(mock: TestMock, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${OTHERS}`, "x-zitadel-orgid": "org1" };
  expect((await fetch(`${mock.url}${path}`, { method: "DELETE", headers })).status, path).toBe(200);
}

test("the domain policy of the input does not change the login names of an organization's users", async () => {
  const mock = await instance();
  const domainPolicy = (orgId: string) => ({ orgId, userLoginMustBeDomain: true });
  const orgs = [
    { orgId: "org1", domainPolicy: domainPolicy("org1"), humanUsers: [testUser(2)] },
    { orgId: "org2", org: { name: "Two" }, domainPolicy: domainPolicy("org2"), humanUsers: [testUser(3)] },
  ];
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" }));
  for (const flags of [["--dry-run"], []]) {
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: mock.env });
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain("the domain policy of 1 organization is not sent (org1)");
  }
  const sent = mock.requests.filter(({ path }) => path === "/admin/v1/import").map(({ body }) => body ?? "");
  const withPolicy = sent.filter((body) => body.includes("userLoginMustBeDomain"));
  expect(withPolicy).toHaveLength(1);
  expect(withPolicy[0]).toContain('"orgId":"org2"');
});

test("a primary domain of the input does not change the login names of an organization's users", async () => {
  const mock = await instance();
  const domains = (orgId: string) => [{ orgId, domainName: `${orgId}.test`, isVerified: true, isPrimary: true }];
  const orgs = [
    { orgId: "org1", domains: domains("org1"), humanUsers: [testUser(2)] },
    { orgId: "org1", domains: domains("org1"), humanUsers: [testUser(4)] },
    { orgId: "org2", org: { name: "Two" }, domains: domains("org2"), humanUsers: [testUser(3)] },
  ];
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" }));
  for (const flags of [["--dry-run"], [], []]) {
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: mock.env });
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain("the list of domains of 1 organization is not sent (org1)");
  }
  const sent = mock.requests.filter(({ path }) => path === "/admin/v1/import").map(({ body }) => body ?? "");
  expect(sent.some((body) => body.includes("org1.test"))).toBe(false);
  expect(sent.some((body) => body.includes("org2.test"))).toBe(true);
});

test("with --update, a user of the input that another account created gets memberships, and no links", async () => {
  const mock = await instance();
  const orgMembers = ["u1", "u9"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  const userLinks = [{ userId: "u1", idpId: "1", providedUserId: "g-1", providedUserName: "ann" }];
  const nick = testUser(9);
  const renamed = { ...nick, user: { ...nick.user, profile: { firstName: "Ada", lastName: "King" } } };
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(1), renamed], orgMembers, userLinks }));
  const { stdout, stderr } = await runCli(["import", file, "--update", "--yes", "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 0,
    update: { unchanged: 1, update: [{ userId: "u9" }] },
    otherObjects: { org_member: { created: 2 }, user_link: { created: 0, heldBack: 1 } },
  });
});

// A user without a password has its links within its entry (`idps`).
describe("links within users", () => {
  const provider = (idpId: string) => ({
    idpId,
    idp: { name: idpId, issuer: "https://example.org", clientId: "c", clientSecret: "s" },
  });
  const linked = (number: number, ...idps: readonly string[]) => {
    const { userId, user } = testUser(number);
    const links = idps.map((configId) => ({ configId, externalUserId: `${configId}-${number}`, displayName: "g" }));
    return { userId, user: { ...user, ...(links.length === 0 ? {} : { idps: links }) } };
  };
  const linksOf = async (mock: TestMock) => {
    const exported = (await call(mock, "/admin/v1/export", { timeout: "1m" })) as {
      orgs: readonly { userLinks?: readonly { userId: string; idpId: string; providedUserId: string }[] }[];
    };
    const links = exported.orgs.flatMap(({ userLinks = [] }) => userLinks);
    return links.map(({ userId, idpId, providedUserId }) => `${userId} ${idpId} ${providedUserId}`).sort();
  };
  const remove = async (mock: TestMock, userId: string, idpId: string, token: string) => {
    const path = `/management/v1/users/${userId}/idps/${idpId}/${idpId}-${userId.slice(1)}`;
    const headers = { authorization: `Bearer ${token}`, "x-zitadel-orgid": "org1" };
    expect((await fetch(`${mock.url}${path}`, { method: "DELETE", headers })).status).toBe(200);
  };
  const before = bodyOf({ humanUsers: [linked(1, "google"), linked(2), linked(3, "google"), linked(4, "google")] });
  const after = bodyOf({
    humanUsers: [
      linked(1, "google"),
      linked(2, "google"),
      linked(3, "google", "github"),
      linked(4, "google"),
      linked(5, "github"),
    ],
  });

  async function imported(mimic: "v4" | "v4.15") {
    const mock = await startMock({ mimic, seed });
    mock.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
    await call(mock, "/admin/v1/import", JSON.parse(bodyOf({ oidcIdps: [provider("google"), provider("github")] })));
    const { cwd, file } = inFolder(before);
    const first = await runCli(["import", file, "--json", "--yes"], { cwd, env: mock.env });
    const report = JSON.parse(first.stdout);
    expect(report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 4 } });
    // They are made with their users, so no list of links is sent.
    expect(report.otherObjects).not.toHaveProperty("user_link");
    return mock;
  }

  test.each([
    ["v4", []],
    ["v4", ["--update"]],
    ["v4.15", []],
    ["v4.15", ["--update"]],
  ] as const)(
    "an existing user gets those that it lacks, and none that another account removed: %s %j",
    async (mimic, flags) => {
      const mock = await imported(mimic);
      await remove(mock, "u4", "google", OTHERS);
      const { cwd, file } = inFolder(after);
      const found = await runCli(["verify", file, "--by", "export", "--json"], { cwd, env: mock.env });
      const byEvents = await runCli(["verify", file, "--json"], { cwd, env: mock.env });
      expect(JSON.parse(byEvents.stdout), byEvents.stderr).toMatchObject({
        exitCode: 1,
        missing: [{ id: "u5" }],
        different: [
          { id: "u2", fields: ["link.google"] },
          { id: "u3", fields: ["link.github"] },
        ],
        changedSince: [{ id: "u4", fields: ["link.google"] }],
      });
      const lacking = { type: "userLinks", orgId: "org1" };
      expect(JSON.parse(found.stdout), found.stderr).toMatchObject({
        exitCode: 1,
        missing: [
          { ...lacking, id: "u2_google" },
          { ...lacking, id: "u3_github" },
          { ...lacking, id: "u4_google" },
          { type: "humanUsers", id: "u5" },
          { ...lacking, id: "u5_github" },
        ],
      });
      const args = ["import", file, "--json", "--yes", ...flags];
      for (const created of [2, 0]) {
        const { stdout, stderr } = await runCli(args, { cwd, env: mock.env });
        const report = JSON.parse(stdout);
        expect(report, stderr).toMatchObject({
          exitCode: 0,
          otherObjects: { user_link: { created, failed: 0, heldBack: 1 } },
          heldBack: [{ type: "userLinks", id: "u4_google", userId: "u4", cause: "taken-away" }],
        });
        expect(report, stderr).not.toHaveProperty("onlyOnTarget");
      }
      expect(await linksOf(mock)).toEqual([
        "u1 google google-1",
        "u2 google google-2",
        "u3 github github-3",
        "u3 google google-3",
        "u5 github github-5",
      ]);
    },
  );

  test("a user whose own account at the provider changed keeps the link, and both are said", async () => {
    const mock = await imported("v4.15");
    const other = linked(1, "google");
    Object.assign(other.user, { idps: [{ configId: "google", externalUserId: "google-new" }] });
    const { cwd, file } = inFolder(bodyOf({ humanUsers: [other] }));
    const { stdout, stderr } = await runCli(["import", file, "--json", "--yes", "--update"], { cwd, env: mock.env });
    expect(JSON.parse(stdout), stderr).toMatchObject({
      otherDifferencesCount: 0,
      onlyOnTarget: [{ type: "userLinks", id: "u1_google", userId: "u1" }],
      otherObjects: { user_link: { created: 1 } },
    });
    expect(await linksOf(mock)).toContain("u1 google google-new");
  });

  test("of a user who fails, only the user is a failure; those of users of other accounts are held back", async () => {
    const mock = await imported("v4.15");
    await call(mock, "/admin/v1/import", JSON.parse(bodyOf({ humanUsers: [linked(9)] })), OTHERS);
    const { cwd, file } = inFolder(bodyOf({ humanUsers: [linked(7, "nowhere"), linked(9, "google")] }));
    const { stdout, stderr } = await runCli(["import", file, "--json", "--yes"], { cwd, env: mock.env });
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 1,
      failures: [{ type: "human_user", id: "u7" }],
      heldBack: [{ type: "userLinks", id: "u9_google", cause: "other-account" }],
    });
  });
});

test("an existing user differs who was opened by another account, and one who was changed otherwise is named", async () => {
  const mock = await startMock({ mimic: "v4.15", seed });
  const locked = { ...testUser(1), state: "USER_STATE_LOCKED" };
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [locked, testUser(2)] }));
  expect((await runCli(["import", file], { cwd, env: mock.env })).exitCode).toBe(0);
  mock.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  await call(mock, "/v2/users/u1/unlock", {}, OTHERS);
  const url = `${mock.url}/v2/users/human/u2`;
  const headers = { authorization: `Bearer ${OTHERS}`, "content-type": "application/json" };
  const profile = JSON.stringify({ profile: { givenName: "New", familyName: "Name" } });
  expect((await fetch(url, { method: "PUT", headers, body: profile })).status).toBe(200);
  const again = await runCli(["import", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(again.stdout), again.stderr).toMatchObject({
    exitCode: 0,
    alreadyThereDifferent: [{ userId: "u1", fields: ["state"] }],
    alreadyThereDifferentCount: 1,
  });
  expect(again.stderr).toContain("u1 (user1@example.com): state (locked in the input)\n");
  expect(again.stderr).toContain("1 is inactive or locked in the input, and not so on the target");
  expect(again.stderr).toMatch(/1 existing user was changed on the target since they were created: u2 .*firstName/);
  const failing = await runCli(["import", file, "--fail-on-different", "--quiet"], { cwd, env: mock.env });
  expect(failing.exitCode).toBe(1);
  expect(failing.stderr).toContain("u1 (user1@example.com): state (locked in the input)\n");
});
