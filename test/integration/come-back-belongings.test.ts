import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// Grants and memberships of people who are deleted and recreated. Those of the former life stand in the way of the same ones (service
// behaviour 9.14, 9.25).

const org = { orgId: "org1", org: { name: "Org" } };
const ids = ["u1", "u2"];
const owned = {
  projects: [{ projectId: "p1", project: { name: "Shop" } }],
  projectRoles: [{ projectId: "p1", roleKey: "admin", displayName: "Admin" }],
  userGrants: ids.map((userId) => ({ projectId: "p1", userId, roleKeys: ["admin"] })),
  orgMembers: ids.map((userId) => ({ userId, roles: ["ORG_OWNER"] })),
  projectMembers: ids.map((userId) => ({ projectId: "p1", userId, roles: ["PROJECT_OWNER"] })),
};
/** One user by each endpoint. */
const humanUsers = [testUser(1), testUser(2, { hashedPassword: undefined })];
const body = JSON.stringify({ dataOrgs: { orgs: [{ ...org, humanUsers, ...owned }] } });

async function run(mock: TestMock, cwd: string, ...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await runCli([...args, "--json"], { cwd, env: mock.env });
  return { exitCode, stderr, report: JSON.parse(stdout) };
}

/** What the target's lists have, as an export gives it. */
async function listsOf(mock: TestMock) {
  const headers = { authorization: `Bearer ${mock.token}`, "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify({ org_ids: ["org1"], timeout: "1m" }) };
  const { orgs } = (await (await fetch(`${mock.url}/admin/v1/export`, request)).json()) as {
    orgs: readonly Partial<typeof owned>[];
  };
  const { userGrants = [], orgMembers = [], projectMembers = [] } = orgs[0] ?? {};
  return [userGrants, orgMembers, projectMembers].map((list) => list.map(({ userId }) => userId).sort());
}

test.each(["v4", "v4.13", "v4.15"] as const)("users who come back after undo have them (%s)", async (mimic) => {
  const mock = await startMock({ mimic, seed: { orgs: [org] } });
  const { cwd, file } = inFolder(body);
  const first = await run(mock, cwd, "import", file);
  expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 2 } });
  expect(first.report).not.toHaveProperty("healed");
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  expect(await listsOf(mock)).toEqual([[], [], []]);
  const again = await run(mock, cwd, "import", file);
  expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { created: 2 }, healed: { belongings: 2 } });
  expect(await listsOf(mock)).toEqual([ids, ids, ids]);
  const third = await run(mock, cwd, "import", file);
  expect(third.report, third.stderr).toMatchObject({ exitCode: 0, users: { alreadyThere: 2 } });
  expect(third.report).not.toHaveProperty("healed");
});

test("users who are recreated without a login name have them, too: no list names their grants", async () => {
  const nameless = { endpoint: "users", fault: "nameless", users: 3 } as const;
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org] }, faults: [nameless] });
  const { cwd, file } = inFolder(body);
  const { report, stderr } = await run(mock, cwd, "import", file);
  expect(report, stderr).toMatchObject({ exitCode: 0, healed: { users: 2, belongings: 4 }, cannotSignInCount: 0 });
  mock.clearFaults();
  expect(await listsOf(mock)).toEqual([ids, ids, ids]);
});

test("an account that another account created in place of a deleted user gets none of them", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  const { cwd, file } = inFolder(body);
  expect((await run(mock, cwd, "import", file)).report).toMatchObject({ exitCode: 0 });
  mock.removeUser("u1");
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  const stranger = {
    organization: { orgId: "org1" },
    userId: "u1",
    username: "bob",
    profile: { givenName: "B", familyName: "O" },
  };
  const answer = await fetch(`${mock.url}/v2/users/human`, {
    method: "POST",
    headers: { authorization: "Bearer admin", "content-type": "application/json" },
    body: JSON.stringify({ ...stranger, email: { email: "bob@example.org", isVerified: true } }),
  });
  expect(answer.ok).toBe(true);
  const before = await listsOf(mock);
  // A run that creates a user looks for what users of former lives lack.
  const more = JSON.stringify({ dataOrgs: { orgs: [{ ...org, humanUsers: [...humanUsers, testUser(3)], ...owned }] } });
  const next = inFolder(more);
  const { report, stderr } = await run(mock, next.cwd, "import", next.file);
  expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 1 } });
  expect(await listsOf(mock)).toEqual(before);
  expect(before.every((list) => !list.includes("u1"))).toBe(true);
});

test("a grant with a role that another account removed fails once, also of a user who had a grant before an undo", async () => {
  const projectRoles = ["reader", "editor"].map((roleKey) => ({ projectId: "p1", roleKey, displayName: roleKey }));
  const grant = (...roleKeys: readonly string[]) => ({ projectId: "p1", userId: "u1", roleKeys });
  const input = (roleKeys: readonly string[]) =>
    JSON.stringify({
      dataOrgs: {
        orgs: [
          {
            ...org,
            projects: owned.projects,
            projectRoles,
            humanUsers: [testUser(1)],
            userGrants: [grant(...roleKeys)],
          },
        ],
      },
    });
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  const { cwd, file } = inFolder(input(["reader"]));
  expect((await run(mock, cwd, "import", file)).report).toMatchObject({ exitCode: 0 });
  mock.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
  const headers = { authorization: "Bearer of-others", "x-zitadel-orgid": "org1" };
  const role = `${mock.url}/management/v1/projects/p1/roles/editor`;
  expect((await fetch(role, { method: "DELETE", headers })).status).toBe(200);
  await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
  const next = inFolder(input(["reader", "editor"]));
  for (const users of [{ created: 1 }, { alreadyThere: 1 }]) {
    const { report, stderr } = await run(mock, next.cwd, "import", next.file);
    expect(report, stderr).toMatchObject({ exitCode: 1, users, failureCauses: { "role-missing": 1 } });
    expect(report.otherObjects.user_grant).toEqual({ created: 0, alreadyThere: 0, failed: 1 });
    expect(report.failures).toHaveLength(1);
  }
});
