import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testBody, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const org = { orgId: "org1", org: { name: "One" } };
/** The service refuses u2. */
const users = [testUser(1), testUser(2, { phone: { phone: "+x", isPhoneVerified: true } }), testUser(3)];

const copyEnv = (source: TestMock, target: TestMock): Record<string, string> => ({
  ...target.env,
  ZITADEL_EXPORT_DOMAIN: source.url,
  PAT_EXPORT_TOKEN: source.token,
});

test.each([
  ["import", ["import", "body.json"]],
  ["copy", ["copy", "--org-id", "org1", "--with-passwords"]],
])("%s finds a folder of rejects that cannot be written before its first call", async (_, argv) => {
  const source = await startMock({ seed: { orgs: [{ ...org, humanUsers: [testUser(1)] }] } });
  const target = await startMock({ seed: { orgs: [org] } });
  const cwd = tempDir();
  writeFileSync(join(cwd, "body.json"), testBody(users));
  writeFileSync(join(cwd, "notes"), "mine");
  const before = source.requests.length + target.requests.length;
  for (const [dir, words] of [
    ["notes", "notes: is a file, and must be a folder."],
    ["body.json/failed", "body.json/failed: cannot be written (ENOTDIR)."],
    ["/proc/failed", "/proc/failed/reasons.ndjson: cannot be written (ENOENT)."],
  ] as const) {
    const { exitCode, stderr } = await runCli([...argv, "--rejects", dir], { cwd, env: copyEnv(source, target) });
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining(words) });
    expect(stderr).toMatch(/ Choose a writable path with --rejects\.\n$/);
  }
  expect(source.requests.length + target.requests.length).toBe(before);
  expect(readdirSync(cwd)).toEqual(["body.json", "notes"]);
});

/** A target on which, with the first users that arrive, a file takes the place of the folder `failed`. */
async function targetThatLosesFolder(cwd: string, target: TestMock): Promise<string> {
  return startFront(target, (path, body) => {
    if (path.endsWith("/import") && body.includes("userId")) {
      rmSync(join(cwd, "failed"), { recursive: true, force: true });
      writeFileSync(join(cwd, "failed"), "");
    }
    return undefined;
  });
}

test.each([
  ["before its first user fails", "3"],
  // The file of reasons is open when its folder goes.
  ["after its first user failed", "1"],
])("an import whose folder of rejects is lost %s keeps its numbers and its manifest", async (_, batch) => {
  const target = await startMock({ mimic: "v4", seed: { orgs: [org] } });
  const cwd = tempDir();
  mkdirSync(join(cwd, "failed"));
  // A faulty user is a reject before the first call.
  const faulty = batch === "1" ? [{ userId: "u4", user: {} }] : [];
  writeFileSync(join(cwd, "body.json"), testBody([...users, ...faulty]));
  const env = { ...target.env, ZITADEL_IMPORT_DOMAIN: await targetThatLosesFolder(cwd, target) };
  const flags = ["--skip-invalid", "--batch-users", batch];
  const first = await importJson(["body.json", ...flags, "--rejects", "failed", "--html", "page.html"], { cwd, env });
  expect(first.exitCode, first.stderr).toBe(3);
  expect(first.report).toMatchObject({
    users: { sent: 3, created: 2, failed: 1, notSent: 0 },
    manifest: "body.json.manifest.ndjson",
    resume: expect.stringContaining("--resume"),
  });
  expect(first.report.problems.at(-1)).toMatchObject({ code: "output.unwritable" });
  expect(readFileSync(join(cwd, "body.json.manifest.ndjson"), "utf8").match(/"id":"u\d"/g)).toHaveLength(2);
  expect(readFileSync(join(cwd, "page.html"), "utf8")).toContain("2 created");
  expect(first.stderr).toContain("3 sent = 2 created");
  expect(first.stderr).toContain("not finished. To continue:");
  expect(first.stderr).not.toContain("as an import body");
  const again = await importJson(["body.json", ...flags, "--rejects", "others", "--resume"], { cwd, env });
  expect(again.report.users, again.stderr).toMatchObject({ created: 2, failed: 1 });
  expect(readFileSync(join(cwd, "others/body.json"), "utf8")).toContain("u2");
  expect(existsSync(join(cwd, "body.json.journal.ndjson"))).toBe(false);
});

test("a copy whose folder of rejects is lost keeps its numbers and its manifest", async () => {
  const source = await startMock({ mimic: "v4", seed: { orgs: [{ ...org, humanUsers: [testUser(1), testUser(3)] }] } });
  const target = await startMock({ mimic: "v4", seed: { orgs: [{ ...org, humanUsers: [testUser(3)] }] } });
  const cwd = tempDir();
  const env = { ...copyEnv(source, target), ZITADEL_IMPORT_DOMAIN: await targetThatLosesFolder(cwd, target) };
  const argv = ["copy", "--org-id", "org1", "--with-passwords", "--fail-on-existing", "--rejects", "failed", "--json"];
  const { exitCode, stdout, stderr } = await runCli(argv, { cwd, env });
  expect(exitCode, stderr).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    users: { read: 2, sent: 2, created: 1, failed: 1, notSent: 0 },
    manifest: "copy.manifest.ndjson",
    problems: [{ code: "output.unwritable" }, { code: "output.unwritable" }],
  });
  expect(readFileSync(join(cwd, "copy.manifest.ndjson"), "utf8")).toContain('"id":"u1"');
  expect(stderr).toContain("not finished. It is safe to run the same command again");
});
