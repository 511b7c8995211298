import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, createOrg, importOrgs, uniqueId, useInstance } from "./harness.ts";

describe.skipIf(!canStart).each([["v415"], ["v4"]] as const)("%s", (version) => {
  const source = useInstance(version);

  test("an export lists its service users, and import blocks with ids of the service", async () => {
    const [org, robot, project] = [await createOrg(source(), uniqueId("list")), uniqueId("robot"), uniqueId("project")];
    await importOrgs(source(), {
      orgId: org,
      machineUsers: [{ userId: robot, user: { userId: robot, userName: robot, name: "Robot" } }],
      projects: [{ projectId: project, project: { name: "P" } }],
      projectRoles: [{ projectId: project, roleKey: "editor", displayName: "Editor" }],
    });
    const cwd = tempDir();
    const flags = ["--service-users", "robots.csv", "--terraform-imports", "imports.tf"];
    const run = await runBin(["export", "--org-id", org, ...flags], { cwd, env: source().sourceEnv });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(readFileSync(join(cwd, "robots.csv"), "utf8")).toContain(`\n${org},${robot},${robot},Robot,`);
    const blocks = readFileSync(join(cwd, "imports.tf"), "utf8");
    for (const id of [org, `${project}:${org}`, `${project}:editor:${org}`, `${robot}:false:${org}`]) {
      expect(blocks).toContain(`id = "${id}"`);
    }
  });
});
