import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { call, canStart, createOrg, readEvents, uniqueId, useInstance, versions } from "./harness.ts";
import { user } from "./rich-orgs.ts";

describe.skipIf(!canStart)("links within users", () => {
  describe.each(versions)("of %s", (version) => {
    const target = useInstance(version);

    test("are made with new users, and given to existing ones that lack them", async () => {
      const orgId = await createOrg(target(), uniqueId("links"));
      const google = { name: "G", clientId: "c", clientSecret: "s" };
      const providerOptions = { isLinkingAllowed: true, isCreationAllowed: true };
      const made = await target().post("/admin/v1/idps/google", { ...google, providerOptions });
      const { id: idp } = made.body as { id: string };
      const ids = ["ada", "bob", "cyd", "dan"].map(uniqueId);
      const [ada, bob, cyd, dan] = ids as [string, string, string, string];
      const entry = (id: string, isLinked: boolean) => {
        const idps = isLinked ? [{ configId: idp, externalUserId: `g-${id}`, displayName: id }] : [];
        return user(id, { hashedPassword: undefined, idps });
      };
      const cwd = tempDir();
      const write = (name: string, humanUsers: readonly object[]) =>
        writeFileSync(
          join(cwd, name),
          JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers }] }, timeout: "5m0s" }),
        );
      const run = async (...args: readonly string[]) => {
        const { stdout, stderr } = await runBin([...args, "--json", "--quiet"], { cwd, env: target().targetEnv });
        return { report: JSON.parse(stdout), stderr };
      };
      write("first.json", [entry(ada, true), entry(bob, false), entry(cyd, true)]);
      const users = [entry(ada, true), entry(bob, true), entry(cyd, true), entry(dan, true)];
      write("second.json", users);
      const first = await run("import", "first.json", "--yes");
      expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 3 } });
      expect(first.report.otherObjects).not.toHaveProperty("user_link");
      const linkAdded = async () =>
        (await readEvents(target(), { orgId, types: ["user.human.externalidp.added"] })).map(
          ({ aggregate }) => aggregate.id,
        );
      expect((await linkAdded()).sort()).toEqual([ada, cyd].sort());
      for (const flags of [["--update"], [], ["--update"]]) {
        const { report, stderr } = await run("import", "second.json", "--yes", ...flags);
        expect(report, stderr).toMatchObject({ exitCode: 0 });
        expect(report).not.toHaveProperty("onlyOnTarget");
      }
      expect((await linkAdded()).sort()).toEqual([...ids].sort());
      for (const by of ["events", "export"]) {
        const same = await run("verify", "second.json", "--by", by);
        expect(same.report, same.stderr).toMatchObject({ exitCode: 0, missing: [], differentCount: 0 });
      }
      await call({ ...target(), orgId }, "DELETE", `/management/v1/users/${cyd}/idps/${idp}/g-${cyd}`);
      const differing = await run("verify", "second.json");
      expect(differing.report, differing.stderr).toMatchObject({
        exitCode: 1,
        different: [{ id: cyd, fields: [`link.${idp}`] }],
      });
      const lost = await run("verify", "second.json", "--by", "export");
      expect(lost.report, lost.stderr).toMatchObject({
        exitCode: 1,
        missing: [{ type: "userLinks", id: `${cyd}_${idp}` }],
      });
    });
  });
});
