import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const journalName = "body.json.journal.ndjson";

/** A job of 30 users of which the second call failed. */
async function stoppedJob() {
  const mock = await startMock({ seed });
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  mock.addFault({ endpoint: "import", fault: "not-json", skip: 1 });
  const flags = [file, "--batch-users", "10", "--concurrency", "1"];
  await importJson(flags, { cwd, env: mock.env });
  mock.clearFaults();
  const journal = join(cwd, journalName);
  const run = (...more: string[]) => importJson([...flags, ...more], { cwd, env: mock.env });
  return { mock, cwd, journal, run };
}

test("a changed digit anywhere in the journal is exit 3 with its line, and nothing is sent", async () => {
  const { mock, journal, run } = await stoppedJob();
  const good = readFileSync(journal, "utf8");
  const digits = [...good.matchAll(/\d/g)].map(({ index }) => index);
  const sent = mock.requests.length;
  for (const at of digits.filter((_, n) => n % 7 === 0)) {
    const other = good[at] === "9" ? "8" : "9";
    writeFileSync(journal, good.slice(0, at) + other + good.slice(at + 1));
    const { report, stderr } = await run("--resume");
    const line = good.slice(0, at).split("\n").length;
    expect(report.exitCode).toBe(3);
    expect(report.problems[0]?.["code"]).toMatch(/^journal\.(broken|other-version)$/);
    if (line > 1) expect(stderr).toContain(`${journalName}:${line}:`);
  }
  expect(mock.requests.length).toBe(sent);
  writeFileSync(journal, good);
  expect((await run("--resume")).report).toMatchObject({ exitCode: 0, users: { read: 30, created: 30 } });
});

test("a journal that was cut within its first line is damaged for every command; --restart replaces it", async () => {
  const { mock, cwd, journal, run } = await stoppedJob();
  writeFileSync(journal, readFileSync(journal, "utf8").slice(0, 150));
  const sent = mock.requests.length;
  const hint =
    "Start again with --restart: existing users are counted as already there (undo will not know the users of that run)";
  for (const { exitCode, stderr } of [
    await run(),
    await run("--resume"),
    await runCli(["status", journalName], { cwd, env: mock.env }),
  ]) {
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`${journalName}:1: this line is damaged`);
    expect(stderr).toContain(hint);
  }
  expect(mock.requests.length).toBe(sent);
  const { report, stderr } = await run("--restart");
  expect(report).toMatchObject({ exitCode: 0, users: { read: 30 } });
  expect(stderr).toContain("cannot be read: undo will not know the users of that part");
  expect(stderr).not.toContain("another job");
});

test("a resumed run that does not get to sending tells what the job came to so far, and how to go on", async () => {
  const { mock, journal, run } = await stoppedJob();
  mock.addFault({ endpoint: "events", fault: "reset-before" });
  const { report, stderr } = await run("--resume");
  expect(report).toMatchObject({ exitCode: 6, users: { read: 30, sent: 20, created: 10, unknown: 10, notSent: 10 } });
  expect(report.resume).toContain("--resume");
  expect(stderr).toContain("To continue:");
  expect(existsSync(journal)).toBe(true);
});

test("two runs on one journal: the second is refused, and the first is not disturbed", async () => {
  const mock = await startMock({ seed });
  mock.addFault({ endpoint: "import", fault: "latency", delay: "300ms" });
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  const args = [file, "--batch-users", "10"];
  const first = importJson(args, { cwd, env: mock.env });
  while (!existsSync(join(cwd, journalName))) await new Promise((done) => setTimeout(done, 5));
  for (const flag of ["--resume", "--restart", "--json"]) {
    const { report, stderr } = await importJson([...args, flag], { cwd, env: mock.env });
    expect(report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.locked" }] });
    expect(stderr).toContain(`in use by another run (process ${process.pid} on `);
  }
  expect((await first).report).toMatchObject({ exitCode: 0, users: { read: 30, sent: 30, created: 30 } });
  expect(readdirSync(cwd)).toEqual([file, `${file}.manifest.ndjson`]);
});

test("the journal goes away only when the report is written", async () => {
  const { cwd, journal, mock, run } = await stoppedJob();
  const args = ["import", "body.json", "--batch-users", "10", "--resume"];
  if (existsSync("/dev/full")) {
    const full = await runCli([...args, "--report", "/dev/full"], { cwd, env: mock.env });
    expect(full.exitCode).toBe(3);
    expect(full.stderr).toContain("/dev/full: no space left on the disk. Free some space, or choose another path with");
    expect(full.stderr).not.toContain("removed");
    expect(full.stderr).toMatch(
      /^warning: all users were sent, and only the report is missing\. To write it, run this with another path for --report: orgferry import body\.json .*--resume$/m,
    );
    expect(existsSync(journal)).toBe(true);
  }
  const { report } = await run("--resume");
  expect(report).toMatchObject({ exitCode: 0, users: { read: 30, sent: 30, created: 30 } });
  expect(readdirSync(cwd)).toEqual(["body.json", "body.json.manifest.ndjson"]);
});

test("the journal is there as long as the target is compared", async () => {
  const { cwd, journal, mock } = await stoppedJob();
  mock.addFault({ endpoint: "events", fault: "latency", delay: "400ms" });
  const before = mock.requests.length;
  const importsOf = (): number => mock.requests.slice(before).filter(({ path }) => path.endsWith("/import")).length;
  const run = importJson(["body.json", "--batch-users", "10", "--resume", "--verify"], { cwd, env: mock.env });
  const isComparing = (): boolean =>
    importsOf() === 2 && mock.requests.at(-1)?.path.endsWith("/events/_search") === true;
  let seen = false;
  void run.finally(() => {
    seen = true;
  });
  while (!isComparing() && !seen) await new Promise((done) => setTimeout(done, 5));
  expect(existsSync(journal)).toBe(true);
  expect((await run).report).toMatchObject({ exitCode: 0, users: { created: 30 }, found: 30 });
  expect(existsSync(journal)).toBe(false);
});

test("a journal that is a link is refused, and its target stays unchanged", async () => {
  const { cwd, journal, run } = await stoppedJob();
  symlinkSync(journal, join(cwd, "link"));
  const content = readFileSync(journal, "utf8");
  for (const flag of ["--resume", "--restart", "--json"]) {
    const { report } = await run("--journal", "link", flag);
    expect(report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.link" }] });
  }
  expect(readFileSync(journal, "utf8")).toBe(content);
  expect(readdirSync(cwd).sort()).toEqual(["body.json", journalName, "body.json.manifest.ndjson", "link"]);
});

test("a journal of an earlier version is refused as one", async () => {
  const { journal, run } = await stoppedJob();
  const [first = ""] = readFileSync(journal, "utf8").split("\n");
  const { checksum: _, ...job } = JSON.parse(first) as Record<string, unknown>;
  writeFileSync(journal, `${JSON.stringify({ ...job, schemaVersion: 1 })}\n`);
  const { report, stderr } = await run("--resume");
  expect(report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.other-version" }] });
  expect(stderr).toContain("--restart");
  expect((await run("--restart")).report).toMatchObject({ exitCode: 0, users: { read: 30, sent: 30 } });
});

test.each([
  ["continues an unfinished import", "To continue the unfinished import", "--resume", 30],
  ["replaces the unfinished import of other users", "To do it", "--restart", 5],
])("the command that a dry run names %s", async (_, why, flag, created) => {
  const { mock, cwd, run } = await stoppedJob();
  if (flag === "--restart") writeFileSync(join(cwd, "body.json"), testBody(testUsers(5, 31)));
  const { stderr, exitCode } = await run("--dry-run");
  expect(exitCode, stderr).toBe(0);
  const command = `import body.json --batch-users 10 --concurrency 1 --json ${flag}`;
  expect(stderr).toContain(`\n${why}: orgferry ${command}\n`);
  const { stdout } = await runCli(command.split(" "), { cwd, env: mock.env });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, users: { created } });
});
