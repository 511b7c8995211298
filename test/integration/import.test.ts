import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const org = { orgId: "org1", org: { name: "One" } };

test("a body is imported in batches and every user is accounted for", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(25)));
  const { report, stderr } = await importJson([file, "--batch-users", "10"], { cwd, env: mock.env });
  expect(report).toMatchObject({
    exitCode: 0,
    variant: "dataOrgs",
    users: { read: 25, sent: 25, created: 25, alreadyThere: 0, failed: 0, unknown: 0, notSent: 0, skipped: 0 },
    calls: 3,
    failures: [],
    otherObjects: { org: { created: 0, alreadyThere: 1, failed: 0 } },
  });
  expect(stderr).toContain("25 read = 25 sent + 0 not sent + 0 skipped");
  expect(stderr).not.toContain("failed: ");
  expect(readdirSync(cwd)).toEqual([file, `${file}.manifest.ndjson`]);
});

test("a repeated import counts all users as existing and succeeds", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(5)));
  await importJson([file], { cwd, env: mock.env });
  const again = await importJson([file], { cwd, env: mock.env });
  expect(again.report).toMatchObject({ exitCode: 0, users: { created: 0, alreadyThere: 5, failed: 0 } });
  const strict = await importJson([file, "--fail-on-existing"], { cwd, env: mock.env });
  expect(strict.report).toMatchObject({ exitCode: 1, users: { created: 0, alreadyThere: 0, failed: 5 } });
  expect(strict.stderr).toContain("5 × the id already exists");
});

test("failures are grouped by cause, named with id, line and the service's words, and come back as a body", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const phone = (number: string) => ({ phone: { phone: number, isPhoneVerified: true } });
  const users = [testUser(1), testUser(2, { userName: "user1@example.com" }), testUser(3, phone("+x")), testUser(4)];
  const { cwd, file } = inFolder(testBody(users));
  const { report, stderr } = await importJson([file, "--rejects", "rejects"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 1, users: { read: 4, created: 2, failed: 2 } });
  expect(report.failures).toMatchObject([
    { type: "human_user", id: "u2", cause: "user-name-taken", file, line: 3 },
    { type: "human_user", id: "u3", cause: "phone", file, line: 4 },
  ]);
  expect(stderr).toContain("1 × invalid phone number.");
  const rejected = JSON.parse(readFileSync(join(cwd, "rejects/body.json"), "utf8"));
  expect(rejected).toEqual({
    dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [users[1], users[2]] }] },
    timeout: "5m0s",
  });
  const reasons = readFileSync(join(cwd, "rejects/reasons.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(reasons).toMatchObject([
    { id: "u2", line: 3 },
    { id: "u3", line: 4 },
  ]);
});

test("the rejects have what belongs to the failed users, and importing them completes these users", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "Org" } }] } });
  const headers = { authorization: `Bearer ${mock.token}` };
  const send = (method: string, path: string, body?: object) =>
    fetch(`${mock.url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const bodyOf = (lists: object) => ({ dataOrgs: { orgs: [{ orgId: "org1", ...lists }] }, timeout: "1m" });
  const blocker = testUser(9, { userName: "user1@example.com" });
  await send("POST", "/admin/v1/import", bodyOf({ humanUsers: [blocker] }));
  const userMetadata = ["u1", "u2", "u1"].map((id, at) => ({ id, key: `k${at}`, value: "dg==" }));
  const orgMembers = ["u1", "u2"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  const lists = { humanUsers: [testUser(1), testUser(2)], userMetadata, orgMembers };
  const { cwd, file } = inFolder(JSON.stringify(bodyOf(lists)));
  const first = await importJson([file, "--rejects", "failed"], { cwd, env: mock.env });
  expect(first.report, first.stderr).toMatchObject({ exitCode: 1, users: { created: 1, failed: 1 } });
  const rejected = JSON.parse(readFileSync(join(cwd, "failed/body.json"), "utf8"));
  const of = (name: string) => rejected.dataOrgs.orgs.flatMap((org: Record<string, unknown[]>) => org[name] ?? []);
  expect(of("humanUsers").map(({ userId }: { userId: string }) => userId)).toEqual(["u1"]);
  expect(of("userMetadata")).toEqual([userMetadata[0], userMetadata[2]]);
  expect(of("orgMembers")).toEqual([orgMembers[0]]);
  await send("DELETE", "/v2/users/u9");
  const second = await importJson(["failed/body.json", "--verify"], { cwd, env: mock.env });
  expect(second.report, second.stderr).toMatchObject({
    exitCode: 0,
    users: { created: 1 },
    otherObjects: { user_metadata: { created: 2 }, org_member: { created: 1 } },
  });
  const whole = await runCli(["verify", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(whole.stdout), whole.stderr).toMatchObject({ exitCode: 0, missing: [], different: [] });
});

test("the output says that the rejects lack what failed of users who did not fail", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const users = [testUser(1), testUser(2, { userName: "user1@example.com" })];
  const run = async (more: object) => {
    const { cwd, file } = inFolder(
      JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers: users, ...more }] } }),
    );
    return (await importJson([file, "--rejects", "r"], { cwd, env: mock.env })).stderr;
  };
  expect(await run({})).not.toContain("It lacks what failed of other users");
  const userGrants = [{ userId: "u1", projectId: "none", roleKeys: ["a"] }];
  expect(await run({ userGrants })).toContain("It lacks what failed of other users, such as links and grants");
});

test("users of an organization that does not exist have failed because of it", async () => {
  const mock = await startMock({ without: { orgs: 404 } }); // otherwise the run ends before it
  const { cwd, file } = inFolder(testBody(testUsers(3), "nowhere"));
  const { report, stderr } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 1, users: { failed: 3, unknown: 0 } });
  expect(stderr).toContain("the organization does not exist on the target");
});

test("the service's OTP entry belongs to its user and is no second failure", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(
    testBody([testUser(1), testUser(2, { userName: "user1@example.com", otpCode: "ABC" })]),
  );
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report.failures).toHaveLength(1);
});

test("an invalid user stops everything before anything is sent, with file, line and field", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const bad = testUser(2, { email: { email: "no address" }, profile: { firstName: "", lastName: "x".repeat(201) } });
  const { cwd, file } = inFolder(testBody([testUser(1), bad, testUser(3)]));
  const { report, stderr } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 3, users: { read: 3, sent: 0, notSent: 3 } });
  expect(mock.requests).toEqual([]);
  expect(stderr).toContain("body.json:3: user u2: orgs[0].humanUsers[1].user.email.email: not an e-mail address");
  expect(stderr).toContain(
    "body.json:3: user u2: orgs[0].humanUsers[1].user.profile.firstName: required value missing.",
  );
  const skipped = await importJson([file, "--skip-invalid", "--rejects", "r"], { cwd, env: mock.env });
  expect(skipped.report).toMatchObject({
    exitCode: 1,
    users: { read: 3, sent: 2, created: 2, skipped: 1, notSent: 0 },
  });
  expect(JSON.parse(readFileSync(join(cwd, "r/body.json"), "utf8")).dataOrgs.orgs[0].humanUsers).toEqual([bad]);
});

test.each([
  ["{", "input.unclosed"],
  ['{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":[{]}]}}', "input.malformed"],
  ['{"something":1}', "input.not-a-body"],
  ["[]", "input.not-a-body"],
  ['{"dataOrgs":{"orgs":[]},"data_orgsv1":{"orgs":[]}}', "input.two-bodies"],
  ['{"dataOrgs":{"orgs":[{"humanUsers":[]}]}}', "input.org-without-id"],
  ['{"dataOrgs":{"orgs":[]},"timeout":"soon"}', "input.bad-timeout"],
])("%s is no body: exit 3 and nothing is sent", async (content, code) => {
  const mock = await startMock();
  const { cwd, file } = inFolder(content);
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 3, problems: [{ code }] });
  expect(mock.requests).toEqual([]);
});

test("a missing file is exit 3, no file at all is exit 2", async () => {
  const mock = await startMock();
  const { cwd } = inFolder("");
  expect((await runCli(["import", "absent.json"], { cwd, env: mock.env })).exitCode).toBe(3);
  expect((await runCli(["import"], { cwd, env: mock.env })).exitCode).toBe(2);
});

test("stdin is imported like a file and leaves nothing behind", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd } = inFolder("");
  const { report } = await importJson(["-"], { cwd, env: mock.env, stdin: testBody(testUsers(7)) });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 7 } });
  expect(readdirSync(cwd)).toEqual(["body.json"]);
});

test("--dry-run checks the body and the token's rights, and changes nothing", async () => {
  const mock = await startMock({
    seed: { orgs: [org], tokens: [{ token: "viewer-token", roles: ["IAM_OWNER_VIEWER"] }] },
  });
  const { cwd, file } = inFolder(testBody([testUser(1, { email: { email: "user1@example.com" } }), testUser(2)]));
  const { report, stderr } = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { read: 2, sent: 0, notSent: 2 } });
  expect(stderr).toContain("the service will send 1 e-mail, none to existing users");
  const weak = await importJson([file, "--dry-run"], { cwd, env: { ...mock.env, PAT_IMPORT_TOKEN: "viewer-token" } });
  expect(weak.report).toMatchObject({ exitCode: 4, problems: [{ code: "auth.forbidden" }] });
  expect(weak.stderr).toContain("IAM_OWNER");
  await importJson([file], { cwd, env: mock.env });
  expect((await importJson([file], { cwd, env: mock.env })).report.users["alreadyThere"]).toBe(2);
});

test("an export of one organization split over many calls arrives whole", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(
    JSON.stringify({
      orgs: [
        {
          orgId: "a",
          userGrants: [{ userId: "u1", projectId: "pb", roleKeys: ["r"] }],
          orgMembers: [{ userId: "u1", roles: ["ORG_OWNER"] }],
          userMetadata: [{ id: "u2", key: "k", value: "dg==" }],
          humanUsers: [testUser(1), testUser(2)],
          org: { name: "A" },
        },
        {
          orgId: "b",
          projectGrants: [{ grantId: "g", projectGrant: { projectId: "pb", grantedOrgId: "a", roleKeys: ["r"] } }],
          projectRoles: [{ projectId: "pb", roleKey: "r", displayName: "R" }],
          projects: [{ projectId: "pb", project: { name: "P" } }],
          machineUsers: [{ userId: "m1", user: { userName: "bot", name: "Bot" } }],
          humanUsers: [testUser(3)],
          org: { name: "B" },
        },
      ],
    }),
    "export.json",
  );
  const { report } = await importJson([file, "--batch-users", "1"], { cwd, env: mock.env });
  expect(report).toMatchObject({ variant: "dataOrgs", users: { read: 3, created: 3, failed: 0 } });
  expect(report.otherObjects).toMatchObject({
    org: { created: 2, failed: 0 },
    machine_user: { created: 1 },
    project: { created: 1 },
    project_role: { created: 1 },
    project_grant: { created: 1 },
    org_member: { created: 1 },
    user_metadata: { created: 1 },
  });
  const machine = mock.requests.map(({ body }) => body ?? "").find((body) => body.includes('"bot"'));
  expect(machine).toContain('"userId":"m1"}');
});

test("an export of the first major version goes as dataOrgsv1, --from overrides", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(
    JSON.stringify({
      orgs: [{ orgId: "a", org: { name: "A" }, iamPolicy: { userLoginMustBeDomain: true }, humanUsers: [testUser(1)] }],
    }),
    "export.json",
  );
  expect((await importJson([file], { cwd, env: mock.env })).report.variant).toBe("dataOrgsv1");
  expect((await importJson([file, "--from", "v2"], { cwd, env: mock.env })).report.variant).toBe("dataOrgs");
});

test("object storage is handed over with the key file base64-encoded, and its outcome is called unknown", async () => {
  const mock = await startMock();
  const { cwd } = inFolder(JSON.stringify({ type: "service_account", private_key: "-----KEY-----" }), "key.json");
  const flags = ["--gcs-bucket", "b", "--gcs-path", "p", "--gcs-service-account", "key.json"];
  const { report, stderr } = await importJson(flags, { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, variant: "dataOrgsv1Gcs", outcome: "unknown" });
  expect(stderr).toContain("Only the instance's own log has the result");
  writeFileSync(join(cwd, "key.json"), '{"type":"authorized_user"}');
  expect((await importJson(flags, { cwd, env: mock.env })).report).toMatchObject({
    exitCode: 3,
    problems: [{ code: "input.not-a-service-account" }],
  });
  expect((await runCli(["import", "--gcs-bucket", "b"], { cwd, env: mock.env })).exitCode).toBe(2);
});

test("--verify compares with the events afterwards", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const { report } = await importJson([file, "--verify"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, expected: 3, found: 3, missing: [] });
});

test("no output shows a token", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  writeFileSync(join(cwd, "token"), `${mock.token}\n`, { mode: 0o600 });
  const env = { ZITADEL_IMPORT_DOMAIN: mock.url };
  const { stdout, stderr, exitCode } = await runCli(["import", file, "--token-file", "token", "--verbose", "--json"], {
    cwd,
    env,
  });
  expect(exitCode).toBe(0);
  expect(stderr).toContain("POST http://127.0.0.1");
  expect(stdout + stderr).not.toContain(mock.token);
  expect(existsSync(join(cwd, "body.json.journal.ndjson"))).toBe(false);
});
