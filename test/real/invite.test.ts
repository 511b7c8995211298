import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, createOrg, readEvents, signIn, uniqueId, useInstance } from "./harness.ts";

const PASSWORD = "Secret-1234!";

describe.skipIf(!canStart).each([["v415"], ["v4"], ["v2"]] as const)("%s", (version) => {
  const target = useInstance(version);

  test("users without a password are created silently, get one e-mail, set a password, and get no other", async () => {
    const org = await createOrg(target(), uniqueId("invite"));
    const ids = [uniqueId("verified"), uniqueId("unverified"), uniqueId("waiting")] as const;
    const cwd = tempDir();
    const humanUsers = ids.map((userId, at) => ({
      userId,
      user: {
        userName: userId,
        profile: { firstName: "A", lastName: "B" },
        email: { email: `${userId}@example.com`, isEmailVerified: at !== 1 },
      },
    }));
    writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs: [{ orgId: org, humanUsers }] } }));
    const run = async (...args: readonly string[]) => {
      const { stdout, stderr } = await runBin([...args, "--json"], { cwd, env: target().targetEnv });
      return { ...JSON.parse(stdout), stderr };
    };
    const codes = (aggregateId: string) =>
      readEvents(target(), { types: ["user.human.password.code.added", "user.human.invite.code.added"], aggregateId });
    expect(await run("import", "body.json", "--no-mail")).toMatchObject({ exitCode: 0, users: { created: 3 } });
    expect(await codes(ids[0])).toEqual([]);
    expect(await run("invite", "body.json", "--limit", "2", "--yes")).toMatchObject({
      exitCode: 0,
      users: { sent: 2, toSend: 1 },
    });
    for (const id of ids.slice(0, 2)) expect(await codes(id)).toHaveLength(1);
    const reply = await target().post(`/v2/users/${ids[0]}/password`, { newPassword: { password: PASSWORD } });
    expect(reply.status, reply.text).toBe(200);
    expect(await signIn(target(), ids[0], PASSWORD)).toBe("signed in");
    const users = { passwordSet: 1, invitedBefore: 1, sent: 1, toSend: 0 };
    expect(await run("invite", "body.json", "--yes")).toMatchObject({ exitCode: 0, users });
    for (const id of ids) expect(await codes(id)).toHaveLength(1);
  });

  test("an invitation verifies the address, or is refused before anything is sent", async () => {
    const org = await createOrg(target(), uniqueId("invite"));
    const userId = uniqueId("invited");
    const cwd = tempDir();
    const email = { email: `${userId}@example.com`, isEmailVerified: true };
    const user = { userName: userId, profile: { firstName: "A", lastName: "B" }, email };
    writeFileSync(
      join(cwd, "body.json"),
      JSON.stringify({ dataOrgs: { orgs: [{ orgId: org, humanUsers: [{ userId, user }] }] } }),
    );
    const run = (...args: readonly string[]) => runBin(args, { cwd, env: target().targetEnv });
    expect((await run("import", "body.json", "--no-mail")).exitCode).toBe(0);
    const { exitCode, stderr } = await run("invite", "body.json", "--by", "invitation", "--yes");
    const types = ["user.human.invite.code.added"];
    const events = await readEvents(target(), { types, aggregateId: userId });
    expect([exitCode, events.length], stderr).toEqual(version === "v2" ? [5, 0] : [0, 1]);
  });
});
