import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { createOrg, importOrgs, readEvents, signIn, uniqueId, useInstance } from "./harness.ts";

/** bcrypt, cost 4: of "hunter2-Old". */
const HASH = "$2b$04$abcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";
const MANIFEST = "body.json.manifest.ndjson";

function user(id: string, fields: object = { hashedPassword: { value: HASH } }): { userId: string; user: object } {
  return {
    userId: id,
    user: {
      userName: `${id}@example.com`,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: `${id}@example.com`, isEmailVerified: true },
      ...fields,
    },
  };
}

describe("undo", () => {
  const target = useInstance();

  test("deletes users that the job created, but none who existed, signed in or changed the password", async () => {
    const org = await createOrg(target(), uniqueId("undo"));
    const [before, signed, begun, changed, one] = ["before", "signed", "begun", "changed", "auth0|one"].map(
      uniqueId,
    ) as [string, string, string, string, string];
    await importOrgs(target(), { orgId: org, humanUsers: [user(before)] });
    const viaUsersApi = uniqueId("bare");
    const many = Array.from({ length: 40 }, () => user(uniqueId("many")));
    const humanUsers = [before, signed, begun, changed, one].map((id) => user(id)).concat(user(viaUsersApi, {}), many);
    const cwd = tempDir();
    writeFileSync(
      join(cwd, "body.json"),
      JSON.stringify({ dataOrgs: { orgs: [{ orgId: org, humanUsers }] }, timeout: "5m0s" }),
    );
    const env = target().targetEnv;
    const undo = async (...flags: string[]) => {
      const { stdout, stderr } = await runBin(["undo", MANIFEST, "--json", ...flags], { cwd, env });
      expect(stdout, stderr).toContain("{");
      return JSON.parse(stdout) as { exitCode: number; users: object; kept: readonly { id: string; reason: string }[] };
    };
    const imported = await runBin(["import", "body.json"], { cwd, env });
    expect(imported.exitCode, imported.stderr).toBe(0);
    const ids = readFileSync(join(cwd, MANIFEST), "utf8").match(/(?<="id":")[^"]+/g) ?? [];
    expect([...ids].sort()).toEqual(
      [signed, begun, changed, one, viaUsersApi, ...many.map(({ userId }) => userId)].sort(),
    );

    expect(await signIn(target(), signed, "hunter2-Old")).toBe("signed in");
    expect(await signIn(target(), one, "another")).toBe("wrong password");
    expect((await target().post("/v2/sessions", { checks: { user: { userId: begun } } })).status).toBe(201);
    const password = { newPassword: { password: "Another-1-Secret" }, currentPassword: "hunter2-Old" };
    expect((await target().post(`/v2/users/${changed}/password`, password)).status).toBe(200);

    expect(await undo("--dry-run")).toMatchObject({ exitCode: 1, users: { listed: 45, toRemove: 42, kept: 3 } });
    const report = await undo("--yes");
    expect(report).toMatchObject({ exitCode: 1, users: { listed: 45, removed: 42, kept: 3, failed: 0, unknown: 0 } });
    expect(Object.fromEntries(report.kept.map(({ id, reason }) => [id, reason]))).toEqual({
      [signed]: "signed-in",
      [begun]: "signed-in",
      [changed]: "password-changed",
    });
    const removed = await readEvents(target(), { types: ["user.removed"], orgId: org });
    expect(removed.map(({ aggregate }) => aggregate.id).sort()).toEqual(
      [one, viaUsersApi, ...many.map(({ userId }) => userId)].sort(),
    );

    expect(await undo("--yes", "--force")).toMatchObject({ exitCode: 0, users: { removed: 3, alreadyGone: 42 } });
    expect(await signIn(target(), before, "hunter2-Old")).toBe("signed in");
  });
});
