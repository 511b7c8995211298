import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** An import that stopped after its first calls. */
async function unfinished() {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(9)));
  mock.addFault({ endpoint: "import", fault: "401", skip: 2 });
  const { exitCode, stderr } = await runCli(["import", file, "--batch-users", "2"], { cwd, env: mock.env });
  expect(exitCode, stderr).toBe(4);
  return { mock, cwd, file, journal: `${file}.journal.ndjson` };
}

async function status(cwd: string, ...args: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCli(["status", "--json", ...args], { cwd });
  return { report: JSON.parse(stdout), stderr, exitCode };
}

test("an unfinished import: what is done and left, and the command that continues it", async () => {
  const { mock, cwd, file, journal } = await unfinished();
  const before = readFileSync(join(cwd, journal), "utf8");
  for (const args of [[], [journal]]) {
    const { report, stderr, exitCode } = await status(cwd, ...args);
    expect(exitCode, stderr).toBe(0);
    const users = { settled: 4, created: 4, alreadyThere: 0, failed: 0, left: 5 };
    const resume = `orgferry import ${file} --target ${mock.url} --batch-users 2 --resume`;
    expect(report.imports).toEqual([{ journal, input: file, target: mock.url, users, resume }]);
    expect(stderr).toContain("4 done = 4 created + 0 already there + 0 failed · 5 left");
  }
  expect(readFileSync(join(cwd, journal), "utf8")).toBe(before);
  const { stdout } = await runCli(["status"], { cwd });
  expect(stdout).toContain(`continue: orgferry import ${file} `);
});

test("a folder: all of its journals, with paths that the command takes", async () => {
  const { cwd, file, journal } = await unfinished();
  const folder = cwd.slice(0, cwd.lastIndexOf("/"));
  const name = cwd.slice(folder.length + 1);
  const { report, stderr } = await status(folder, name);
  expect(report.imports, stderr).toMatchObject([{ journal: join(name, journal), input: join(name, file) }]);
  expect((await status(tempDir(), ".")).report).toMatchObject({ exitCode: 0, imports: [] });
});

const OTHER_FLAGS = "(with the other flags of the interrupted command)";

test("the command has the flags of the newest run, as that run printed it", async () => {
  const { mock, cwd, file, journal } = await unfinished();
  const first = await status(cwd);
  expect(first.stderr).toContain(`continue: orgferry import ${file} --target ${mock.url} --batch-users 2 --resume`);
  expect(first.stderr).not.toContain(OTHER_FLAGS);
  mock.addFault({ endpoint: "import", fault: "401" });
  const args = ["import", file, "--max-rate", "50", "--rejects", "it's failed", "--resume"];
  const second = await runCli(args, { cwd, env: mock.env });
  expect(second.exitCode, second.stderr).toBe(4);
  const [{ resume }] = (await status(cwd, journal)).report.imports;
  expect(resume).toContain(`--max-rate 50 --rejects 'it'\\''s failed' --resume`);
  expect(second.stderr).toContain(`  ${resume}\n`);
});

test("from another folder, the command first goes to the folder of the run", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const cwd = tempDir();
  mkdirSync(join(cwd, "my files"));
  const file = join("my files", "body.json");
  writeFileSync(join(cwd, file), testBody(testUsers(9)));
  mock.addFault({ endpoint: "import", fault: "401", skip: 2 });
  const { exitCode, stderr } = await runCli(["import", file, "--batch-users", "2"], { cwd, env: mock.env });
  expect(exitCode, stderr).toBe(4);
  const command = `orgferry import 'my files/body.json' --target ${mock.url} --batch-users 2 --resume`;
  const resumeIn = async (...args: Parameters<typeof status>) => (await status(...args)).report.imports[0].resume;
  expect(await resumeIn(cwd, "my files")).toBe(command);
  expect(await resumeIn(join(cwd, "my files"))).toBe(`cd .. && ${command}`);
  renameSync(join(cwd, "my files"), join(cwd, "other"));
  mkdirSync(join(cwd, "my files"));
  expect(await resumeIn(join(cwd, "my files"), "../other")).toBe(`cd .. && ${command}`);
});

test("a journal under another name than the run gave it, or without a command: the flags are left to add", async () => {
  const { mock, cwd, file, journal } = await unfinished();
  renameSync(join(cwd, journal), join(cwd, "kept.journal.ndjson"));
  const renamed = await status(cwd);
  const resume = `orgferry import <file> --target ${mock.url} --journal kept.journal.ndjson --resume`;
  expect(renamed.report.imports).toMatchObject([{ resume }]);
  expect(renamed.stderr).toContain(OTHER_FLAGS);
  const long = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  long.addFault({ endpoint: "import", fault: "401", skip: 2 });
  const pairs = Array.from({ length: 1_000 }, (_, at) => ["--idp", `${"provider-on-the-source"}${at}=${at}`]).flat();
  const args = [file, "--batch-users", "2", "--via", "import", ...pairs];
  expect((await runCli(["import", ...args], { cwd, env: long.env })).exitCode).toBe(4);
  const tooLong = await status(cwd, journal);
  expect(tooLong.report.imports[0].resume).toBe(`orgferry import ${file} --target ${long.url} --resume`);
  expect(tooLong.stderr).toContain(OTHER_FLAGS);
});

test("a journal of version 0.1.0 has no command", async () => {
  const { report, stderr, exitCode } = await status("fixtures/journals", "version-5.ndjson");
  expect(exitCode, stderr).toBe(0);
  expect(report.imports[0].resume).toMatch(/^orgferry import <file> --target \S+ --journal version-5.ndjson --resume$/);
  expect(stderr).toContain(OTHER_FLAGS);
});

test("a record that another run is writing is not cut off", async () => {
  const { cwd, journal } = await unfinished();
  appendFileSync(join(cwd, journal), '{"half');
  const before = readFileSync(join(cwd, journal), "utf8");
  expect((await status(cwd)).report.imports[0].users.settled).toBe(4);
  expect(readFileSync(join(cwd, journal), "utf8")).toBe(before);
});

test("a changed input: how many users are left is not known", async () => {
  const { cwd, file } = await unfinished();
  appendFileSync(join(cwd, file), "\n");
  expect((await status(cwd)).report.imports[0].users).not.toHaveProperty("left");
});

test("an import that runs is named with its process", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(9)));
  mock.addFault({ endpoint: "import", fault: "latency", delay: 60_000, skip: 1 });
  const stop = new AbortController();
  const answered = mock.answered("/import");
  const running = runCli(["import", file, "--batch-users", "2"], { cwd, env: mock.env, signal: stop.signal });
  await answered;
  const { report, stderr } = await status(cwd);
  expect(report.imports[0].running).toMatchObject({ pid: process.pid, isSure: true });
  expect(stderr).toContain(`running:  yes (process ${process.pid}`);
  expect(report.imports[0].running).not.toHaveProperty("usersPerSecond");
  stop.abort(new Error("over"));
  await running.catch(() => {});
});

test("a running import has a rate and a time, except after an earlier run", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(9)));
  mock.addFault({ endpoint: "import", fault: "latency", delay: 1_200, skip: 1, times: 2 });
  mock.addFault({ endpoint: "import", fault: "latency", delay: 60_000, skip: 3 });
  const stop = new AbortController();
  const fourth = mock.arrived("/admin/v1/import", 4);
  const running = runCli(["import", file, "--batch-users", "2"], { cwd, env: mock.env, signal: stop.signal });
  await fourth;
  const { report, stderr } = await status(cwd);
  expect(report.imports[0].users).toMatchObject({ settled: 6, left: 3 });
  expect(report.imports[0].running.usersPerSecond).toBeGreaterThan(0.5);
  expect(report.imports[0].running.usersPerSecond).toBeLessThan(6);
  expect(stderr).toMatch(/rate: {5}[\d.]+ users per second, about [\d.]+ s left/);
  stop.abort(new Error("over"));
  await running.catch(() => {});
  const again = new AbortController();
  const call = mock.arrived("/admin/v1/import", 1);
  const second = runCli(["import", file, "--resume"], { cwd, env: mock.env, signal: again.signal });
  await call;
  expect((await status(cwd)).report.imports[0].running).not.toHaveProperty("usersPerSecond");
  again.abort(new Error("over"));
  await second.catch(() => {});
});

test("users who are sent one by one are counted as they are done, and the time left is by their own rate", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const unverified = (number: number) =>
    testUser(number, { email: { email: `u${number}@example.com`, isEmailVerified: false } });
  const users = [...testUsers(40), ...Array.from({ length: 30 }, (_, at) => unverified(100 + at))];
  const { cwd, file } = inFolder(testBody(users));
  mock.addFault({ endpoint: "users", fault: "latency", delay: 600 });
  const stop = new AbortController();
  const sixth = mock.arrived("/v2/users/human", 6);
  const args = ["import", file, "--no-mail", "--concurrency", "1"];
  const running = runCli(args, { cwd, env: mock.env, signal: stop.signal });
  await sixth;
  const { report, stderr } = await status(cwd);
  const { users: counts, running: found } = report.imports[0];
  expect(counts.settled).toBeGreaterThan(40);
  expect(counts.settled).toBeLessThan(46);
  expect(found.usersPerSecond ?? 1).toBeLessThan(4);
  expect(found.msLeft).toBeGreaterThan(25 * 400);
  expect(stderr).toMatch(/rate: .*about \d+ s left/);
  stop.abort(new Error("over"));
  await running.catch(() => {});
});

test("no journal: exit 0; a named one that is missing or none: exit 3", async () => {
  expect(await status(tempDir())).toMatchObject({ exitCode: 0, report: { imports: [] } });
  expect((await status(tempDir(), "none.journal.ndjson")).exitCode).toBe(3);
  const { cwd, file } = inFolder(testBody([]));
  expect((await status(cwd, file)).exitCode).toBe(3);
});

test("a state file of a copy: the instances, how far it was read, and that nothing is left to continue", async () => {
  const seed = { orgs: [{ orgId: "org1", org: { name: "One" }, humanUsers: testUsers(2) }] };
  const [source, target] = [await startMock({ mimic: "v4", seed }), await startMock({ mimic: "v4" })];
  const cwd = tempDir();
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--update", "--state", "night.state"];
  for (const _ of [1, 2]) expect((await runCli(args, { cwd, env })).exitCode).toBe(0);
  const { report, stderr, exitCode } = await status(cwd, "night.state");
  expect(exitCode, stderr).toBe(0);
  const readUntil = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect(report.states).toEqual([{ state: "night.state", source: source.url, target: target.url, readUntil }]);
  expect(stderr).toContain(`state:    of copy, ${source.url} → ${target.url}`);
  expect(stderr).toContain("continue: nothing to continue");
  const text = readFileSync(join(cwd, "night.state"), "utf8");
  appendFileSync(join(cwd, "night.state"), "x");
  expect((await status(cwd, "night.state")).stderr).toContain("damaged or of another version");
  expect(readFileSync(join(cwd, "night.state"), "utf8")).toBe(`${text}x`);
});
