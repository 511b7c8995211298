import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, createOrg, importOrgs, readEvents, uniqueId, useInstance } from "./harness.ts";
import { user } from "./rich-orgs.ts";

describe.skipIf(!canStart)("users of a 2.x instance", () => {
  const target = useInstance("v2");

  test("are updated, metadata by the older call, and the second run sends nothing", async () => {
    const orgId = await createOrg(target(), uniqueId("older"));
    const ids = Array.from({ length: 6 }, () => uniqueId("older"));
    const [renamed = "", moved = "", locked = "", marked = "", , created = ""] = ids;
    await importOrgs(target(), { orgId, humanUsers: ids.slice(0, 5).map((id) => user(id)) });
    const changes: Readonly<Record<string, object>> = {
      [renamed]: { userName: `new-${renamed}` },
      [moved]: { email: { email: `new-${moved}@example.com`, isEmailVerified: true } },
    };
    const humanUsers = ids.map((id) => ({
      ...user(id, changes[id] ?? {}),
      ...(id === locked ? { state: "USER_STATE_LOCKED" } : {}),
    }));
    const userMetadata = [{ id: marked, key: "plan", value: "Z29sZA==" }];
    const cwd = tempDir();
    const body = { dataOrgs: { orgs: [{ orgId, humanUsers, userMetadata }] }, timeout: "5m0s" };
    writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
    const run = async () => {
      const { stdout, stderr } = await runBin(["import", "body.json", "--update", "--yes", "--json"], {
        cwd,
        env: target().targetEnv,
      });
      expect(stdout, stderr).toContain("{");
      return JSON.parse(stdout) as { update: { update: { userId: string; fields: string[] }[] } };
    };
    const first = await run();
    expect(first).toMatchObject({ exitCode: 0, users: { created: 1, updated: 4, unchanged: 1, failed: 0 } });
    expect(Object.fromEntries(first.update.update.map(({ userId, fields }) => [userId, fields]))).toEqual({
      [renamed]: ["userName"],
      [moved]: ["email"],
      [locked]: ["state"],
      [marked]: ["metadata.plan"],
    });
    const events = await readEvents(target(), { types: [], orgId });
    expect(events.filter(({ aggregate }) => aggregate.id === created)).not.toEqual([]);
    expect(await run()).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: 6 } });
    expect(await readEvents(target(), { types: [], orgId })).toHaveLength(events.length);
  });
});
