import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// A running service forgets users now and then while several calls write at the same time: they exist, and no login name leads there
// (service behaviour 0.41). The mock forgets on demand.

const seed = { orgs: [{ orgId: "org1", org: { name: "Org" } }] };
const FORGOTTEN = "body.json.cannot-sign-in.ndjson";

async function run(mock: TestMock, cwd: string, ...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await runCli([...args, "--json"], { cwd, env: mock.env });
  return { exitCode, stderr, report: JSON.parse(stdout) };
}

test("a user who cannot sign in is named, and recreated by the command that the import prints", async () => {
  const mock = await startMock({ seed, faults: [{ endpoint: "users", fault: "nameless", users: 2 }] });
  const { cwd, file } = inFolder(testBody(testUsers(5)));
  const imported = await run(mock, cwd, "import", file, "--no-heal");
  expect(imported.exitCode, imported.stderr).toBe(1);
  expect(imported.report).toMatchObject({
    users: { created: 5, failed: 0 },
    cannotSignIn: ["u1", "u2"],
    cannotSignInCount: 2,
    cannotSignInFile: FORGOTTEN,
  });
  expect(imported.stderr).toContain("2 users cannot sign in");
  expect(imported.stderr).toContain(`u1, u2 (those of this job: ${FORGOTTEN})`);
  expect(imported.stderr).toContain(`orgferry undo ${FORGOTTEN}, then run the same import`);

  mock.clearFaults();
  const undone = await run(mock, cwd, "undo", FORGOTTEN, "--yes");
  expect(undone.report, undone.stderr).toMatchObject({ exitCode: 0, users: { listed: 2, removed: 2 } });
  const again = await run(mock, cwd, "import", file);
  expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { created: 2, alreadyThere: 3 } });
  expect(again.report).toMatchObject({ cannotSignIn: [], cannotSignInCount: 0 });
});

test("a service that only lags behind is waited for", async () => {
  const mock = await startMock({ seed, faults: [{ endpoint: "users", fault: "lag", users: 3, times: 4 }] });
  const { cwd, file } = inFolder(testBody(testUsers(5)));
  const { report, stderr } = await run(mock, cwd, "import", file);
  expect(report, stderr).toMatchObject({ exitCode: 0, cannotSignInCount: 0 });
  expect(existsSync(join(cwd, FORGOTTEN))).toBe(false);
});

test("a user who is in no list is named, also if other users existed before", async () => {
  const mock = await startMock({ seed });
  const before = inFolder(testBody(testUsers(3, 100)));
  await run(mock, before.cwd, "import", before.file);
  mock.addFault({ endpoint: "users", fault: "lag", users: 1 });
  const { cwd, file } = inFolder(testBody(testUsers(5)));
  const { report, stderr } = await run(mock, cwd, "import", file);
  expect(report, stderr).toMatchObject({ exitCode: 1, cannotSignIn: ["u5"], cannotSignInCount: 1 });
  expect(stderr).toContain("1 of them is in no list of the service");
  expect(existsSync(join(cwd, FORGOTTEN))).toBe(true);
  const again = await run(mock, cwd, "import", file);
  expect(again.report).toMatchObject({ exitCode: 1, users: { alreadyThere: 5 }, cannotSignIn: ["u5"] });
  expect((await run(mock, cwd, "verify", file)).report).toMatchObject({ exitCode: 1, cannotSignIn: ["u5"] });
});

test("a user without a login name from before is no user of this import", async () => {
  const mock = await startMock({ seed });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  await run(mock, cwd, "import", file);
  mock.addFault({ endpoint: "users", fault: "nameless", users: 2 });
  const { cwd: other } = inFolder(testBody(testUsers(5).slice(2)));
  const { report, stderr } = await run(mock, other, "import", "body.json");
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 3 }, cannotSignInCount: 0 });
});

test("an import from stdin has no file for undo and says so", async () => {
  const mock = await startMock({ seed, faults: [{ endpoint: "users", fault: "nameless", users: 1 }] });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const stdin = readFileSync(join(cwd, file));
  const { stderr, exitCode } = await runCli(["import", "-"], { cwd, env: mock.env, stdin });
  expect(exitCode, stderr).toBe(1);
  expect(stderr).toContain("To recreate them: delete them, then run the same import");
});

test("where the service does not tell its users, nothing is said", async () => {
  const mock = await startMock({ seed, faults: [{ endpoint: "users", fault: "403" }] });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const { report, stderr } = await run(mock, cwd, "import", file);
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 3 } });
  expect(report).not.toHaveProperty("cannotSignIn");
});

test("where the service fails to answer, the exit code says that it is unknown", async () => {
  const mock = await startMock({ seed, faults: [{ endpoint: "users", fault: "500" }] });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const { report, stderr } = await run(mock, cwd, "import", file);
  expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 3, failed: 0 } });
  expect(report).not.toHaveProperty("cannotSignIn");
  expect(stderr).toContain("unknown whether all created users can sign in: ");
  const quiet = await runCli(["verify", file, "--quiet"], { cwd, env: mock.env });
  expect(quiet.exitCode).toBe(1);
  expect(quiet.stderr).toContain("unknown whether all created users can sign in: ");
});

test("verify names existing users who cannot sign in", async () => {
  const mock = await startMock({ seed });
  const { cwd, file } = inFolder(testBody(testUsers(4)));
  await run(mock, cwd, "import", file);
  expect((await run(mock, cwd, "verify", file)).report).toMatchObject({ exitCode: 0, cannotSignInCount: 0 });
  mock.addFault({ endpoint: "users", fault: "nameless", users: 1 });
  const { report, stderr } = await run(mock, cwd, "verify", file);
  expect(report, stderr).toMatchObject({ exitCode: 1, found: 4, differentCount: 0, cannotSignIn: ["u1"] });
  expect(stderr).toContain("1 user cannot sign in");
});

test("with --quiet the reason is still the failed users, if there are any", async () => {
  const mock = await startMock({ seed, faults: [{ endpoint: "users", fault: "nameless", users: 1 }] });
  const taken = { ...testUsers(1)[0], userId: "other" };
  const { cwd, file } = inFolder(testBody([...testUsers(2), taken]));
  const { stderr, exitCode } = await runCli(["import", file, "--quiet", "--no-heal"], { cwd, env: mock.env });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("1 user cannot sign in");
  expect(stderr).toContain("of 3 users, 1 failed");
});
