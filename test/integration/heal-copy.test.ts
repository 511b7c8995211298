import { expect, test } from "vitest";
import { testUser, testUsers } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// A copy has no journal: what a run began that was killed, the next copy completes by the target's event log.

const userMetadata = ["u1", "u2", "u3"].map((id) => ({ id, key: "theme", value: "ZGFyaw==" }));
const orgs = [{ orgId: "org1", org: { name: "Org" } }];

/**
 * A source with three users, and an empty target whose list of login names skips two of them; `front.isDown`: it answers no import after a
 * user was deleted.
 */
async function twoInstances() {
  const source = await startMock({ mimic: "v4.15", seed: { orgs } });
  const whole = [{ ...orgs[0], humanUsers: testUsers(3), userMetadata }];
  await call(source, "POST", "/admin/v1/import", { dataOrgs: { orgs: whole }, timeout: "9s" });
  const target = await startMock({ mimic: "v4.15", seed: { orgs } });
  const front = { isDown: false, skips: ["u1", "u2"] };
  const url = await startFront(target, (path) => {
    // The lists are asked after everything was sent.
    if (path === "/v2/users") for (const id of front.skips.splice(0)) target.skipUser(id, "login names");
    const isCutOff = front.isDown && path === "/admin/v1/import" && deletions(target).length > 0;
    return isCutOff ? { status: 503, body: {} } : undefined;
  });
  return { source, target, cwd: tempDir(), url, front };
}

async function call(mock: TestMock, method: string, path: string, body: object, token = mock.token): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${mock.url}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

type World = Awaited<ReturnType<typeof twoInstances>>;

async function copy({ source, target, cwd, url }: World, args: readonly string[] = []) {
  const env = {
    ZITADEL_EXPORT_DOMAIN: source.url,
    PAT_EXPORT_TOKEN: source.token,
    ZITADEL_IMPORT_DOMAIN: url,
    PAT_IMPORT_TOKEN: target.token,
  };
  const flags = ["--org-id", "org1", "--with-passwords", "--settle", "1s", "--yes", "--json", ...args];
  const { exitCode, stdout, stderr } = await runCli(["copy", ...flags], { cwd, env });
  return { exitCode, stderr, report: JSON.parse(stdout) };
}

/** The ids of the users that a call deleted. */
const deletions = (mock: TestMock): readonly string[] =>
  mock.requests.flatMap(({ method, path }) => {
    const [, id] = (method === "DELETE" && /^.v2.users.([^/]+)$/.exec(path)) || [];
    return id === undefined ? [] : [id];
  });

for (const flags of [[], ["--update"]])
  test(`a copy recreates users who lost their login names ${flags.join(" ")}`, async () => {
    const world = await twoInstances();
    const { report, stderr } = await copy(world, [...flags, "--verify"]);
    expect(report, stderr).toMatchObject({
      exitCode: 0,
      users: { created: 3, failed: 0 },
      healed: { users: 2 },
      cannotSignIn: [],
      differentCount: 0,
    });
    expect([...deletions(world.target)].sort()).toEqual(["u1", "u2"]);
    expect((await copy(world, flags)).report).toMatchObject({ exitCode: 0, cannotSignInCount: 0 });
    expect([...deletions(world.target)].sort()).toEqual(["u1", "u2"]);
  });

test("--no-heal and --max-deletes 0 only report", async () => {
  for (const flags of [["--no-heal"], ["--update", "--max-deletes", "0", "--delete"]]) {
    const world = await twoInstances();
    const { report, stderr } = await copy(world, flags);
    expect(report, stderr).toMatchObject({ exitCode: 1, cannotSignInCount: 2 });
    expect(deletions(world.target)).toEqual([]);
  }
});

for (const flags of [[], ["--update"], ["--update", "--state", "copy.state"], ["--no-heal"]])
  test(`the next copy recreates a user that a copy had deleted when it ended ${flags.join(" ")}`, async () => {
    const world = await twoInstances();
    world.front.isDown = true;
    const first = await copy(
      world,
      flags.filter((flag) => flag !== "--no-heal"),
    );
    expect(first.exitCode, first.stderr).toBe(6);
    const [deleted = ""] = deletions(world.target);
    expect(first.stderr).toContain(
      `1 user without a login name was deleted, and may not be recreated yet: ${deleted}.`,
    );
    world.front.isDown = false;
    const second = await copy(world, [...flags, "--verify"]);
    // The copy that ended created the other one too: that user exists by now, and is named.
    expect(second.report, second.stderr).toMatchObject({
      exitCode: 1,
      users: { created: 1, failed: 0 },
      cannotSignInCount: 1,
      differentCount: 0,
    });
    expect(deletions(world.target)).toHaveLength(1);
  });

test("users who existed before the copy are named, and not deleted, also if an earlier copy created them", async () => {
  const world = await twoInstances();
  world.front.skips.length = 0;
  expect((await copy(world)).exitCode).toBe(0);
  world.target.skipUser("u1", "login names");
  for (const flags of [[], ["--update"], ["--update", "--delete"]]) {
    const { report, stderr } = await copy(world, flags);
    expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 0 }, cannotSignIn: ["u1"] });
    expect(report).not.toHaveProperty("healed");
  }
  expect(deletions(world.target)).toEqual([]);
});

test("users that another account created on the target are named, and not deleted", async () => {
  const world = await twoInstances();
  world.target.addToken("of-another", { userId: "another", roles: ["IAM_OWNER"] });
  const entry = { orgId: "org1", humanUsers: [testUser(1)] };
  await call(world.target, "POST", "/admin/v1/import", { dataOrgs: { orgs: [entry] }, timeout: "9s" }, "of-another");
  const { report, stderr } = await copy(world);
  expect(report, stderr).toMatchObject({ exitCode: 1, healed: { users: 1 }, cannotSignIn: ["u1"] });
  expect(deletions(world.target)).toEqual(["u2"]);
});

test("a user that another account deleted meanwhile stays a conflict", async () => {
  const world = await twoInstances();
  world.target.addToken("of-another", { userId: "another", roles: ["IAM_OWNER"] });
  expect((await copy(world, ["--update"])).exitCode).toBe(0);
  await call(world.target, "DELETE", "/v2/users/u3", {}, "of-another");
  const { report, stderr } = await copy(world, ["--update"]);
  expect(report, stderr).toMatchObject({ exitCode: 1, update: { conflict: [{ userId: "u3", reason: "removed" }] } });
  // A user who does not exist is not one who lacks a login name.
  expect(report).toMatchObject({ cannotSignInCount: 0 });
  expect((await copy(world, ["--update", "--prefer", "target"])).exitCode).toBe(0);
});
