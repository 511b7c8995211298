import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const USER = '{"user_id":"auth0|1","email":"ann@example.com","name":"Ann","email_verified":true}\n';
const LEAVER = '{"user_id":"auth0|2","name":"No Address"}\n';
const OTHER = '{"name":"my project","version":"1.0.0"}';

function folderWith(files: Record<string, string>): string {
  const cwd = tempDir();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

const MIGRATE = ["migrate", "auth0", "--org", "1", "--users", "users.json"];

test.each([
  ["--output", "import body"],
  ["--report", "report of orgferry"],
  ["--html", "report of orgferry"],
])("%s replaces no file that orgferry did not write, without --force", async (flag, kind) => {
  const cwd = folderWith({ "users.json": USER, "package.json": OTHER });
  const refused = await runCli([...MIGRATE, flag, "package.json"], { cwd });
  expect(refused.exitCode, refused.stderr).toBe(3);
  expect(refused.stderr).toContain(
    `package.json: exists and is no ${kind}, so it was not replaced. Choose another path with ${flag}, or replace the file with --force.`,
  );
  expect(readFileSync(join(cwd, "package.json"), "utf8")).toBe(OTHER);
  expect(existsSync(join(cwd, "importBody.json"))).toBe(false);
  const forced = await runCli([...MIGRATE, flag, "package.json", "--force"], { cwd });
  expect(forced.exitCode, forced.stderr).toBe(0);
  expect(readFileSync(join(cwd, "package.json"), "utf8")).not.toBe(OTHER);
});

test("another export of Auth0 is not replaced by a body, nor one of several numbered files", async () => {
  const cwd = folderWith({ "users.json": USER, "old.json": USER, "body-0002.json": OTHER });
  expect((await runCli([...MIGRATE, "--output", "old.json"], { cwd })).exitCode).toBe(3);
  writeFileSync(join(cwd, "body-0001.json"), "");
  const split = await runCli([...MIGRATE, "--output", "body.json", "--split", "1"], { cwd });
  expect(split.exitCode, split.stderr).toBe(3);
  expect(split.stderr).toContain("body-0002.json: exists and is no import body");
});

test("a body, a report and a page of an earlier run, and an empty file are replaced", async () => {
  const cwd = folderWith({ "users.json": USER, "b.json": "", "r.json": "", "p.html": "" });
  const args = [...MIGRATE, "--output", "b.json", "--report", "r.json", "--html", "p.html"];
  for (const _ of [1, 2]) expect((await runCli(args, { cwd })).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(join(cwd, "r.json"), "utf8"))).toMatchObject({ exitCode: 0 });
});

test("the input of an unfinished import is not replaced, and is replaced once the import is finished", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "Acme" } }] } });
  const cwd = folderWith({ "users.json": `${USER}${USER.replaceAll(/1|ann/g, "2")}` });
  const migrateAgain = () => runCli([...MIGRATE, "--output", "b.json"], { cwd });
  expect((await migrateAgain()).exitCode).toBe(0);
  mock.addFault({ endpoint: "users", fault: "403", skip: 1 });
  expect((await runCli(["import", "b.json"], { cwd, env: mock.env })).exitCode).toBe(4);
  const { exitCode, stderr } = await migrateAgain();
  expect(exitCode, stderr).toBe(3);
  expect(stderr).toContain(
    "b.json: not replaced, because the import of this file is not finished. Finish it with the command that orgferry status b.json.journal.ndjson prints, delete b.json.journal.ndjson, or choose another path with --output.",
  );
  mock.clearFaults();
  expect((await runCli(["import", "b.json", "--resume"], { cwd, env: mock.env })).exitCode).toBe(0);
  expect((await migrateAgain()).exitCode).toBe(0);
});

test("export and copy --keep replace an export and a file of no other program", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "Acme" }, humanUsers: testUsers(2) }] } });
  const cwd = folderWith({ "mine.json": OTHER });
  const env = { ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  for (const _ of [1, 2]) expect((await runCli(["export", "--output", "e.json"], { cwd, env })).exitCode).toBe(0);
  const before = mock.requests.length;
  const refused = await runCli(["export", "--output", "mine.json"], { cwd, env });
  expect(refused.exitCode, refused.stderr).toBe(3);
  expect(mock.requests).toHaveLength(before);
  const kept = await runCli(["copy", "--keep", "mine.json"], { cwd, env });
  expect(kept.exitCode, kept.stderr).toBe(3);
  expect(readFileSync(join(cwd, "mine.json"), "utf8")).toBe(OTHER);
});

test("no output replaces a file of another kind: an export no import body, a report no export, a body no export", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "Acme" }, humanUsers: testUsers(2) }] } });
  const cwd = folderWith({ "users.json": USER });
  const env = { ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  expect((await runCli([...MIGRATE, "--output", "body.json"], { cwd })).exitCode).toBe(0);
  expect((await runCli(["export", "--output", "org.json"], { cwd, env })).exitCode).toBe(0);
  const files = ["body.json", "org.json"].map((name) => readFileSync(join(cwd, name), "utf8"));
  for (const [args, kind] of [
    [["export", "--output", "body.json"], "export"],
    [["export", "--report", "org.json"], "report of orgferry"],
    [[...MIGRATE, "--output", "org.json"], "import body"],
    [[...MIGRATE, "--html", "body.json", "--output", "other.json"], "report of orgferry"],
  ] as const) {
    const { exitCode, stderr } = await runCli(args, { cwd, env });
    expect(exitCode, stderr).toBe(3);
    expect(stderr).toContain(`exists and is no ${kind}, so it was not replaced.`);
  }
  expect(["body.json", "org.json"].map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(files);
});

test("undo has a --force of its own, which replaces no file", async () => {
  const cwd = folderWith({ "m.ndjson": "{}\n", "mine.json": OTHER });
  const refused = await runCli(["undo", "m.ndjson", "--force", "--report", "mine.json"], { cwd });
  expect(refused.exitCode, refused.stderr).toBe(3);
  expect(refused.stderr).toContain("Choose another path with --report.");
  expect(refused.stderr).not.toContain("--force");
});

test("a body without users is named, also with --quiet", async () => {
  const cwd = folderWith({ "users.json": LEAVER });
  const { exitCode, stderr } = await runCli([...MIGRATE, "--quiet"], { cwd });
  expect(exitCode, stderr).toBe(1);
  expect(stderr).toContain(
    "the import body has no users, because no row could be written: there is nothing to import.",
  );
});
