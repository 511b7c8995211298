import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const OLDER = '{"orgs":[]}';

const orgs = [
  {
    orgId: "a",
    org: { name: "A" },
    humanUsers: testUsers(3),
    machineUsers: [{ userId: "m", user: { userName: "bot", name: "Bot" } }],
  },
  {
    orgId: "b",
    org: { name: "B" },
    humanUsers: [testUser(9, { otpCode: "JBSWY3DPEHPK3PXP" })],
    projects: [{ projectId: "p", project: { name: "P" } }],
  },
];
const sourceEnv = ({ url, token }: { url: string; token: string }) => ({
  ZITADEL_EXPORT_DOMAIN: url,
  PAT_EXPORT_TOKEN: token,
});

test("an export lands in a private file and is counted", async () => {
  const mock = await startMock({ seed: { orgs } });
  const cwd = tempDir();
  const flags = ["export", "--with-passwords", "--with-otp", "--json"];
  const { stdout, stderr, exitCode } = await runCli(flags, { cwd, env: sourceEnv(mock) });
  expect(exitCode).toBe(0);
  const path = join(cwd, "export.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const content = JSON.parse(readFileSync(path, "utf8"));
  expect(JSON.parse(stdout)).toMatchObject({
    orgs: content.orgs.length,
    users: 4,
    withHash: 4,
    withOtp: 1,
    bytes: statSync(path).size,
  });
  expect(stderr).toContain("not carried: global policies");
  const request = mock.requests.findLast(({ path }) => path.endsWith("/export"));
  expect(JSON.parse(request?.body ?? "")).toEqual({
    org_ids: [],
    excluded_org_ids: [],
    with_passwords: true,
    with_otp: true,
    timeout: "5m0s",
    response_output: true,
  });
  const piped = await runCli(["export", "--output", "-", "--org-id", "a", "-q"], { cwd, env: sourceEnv(mock) });
  expect(JSON.parse(piped.stdout).orgs).toHaveLength(1);
  expect(piped.stderr).toBe("");
});

test.each([
  ["truncated", 6],
  ["half-json", 6],
  ["not-json", 5],
  ["401", 4],
  ["502", 6],
  ["timeout", 6],
] as const)("an export that meets %s leaves the older file as it was", async (fault, code) => {
  const mock = await startMock({ seed: { orgs } });
  const { cwd } = inFolder(OLDER, "export.json");
  mock.addFault({ endpoint: "export", fault });
  const { exitCode, stderr } = await runCli(["export"], { cwd, env: sourceEnv(mock) });
  expect(exitCode, stderr).toBe(code);
  expect(readFileSync(join(cwd, "export.json"), "utf8")).toBe(OLDER);
  expect(readdirSync(cwd)).toEqual(["export.json"]);
});

test("the hash of a user with an address that only some versions accept is counted", async () => {
  const email = { email: "jürgen@example.com", isEmailVerified: true };
  const mock = await startMock({
    mimic: "v4.15",
    seed: { orgs: [{ orgId: "a", org: { name: "A" }, humanUsers: [testUser(1, { email })] }] },
  });
  const flags = ["export", "--with-passwords", "--json"];
  const { stdout, stderr } = await runCli(flags, { cwd: tempDir(), env: sourceEnv(mock) });
  expect(JSON.parse(stdout), stderr).toMatchObject({ users: 2, withHash: 2 });
});

test("a cut-off export is fetched again", async () => {
  const mock = await startMock({ seed: { orgs } });
  const cwd = tempDir();
  mock.addFault({ endpoint: "export", fault: "truncated", times: 1 });
  mock.addFault({ endpoint: "export", fault: "429", times: 1, retryAfter: 0 });
  expect((await runCli(["export"], { cwd, env: sourceEnv(mock) })).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(join(cwd, "export.json"), "utf8")).orgs.length).toBeGreaterThan(1);
});

test("an export into object storage sends the key file and writes nothing here", async () => {
  const mock = await startMock({ seed: { orgs } });
  const { cwd } = inFolder(JSON.stringify({ type: "service_account", private_key: "k" }), "key.json");
  const flags = ["--gcs-bucket", "bucket", "--gcs-path", "x.json", "--gcs-service-account", "key.json"];
  const { exitCode, stderr } = await runCli(["export", ...flags], { cwd, env: sourceEnv(mock) });
  expect(exitCode, stderr).toBe(0);
  expect(readdirSync(cwd)).toEqual(["key.json"]);
  const sent = JSON.parse(mock.requests.at(-1)?.body ?? "");
  expect(sent.response_output).toBeUndefined();
  expect(Buffer.from(sent.gcs_output.serviceaccount_json, "base64").toString()).toContain("service_account");
});

test("a copy carries everything over, leaves nothing on disk, and may be run every night", async () => {
  const source = await startMock({ seed: { orgs } });
  const target = await startMock();
  const env = { ...sourceEnv(source), ...target.env };
  const cwd = tempDir();
  const copy = async (...more: string[]) => {
    const { stdout, stderr } = await runCli(["copy", "--with-passwords", "--json", ...more], { cwd, env });
    return { report: JSON.parse(stdout), stderr };
  };
  const flags = ["--org-id", "a", "--org-id", "b"];
  const first = await copy(...flags, "--batch-users", "2");
  expect(first.report, first.stderr).toMatchObject({
    exitCode: 0,
    users: { read: 4, created: 4 },
    otherObjects: { machine_user: { created: 1 } },
  });
  const second = await copy(...flags);
  expect(second.report).toMatchObject({ exitCode: 0, users: { created: 0, alreadyThere: 4, failed: 0 } });
  expect(first.report.manifest).toBe("copy.manifest.ndjson");
  expect(readdirSync(cwd)).toEqual(["copy.manifest.ndjson"]);
  const undone = await runCli(["undo", "copy.manifest.ndjson", "--dry-run"], { cwd, env });
  expect(undone.stderr).toContain("4 in the manifest: 4 to delete");
  await copy(...flags, "--keep", "kept.json");
  const verified = await runCli(["verify", "kept.json", "--json"], { cwd, env });
  expect(JSON.parse(verified.stdout), verified.stderr).toMatchObject({ exitCode: 0, by: "export", missing: [] });
  const again = await copy(...flags, "--verify");
  expect(again.report, again.stderr).toMatchObject({ exitCode: 0, by: "export", missing: [] });
  expect(again.report.expected).toBe(JSON.parse(verified.stdout).expected);
  const imported = await runCli(["import", "kept.json", "--verify", "--json"], { cwd, env });
  expect(JSON.parse(imported.stdout)).toMatchObject({ exitCode: 0, by: "export", missing: [] });
  target.removeUser("u2");
  const differs = await runCli(["verify", "kept.json", "--json"], { cwd, env });
  expect(JSON.parse(differs.stdout)).toMatchObject({
    ...{ exitCode: 1, missing: [{ type: "humanUsers", id: "u2" }] },
    loginNames: { u2: "user2@example.com" },
  });
  expect(differs.stderr).toContain("missing: humanUsers u2 (user2@example.com) of organization");
});

test("the default manifest of a copy that cannot be written is a warning, and one that --manifest names is exit 3", async () => {
  const source = await startMock({ seed: { orgs } });
  for (const [flags, expected] of [[[], 0] as const, [["--manifest", "copy.manifest.ndjson"], 3] as const]) {
    const target = await startMock();
    const cwd = tempDir();
    mkdirSync(join(cwd, "copy.manifest.ndjson"));
    const env = { ...sourceEnv(source), ...target.env };
    const { exitCode, stderr } = await runCli(["copy", "--with-passwords", "--org-id", "a", ...flags], { cwd, env });
    expect(exitCode, stderr).toBe(expected);
    if (expected === 0) expect(stderr).toContain("warning: no manifest, so undo will not know the created users:");
  }
});

test("an export without password hashes says what that means", async () => {
  const source = await startMock({ seed: { orgs } });
  const { stderr } = await runCli(["export"], { cwd: tempDir(), env: sourceEnv(source) });
  expect(stderr).toContain("no user can sign in with the old password (--with-passwords includes them)");
  const whole = await runCli(["export", "--with-passwords"], { cwd: tempDir(), env: sourceEnv(source) });
  expect(whole.stderr).not.toContain("old password");
});

test("a byte order mark before an export is not kept", async () => {
  const url = await startStranger(200, {}, '\ufeff{"orgs":[{"orgId":"a"}]}');
  const cwd = tempDir();
  const { exitCode, stderr } = await runCli(["export"], { cwd, env: sourceEnv({ url, token: "pat-0123456789" }) });
  expect(exitCode, stderr).toBe(0);
  expect(readFileSync(join(cwd, "export.json"), "utf8")).toBe('{"orgs":[{"orgId":"a"}]}');
});

test.each([["export"], ["copy"]])("%s of a source that answers {} is exit 5, not nothing done", async (command) => {
  const url = await startStranger(200, {}, "{}");
  const target = await startMock();
  const cwd = tempDir();
  const env = { ...target.env, ...sourceEnv({ url, token: "pat-0123456789" }) };
  for (const selection of [[], ["--org-id", "a"]]) {
    const { exitCode, stderr } = await runCli([command, ...selection], { cwd, env });
    expect(exitCode, stderr).toBe(5);
  }
  expect(readdirSync(cwd)).toEqual([]);
});

test("an organization that the source does not have is exit 5 with its id, an empty id is exit 2", async () => {
  const mock = await startMock({ seed: { orgs } });
  const cwd = tempDir();
  const absent = await runCli(["export", "--org-id", "a", "--org-id", "no\u0007such"], { cwd, env: sourceEnv(mock) });
  expect(absent.exitCode).toBe(5);
  expect(absent.stderr).toContain("does not export organization no\\u{7}such:");
  for (const name of ["my org", "x".repeat(201)]) {
    const { exitCode, stderr } = await runCli(["export", "--org-id", name], { cwd, env: sourceEnv(mock) });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("It must be an id") });
  }
  expect((await runCli(["export", "--org-id", ""], { cwd, env: sourceEnv(mock) })).exitCode).toBe(2);
  expect((await runCli(["copy", "--exclude-org-id", " "], { cwd, env: sourceEnv(mock) })).exitCode).toBe(2);
  expect(readdirSync(cwd)).toEqual([]);
});

test.each([[[]], [["--concurrency", "auto"]]])(
  "a copy %j survives a target that answers 429, 502 and time-outs",
  async (flags) => {
    const source = await startMock({ seed: { orgs: [{ orgId: "a", org: { name: "A" }, humanUsers: testUsers(40) }] } });
    const target = await startMock();
    target.addFault({ endpoint: "import", fault: "429", times: 1, retryAfter: 0 });
    target.addFault({ endpoint: "import", fault: "502", times: 1, skip: 1, handled: true });
    target.addFault({ endpoint: "import", fault: "timeout", times: 1, skip: 3, users: 3 });
    const env = { ...sourceEnv(source), ...target.env };
    const { stdout, stderr } = await runCli(["copy", "--org-id", "a", "--batch-users", "10", "--json", ...flags], {
      cwd: tempDir(),
      env,
    });
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 0,
      users: { read: 40, created: 40, alreadyThere: 0, failed: 0 },
    });
  },
);

test("copying an instance onto itself is a usage error", async () => {
  const mock = await startMock();
  const env = { ...sourceEnv(mock), ...mock.env };
  expect((await runCli(["copy"], { env })).exitCode).toBe(2);
});

test("verify finds users that are missing or were removed, with their lines", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(testUsers(1_200)));
  await runCli(["import", file], { cwd, env: mock.env });
  const ok = await runCli(["verify", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(ok.stdout)).toMatchObject({
    exitCode: 0,
    by: "events",
    expected: 1_200,
    found: 1_200,
    missing: [],
  });
  mock.removeUser("u7");
  writeFileSync(join(cwd, file), testBody(testUsers(1_201)));
  const differs = await runCli(["verify", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(differs.stdout)).toMatchObject({
    exitCode: 1,
    expected: 1_201,
    found: 1_199,
    missing: [
      { id: "u7", line: 8 },
      { id: "u1201", line: 1_202 },
    ],
  });
  expect(differs.stderr).toContain("missing: human_user u7 (user7@example.com) of organization org1 (body.json:8)");
});

/** A server that answers every request in one way. */
async function startStranger(status: number, headers: Record<string, string>, body: string): Promise<string> {
  const server: Server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const page = { "content-type": "text/html" };

test.each([
  [301, { location: "https://elsewhere.example/?token=x" }, "", 5, "redirects to https://elsewhere.example/;"],
  [404, {}, "", 5, "answers, but not as ZITADEL does: it has no administration API (404)"],
  [404, {}, '{"code":5,"message":"Not Found"}', 5, "has no administration API (404)"],
  [404, {}, '{"code":5,"message":"membership not found (AUTHZ-cdgFk)"}', 4, "lacks a permission"],
  [403, {}, '{"code":7,"message":"No matching permissions found (AUTH-5mWD2)"}', 4, "IAM_OWNER_VIEWER"],
  [200, page, "<html>log in</html>", 5, "answers, but not as ZITADEL or Auth0 do: it responded 200 with a web page"],
  [401, page, "<html>log in</html>", 4, "answers, but not as ZITADEL or Auth0 do: it responded 401 with a web page"],
  [403, page, "<html>go away</html>", 4, "answers, but not as ZITADEL or Auth0 do: it responded 403 with a web page"],
  [200, {}, '{"orgs":1}', 5, "an unexpected response"],
  [418, {}, '{"code":13,"message":"the secret is pat-0123456789 \\u001b[31m"}', 5, "the secret is [redacted]"],
] as const)("a stranger that answers %i %j is understood", async (status, headers, body, code, text) => {
  const url = await startStranger(status, headers, body);
  const env = { ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: "pat-0123456789" };
  const { exitCode, stderr } = await runCli(["export", "--verbose"], { cwd: tempDir(), env });
  expect(stderr).toContain(text);
  expect(exitCode).toBe(code);
  expect(stderr).not.toContain("pat-0123456789");
  expect(stderr).not.toContain("\u001b");
});

test.each([
  ["http://example.com", 2, "plain http"],
  ["ftp://example.com", 2, "must begin with https://"],
  ["https://me:pass@example.com", 2, "must not contain a user name"],
  ["http://127.0.0.1:9", 6, "no server is listening there"],
  ["https://no-such-host.invalid", 6, "cannot be resolved"],
] as const)("the address %s: exit %i", async (url, code, text) => {
  const { exitCode, stderr } = await runCli(["export", "--source", url], {
    cwd: tempDir(),
    env: { PAT_EXPORT_TOKEN: "t" },
  });
  expect(stderr).toContain(text);
  expect(stderr).not.toContain("pass@");
  expect(exitCode).toBe(code);
});

test("without a token it is exit 4, with client credentials a token is asked for and renewed", async () => {
  const client = { clientId: "ferry", clientSecret: "s3cret/with:signs", roles: ["IAM_OWNER"], expiresInSeconds: 1 };
  const mock = await startMock({ seed: { orgs, clients: [client] } });
  const cwd = tempDir();
  expect((await runCli(["export", "--source", mock.url], { cwd })).exitCode).toBe(4);
  const env = { ORGFERRY_EXPORT_CLIENT_ID: "ferry", ORGFERRY_EXPORT_CLIENT_SECRET: "s3cret/with:signs" };
  const { exitCode, stderr } = await runCli(["export", "--source", mock.url], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  const inQuotes = { ORGFERRY_EXPORT_CLIENT_ID: '"ferry"', ORGFERRY_EXPORT_CLIENT_SECRET: "'s3cret/with:signs'" };
  const quoted = await runCli(["export", "--source", mock.url], { cwd, env: inQuotes });
  expect(quoted.exitCode, quoted.stderr).toBe(0);
  const wrong = await runCli(["export", "--source", mock.url], {
    cwd,
    env: { ...env, ORGFERRY_EXPORT_CLIENT_SECRET: "wrong-secret" },
  });
  expect(wrong.exitCode).toBe(4);
  expect(wrong.stderr).not.toContain("wrong-secret");
});

test("a web page is no answer to a probe or to an export into object storage", async () => {
  const url = await startStranger(200, { "content-type": "text/html" }, "<html>log in</html>");
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  writeFileSync(join(cwd, "key.json"), JSON.stringify({ type: "service_account", private_key: "-----KEY-----" }));
  const env = { ...sourceEnv({ url, token: "pat-0123456789" }), PAT_IMPORT_TOKEN: "pat-0123456789" };
  const storage = ["--gcs-bucket", "b", "--gcs-path", "p", "--gcs-service-account", "key.json"];
  expect((await runCli(["export", ...storage], { cwd, env })).exitCode).toBe(5);
  expect((await runCli(["import", file, "--target", url, "--dry-run"], { cwd, env })).exitCode).toBe(5);
});
