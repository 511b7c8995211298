import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, createOrg, isLong, readEvents, signIn, uniqueId, useInstance } from "./harness.ts";

/** bcrypt, cost 4: of "hunter2-Old". */
const HASH = "$2b$04$abcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";

describe.each([["v4"], ...(isLong ? ([["v2"]] as const) : [])] as const)("%s", (version) => {
  if (version === "v2" && !canStart) return test.skip("no 2.x service", () => {});
  const target = useInstance(version);

  test("an Auth0 user is migrated, imported and verified, and signs in with the old password", async () => {
    const org = await createOrg(target(), uniqueId("first"));
    const record = uniqueId("record");
    const email = `${record}@example.com`;
    const cwd = tempDir();
    const profile = { user_id: `auth0|${record}`, email_verified: true, name: "Ann Example", email };
    writeFileSync(join(cwd, "users.json"), JSON.stringify([profile]));
    writeFileSync(join(cwd, "passwords.json"), JSON.stringify({ _id: { $oid: record }, email, passwordHash: HASH }));
    const env = target().targetEnv;
    for (const args of [
      ["migrate", "auth0", "--org", org],
      ["import", "importBody.json"],
      ["verify", "importBody.json"],
    ]) {
      const { exitCode, stderr } = await runBin(args, { cwd, env });
      expect(exitCode, `${args.join(" ")}\n${stderr}`).toBe(0);
    }
    expect(await signIn(target(), `auth0|${record}`, "hunter2-Old")).toBe("signed in");
    expect(await signIn(target(), `auth0|${record}`, "another")).toBe("wrong password");
    const events = await readEvents(target(), { types: ["user.human.added"], orgId: org });
    expect(events.map(({ payload }) => payload?.["email"])).toEqual([email]);
  });
});
