import { describe, expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock } from "../helpers/start-mock.ts";

const project = (orgId: string, number = 1) => ({
  orgId,
  org: { name: orgId },
  humanUsers: [testUser(number)],
  projects: [{ projectId: "p", project: { name: `P of ${orgId}` } }],
  projectRoles: [{ projectId: "p", roleKey: "admin", displayName: "Admin" }],
  apiApps: [{ appId: `app-${orgId}`, app: { projectId: "p", name: "app" } }],
  userGrants: [{ userId: `u${number}`, projectId: "p", roleKeys: ["admin"] }],
  projectMembers: [{ userId: `u${number}`, projectId: "p", roles: ["PROJECT_OWNER"] }],
  actions: [{ actionId: "a", action: { name: "a", script: "function a() {}", timeout: "5s", allowedToFail: true } }],
  triggerActions: [{ flowType: "1", triggerType: "1", actionIds: ["a"] }],
});
const file = (...orgs: readonly object[]): string => JSON.stringify({ orgs });

describe.each(["v2", "v4", "v4.13", "v4.15"] as const)("%s", (mimic) => {
  /** A target whose organization "other" has the project and the action. */
  async function world(...orgs: readonly object[]) {
    const mock = await startMock({ mimic });
    const { cwd } = inFolder(file(project("other")), "other.json");
    const first = await importJson(["other.json", "--yes"], { cwd, env: mock.env });
    expect(first.exitCode, first.stderr).toBe(0);
    const eventsOf = async (): Promise<number> => {
      const response = await fetch(`${mock.url}/admin/v1/events/_search`, {
        method: "POST",
        headers: { authorization: `Bearer ${mock.env["PAT_IMPORT_TOKEN"]}`, "content-type": "application/json" },
        body: JSON.stringify({ limit: 1_000 }),
      });
      const { events } = (await response.json()) as { events: readonly { aggregate: { id: string } }[] };
      return events.filter(({ aggregate: { id } }) => id === "p" || id === "a").length;
    };
    const before = await eventsOf();
    expect(before).toBeGreaterThan(2);
    const inner = inFolder(file(...orgs), "mine.json");
    const run = (...flags: readonly string[]) =>
      importJson(["mine.json", "--yes", ...flags], { cwd: inner.cwd, env: mock.env });
    return { run, written: async () => (await eventsOf()) - before };
  }

  test("nothing is written into the project or the action of another organization, and the run says so", async () => {
    const { run, written } = await world(project("mine", 2));
    const dry = await run("--dry-run");
    expect(dry.report, dry.stderr).toMatchObject({ exitCode: 1, foreseen: { foreignObjects: 7 } });
    expect(dry.stderr).toContain(
      "belong to other organizations of the target: a (organization other), p (organization other).",
    );
    const { report, stderr } = await run();
    expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 1, failed: 0 } });
    const causes = report.failures.map(({ type, cause, message }) => [type, cause, message]);
    expect(causes.sort()).toEqual([
      ["action", "in-other-org", "organization other"],
      ["api_app", "consequence", ""],
      ["project", "in-other-org", "organization other"],
      ["project_member", "consequence", ""],
      ["project_role", "consequence", ""],
      ["trigger_action", "consequence", ""],
      ["user_grant", "consequence", ""],
    ]);
    expect(await written()).toBe(0);
  });

  test("roles of a project that another organization has are not added to it", async () => {
    const { run, written } = await world({ ...project("mine", 2), projects: [], actions: [], triggerActions: [] });
    const { report, stderr } = await run();
    expect(report.failures, stderr).toContainEqual(expect.objectContaining({ type: "project_role" }));
    expect(report.otherObjects, stderr).toMatchObject({ project_role: { created: 0 }, api_app: { created: 0 } });
    expect(await written()).toBe(0);
  });
});

test("of two organizations of the input with one project id, the first gets the project", async () => {
  const mock = await startMock({ mimic: "v4.15" });
  const { cwd } = inFolder(file(project("one"), project("two", 2)), "both.json");
  const { report, stderr } = await importJson(["both.json", "--yes"], { cwd, env: mock.env });
  expect(report.otherObjects, stderr).toMatchObject({
    project: { created: 1, failed: 1 },
    action: { created: 1, failed: 1 },
  });
  const again = await importJson(["both.json", "--yes"], { cwd, env: mock.env });
  expect(again.report.otherObjects, again.stderr).toMatchObject({
    project: { created: 0, alreadyThere: 1, failed: 1 },
  });
});
