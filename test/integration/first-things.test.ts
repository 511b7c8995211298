import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { startRawServer } from "../helpers/raw-server.ts";
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

test.each([
  [200, "text/html", "hi"],
  [404, "text/html", "hi"],
  [200, "application/json", '{"ok":true}'],
  [404, "application/json", '{"code":5,"message":"Not Found"}'],
])("another web server that answers %i %s is named before the plan, and gets no user", async (status, type, body) => {
  const page = `HTTP/1.1 ${status} OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const server = await startRawServer((socket) => socket.end(page));
  const { cwd, file } = inFolder(mailed);
  for (const flags of [[], ["--yes"], ["--no-mail"], ["--dry-run"]]) {
    const env = { ZITADEL_IMPORT_DOMAIN: server.url, PAT_IMPORT_TOKEN: "pat" };
    const { exitCode, stderr } = await runCli(["import", file, ...flags], { cwd, env });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 5,
      stderr: expect.stringMatching(
        /^error: \S+ (answers, but not as ZITADEL|has no administration API|sent an unexpected response: ZITADEL answers)/,
      ),
    });
  }
  expect(server.requests.join("")).not.toContain("humanUsers");
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

test.each(["Bearer <token>", "authorization: bearer  <token>\n", '"Bearer <token>"', 'Bearer "<token>"'])(
  "a header in place of a token (%j): the import runs, and says once that the word was left out",
  async (header) => {
    const mock = await startMock({ seed: { orgs: [acme] } });
    const { cwd, file } = inFolder(testBody(testUsers(1), "1"));
    const text = header.replace("<token>", mock.token);
    const env = { ZITADEL_IMPORT_DOMAIN: mock.url, PAT_IMPORT_TOKEN: text };
    writeFileSync(join(cwd, "token"), text, { mode: 0o600 });
    for (const flags of [[], ["--token-file", "token"]]) {
      const { exitCode, stdout, stderr } = await runCli(["import", file, "--dry-run", ...flags], { cwd, env });
      expect(exitCode, stderr).toBe(0);
      expect(stderr.match(/without the word Bearer/g)).toHaveLength(1);
      expect(stdout + stderr).not.toContain(mock.token);
    }
  },
);

test.each(["PAT_IMPORT_TOKEN=very-secret\n", '{"token":"very-secret"}'])(
  "what has a token in it in place of a token (%j): the message says what belongs into the file, without the token",
  async (text) => {
    const { cwd, file } = inFolder(testBody(testUsers(1), "1"));
    writeFileSync(join(cwd, "token"), text, { mode: 0o600 });
    const argv = ["import", file, "--target", "http://127.0.0.1:9", "--token-file", "token"];
    const { exitCode, stderr } = await runCli(argv, { cwd });
    expect(exitCode).toBe(3);
    expect(stderr).toContain("token: contains no token. The file must contain the token and nothing else");
    expect(stderr).not.toContain("very-secret");
  },
);
