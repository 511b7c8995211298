import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const org = { orgId: "org1", org: { name: "One" } };
const github = { GITHUB_ACTIONS: "true", CI: "true", GITHUB_STEP_SUMMARY: "summary.md" };

test("in GitHub Actions failures are annotations and the job's page gets a summary", async () => {
  const mock = await startMock({
    seed: { orgs: [{ ...org, humanUsers: [testUser(9, { userName: "user2@example.com" })] }] },
  });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const summary = join(cwd, "summary.md");
  writeFileSync(summary, "earlier\n");
  const env = { ...mock.env, ...github, GITHUB_STEP_SUMMARY: summary };
  const { exitCode, stdout, stderr } = await runCli(["import", file, "--json", "-q"], { cwd, env });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^::error file=body\.json,line=3::failed: u2 \(user2@example\.com\), body\.json:3: user u9 of organization org1: Another user .* has the user name\. If both are one person/m,
  );
  expect(stderr).toMatch(
    /^warning: .*\n {2}1 failed: Another user .*\n {4}u2 \(user2@example\.com\), body\.json:3: user u9 of organization org1\n/m,
  );
  expect(stderr).not.toContain("\u001b");
  expect(() => JSON.parse(stdout)).not.toThrow();
  const text = readFileSync(summary, "utf8");
  expect(text).toMatch(/^earlier\n### orgferry import: ❌ exit 1/);
  expect(text).toContain("| users created | 1 |");
  expect(text).toContain("  - u2 (user2@example.com), body.json:3");
});

test("the job's page names the users that an update changed, after a run without faults too", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ ...org, humanUsers: [testUser(1), testUser(2)] }] } });
  const { cwd, file } = inFolder(testBody([testUser(1, { userName: "ann" }), testUser(2), testUser(3)]));
  const summary = join(cwd, "summary.md");
  const env = { ...mock.env, ...github, GITHUB_STEP_SUMMARY: summary };
  const { exitCode } = await runCli(["import", file, "--update", "--prefer", "source", "-q"], { cwd, env });
  expect(exitCode).toBe(0);
  expect(readFileSync(summary, "utf8")).toContain(
    "- 1 created\n  - u3 (user3@example.com)\n- 1 updated\n  - u1 (ann): userName\n",
  );
});

test("wrong usage is an annotation and a line on the job's page", async () => {
  const { cwd } = inFolder("{}");
  const summary = join(cwd, "summary.md");
  const env = { ...github, GITHUB_STEP_SUMMARY: summary };
  const { exitCode, stderr } = await runCli(["import", "body.json", "--no-mial"], { cwd, env });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^::error::unknown option '--no-mial'/m);
  expect(readFileSync(summary, "utf8")).toMatch(/^### orgferry import: ❌ exit 2/);
});

test("a token that is read from a file is taken out of the log by the runner, and is nowhere else", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  writeFileSync(join(cwd, "token"), mock.token, { mode: 0o600 });
  const env = { ...github, GITHUB_STEP_SUMMARY: join(cwd, "s.md"), ZITADEL_IMPORT_DOMAIN: mock.url };
  const { exitCode, stderr } = await runCli(["import", file, "--token-file", "token", "-v"], { cwd, env });
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`::add-mask::${mock.token}\n`);
  expect(stderr.split(mock.token)).toHaveLength(2);
  expect(readFileSync(join(cwd, "s.md"), "utf8")).toContain("✅ done");
});

test("elsewhere nothing is said to a runner", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  writeFileSync(join(cwd, "token"), mock.token, { mode: 0o600 });
  const env = { CI: "true", ZITADEL_IMPORT_DOMAIN: mock.url };
  const { stderr } = await runCli(["import", file, "--token-file", "token"], { cwd, env });
  expect(stderr).not.toContain("::");
});

test("a summary that cannot be written is said, and changes no exit code", async () => {
  const { cwd } = inFolder('{"user_id":"a","email":"a@example.com"}\n', "users.json");
  const env = { ...github, GITHUB_STEP_SUMMARY: join(cwd, "nowhere/s.md") };
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1"], { cwd, env });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining("summary for GitHub Actions could not be"),
  });
});
