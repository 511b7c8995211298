import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testUser, testUsers } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

const users = testUsers(3);
const role = (projectId: string, roleKey: string) => ({ projectId, roleKey, displayName: roleKey });
const grant = (userId: string, projectId: string, ...roleKeys: readonly string[]) => ({ userId, projectId, roleKeys });
const project = (projectId: string) => ({ projectId, project: { name: projectId } });
const granting = (grantedOrgId: string, ...roleKeys: readonly string[]) => ({
  grantId: `g-${grantedOrgId}`,
  projectGrant: { projectId: "shop", grantedOrgId, roleKeys },
});
const body = (...orgs: readonly object[]): string => JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" });

/** A target with the project "shop" of org1, which grants the role "viewer" to org2; org3 has nothing. */
async function target(mimic: "v2" | "v4.13" | "v4.15" = "v4.13"): Promise<TestMock> {
  const mock = await startMock({ mimic });
  const orgs = [
    {
      ...{ orgId: "org1", org: { name: "One" }, projects: [project("shop")] },
      ...{ projectRoles: [role("shop", "viewer"), role("shop", "buyer")], projectGrants: [granting("org2", "viewer")] },
    },
    { orgId: "org2", org: { name: "Two" } },
    { orgId: "org3", org: { name: "Three" } },
  ];
  const { cwd, file } = inFolder(body(...orgs), "target.json");
  const made = await importJson([file], { cwd, env: mock.env });
  expect(made.report, made.stderr).toMatchObject({ exitCode: 0 });
  return mock;
}

/** The dry run and the run of a body. */
async function both(mock: TestMock, ...orgs: readonly object[]) {
  const { cwd, file } = inFolder(body(...orgs));
  const dry = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  const real = await importJson([file], { cwd, env: mock.env });
  const failed = real.report.failures.map(({ userId }) => String(userId));
  return { dry, real, failed };
}

test("a dry run names roles that a project lacks, also with --quiet and on the page, and the run names users and roles", async () => {
  const mock = await target();
  const userGrants = [
    grant("u1", "shop", "viewer"),
    grant("u2", "shop", "viewer", "Buyer"),
    grant("u3", "shop", "boss"),
  ];
  const { cwd, file } = inFolder(body({ orgId: "org1", humanUsers: users, userGrants }));
  const args = ["import", file, "--target", mock.url, "--insecure-http"];
  const dry = await runCli([...args, "--dry-run", "--html", "dry.html"], { cwd, env: mock.env });
  expect(dry.exitCode).toBe(1);
  expect(dry.stderr).toContain(
    "roles:    2 grants will fail for want of role Buyer of project shop, role boss of project shop (u2 (user2@example.com), u3 (user3@example.com))",
  );
  expect(readFileSync(join(cwd, "dry.html"), "utf8")).toContain("role boss of project shop");
  const quiet = await runCli([...args, "--dry-run", "--quiet", "--json"], { cwd, env: mock.env });
  expect(JSON.parse(quiet.stdout).foreseen).toMatchObject({
    grants: { roleMissing: 2, projectMissing: 0 },
    roleMissing: [
      { userId: "u2", projectId: "shop", orgId: "org1", roleKeys: ["Buyer"] },
      { userId: "u3", projectId: "shop", orgId: "org1", roleKeys: ["boss"] },
    ],
    projectMissing: [],
  });
  expect(quiet.stderr).toContain("2 will fail: The project on the target lacks a role of the grant");
  expect(quiet.stderr).toContain("for an import of a file, add it to the file (migrate --projects, or projectRoles");
  expect(quiet.stderr).toContain("u2 (user2@example.com): role Buyer of project shop");
  const job = { GITHUB_ACTIONS: "true", CI: "true", GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
  const annotated = await runCli([...args, "--dry-run"], { cwd, env: { ...mock.env, ...job } });
  expect(annotated.stdout + annotated.stderr).toMatch(/::(error|warning).*role boss of project shop/);
  expect(readFileSync(join(cwd, "summary.md"), "utf8")).toContain("role boss of project shop");
  const real = await runCli([...args, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(real.stdout)).toMatchObject({
    exitCode: 1,
    otherObjects: { user_grant: { created: 1, failed: 2 } },
    failures: [
      {
        cause: "role-missing",
        userId: "u2",
        roleKeys: ["viewer", "Buyer"],
        message: expect.stringContaining("NotFound"),
      },
      { cause: "role-missing", userId: "u3", roleKeys: ["boss"] },
    ],
  });
  expect(real.stderr).toContain("user_grant org1_shop_u2, roles viewer, Buyer of user u2 (user2@example.com)");
  const quietRun = await runCli([...args, "--quiet"], { cwd, env: mock.env });
  expect(quietRun.stderr).toContain("user grant org1_shop_u3, body.json:1: role boss of user u3 (user3@example.com)");
  const anonymous = await runCli([...args, "--dry-run", "--html", "a.html", "--html-anonymous"], {
    cwd,
    env: mock.env,
  });
  expect(anonymous.exitCode, anonymous.stderr).toBe(1);
  expect(readFileSync(join(cwd, "a.html"), "utf8")).not.toContain("boss");
});

test("roles, projects and project grants that the body creates are not missing", async () => {
  const mock = await target();
  const first = {
    ...{ orgId: "org1", humanUsers: users, projects: [project("new")] },
    projectRoles: [role("shop", "boss"), role("new", "x")],
    projectGrants: [granting("org3", "boss")],
    userGrants: [grant("u1", "shop", "boss", "viewer"), grant("u2", "new", "x")],
  };
  const third = { orgId: "org3", humanUsers: testUsers(4).slice(3), userGrants: [grant("u4", "shop", "boss")] };
  const { dry, real } = await both(mock, first, third);
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: 0 });
  expect(real.report, real.stderr).toMatchObject({ exitCode: 0, otherObjects: { user_grant: { created: 3 } } });
});

test.each(["v2", "v4.13", "v4.15"] as const)("a dry run of %s foresees what the run refuses", async (mimic) => {
  const mock = await target(mimic);
  const own = {
    ...{ orgId: "org1", humanUsers: [users[0]], projectGrants: [granting("org3", "viewer", "none")] },
    userGrants: [grant("u1", "nope", "viewer")],
  };
  const [u4, u5, u6, u7] = testUsers(7).slice(3);
  const granted = {
    ...{ orgId: "org2", humanUsers: [u4, u5, u6] },
    userGrants: [
      { ...grant("u4", "shop", "viewer"), projectGrantId: "g-org2" },
      { ...grant("u5", "shop", "buyer"), projectGrantId: "g-org2" },
      grant("u6", "shop", "viewer"),
    ],
  };
  // Its project grant lacks a role.
  const refused = {
    orgId: "org3",
    humanUsers: [u7],
    userGrants: [{ ...grant("u7", "shop", "viewer"), projectGrantId: "g-org3" }],
  };
  const { dry, real, failed } = await both(mock, own, granted, refused);
  const isOld = mimic === "v2";
  expect(dry.report, dry.stderr).toMatchObject({
    foreseen: {
      roleMissing: [{ userId: "u5", roleKeys: ["buyer"] }, ...(isOld ? [] : [{ userId: "u7", roleKeys: ["none"] }])],
      projectMissing: [{ userId: "u1", projectId: "nope" }, ...(isOld ? [{ userId: "u6", orgId: "org2" }] : [])],
    },
  });
  expect(real.report, real.stderr).toMatchObject({ otherObjects: { user_grant: { created: 2 } } });
  // The project grant has no user; 2.62 takes it.
  expect(failed.sort()).toEqual(["u1", "u5", ...(isOld ? ["u6"] : ["u7", "undefined"])]);
});

/** The project grants of a report that will fail, or failed: `cause id`. */
const failingIn = (list: readonly object[] = []): readonly string[] =>
  (list as readonly { orgId?: string; projectId: string; grantedOrgId: string; cause: string; id: string }[])
    .map(({ orgId, projectId, grantedOrgId, cause, id }) =>
      orgId === undefined ? `${cause} ${id}` : `${cause} ${orgId}_${projectId}_${grantedOrgId}`,
    )
    .sort();

test.each([[[]], [["--update"]]])(
  "a dry run foresees the project grants that the run refuses, with %j",
  async (flags) => {
    const mock = await target("v4.15");
    const projectGrant = (
      grantId: string,
      projectId: string,
      grantedOrgId: string,
      ...roleKeys: readonly string[]
    ) => ({
      grantId,
      projectGrant: { projectId, grantedOrgId, roleKeys },
    });
    const first = {
      ...{ orgId: "org1", projects: [project("new")], projectRoles: [role("new", "x")] },
      projectGrants: [
        projectGrant("g-org2", "shop", "org2", "viewer"),
        projectGrant("other", "shop", "org2", "viewer"),
        projectGrant("lacking", "shop", "org3", "viewer", "boss"),
        projectGrant("nowhere", "nope", "org2", "viewer"),
        projectGrant("to-nobody", "shop", "org9", "viewer"),
        projectGrant("made", "new", "org4", "x"),
        projectGrant("twice", "new", "org4", "x"),
      ],
    };
    const { cwd, file } = inFolder(body(first, { orgId: "org4", org: { name: "Four" } }));
    const args = ["import", file, "--target", mock.url, "--insecure-http", ...flags];
    const dry = await runCli([...args, "--dry-run", "--json", "--html", "dry.html"], { cwd, env: mock.env });
    const { exitCode, foreseen, missingObjects } = JSON.parse(dry.stdout);
    expect(exitCode, dry.stderr).toBe(1);
    expect(foreseen).toMatchObject({
      failingProjectGrants: [
        { id: "lacking", orgId: "org1", projectId: "shop", grantedOrgId: "org3", lacks: "roles", roleKeys: ["boss"] },
        { id: "nowhere", lacks: "project" },
        { id: "to-nobody", lacks: "organization" },
        { id: "other" },
        { id: "twice" },
      ],
      failingProjectGrantCauses: { "reference-missing": 3, "name-taken": 2 },
    });
    expect(dry.stderr).toContain(
      "grants:   3 project grants will fail: project shop to organization org3, for want of role boss, project nope to organization org2, for want of project nope, project shop to organization org9, for want of organization org9\n",
    );
    expect(dry.stderr).toContain(
      "grants:   2 project grants will fail: project shop to organization org2, project new",
    );
    expect(readFileSync(join(cwd, "dry.html"), "utf8")).toContain("for want of role boss");
    expect(missingObjects).toEqual(flags.length === 0 ? undefined : { project: 1, project_role: 1, project_grant: 1 });
    const { report, stderr } = await importJson([file, ...flags], { cwd, env: mock.env });
    expect(report, stderr).toMatchObject({
      ...{ exitCode: 1, failureCauses: foreseen.failingProjectGrantCauses },
      otherObjects: { project_grant: { created: 1, alreadyThere: 1, failed: 5 } },
    });
    expect(failingIn(report.failures)).toEqual(failingIn(foreseen.failingProjectGrants));
  },
);

test("project grants of an organization that takes no items fail with it, and are not named apart", async () => {
  const mock = await target();
  const twin = { orgId: "twin", org: { name: "One" }, projectGrants: [granting("org2", "viewer")] };
  const { cwd, file } = inFolder(body(twin, { orgId: "org2", humanUsers: users }));
  const { report, stderr } = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    foreseen: { orgs: [{ orgId: "twin", state: "name-taken" }, {}] },
  });
  expect(report).not.toHaveProperty("foreseen.failingProjectGrants");
});

test("without the events of the target, no role is foreseen to be missing", async () => {
  const mock = await target();
  const url = await startFront(mock, (path, text) =>
    path.includes("/events/_search") && text.includes("project.role.added")
      ? { status: 403, body: { code: 7 } }
      : undefined,
  );
  const { cwd, file } = inFolder(body({ orgId: "org1", humanUsers: users, userGrants: [grant("u1", "shop", "boss")] }));
  const args = ["import", file, "--target", url, "--insecure-http", "--dry-run"];
  const dry = await runCli(args, { cwd, env: mock.env });
  expect(dry.exitCode, dry.stderr).toBe(0);
});

test("a dry run names grants, memberships and links of users who are neither in the input nor on the target", async () => {
  const mock = await target();
  const elsewhere = { orgId: "org3", org: { name: "Three" }, humanUsers: [testUser(9)] };
  const oidcIdps = [
    { idpId: "idp", idp: { name: "A", clientId: "c", clientSecret: "s", issuer: "https://a.example" } },
  ];
  const seed = inFolder(body(elsewhere, { orgId: "org1", oidcIdps }));
  expect((await importJson([seed.file], { cwd: seed.cwd, env: mock.env })).report).toMatchObject({ exitCode: 0 });
  const org = {
    ...{ orgId: "org1", humanUsers: users },
    userGrants: ["u1", "u9", "gone"].map((id) => grant(id, "shop", "viewer")),
    orgMembers: ["u2", "gone"].map((userId) => ({ userId, roles: ["ORG_OWNER"] })),
    projectMembers: [{ userId: "lost", projectId: "shop", roles: ["PROJECT_OWNER"] }],
    userLinks: ["u3", "lost"].map((userId) => ({ userId, idpId: "idp", providedUserId: userId })),
  };
  const { cwd, file } = inFolder(body(org));
  const userMissing = [
    { type: "org_member", userId: "gone", orgId: "org1" },
    { type: "project_member", userId: "lost", orgId: "org1" },
    { type: "user_grant", userId: "gone", orgId: "org1" },
    { type: "user_link", userId: "lost", orgId: "org1" },
  ];
  const made = { user_link: 1, user_grant: 2, org_member: 1 };
  for (const update of [[], ["--update"]]) {
    const { stdout, stderr } = await runCli(["import", file, ...update, "--dry-run", "--json"], { cwd, env: mock.env });
    const dry = JSON.parse(stdout);
    expect(stderr).toContain("users:    4 objects of users who are neither in the input nor on the target will fail");
    expect(dry, stderr).toMatchObject({ exitCode: 1, foreseen: { users: { new: 3 }, userMissingCount: 4 } });
    expect(
      dry.foreseen.userMissing.toSorted((a: { type: string }, b: { type: string }) => (a.type < b.type ? -1 : 1)),
    ).toEqual(userMissing);
    expect(dry.missingObjects).toEqual(update.length === 0 ? undefined : made);
  }
  const { report, stderr } = await importJson([file, "--update"], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    otherObjects: {
      user_grant: { created: made.user_grant, failed: 1 },
      org_member: { created: made.org_member, failed: 1 },
      project_member: { created: 0, failed: 1 },
      user_link: { created: made.user_link, failed: 1 },
    },
  });
});
