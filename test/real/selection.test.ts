import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, createOrg, importOrgs, isLong, signIn, uniqueId, useInstance } from "./harness.ts";
import { user } from "./rich-orgs.ts";

describe.each([["v4"], ...(isLong ? ([["v2"]] as const) : [])] as const)("%s", (version) => {
  if (version === "v2" && !canStart) return test.skip("no 2.x service", () => {});
  const instance = useInstance(version);

  test("an organization is left out, by both ways of asking, and the service lives on", async () => {
    const [kept, left] = [await createOrg(instance(), uniqueId("kept")), await createOrg(instance(), uniqueId("left"))];
    const [ada, bob] = [uniqueId("ada"), uniqueId("bob")];
    await importOrgs(instance(), { orgId: kept, humanUsers: [user(ada)] }, { orgId: left, humanUsers: [user(bob)] });
    const cwd = tempDir();
    const contents: unknown[] = [];
    for (const transport of ["rest", "grpc-web"]) {
      const args = ["--exclude-org-id", left, "--with-passwords", "--transport", transport, "--json"];
      const { stdout, stderr } = await runBin(["export", ...args], { cwd, env: instance().sourceEnv });
      expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, missing: 0, transport });
      contents.push(JSON.parse(readFileSync(join(cwd, "export.json"), "utf8")));
    }
    const [rest, grpc] = contents as { orgs: { orgId: string; humanUsers?: { userId: string }[] }[] }[];
    expect(grpc).toEqual(rest);
    expect(rest?.orgs.map(({ orgId }) => orgId)).toContain(kept);
    expect(JSON.stringify(rest)).not.toContain(left);
    expect(rest?.orgs.find(({ orgId }) => orgId === kept)?.humanUsers?.map(({ userId }) => userId)).toEqual([ada]);
    const absent = await runBin(["export", "--org-id", kept, "--org-id", uniqueId("nosuch")], {
      cwd,
      env: instance().sourceEnv,
    });
    expect(absent.exitCode, absent.stderr).toBe(5);
    expect(absent.stderr).toContain("nosuch");
    expect((await instance().post("/admin/v1/orgs/_search", {})).status).toBe(200);
  });
});

describe("an export of the first major version", () => {
  const instance = useInstance();

  test("is recognized, imported and verified, and its users sign in", async () => {
    const [org, ada, robot, project] = ["v1", "ada", "bot", "proj"].map(uniqueId) as [string, string, string, string];
    const exported = {
      orgs: [
        {
          orgId: org,
          org: { name: org },
          iamPolicy: { orgId: org, userLoginMustBeDomain: false },
          humanUsers: [user(ada)],
          machineUsers: [{ userId: robot, user: { userName: robot, name: "Robot" } }],
          projects: [{ projectId: project, project: { name: "Portal" } }],
          userGrants: [{ userId: ada, projectId: project }],
          orgMembers: [{ userId: robot, roles: ["ORG_OWNER"] }],
        },
      ],
    };
    const cwd = tempDir();
    writeFileSync(join(cwd, "v1.json"), JSON.stringify(exported));
    const env = instance().targetEnv;
    const imported = await runBin(["import", "v1.json", "--json"], { cwd, env });
    expect(JSON.parse(imported.stdout), imported.stderr).toMatchObject({
      exitCode: 0,
      variant: "dataOrgsv1",
      users: { created: 1 },
    });
    expect(await signIn(instance(), ada, "hunter2-Old")).toBe("signed in");
    for (const by of ["events", "export"]) {
      const verified = await runBin(["verify", "v1.json", "--by", by, "--json"], { cwd, env });
      const report = JSON.parse(verified.stdout);
      expect(report, verified.stderr).toMatchObject({ exitCode: 0, missing: [], different: [] });
    }
  });
});
