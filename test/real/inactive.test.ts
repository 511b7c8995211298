import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { call, canStart, importOrgs, readEvents, uniqueId, useInstance, versions } from "./harness.ts";
import { user } from "./rich-orgs.ts";

async function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const { stdout, stderr } = await runBin([...args, "--json", "--quiet"], { cwd, env });
  return { report: JSON.parse(stdout), stderr: stderr.replace(/\s+/g, " ") };
}

describe.skipIf(!canStart)("deactivated objects (service behaviour 9.37)", () => {
  const target = useInstance("v415");

  describe.each(versions)("of %s", (version) => {
    const source = useInstance(version);

    test("are named, and inactive role grants are not copied", async () => {
      const ids = ["org", "ada", "eve", "shop", "old", "robot"].map(uniqueId);
      const [orgId, ada, eve, shop, old, robot] = ids as [string, string, string, string, string, string];
      const grant = (userId: string) => ({ userId, projectId: shop, roleKeys: ["buyer"] });
      await importOrgs(source(), {
        ...{ orgId, org: { name: orgId } },
        projects: [shop, old].map((projectId) => ({ projectId, project: { name: projectId } })),
        projectRoles: [{ projectId: shop, roleKey: "buyer", displayName: "Buyer" }],
        apiApps: [
          {
            appId: robot,
            app: { projectId: shop, name: robot, authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" },
          },
        ],
        humanUsers: [user(ada), user(eve)],
        userGrants: [grant(ada), grant(eve)],
      });
      const api = { ...source(), orgId };
      const change = (path: string) => call(api, "POST", `/management/v1/${path}`, {});
      const added = await readEvents(source(), { orgId, types: ["user.grant.added"] });
      const grantOf = (userId: string): string =>
        added.find(({ payload }) => payload?.["userId"] === userId)?.aggregate.id ?? "";
      const sourceEnv = source().sourceEnv;
      const env = { ...sourceEnv, ...target().targetEnv };
      for (const [userId, id] of [ada, eve].map((one) => [one, grantOf(one)] as const))
        await change(`users/${userId}/grants/${id}/_deactivate`);
      await change(`users/${eve}/grants/${grantOf(eve)}/_reactivate`);
      await change(`projects/${old}/_deactivate`);
      await change(`projects/${shop}/apps/${robot}/_deactivate`);
      const inactive = [
        { type: "user_grant", id: grantOf(ada), orgId, userId: ada, projectId: shop },
        { type: "project", id: old, orgId },
        { type: "application", id: robot, orgId, projectId: shop },
      ];
      const found = "1 role grant, 1 project, 1 application are deactivated at the source";
      const cwd = tempDir();
      const exported = await run(["export", "--org-id", orgId], cwd, sourceEnv);
      expect(exported.report, exported.stderr).toMatchObject({ exitCode: 0, inactive });
      expect(exported.stderr).toContain(found);
      const [org] = JSON.parse(readFileSync(join(cwd, "export.json"), "utf8")).orgs;
      expect(org).toMatchObject({ userGrants: [{}, {}], projects: [{}, {}], apiApps: [{}] });
      expect(JSON.stringify(org)).not.toMatch(/INACTIVE/);
      const args = ["copy", "--org-id", orgId, "--with-passwords", "--yes"];
      const copied = await run([...args, "--verify"], cwd, env);
      expect(copied.report, copied.stderr).toMatchObject({
        ...{ exitCode: 0, export: { inactive }, missing: [], differentCount: 0 },
        otherObjects: { user_grant: { created: 1 }, project: { created: 2 } },
      });
      expect(copied.stderr).toContain(found);
      const given = await readEvents(target(), { orgId, types: ["user.grant.added"] });
      expect(given.map(({ payload }) => payload?.["userId"])).toEqual([eve]);
      const updated = await run([...args, "--update"], cwd, env);
      expect(updated.report, updated.stderr).toMatchObject({ exitCode: 0, export: { inactive } });
      expect(updated.report).toMatchObject({ otherDifferencesCount: 0 });
      expect(await readEvents(target(), { orgId, types: ["user.grant.added"] })).toHaveLength(1);
      // A deleted project is not created again (service behaviour 9.39).
      await call({ ...target(), orgId }, "DELETE", `/management/v1/projects/${shop}`);
      for (const flags of [["--update"], []]) {
        const { report, stderr } = await run([...args, ...flags], cwd, env);
        expect(report, stderr).toMatchObject({ exitCode: 0, otherObjects: { project: { heldBack: 1 } } });
        expect(report.otherObjects.project_role, stderr).toMatchObject({ created: 0, heldBack: 1 });
      }
      expect(await readEvents(target(), { orgId, types: ["project.added"] })).toHaveLength(2);
    });

    test("an emptied trigger and a deactivated project grant are named each night, until the target agrees", async () => {
      const ids = ["org", "partner", "shop", "grant", "act"].map(uniqueId);
      const [orgId = "", partner = "", shop = "", grantId = "", actionId = ""] = ids;
      await importOrgs(source(), { orgId: partner, org: { name: partner } });
      await importOrgs(source(), {
        ...{ orgId, org: { name: orgId } },
        projects: [{ projectId: shop, project: { name: shop } }],
        projectGrants: [{ grantId, projectGrant: { projectId: shop, grantedOrgId: partner } }],
        actions: [{ actionId, action: { name: "act", script: "function act(){}", timeout: "5s" } }],
        triggerActions: ["1", "2"].map((triggerType) => ({ flowType: "1", triggerType, actionIds: [actionId] })),
      });
      const empty = async (instance: Parameters<typeof call>[0]) => {
        await call({ ...instance, orgId }, "POST", "/management/v1/flows/1/trigger/1", { actionIds: [] });
        await call({ ...instance, orgId }, "POST", `/management/v1/projects/${shop}/grants/${grantId}/_deactivate`, {});
      };
      const env = { ...source().sourceEnv, ...target().targetEnv };
      const args = ["copy", "--org-id", orgId, "--org-id", partner, "--with-passwords", "--yes", "--update"];
      const first = await run(args, tempDir(), env);
      expect(first.report, first.stderr).toMatchObject({
        exitCode: 0,
        otherObjects: { trigger_action: { created: 2 } },
      });
      await empty(source());
      for (const _night of [1, 2]) {
        const { report, stderr } = await run(args, tempDir(), env);
        expect(report.onlyOnTarget, stderr).toEqual([{ type: "triggerActions", id: "1_1", orgId }]);
        expect(report.export.inactive, stderr).toEqual([
          { type: "project_grant", id: grantId, orgId, projectId: shop, projectName: shop, grantedOrgId: partner },
        ]);
      }
      await empty(target());
      const agreed = await run(args, tempDir(), env);
      expect([agreed.report.onlyOnTarget, agreed.report.export.inactive], agreed.stderr).toEqual([
        undefined,
        undefined,
      ]);
      expect(agreed.report).toMatchObject({ exitCode: 0, otherDifferencesCount: 0 });
    });
  });
});
