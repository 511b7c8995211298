import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const acme = { orgId: "1", org: { name: "Acme" } };
/** Of a user who gets an e-mail: the plan would name a number. */
const mailed = testBody([testUser(1, { hashedPassword: undefined })], "1");

test.each([
  ["no role", []],
  ["IAM_OWNER_VIEWER", ["IAM_OWNER_VIEWER"]],
])("a token with %s is refused before the plan", async (_, roles) => {
  const token = "pat-without-rights";
  const mock = await startMock({ seed: { orgs: [acme], tokens: [{ token, userId: "weak", roles }] } });
  const { cwd, file } = inFolder(mailed);
  for (const flags of [[], ["--dry-run"]]) {
    const env = { ...mock.env, PAT_IMPORT_TOKEN: token };
    const { exitCode, stderr } = await runCli(["import", file, "--yes", ...flags], { cwd, env });
    expect(exitCode, stderr).toBe(4);
    expect(stderr).toContain("the token lacks a permission");
    expect(stderr).not.toMatch(/e-mail|messages:|target:/);
  }
});

test("an organization that does not exist is named before the plan, with those that exist, and nothing is sent", async () => {
  const mock = await startMock({ seed: { orgs: [acme] } });
  const { cwd, file } = inFolder(testBody(testUsers(2), "999"));
  for (const flags of [[], ["--dry-run"]]) {
    const { report, stderr } = await importJson([file, ...flags], { cwd, env: mock.env });
    expect(report).toMatchObject({ exitCode: 5, problems: [{ code: "api.org-unknown" }] });
    expect(stderr).toContain("has no organization 999");
    expect(stderr).toContain("1 (Acme)");
    expect(stderr).not.toContain("messages:");
  }
  expect(mock.requests.filter(({ path }) => path.endsWith("/import"))).toEqual([]);
});

test("one of several organizations does not exist: a warning before the plan, and the others are imported", async () => {
  const mock = await startMock({ seed: { orgs: [acme] } });
  const orgs = [
    { orgId: "1", humanUsers: testUsers(1) },
    { orgId: "999", humanUsers: testUsers(1, 2) },
  ];
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" }));
  const { report, stderr } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 1, users: { created: 1, failed: 1 } });
  expect(stderr.split("\n", 1)[0]).toContain("the target has no organization 999");
});

test("export and copy name the organizations that exist", async () => {
  const mock = await startMock({ seed: { orgs: [acme] } });
  const other = await startMock();
  const env = { ...other.env, ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  for (const command of ["export", "copy"]) {
    const { exitCode, stderr } = await runCli([command, "--org-id", "999"], { cwd: tempDir(), env });
    expect(exitCode, stderr).toBe(5);
    expect(stderr).toContain("does not export organization 999");
    expect(stderr).toContain("1 (Acme)");
  }
});

test.each([['"'], ["'"]])("%s around address and token, as an .env file has them: the import runs", async (quote) => {
  const mock = await startMock({ seed: { orgs: [acme] } });
  const { cwd, file } = inFolder(testBody(testUsers(1), "1"));
  const inQuotes = (text: string): string => `${quote}${text}${quote}`;
  const env = { ZITADEL_IMPORT_DOMAIN: inQuotes(mock.url), PAT_IMPORT_TOKEN: inQuotes(mock.token) };
  writeFileSync(join(cwd, "token"), `${inQuotes(mock.token)}\n`, { mode: 0o600 });
  for (const flags of [[], ["--token-file", "token"]]) {
    const { exitCode, stderr } = await runCli(["import", file, "--dry-run", ...flags], { cwd, env });
    expect(exitCode, stderr).toBe(0);
  }
});

test("a line of an .env file in place of a token: the message says what belongs into the file, without the token", async () => {
  const { cwd, file } = inFolder(testBody(testUsers(1), "1"));
  writeFileSync(join(cwd, "token"), "PAT_IMPORT_TOKEN=very-secret\n", { mode: 0o600 });
  const argv = ["import", file, "--target", "http://127.0.0.1:9", "--token-file", "token"];
  const { exitCode, stderr } = await runCli(argv, { cwd });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("token: contains no token. The file must contain the token and nothing else");
  expect(stderr).not.toContain("very-secret");
});
