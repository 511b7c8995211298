import { expect, test } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { type Instead, startFront } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** spec: Endpoints. */
const specified = new Set(["/admin/v1/import", "/admin/v1/export", "/admin/v1/events/_search"]);
const missing: Instead = { status: 404, body: { code: 5, message: "Not Found" } };

async function plainEnv(mock: MockServer, without: readonly string[] = [], instead = missing) {
  const url = await startFront(mock, (path) => (specified.has(path) && !without.includes(path) ? undefined : instead));
  return { ZITADEL_IMPORT_DOMAIN: url, PAT_IMPORT_TOKEN: mock.token };
}

const org = { orgId: "org1", org: { name: "One" } };
const noHash = { hashedPassword: undefined };

test("an import into a server that knows the five endpoints and nothing else", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const env = await plainEnv(mock);
  const users = [...testUsers(3), testUser(4, noHash), testUser(5, { otpCode: "JBSWY3DPEHPK3PXP" })];
  const { cwd, file } = inFolder(testBody(users));
  const dry = await importJson([file, "--dry-run"], { cwd, env });
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: 0, mails: 1 });
  const { report, stderr } = await importJson([file, "--verify"], { cwd, env });
  expect(report, stderr).toMatchObject({
    exitCode: 0,
    users: { created: 5 },
    via: { import: 5, users: 0 },
    missing: [],
  });
  expect(stderr.split("has no users API")).toHaveLength(2);
  const again = await importJson([file], { cwd, env });
  expect(again.report).toMatchObject({ exitCode: 0, users: { alreadyThere: 5 } });
});

test.each([
  ["missing", missing],
  ["a wrong method", { status: 405, body: { code: 12, message: "Method Not Allowed" } }],
  ["not implemented", { status: 501, body: { code: 12, message: "unimplemented" } }],
  ["refused", { status: 403, body: { code: 7, message: "No matching permissions found (AUTH-5mWD2)" } }],
  ["a web page", { status: 200, body: "<html>log in</html>" }],
] as const)("events that are %s are no reason to fail, and that is said once", async (_, instead) => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const env = await plainEnv(mock, ["/admin/v1/events/_search"], instead);
  const { cwd, file } = inFolder(testBody([...testUsers(3), testUser(4, noHash)]));
  const dry = await importJson([file, "--dry-run"], { cwd, env });
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: 0 });
  expect(dry.stderr).toContain("existing users and organizations could not be checked");
  // Without a list of permissions, the import endpoint is asked once more what it is.
  const isAsked = [200, 404].includes(instead.status);
  mock.addFault({ endpoint: "import", fault: "reset-after", times: 1, skip: isAsked ? 1 : 0 });
  const { report, stderr } = await importJson([file], { cwd, env });
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { sent: 4, created: 0, alreadyThere: 4 } });
  expect(stderr.split("events cannot be read")).toHaveLength(2);
  expect(stderr).toContain("4 of the users already there may have been created by a call whose response was lost");
  const strict = await importJson([file, "--fail-on-existing"], { cwd, env });
  expect(strict.report).toMatchObject({ exitCode: 1, users: { failed: 4 } });
});

test("after a lost answer --fail-on-existing fails for users of unknown origin", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const env = await plainEnv(mock, ["/admin/v1/events/_search"]);
  mock.addFault({ endpoint: "import", fault: "reset-after", times: 1, skip: 1 });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const { report } = await importJson([file, "--fail-on-existing"], { cwd, env });
  expect(report).toMatchObject({ exitCode: 1, users: { created: 0, failed: 2 } });
  expect(report.failures.map(({ cause }) => cause)).toEqual(["there-or-ours", "there-or-ours"]);
});

test("a copy between two servers that know the five endpoints and nothing else, twice", async () => {
  const orgs = [
    { orgId: "a", org: { name: "A" }, humanUsers: [...testUsers(2), testUser(3, noHash)] },
    { orgId: "b", org: { name: "B" }, projects: [{ projectId: "p", project: { name: "P" } }] },
  ];
  const source = await startMock({ seed: { orgs } });
  const target = await startMock();
  const { ZITADEL_IMPORT_DOMAIN: url } = await plainEnv(source);
  const env = { ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: source.token, ...(await plainEnv(target)) };
  for (const created of [3, 0]) {
    const args = ["copy", "--org-id", "a", "--org-id", "b", "--with-passwords", "--json"];
    const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { created, failed: 0, unknown: 0 } });
  }
});
