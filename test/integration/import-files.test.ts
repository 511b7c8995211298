import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };

function parts(...bodies: readonly string[]): string {
  const cwd = tempDir();
  for (const [at, body] of bodies.entries()) writeFileSync(join(cwd, `part-${at + 1}.json`), body);
  return cwd;
}

test("several files, or a pattern, are one job with one report, and a fault has its own file and line", async () => {
  const mock = await startMock({ seed });
  await mock.importOrgs([{ orgId: "org1", humanUsers: [testUser(99, { userName: "user14@example.com" })] }]);
  const cwd = parts(testBody(testUsers(10)), testBody(testUsers(10, 11)));
  const { report, stderr } = await importJson(["part-*.json", "--rejects", "failed"], { cwd, env: mock.env });
  expect(report).toMatchObject({
    exitCode: 1,
    users: { read: 20, created: 19, failed: 1 },
    failures: [{ id: "u14", file: "part-2.json", line: 5 }],
    files: [{ path: "part-1.json" }, { path: "part-2.json" }],
  });
  expect(stderr).toContain("(part-2.json:5)");
  expect(JSON.parse(readFileSync(join(cwd, "failed/reasons.ndjson"), "utf8"))).toMatchObject({
    file: "part-2.json",
    line: 5,
  });
  expect(readdirSync(cwd).sort()).toEqual(["failed", "part-1.json", "part-1.json.manifest.ndjson", "part-2.json"]);
});

test("an invalid user of any file keeps all from being sent, and is named with its file", async () => {
  const mock = await startMock({ seed });
  const cwd = parts(testBody(testUsers(3)), testBody([testUser(4), testUser(5, { email: { email: "no" } })]));
  const { report, stderr } = await importJson(["part-1.json", "part-2.json"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 3, users: { read: 5, sent: 0 } });
  expect(stderr).toContain("part-2.json:3");
  expect(mock.requests.filter(({ path }) => path.endsWith("/import"))).toEqual([]);
});

test("a job of several files continues with the same files only", async () => {
  const mock = await startMock({ seed });
  const cwd = parts(testBody(testUsers(20)), testBody(testUsers(20, 21)), testBody(testUsers(2, 41)));
  mock.addFault({ endpoint: "import", fault: "500", skip: 2 });
  const flags = ["--batch-users", "10", "--concurrency", "1"];
  const { report, stderr } = await importJson(["part-1.json", "part-2.json", ...flags], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 5, users: { created: 20, unknown: 10, notSent: 10 } });
  expect(stderr).toContain("orgferry import part-1.json part-2.json ");
  expect(existsSync(join(cwd, "part-1.json.journal.ndjson"))).toBe(true);
  mock.clearFaults();
  const other = await importJson(["part-1.json", "part-3.json", "--resume"], { cwd, env: mock.env });
  expect(other.report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.other-input" }] });
  const again = await importJson(["part-1.json", "part-2.json", ...flags, "--resume"], { cwd, env: mock.env });
  expect(again.report).toMatchObject({ exitCode: 0, users: { read: 40, created: 40, unknown: 0 } });
});

test.each([
  [["part-1.json", "-"], 2, "usage.conflict"],
  [["-", "--shard", "1/2"], 2, "usage.conflict"],
  [["part-1.json", "--shard", "auto"], 2, "usage.no-shard"],
  [["part-9*.json"], 3, "input.missing"],
  [["part-1.json", "part-2.json"], 3, "input.not-joinable"],
  [["part-1.json", "part-3.json"], 3, "input.not-joinable"],
] as const)("%j is refused", async (args, exitCode, code) => {
  const mock = await startMock({ seed });
  // Of two lists of organizations one would be lost.
  const twice = '{"dataOrgs":{"orgs":[{"orgId":"a"}],"orgs":[{"orgId":"b"}]}}';
  const cwd = parts(testBody(testUsers(1)), '{"orgs":[]}', twice);
  const { report } = await importJson(args, { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode, problems: [{ code }] });
});

test("each shard sends its own files, one without any says so, and the merged report adds up", async () => {
  const mock = await startMock({ seed });
  const cwd = parts(testBody(testUsers(5)), testBody(testUsers(5, 6)), testBody(testUsers(5, 11)));
  for (const index of [0, 1, 2, 3]) {
    const env = { ...mock.env, JOB_COMPLETION_INDEX: String(index), JOB_COMPLETIONS: "4" };
    const args = ["part-*.json", "--shard", "auto", "--report", `${index}.report.json`];
    const { report } = await importJson(args, { cwd, env });
    const created = index < 3 ? 5 : 0;
    expect(report).toMatchObject({
      exitCode: 0,
      users: { read: created, created },
      shard: { index: index + 1, of: 4 },
    });
  }
  const merged = await runCli(["report", "merge", "*.report.json", "--json"], { cwd });
  expect(merged.exitCode).toBe(0);
  expect(JSON.parse(merged.stdout)).toMatchObject({
    command: "report merge",
    isWhole: true,
    shards: 4,
    users: { read: 15, sent: 15, created: 15, alreadyThere: 0 },
  });
  const lacking = await runCli(["report", "merge", "0.report.json", "1.report.json", "3.report.json", "--json"], {
    cwd,
  });
  expect(lacking.exitCode).toBe(3);
  expect(lacking.stderr).toContain("no report of shard 3");
  expect(JSON.parse(lacking.stdout)).toMatchObject({ isWhole: false, problems: [{ code: "shards.missing" }] });
  const foreign = await runCli(["report", "merge", "part-1.json"], { cwd });
  expect(foreign.exitCode).toBe(3);
  expect(foreign.stderr).toContain("not the report of an import with --shard");
});

test("the reports of shards with --update add up, in the report and in words", async () => {
  const mock = await startMock({ seed });
  const cwd = parts(testBody(testUsers(5)), testBody(testUsers(5, 6)));
  await importJson(["part-1.json"], { cwd, env: mock.env });
  for (const shard of ["1/2", "2/2"]) {
    const args = ["part-*.json", "--update", "--shard", shard, "--report", `${shard[0]}.report.json`];
    const { report } = await importJson(args, { cwd, env: mock.env });
    expect(report).toMatchObject({ exitCode: 0 });
  }
  const merged = await runCli(["report", "merge", "*.report.json", "--json"], { cwd });
  const report = JSON.parse(merged.stdout);
  expect(report).toMatchObject({
    users: { read: 10, sent: 5, created: 5, alreadyThere: 0, updated: 0, unchanged: 5, conflict: 0 },
    update: { unchanged: 5, conflict: [] },
  });
  expect(report.update.create).toHaveLength(5);
  expect(merged.stderr).toContain("10 read = 5 sent + 5 unchanged + 0 conflict + 0 not sent + 0 skipped");
  expect(merged.stderr).toContain("5 sent = 5 created + 0 updated + 0 already there + 0 failed + 0 unknown");
});

test("shards with one folder for rejects keep each other's, and the same shard replaces its own", async () => {
  const mock = await startMock({ seed });
  const broken = (number: number) => testUser(number, { email: { email: "no address", isEmailVerified: true } });
  const cwd = parts(testBody([testUser(1), broken(2)]), testBody([testUser(3), broken(4)]));
  for (const shard of ["1/2", "2/2", "1/2"]) {
    const flags = ["--shard", shard, "--skip-invalid", "--rejects", "failed"];
    const { report } = await importJson(["part-*.json", ...flags], { cwd, env: mock.env });
    expect(report.exitCode).toBe(1);
  }
  const rejected = (dir: string) => JSON.parse(readFileSync(join(cwd, dir, "body.json"), "utf8"));
  expect(rejected("failed").dataOrgs.orgs[0].humanUsers).toMatchObject([{ userId: "u2" }]);
  expect(rejected("failed-2").dataOrgs.orgs[0].humanUsers).toMatchObject([{ userId: "u4" }]);
});

test("a killed run leaves no report of an earlier one, which would be taken for its own", async () => {
  const mock = await startMock({ seed, faults: [{ endpoint: "import", fault: "latency", skip: 1, delay: "2s" }] });
  const cwd = parts(testBody(testUsers(20)));
  writeFileSync(join(cwd, "1.report.json"), JSON.stringify({ schemaVersion: 1, command: "import" }));
  const args = ["part-1.json", "--batch-users", "10", "--report", "1.report.json"];
  const underWay = mock.arrived("/admin/v1/import", 2);
  const run = importJson(args, { cwd, env: mock.env });
  await underWay;
  expect(existsSync(join(cwd, "1.report.json"))).toBe(false);
  expect((await run).exitCode).toBe(0);
  expect(existsSync(join(cwd, "1.report.json"))).toBe(true);
});

test("merged reports end as the worst shard did, and say which it is", async () => {
  const mock = await startMock({ seed });
  const cwd = parts(testBody(testUsers(5)), testBody(testUsers(5, 6)));
  await importJson(["part-*.json", "--shard", "1/2", "--report", "1.report.json"], { cwd, env: mock.env });
  mock.addFault({ endpoint: "import", fault: "401" });
  await importJson(["part-*.json", "--shard", "2/2", "--report", "2.report.json"], { cwd, env: mock.env });
  const merged = await runCli(["report", "merge", "*.report.json", "--json"], { cwd });
  expect(merged.exitCode).toBe(4);
  expect(JSON.parse(merged.stdout)).toMatchObject({ isWhole: true, unfinished: [{ shard: 2, exitCode: 4 }] });
  expect(merged.stderr).toContain("shard 2 ended with exit code 4");
});

test("several files of one organization are one organization, in the plan, in the result and in a dry run", async () => {
  const mock = await startMock({ seed });
  const cwd = parts(testBody(testUsers(10)), testBody(testUsers(10, 11)), testBody(testUsers(10, 21)));
  const dry = await importJson(["part-*.json", "--dry-run"], { cwd, env: mock.env });
  expect(dry.report).toMatchObject({ exitCode: 0, foreseen: { orgs: [{ orgId: "org1", state: "there" }] } });
  expect(dry.stderr).toContain("organizations: 1 exist");
  const { report, stderr } = await importJson(["part-*.json"], { cwd, env: mock.env });
  expect(stderr).toContain("content:  1 organization, 30 users");
  expect(stderr).toContain("org:      0 created, 1 already there, 0 failed");
  expect(report).toMatchObject({ exitCode: 0, users: { created: 30 } });
});

test("users of a second file wait until the first file has created their organization", async () => {
  const mock = await startMock();
  const named = testBody(testUsers(10)).replace('"orgId":"org1"', '"orgId":"org1","org":{"name":"One"}');
  const cwd = parts(named, testBody(testUsers(10, 11)), named.replaceAll(/"u(ser)?(\d+)/g, '"u$1$200'));
  const args = ["part-*.json", "--concurrency", "4", "--batch-users", "10"];
  const dry = await importJson([...args, "--dry-run"], { cwd, env: mock.env });
  expect(dry.report).toMatchObject({ exitCode: 0, foreseen: { orgs: [{ state: "new" }], users: { new: 30 } } });
  mock.addFault({ endpoint: "import", fault: "latency", delay: "200ms", times: 1 });
  const { report } = await importJson(args, { cwd, env: mock.env });
  expect(report).toMatchObject({
    exitCode: 0,
    users: { created: 30, failed: 0 },
    otherObjects: { org: { created: 1, alreadyThere: 0, failed: 0 } },
  });
});
