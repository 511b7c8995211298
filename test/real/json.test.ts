import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { verifiers } from "../../src/contract/verifiers.ts";
import { runBin } from "../helpers/run-bin.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, createOrg, type Instance, isLong, readEvents, signIn, uniqueId, useInstance } from "./harness.ts";

/** The users of the hashes in fixtures. */
const PASSWORD = "Grüße 42 & Σ";
const ALL = verifiers.filter((name) => name !== "bcrypt" && name !== "drupal7").join(",");
/** The samples have the cheapest hashes. */
const settings = ["BCRYPT_MINCOST=4", "ARGON2_MINMEMORY=8"].map(
  (setting) => `ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_${setting}`,
);

/** Ids belong to the instance: in a test that runs once more, those of the fixtures would be users of the first organization. */
function giveNewIds(path: string, org: string): void {
  let text = readFileSync(path, "utf8");
  const { orgs } = JSON.parse(text).dataOrgs as { orgs: readonly { humanUsers: readonly Entry[] }[] };
  for (const { userId } of orgs.flatMap(({ humanUsers }) => humanUsers))
    text = text.replaceAll(`"${userId}"`, `"${userId}-${org}"`);
  writeFileSync(path, text);
}

interface Entry {
  readonly userId: string;
  readonly state?: string;
  readonly user: { readonly hashedPassword?: object };
}

const versions = [
  ["v415", { verifiers: ALL, settings }],
  ["v4", { verifiers: ALL }],
] as const;

describe.skipIf(!canStart).each(isLong ? versions : versions.slice(0, 1))("%s", (version, options) => {
  const target = useInstance(version, options);

  /** The grants of a user, as the service lists them. */
  async function grantsOf(orgId: string, userId: string): Promise<Readonly<Record<string, readonly string[]>>> {
    const { url, token } = target();
    const response = await fetch(`${url}/management/v1/users/grants/_search`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "x-zitadel-orgid": orgId },
      body: JSON.stringify({ queries: [{ userIdQuery: { userId } }] }),
    });
    type Grants = { result?: readonly { projectId: string; roleKeys: readonly string[] }[] };
    const { result = [] } = (await response.json()) as Grants;
    return Object.fromEntries(result.map(({ projectId, roleKeys }) => [projectId, [...roleKeys].sort()]));
  }

  /** Migrates a file, imports the body, and gives its users. `onBody` may change the body. */
  async function move(
    org: string,
    cwd: string,
    args: readonly string[],
    onBody = (_: string): void => {},
  ): Promise<readonly Entry[]> {
    const migrated = await runBin(["migrate", ...args, "--org", org, "--target-verifiers", `bcrypt,${ALL}`], { cwd });
    expect([0, 1], migrated.stderr).toContain(migrated.exitCode);
    onBody(join(cwd, "importBody.json"));
    const flags = ["--yes", "--verify", "--json"];
    const imported = await runBin(["import", "importBody.json", ...flags], { cwd, env: target().targetEnv });
    expect(imported.exitCode, imported.stdout + imported.stderr).toBe(0);
    return JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8")).dataOrgs.orgs[0].humanUsers;
  }

  /** A fixture with user names that no other one has: they are unique in an instance. */
  function usersOf(preset: string): string {
    const text = readFileSync(join("fixtures/json", preset, "users.json"), "utf8");
    return text.replaceAll("example.com", `${preset}.example`).replaceAll(/"(ann|bo|cy)"/g, `"$1-${preset}"`);
  }

  test.each([
    { preset: "kratos", withHash: 4 },
    { preset: "clerk", withHash: 2 },
    { preset: "logto", withHash: 2 },
    { preset: "fusionauth", withHash: 2 },
    { preset: "supertokens-tables", withHash: 2 },
    { preset: "authentik", withHash: 1 },
  ])("$preset: users with a hash sign in with their former password", async ({ preset, withHash }) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "users.json"), usersOf(preset));
    const org = await createOrg(target(), uniqueId("json"));
    const entries = (await move(org, cwd, ["json"], (body) => giveNewIds(body, org))).filter(
      ({ user }) => user.hashedPassword !== undefined,
    );
    expect(entries).toHaveLength(withHash);
    for (const { userId, state } of entries) {
      const expected = state === "USER_STATE_INACTIVE" ? expect.stringContaining("NotActive") : "signed in";
      // A session is created by the list of users. Its reader learns of a deactivation after the event: on a busy machine, when it looks
      // next, once in a minute.
      await vi.waitFor(
        async () => expect([userId, await signIn(target(), userId, PASSWORD)]).toEqual([userId, expected]),
        { timeout: 90_000, interval: 500 },
      );
    }
  });

  test.each(["firebase", "cognito", "okta", "entra", "scim"])(
    "%s: users without a hash are created",
    async (preset) => {
      const cwd = tempDir();
      const text = readFileSync(join("fixtures/json", preset, "users.json"), "utf8");
      writeFileSync(join(cwd, "users.json"), text.replaceAll("example.com", `${preset}.example`));
      const org = await createOrg(target(), uniqueId("json"));
      const args = ["json", "--unverifiable", "drop", "--email-domain", `users.${preset}.example`];
      expect((await move(org, cwd, args, (body) => giveNewIds(body, org))).length).toBeGreaterThan(1);
    },
  );

  test("a realm's roles and groups are grants on projects that the import created, and may be imported again", async () => {
    const cwd = tempDir();
    const [org, project, shop] = [await createOrg(target(), uniqueId("kc")), uniqueId("portal"), uniqueId("shop")];
    const prefix = uniqueId("realm");
    const realm = readFileSync("fixtures/keycloak/grants/realm-export.json", "utf8");
    writeFileSync(
      join(cwd, "realm-export.json"),
      realm
        .replaceAll("eeef322c", prefix)
        .replaceAll("example.com", `${prefix}.example`)
        .replaceAll(/("username": ")/g, `$1${prefix}-`),
    );
    const rules = [`editor=${project}:editor`, `shop:*=${shop}:*`, `/staff=${project}:staff`];
    const flags = ["keycloak", ...rules.flatMap((rule) => ["--grant", rule]), "--projects", "create"];
    const id = (number: number): string => `${prefix}-0000-4000-8000-${String(number).padStart(12, "0")}`;
    for (let run = 0; run < 2; run += 1) await move(org, cwd, flags);
    expect(await Promise.all([1, 2, 3, 4, 5].map((number) => grantsOf(org, id(number))))).toEqual([
      { [project]: ["editor"] },
      { [project]: ["editor"], [shop]: ["buyer"] },
      { [project]: ["editor", "staff"], [shop]: ["buyer"] },
      {},
      {},
    ]);
  });

  test("users of another organization get roles of a created project by a project grant", async () => {
    const cwd = tempDir();
    const [org, other] = [await createOrg(target(), uniqueId("main")), await createOrg(target(), uniqueId("other"))];
    const [project, ann, bo] = [uniqueId("project"), uniqueId("ann"), uniqueId("bo")];
    const user = (id: string, team?: string): object => ({ id, email: `${id}@example.com`, team, roles: ["editor"] });
    writeFileSync(join(cwd, "users.json"), JSON.stringify([user(ann, "sales"), user(bo)]));
    const map = [
      "--map",
      "userId=id,email=email,org=team,roles=roles",
      "--org-map",
      `sales=${other}`,
      "--email-verified",
    ];
    await move(org, cwd, ["json", ...map, "--grant", `editor=${project}:editor`, "--projects", `${project}=Portal`]);
    expect(await grantsOf(other, ann)).toEqual({ [project]: ["editor"] });
    expect(await grantsOf(org, bo)).toEqual({ [project]: ["editor"] });
  });

  /** The organization that a user belongs to. */
  async function orgOf(userId: string): Promise<string | undefined> {
    const [added] = await readEvents(target(), { types: ["user.human.added"], aggregateId: userId });
    return added?.aggregate.resourceOwner;
  }

  test("users of a realm's organizations belong to those of the target", async () => {
    const cwd = tempDir();
    const [org, initech, globex] = [
      await createOrg(target(), uniqueId("main")),
      await createOrg(target(), uniqueId("initech")),
      await createOrg(target(), uniqueId("globex")),
    ];
    const prefix = uniqueId("realm");
    const realm = readFileSync("fixtures/keycloak/organizations/realm-export.json", "utf8")
      .replaceAll("eeef322c", prefix)
      .replaceAll("example.com", `${prefix}.example`)
      .replaceAll(/("username": ")/g, `$1${prefix}-`);
    writeFileSync(join(cwd, "realm-export.json"), realm);
    const maps = ["--org-map", `initech=${initech}`, "--org-map", `globex=${globex}`];
    await move(org, cwd, ["keycloak", "--org-by", "organization", ...maps]);
    const ids = [1, 2, 3, 4, 5].map((number) => `${prefix}-0000-4000-8000-00000000000${number}`);
    expect(await Promise.all(ids.map(orgOf))).toEqual([initech, initech, globex, globex, org]);
  });

  test("users of an Auth0 tenant's organizations and roles, as fetch writes them", async () => {
    const cwd = tempDir();
    const [org, acme, project] = [
      await createOrg(target(), uniqueId("main")),
      await createOrg(target(), uniqueId("acme")),
      uniqueId("portal"),
    ];
    const ids = ["ann", "bo", "cy"].map((name) => `auth0|${uniqueId(name)}`);
    const [ann = "", bo = "", cy = ""] = ids;
    const seed = {
      sourceUsers: ids.map((id) => ({
        user_id: id,
        email: `${id.slice(6)}@example.com`,
        email_verified: true,
        name: "A B",
      })),
      sourceOrganizations: [{ id: "org_1", name: "acme", members: { [ann]: ["owner"], [bo]: [] } }],
      sourceRoles: [{ id: "rol_1", name: "editor", users: [bo, cy] }],
    };
    const mock = await startMock({ seed });
    const fetched = await runBin(["fetch", "auth0", "--domain", mock.url, "--organizations", "--roles"], {
      cwd,
      env: { AUTH0_TOKEN: mock.token },
    });
    expect(fetched.exitCode, fetched.stderr).toBe(0);
    const grants = ["--grant", `owner=${project}:owner`, "--grant", `editor=${project}:editor`, "--projects", "create"];
    const lists = ["--org-by", "organizations.csv", "--roles-by", "roles.csv", "--org-map", `acme=${acme}`];
    await move(org, cwd, ["auth0", "--users", "users.ndjson", ...lists, ...grants]);
    expect(await Promise.all(ids.map(orgOf))).toEqual([acme, acme, org]);
    const keys = [await grantsOf(acme, ann), await grantsOf(acme, bo), await grantsOf(org, cy)];
    expect(keys).toEqual([{ [project]: ["owner"] }, { [project]: ["editor"] }, { [project]: ["editor"] }]);
  });

  test("a pilot of a copy, and all users later", async () => {
    const source: Instance = target();
    const org = await createOrg(source, uniqueId("pilot"));
    const ids = [1, 2, 3].map((number) => uniqueId(`pilot${number}`));
    const profile = { firstName: "A", lastName: "B" };
    const humanUsers = ids.map((userId) => ({
      userId,
      user: {
        userName: userId,
        profile,
        email: { email: `${userId}@example.com`, isEmailVerified: true },
        password: "Secret-1234",
      },
    }));
    const cwd = tempDir();
    writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs: [{ orgId: org, humanUsers }] } }));
    const run = async (...flags: readonly string[]): Promise<object> => {
      const args = ["import", "body.json", "--via", "import", "--yes", "--verify", "--json", ...flags];
      const { stdout, stderr } = await runBin(args, { cwd, env: source.targetEnv });
      return { ...JSON.parse(stdout), stderr };
    };
    expect(await run("--only", `${ids[1]}@example.com`)).toMatchObject({
      exitCode: 0,
      users: { created: 1 },
      notSelected: 2,
    });
    const added = await readEvents(source, { types: ["user.human.added"], aggregateId: ids[0] ?? "" });
    expect(added).toEqual([]);
    expect(await run()).toMatchObject({ exitCode: 0, users: { created: 2, alreadyThere: 1 }, missing: [] });
  });
});
