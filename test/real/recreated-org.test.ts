import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { call, canStart, isLong, signIn, tokenOfAnother, uniqueId, useInstance } from "./harness.ts";
import { HASH, PASSWORD, user } from "./rich-orgs.ts";

// Service behaviour 9.48. Version 2.62 creates no organization with the id of a deleted one.
describe.skipIf(!canStart).each(isLong ? (["v415", "v413", "v4"] as const) : (["v415"] as const))(
  "on %s",
  (version) => {
    const target = useInstance(version);

    /** Runs the program in a folder with the organization as `body.json`. */
    const inFolderOf = (org: object) => {
      const cwd = tempDir();
      writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" }));
      return async (...args: readonly string[]) => {
        const env = { ...target().targetEnv, ...target().sourceEnv };
        const { stdout, stderr } = await runBin([...args, "--json"], { cwd, env });
        return { report: JSON.parse(stdout), stderr };
      };
    };

    test("users who were deleted with their organization fail, until their ids are free", async () => {
      const orgId = uniqueId("back");
      const ids = [uniqueId("u"), uniqueId("u")];
      const org = {
        orgId,
        org: { name: orgId },
        humanUsers: ids.map((id) => user(id, { hashedPassword: { value: HASH } })),
        userMetadata: ids.map((id) => ({ id, key: "theme", value: "ZGFyaw==" })),
        orgMembers: [{ userId: ids[0], roles: ["ORG_OWNER"] }],
      };
      const run = inFolderOf(org);
      const first = await run("import", "body.json", "--verify");
      expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 2 } });

      const other = { ...target(), token: await tokenOfAnother(target(), uniqueId("admin")) };
      await call({ ...other, orgId }, "DELETE", "/management/v1/orgs/me");
      await call(other, "POST", "/v2/organizations", { name: `${orgId} again`, orgId });

      for (const flags of [[], ["--update"]]) {
        const dry = await run("import", "body.json", "--dry-run", ...flags);
        expect(dry.report, dry.stderr).toMatchObject({
          exitCode: 1,
          foreseen: { users: { new: 0, removedWithOrg: 2 } },
        });
        const sent = await run("import", "body.json", ...flags);
        expect(sent.report, sent.stderr).toMatchObject({
          exitCode: 1,
          users: { created: 0, alreadyThere: 0, failed: 2 },
          failureCauses: { "removed-with-org": 2, consequence: 3 },
        });
      }
      for (const id of ids) await call(target(), "DELETE", `/v2/users/${id}`);
      const again = await run("import", "body.json", "--verify");
      expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { created: 2 }, metadataCompared: 2 });
      for (const id of ids) expect(await signIn(target(), id, PASSWORD)).toBe("signed in");
      const update = await run("import", "body.json", "--update");
      expect(update.report, update.stderr).toMatchObject({ exitCode: 0, update: { unchanged: 2 } });
    });

    test("objects and policies of an export that went with their organization fail with --update", async () => {
      const orgId = uniqueId("back");
      const projectId = uniqueId("p");
      const org = {
        orgId,
        org: { name: orgId },
        lockoutPolicy: { maxPasswordAttempts: 7 },
        projects: [{ projectId, project: { name: projectId } }],
        projectRoles: [{ projectId, roleKey: "editor", displayName: "Editor" }],
      };
      const run = inFolderOf(org);
      const first = await run("import", "body.json");
      expect(first.report, first.stderr).toMatchObject({ exitCode: 0 });
      const exported = await run("export", "--org-id", orgId, "--output", "export.json");
      expect(exported.report, exported.stderr).toMatchObject({ exitCode: 0 });
      const before = await run("import", "export.json", "--update");
      expect(before.report, before.stderr).toMatchObject({ exitCode: 0 });

      const other = { ...target(), token: await tokenOfAnother(target(), uniqueId("admin")) };
      await call({ ...other, orgId }, "DELETE", "/management/v1/orgs/me");
      await call(other, "POST", "/v2/organizations", { name: orgId, orgId });

      const after = await run("import", "export.json", "--update");
      expect(after.report, after.stderr).toMatchObject({
        exitCode: 1,
        otherObjects: { project: { failed: 1 }, project_role: { failed: 1 }, lockout_policy: { failed: 1 } },
        failureCauses: { "removed-with-org": 2, "kept-from-removed-org": 1 },
      });
      // A change of the former policy has no effect.
      const lockout = "/management/v1/policies/lockout";
      await call({ ...other, orgId }, "PUT", lockout, { maxPasswordAttempts: 9 });
      const changed = await run("import", "export.json", "--update");
      expect(changed.report, changed.stderr).toMatchObject({ otherObjects: { lockout_policy: { failed: 1 } } });
      await call({ ...target(), orgId }, "DELETE", lockout);
      const reset = await run("import", "export.json", "--update");
      expect(reset.report, reset.stderr).toMatchObject({
        otherObjects: { lockout_policy: { created: 1, failed: 0 } },
        failureCauses: { "removed-with-org": 2 },
      });
      await call({ ...other, orgId }, "DELETE", lockout);
      await call({ ...other, orgId }, "POST", lockout, { maxPasswordAttempts: 9 });
      const byHand = await run("import", "export.json", "--update");
      expect(byHand.report, byHand.stderr).toMatchObject({ failureCauses: { "removed-with-org": 2 } });
      expect(byHand.report.otherObjects).not.toHaveProperty("lockout_policy");
    });

    test("rights of users whose ids were freed are given with --update, and count as created, then as existing", async () => {
      const orgId = uniqueId("back");
      const [projectId, userId] = [uniqueId("p"), uniqueId("u")];
      const org = {
        orgId,
        org: { name: orgId },
        humanUsers: [user(userId, { hashedPassword: { value: HASH } })],
        projects: [{ projectId, project: { name: projectId } }],
        projectRoles: [{ projectId, roleKey: "editor", displayName: "Editor" }],
        userGrants: [{ userId, projectId, roleKeys: ["editor"] }],
        orgMembers: [{ userId, roles: ["ORG_OWNER"] }],
        projectMembers: [{ projectId, userId, roles: ["PROJECT_OWNER"] }],
      };
      const run = inFolderOf(org);
      const first = await run("import", "body.json");
      expect(first.report, first.stderr).toMatchObject({ exitCode: 0 });
      const exported = await run("export", "--org-id", orgId, "--with-passwords", "--output", "export.json");
      expect(exported.report, exported.stderr).toMatchObject({ exitCode: 0 });
      const other = { ...target(), token: await tokenOfAnother(target(), uniqueId("admin")) };
      await call({ ...other, orgId }, "DELETE", "/management/v1/orgs/me");
      await call(other, "POST", "/v2/organizations", { name: orgId, orgId });
      await call(target(), "DELETE", `/v2/users/${userId}`);
      const rights = (counts: object) => ({ user_grant: counts, org_member: counts, project_member: counts });
      for (const counts of [{ created: 1 }, { created: 0, alreadyThere: 1 }]) {
        const { report, stderr } = await run("import", "export.json", "--update");
        expect(report, stderr).toMatchObject({
          otherObjects: rights({ ...counts, failed: 0 }),
          failureCauses: { "removed-with-org": 2 },
        });
      }
    });
  },
);
