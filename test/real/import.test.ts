import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { createOrg, type Instance, importOrgs, readEvents, uniqueId, useInstance } from "./harness.ts";
import { user } from "./rich-orgs.ts";

const noHash = { hashedPassword: undefined };

interface Job {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A folder with that body, and what points orgferry at the instance. */
function job(instance: Instance, ...orgs: readonly object[]): Job {
  const cwd = tempDir();
  writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" }));
  return { cwd, env: instance.targetEnv };
}

async function run(args: readonly string[], { cwd, env }: Job) {
  const { stdout, stderr } = await runBin([...args, "--json"], { cwd, env });
  return { report: JSON.parse(stdout) as Record<string, unknown>, stderr };
}

const typesOf = async (instance: Instance, userId: string): Promise<readonly string[]> =>
  (await readEvents(instance, { types: [], aggregateId: userId })).map(({ type }) => type.type);

describe("import", () => {
  const instance = useInstance();

  test("verified stays verified without a password, and the service sends no e-mail for it", async () => {
    const orgId = await createOrg(instance(), uniqueId("verified"));
    const [ada, bob, cyd] = ["ada", "bob", "cyd"].map(uniqueId) as [string, string, string];
    const email = (id: string) => ({ email: `${id}@example.com` });
    const users = [user(ada), user(bob, noHash), user(cyd, { ...noHash, email: email(cyd) })];
    const work = job(instance(), { orgId, humanUsers: users });
    const { report, stderr } = await run(["import", "body.json", "--yes"], work);
    expect(report, stderr).toMatchObject({
      exitCode: 0,
      users: { created: 3 },
      via: { import: 2, users: 1 },
      mails: 1,
    });
    expect(stderr).toContain("no active e-mail provider");
    expect(await typesOf(instance(), bob)).toContain("user.human.email.verified");
    const verified = await run(["verify", "body.json"], work);
    expect(verified.report, verified.stderr).toMatchObject({ exitCode: 0, missing: [], different: [], mailed: 1 });
  });

  test("--no-mail: the service sends no e-mail, also for users with metadata and links", async () => {
    const orgId = await createOrg(instance(), uniqueId("nomail"));
    const [ada, bob] = ["ada", "bob"].map(uniqueId) as [string, string];
    const unverified = { ...noHash, email: { email: `${ada}@example.com` } };
    const users = [
      user(ada, unverified),
      { ...user(bob, { ...noHash, otpCode: "JBSWY3DPEHPK3PXP" }), state: "USER_STATE_LOCKED" },
    ];
    const userMetadata = [{ id: ada, key: "plan", value: "Z29sZA==" }];
    const work = job(instance(), { orgId, humanUsers: users, userMetadata });
    const { report, stderr } = await run(["import", "body.json", "--no-mail"], work);
    expect(report, stderr).toMatchObject({
      exitCode: 0,
      users: { created: 2 },
      via: { import: 0, users: 2 },
      mails: 0,
    });
    const again = await run(["import", "body.json", "--no-mail"], work);
    expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { created: 0, alreadyThere: 2 }, mails: 0 });
    const verified = await run(["verify", "body.json"], work);
    expect(verified.report, verified.stderr).toMatchObject({ missing: [], different: [], mailed: 0 });
    expect(await typesOf(instance(), ada)).toContain("user.metadata.set");
    const bobs = await typesOf(instance(), bob);
    expect(bobs.filter((type) => type === "user.human.mfa.otp.added")).toHaveLength(1);
    expect(bobs).toContain("user.locked");
  });

  test("a provider that allows no account creation is named for users without a password", async () => {
    const orgId = await createOrg(instance(), uniqueId("closed"));
    const made = await instance().post("/admin/v1/idps/google", { name: "G", clientId: "c", clientSecret: "s" });
    const { id } = made.body as { id: string };
    const [ada, bob] = ["ada", "bob"].map(uniqueId) as [string, string];
    const idps = [{ configId: id, externalUserId: ada, displayName: "Ada" }];
    const userLinks = [{ userId: bob, idpId: id, providedUserId: bob, providedUserName: "Bob" }];
    const humanUsers = [user(ada, { ...noHash, idps }), user(bob)];
    const work = job(instance(), { orgId, humanUsers, userLinks });
    const dry = await run(["import", "body.json", "--dry-run"], work);
    expect(dry.report, dry.stderr).toMatchObject({
      exitCode: 1,
      foreseen: { missingIdps: [], closedIdps: [{ idpId: id, links: 1 }] },
    });
    const { report, stderr } = await run(["import", "body.json", "--yes"], work);
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      users: { created: 1, failed: 1 },
      failures: [{ id: ada, cause: "idp-closed" }],
    });
  });

  test("what would end the service's process is refused with its list and line, and the service lives on", async () => {
    const orgId = uniqueId("crash");
    for (const [list, element] of [
      ["humanUsers", { userId: "u" }],
      ["machineUsers", { userId: "m" }],
      ["projects", { projectId: "p" }],
      ["apiApps", { appId: "a" }],
      ["oidcApps", { appId: "a" }],
      ["projectGrants", { grantId: "g" }],
      ["actions", { actionId: "a" }],
      ["oidcIdps", { idpId: "i" }],
      ["jwtIdps", { idpId: "i" }],
    ] as const) {
      const { report, stderr } = await run(["import", "body.json"], job(instance(), { orgId, [list]: [element] }));
      expect(report, stderr).toMatchObject({ exitCode: 3 });
      expect(stderr).toContain(list);
    }
    expect((await instance().post("/admin/v1/orgs/_search", {})).status).toBe(200);
  });

  test("the dry run reports existing users and the organization to create, and sends nothing", async () => {
    const orgId = await createOrg(instance(), uniqueId("dry"));
    const [ada, bob, fresh] = [uniqueId("ada"), uniqueId("bob"), uniqueId("fresh")];
    await importOrgs(instance(), { orgId, humanUsers: [user(ada)] });
    const orgs = [
      { orgId, humanUsers: [user(ada), user(bob)] },
      { orgId: fresh, org: { name: fresh } },
    ];
    const { report, stderr } = await run(["import", "body.json", "--dry-run"], job(instance(), ...orgs));
    expect(report, stderr).toMatchObject({ exitCode: 0 });
    expect(stderr).toMatch(/organizations: 1 exist, 1 will be created, 0 will fail/);
    expect(stderr).toMatch(/1 new, 1 already there/);
    expect(await readEvents(instance(), { types: ["user.human.added"], aggregateId: bob })).toEqual([]);
  });
});
