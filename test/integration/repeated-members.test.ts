import { expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// An export of several organizations repeats the members of a project in each of them (recording copy 03). A membership is one object.

const IDS = ["org1", "org2", "org3"];
const FLAGS = IDS.flatMap((id) => ["--org-id", id]);

function startSource(role: string): Promise<TestMock> {
  const first = {
    projects: [{ projectId: "p", project: { name: "Shop" } }],
    humanUsers: [testUser(1)],
    projectMembers: [{ projectId: "p", userId: "u1", roles: [role] }],
  };
  const orgs = IDS.map((orgId, at) => ({ orgId, org: { name: orgId }, ...(at === 0 ? first : {}) }));
  return startMock({ mimic: "v4", seed: { orgs } });
}

function run(args: readonly string[], source: TestMock, target: Pick<TestMock, "env">, cwd: string) {
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  return runCli([...args, "--json"], { cwd, env });
}

test.each([{ flags: [] }, { flags: ["--update"] }])(
  "counts the members that an export repeats as left out, each night ($flags)",
  async ({ flags }) => {
    const [source, target, cwd] = [await startSource("PROJECT_OWNER"), await startMock({ mimic: "v4" }), tempDir()];
    const copy = () => run(["copy", ...FLAGS, ...flags, "--yes"], source, target, cwd);
    const first = await copy();
    expect(first.exitCode, first.stderr).toBe(0);
    expect(JSON.parse(first.stdout).otherObjects.project_member).toEqual({
      ...{ created: 1, alreadyThere: 0, failed: 0, leftOut: 2 },
    });
    const second = await copy();
    expect(second.exitCode, second.stderr).toBe(0);
    expect(JSON.parse(second.stdout).otherObjects.project_member, second.stderr).toEqual({
      ...{ created: 0, alreadyThere: 1, failed: 0, leftOut: 2 },
    });
  },
);

test("names a membership once whose role differs, and verify expects it once", async () => {
  const [source, target, cwd] = [await startSource("PROJECT_OWNER"), await startMock({ mimic: "v4" }), tempDir()];
  const first = await run(["copy", ...FLAGS, "--yes"], source, target, cwd);
  expect(first.exitCode, first.stderr).toBe(0);
  const changed = await startSource("PROJECT_OWNER_VIEWER");
  for (const more of [["--dry-run"], []]) {
    const { stdout, stderr } = await run(["copy", ...FLAGS, "--update", "--yes", ...more], changed, target, cwd);
    expect(JSON.parse(stdout), stderr).toMatchObject({
      otherDifferencesCount: 1,
      otherDifferences: [{ type: "projectMembers", id: "p_u1", orgId: "org1", fields: ["roles"] }],
    });
    expect(stderr).toContain("1 other object is different on the target");
  }
  const exported = await run(["export", "--output", "export.json", ...FLAGS], changed, target, cwd);
  expect(exported.exitCode, exported.stderr).toBe(0);
  const { stdout, stderr } = await run(["verify", "export.json"], changed, target, cwd);
  expect(JSON.parse(stdout), stderr).toMatchObject({ differentCount: 1, missing: [], notExpected: 2 });
  expect(JSON.parse(stdout).different, stderr).toMatchObject([{ type: "projectMembers", orgId: "org1" }]);
  expect(stderr).toContain("2 other objects are not expected:");
});
