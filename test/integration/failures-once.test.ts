import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testUser, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

/** An import with two users of one name, and grants: of the second user, and of a project that does not exist. */
async function failing(form: "body" | "export") {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const org = {
    orgId: "org1",
    projects: [{ projectId: "p1", project: { name: "P" } }],
    projectRoles: [{ projectId: "p1", roleKey: "a", displayName: "a" }],
    humanUsers: [...testUsers(2), testUser(3, { userName: "user1@example.com" })],
    userGrants: [
      { id: "g1", userId: "u3", projectId: "p1", roleKeys: ["a"] },
      { id: "g2", userId: "u1", projectId: "nope", roleKeys: ["a"] },
    ],
  };
  const content = form === "body" ? { dataOrgs: { orgs: [org] } } : { orgs: [{ ...org, org: { name: "One" } }] };
  const { cwd, file } = inFolder(JSON.stringify(content));
  const args = ["import", file, "--verify", "--json", "--yes"];
  const { stdout, stderr, exitCode } = await runCli(args, { cwd, env: mock.env });
  expect(exitCode, stderr).toBe(1);
  return { report: JSON.parse(stdout), stderr, mock, cwd, file };
}

test("a grant of a user who failed is a consequence, and one of a project that does not exist is not", async () => {
  const { report, stderr } = await failing("body");
  expect(report.failureCauses).toEqual({ "user-name-taken": 1, consequence: 1, "project-missing": 1 });
  expect(stderr).toContain(
    "failed:   1 × it refers to a user or an object that failed, as reported. Fix that one and run again.",
  );
});

test("failures of one line are listed by type and id", async () => {
  const { report } = await failing("body");
  const taken = { type: "human_user", id: "u3" };
  expect(report.failures).toMatchObject([
    taken,
    { type: "user_grant", userId: "u1" },
    { type: "user_grant", userId: "u3" },
  ]);
});

test("--verify of an export names no user and no grant that failed once more as missing", async () => {
  const { report, stderr, cwd, file, mock } = await failing("export");
  expect(report.missing.map(({ id }: { id: string }) => id).sort()).toEqual(["p1_u3", "u3"]);
  expect(stderr).toContain("of the missing ones, 2 are reported above, with the reason");
  // The grant of a project that the export does not have was left out.
  expect(report.notExpected).toBe(1);
  expect(stderr).not.toContain("missing: ");
  const quiet = await runCli(["import", file, "--verify", "--quiet", "--yes"], { cwd, env: mock.env });
  expect(quiet.stderr).toContain("1 failed: It refers to a user or an object that failed");
  expect(quiet.stderr).not.toContain("missing: not on the target");
});

test("links that failed are not counted as missing too, also beyond those that the report lists", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const humanUsers = testUsers(1_005);
  const userLinks = humanUsers.map(({ userId }) => ({ userId, idpId: "gone", providedUserId: userId }));
  const { cwd, file } = inFolder(
    JSON.stringify({ orgs: [{ orgId: "org1", org: { name: "One" }, humanUsers, userLinks }] }),
  );
  const { stderr } = await runCli(["import", file, "--verify", "--html", "r.html", "--yes"], { cwd, env: mock.env });
  expect(stderr).toContain("user_link: 0 created, 0 already there, 1,005 failed");
  const page = readFileSync(join(cwd, "r.html"), "utf8");
  expect(page).toContain('Failed items <span class="count">1,005</span>');
  expect(page).not.toContain("Not on the target");
});
