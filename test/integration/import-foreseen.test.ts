import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { inFolder, type TestUser, testUser } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

/** Imports as a body, so that what is made leaves events. */
async function put(mock: MockServer, ...orgs: readonly object[]): Promise<void> {
  await fetch(`${mock.url}/admin/v1/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.token}` },
    body: JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" }),
  });
}

const body = (...orgs: readonly object[]): string => JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" });
const org = (orgId: string, name: string, humanUsers: readonly TestUser[]) => ({ orgId, org: { name }, humanUsers });

const BCRYPT = "$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE";
const WEAK = BCRYPT.replace("$10$", "$04$");
const ARGON2 = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";

test("a dry run foretells which of two names the service takes for one", async () => {
  const mock = await startMock({ mimic: "v4.15" });
  const named = (id: number, userName: string): TestUser => testUser(id, { userName });
  const users = [named(1, "istanbul"), named(2, "İstanbul"), named(3, "ΑΣ"), named(4, "ας")];
  const { cwd, file } = inFolder(body(org("new", "New", users)));
  const { report } = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 1, foreseen: { users: { new: 3, nameTaken: 1 }, nameTaken: ["u2"] } });
  const real = await importJson([file], { cwd, env: mock.env });
  expect(real.report).toMatchObject({ exitCode: 1, users: { created: 3, failed: 1 }, failures: [{ id: "u2" }] });
});

test("a dry run tells what the run comes to, and changes nothing", async () => {
  const mock = await startMock();
  await put(mock, org("a", "A", [testUser(1), testUser(2)]), org("b", "B", [testUser(3)]), org("gone", "Gone", []));
  mock.removeUser("u3");
  mock.removeOrg("gone");
  const named = testUser(5, { userName: "USER1@example.com" });
  const document = body(
    org("a", "A", [testUser(1), testUser(3), testUser(4), named]),
    org("new", "New", [testUser(6), testUser(7, { userName: "user6@example.com" })]),
    { orgId: "nowhere", humanUsers: [testUser(8)] },
    org("gone", "Gone", [testUser(9)]),
  );
  const { cwd, file } = inFolder(document);
  const { report, stderr } = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  expect(report).toMatchObject({
    exitCode: 1,
    foreseen: {
      orgs: [
        { orgId: "a", state: "there" },
        { orgId: "new", state: "new" },
        { orgId: "nowhere", state: "missing" },
        { orgId: "gone", state: "removed" },
      ],
      users: { new: 2, alreadyThere: 1, elsewhere: 0, nameTaken: 2, removed: 1, withoutOrg: 2 },
    },
  });
  const nameHolders = { u5: "user u1 of organization a" };
  expect(report).toMatchObject({ foreseen: { nameTaken: ["u5", "u7"], nameHolders } });
  expect(stderr).toContain("the name of u5 (USER1@example.com) has user u1 of organization a");
  expect(stderr).toContain("2 with the name of another user (u5 (USER1@example.com), u7 (user6@example.com))");
  expect(stderr).toContain("the run itself would end with exit code 1");
  const real = await importJson([file], { cwd, env: mock.env });
  expect(real.report).toMatchObject({ exitCode: 1, users: { created: 2, alreadyThere: 1, failed: 5 } });
  expect(real.report.failures.find(({ id }) => id === "u5")).toMatchObject({ holder: nameHolders.u5 });
  const causes = real.report.failures
    .filter(({ type }) => type === "human_user")
    .map(({ id, cause }) => `${id} ${cause}`);
  expect(causes.sort()).toEqual([
    "u3 user-removed",
    "u5 user-name-taken",
    "u7 user-name-taken",
    "u8 org-missing",
    "u9 org-removed",
  ]);
  const sent = mock.requests.map(({ body: text = "" }) => text).join("");
  expect(sent.split('"u9"')).toHaveLength(1);
});

test("a dry run against a server without organization search goes by the events", async () => {
  const mock = await startMock({ without: { orgs: 404 } });
  await put(mock, org("a", "A", [testUser(1)]));
  const { cwd, file } = inFolder(body(org("a", "A", [testUser(1)]), { orgId: "nowhere", humanUsers: [testUser(8)] }));
  const { report } = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  expect(report).toMatchObject({
    foreseen: {
      orgs: [
        { orgId: "a", state: "there" },
        { orgId: "nowhere", state: "unknown" },
      ],
    },
  });
});

test("a dry run ends with 1 for users that are there when that counts as a failure", async () => {
  const mock = await startMock();
  await put(mock, org("a", "A", [testUser(1)]));
  const { cwd, file } = inFolder(body(org("a", "A", [testUser(1), testUser(2)])));
  const dry = await importJson([file, "--dry-run", "--verify"], { cwd, env: mock.env });
  expect(dry.report.exitCode).toBe(0);
  expect(dry.stderr).toMatch(/\nTo do it: orgferry import body\.json .*--verify/);
  expect((await importJson([file, "--dry-run", "--fail-on-existing"], { cwd, env: mock.env })).report.exitCode).toBe(1);
});

test.each<[string, "v4.13" | "v4.15", readonly string[], string]>([
  ["other kinds of hashes", "v4.15", [ARGON2, ARGON2, BCRYPT], "hashes of up to 2 users"],
  ["hashes out of the limits", "v4.15", [WEAK, BCRYPT], "hash of 1 user"],
  ["nothing, where the service accepts every hash", "v4.13", [ARGON2, WEAK], ""],
  ["nothing, where all are good", "v4.15", [BCRYPT], ""],
])("without the users API, the last line of a dry run tells of %s", async (_, mimic, hashes, told) => {
  const mock = await startMock({ mimic, without: { users: 404 } });
  const users = hashes.map((value, at) => testUser(at, { hashedPassword: { value } }));
  const { cwd, file } = inFolder(body(org("a", "A", users)));
  const { report, stderr } = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  expect(report.exitCode).toBe(0);
  const [last = ""] = stderr.split("\n").filter((line) => line.startsWith("dry run: "));
  expect(last).toContain("the body is valid");
  if (told === "") expect(last).not.toContain("--probe");
  else
    expect(last).toContain(
      `refuse the password ${told}: orgferry doctor --probe finds out (not needed after a migration with its flags).`,
    );
});

const VERIFIERS = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=argon2";
const MIN_COST = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_BCRYPT_MINCOST=4";

test.each<[string, Parameters<typeof startMock>[0], number, readonly string[]]>([
  ["v4.15 refuses", { mimic: "v4.15" }, 1, ["it refuses new users with these", VERIFIERS, MIN_COST]],
  ["v4.13 accepts and never verifies", { mimic: "v4.13" }, 0, ["these users cannot sign in", VERIFIERS]],
  ["v4.15 accepts", { mimic: "v4.15", verifiers: ["argon2"], limits: { BCRYPT_MINCOST: 4 } }, 0, []],
])("before anything is sent, the settings for hashes that %s are named", async (_, options, exitCode, told) => {
  const mock = await startMock(options);
  const users = [ARGON2, ARGON2, WEAK].map((value, at) => testUser(at, { hashedPassword: { value } }));
  const { cwd, file } = inFolder(body(org("a", "A", users)));
  const dry = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  const real = await importJson([file], { cwd, env: mock.env });
  expect([dry.report.exitCode, real.report.exitCode]).toEqual([exitCode, exitCode]);
  for (const { stderr } of [dry, real]) {
    for (const words of told) expect(stderr).toContain(words);
    if (told.length === 0) expect(stderr).not.toMatch(/_PASSWORDHASHER_|may refuse|not known whether/);
    else expect(stderr).toContain("the target has not enabled the verifier argon2 (2 users)");
  }
});

test("a failure for a missing verifier names the verifiers of the input", async () => {
  const mock = await startMock({ mimic: "v4.15" });
  const { cwd, file } = inFolder(body(org("a", "A", [testUser(1, { hashedPassword: { value: ARGON2 } })])));
  const { exitCode, stderr } = await runCli(["import", file, "--quiet"], { cwd, env: mock.env });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`Set on the target, which lacks one of these: ${VERIFIERS}; or remove the hash.`);
});

test("a user who fails because of a hash limit is shown with the exact setting, also with --quiet and on the page", async () => {
  const mock = await startMock({ mimic: "v4.15" });
  const users = [testUser(1, { hashedPassword: { value: WEAK } }), testUser(2)];
  const { cwd, file } = inFolder(body(org("a", "A", users)));
  const setting =
    "Set on the target: ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_BCRYPT_MINCOST=4; or remove the hash.";
  const quiet = await runCli(["import", file, "--quiet", "--html", "p.html"], { cwd, env: mock.env });
  expect(quiet.exitCode, quiet.stderr).toBe(1);
  expect(quiet.stderr).toContain(setting);
  expect(readFileSync(join(cwd, "p.html"), "utf8")).toContain(setting);
  const { stderr } = await runCli(["import", file], { cwd, env: mock.env });
  expect(stderr).toContain(setting);
});
