import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MockOptions, MockServer } from "../../src/mock/server.ts";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, type TestUser, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { startUsersFront } from "../helpers/users-front.ts";

const org = { orgId: "org1", org: { name: "One" } };
const noHash = { hashedPassword: undefined };

/** Users without a password, whose addresses are verified: the import endpoint would forget that and mail them. */
function verifiedUsers(count: number, first = 1): TestUser[] {
  return Array.from({ length: count }, (_, index) => testUser(first + index, noHash));
}

function unverified(number: number, fields: object = {}): TestUser {
  return testUser(number, { ...noHash, email: { email: `user${number}@example.com` }, ...fields });
}

async function startTarget(options: MockOptions = {}) {
  const mock = await startMock({ seed: { orgs: [org] }, ...options });
  return { mock, front: await startUsersFront(mock) };
}

const importCalls = (mock: MockServer) => mock.requests.filter(({ path }) => path.endsWith("/import"));
const imports = (mock: MockServer): number => importCalls(mock).length;

test("verified users without a password are sent to the users API, all others in batches", async () => {
  const { front } = await startTarget();
  const users = [...testUsers(2), ...verifiedUsers(3, 3), unverified(6)];
  const { cwd, file } = inFolder(testBody(users));
  const { report, stderr } = await importJson([file], { cwd, env: front.env });
  expect(report).toMatchObject({
    exitCode: 0,
    users: { read: 6, sent: 6, created: 6 },
    via: { import: 3, users: 3 },
    mails: 1,
    sms: 0,
  });
  expect(front.added.map(({ userId }) => userId).sort()).toEqual(["u3", "u4", "u5"]);
  expect(front.added[0]).toMatchObject({ email: { isVerified: true }, organization: { orgId: "org1" } });
  expect(stderr).toContain("3 users in batches, 3 one by one through the users API");
  expect(stderr).toContain("the service will send 1 e-mail, none to existing users");
});

test("--no-mail sends users who would get an e-mail or an SMS to the users API, which returns the codes instead", async () => {
  const { front } = await startTarget();
  const phone = { phone: { phone: "+41791234567" } };
  const users = [
    testUser(1),
    testUser(2, phone),
    unverified(3),
    testUser(4, { email: { email: "user4@example.com" } }),
  ];
  const { cwd, file } = inFolder(testBody(users));
  const { report } = await importJson([file, "--no-mail"], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 0, via: { import: 1, users: 3 }, mails: 0, sms: 0 });
  const byId = new Map(front.added.map((body) => [body["userId"], body]));
  expect(byId.get("u2")).toMatchObject({ email: { isVerified: true }, phone: { returnCode: {} } });
  expect(byId.get("u3")).toMatchObject({ email: { returnCode: {} } });
  expect(byId.get("u4")).toMatchObject({ email: { returnCode: {} }, hashedPassword: {} });
});

test("--via import and --via users decide for all users; --via import excludes --no-mail", async () => {
  const { front } = await startTarget();
  const { cwd, file } = inFolder(testBody([...testUsers(2), ...verifiedUsers(2, 3)]));
  const one = await importJson([file, "--via", "import"], { cwd, env: front.env });
  expect(one.report).toMatchObject({ exitCode: 0, via: { import: 4, users: 0 }, mails: 2 });
  const other = await importJson([file, "--via", "users"], { cwd, env: front.env });
  expect(other.report).toMatchObject({
    exitCode: 0,
    via: { import: 0, users: 4 },
    users: { alreadyThere: 4 },
    mails: 0,
  });
  expect((await runCli(["import", file, "--via", "import", "--no-mail"], { cwd, env: front.env })).exitCode).toBe(2);
});

test.each([
  ["is missing", { status: 404, body: { code: 5, message: "Not Found" } }, "has no users API"],
  ["is a wrong method", { status: 405, body: { code: 12, message: "Method Not Allowed" } }, "has no users API"],
  ["is not implemented", { status: 501, body: { code: "unimplemented" } }, "has no users API"],
  [
    "may not be used",
    { status: 403, body: { code: 7, message: "No matching permissions (AUTH-5mWD2)" } },
    "has no access",
  ],
  ["is a page", { status: 200, body: "<html>" }, "sends invalid responses"],
])("a users API that %s is reported once, and the import endpoint creates all users", async (_, fault, words) => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(verifiedUsers(150)));
  const front = await startUsersFront(mock);
  front.answer = fault;
  const { report, stderr } = await importJson([file, "--batch-users", "150"], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 150 }, via: { import: 150, users: 0 }, mails: 150 });
  expect(stderr.split(words)).toHaveLength(2);
  expect(imports(mock)).toBe(1);
});

const sentTo = (mock: MockServer): string =>
  importCalls(mock)
    .map(({ body }) => body ?? "")
    .join("");

test("the objects of a user are imported with it, and are not sent a second time", async () => {
  const { mock, front } = await startTarget();
  const user = testUser(1, {
    ...noHash,
    profile: {
      firstName: "Ada",
      lastName: "L",
      nickName: "A",
      displayName: "Ada L",
      preferredLanguage: "de",
      gender: 1,
    },
    phone: { phone: "+41791234567", isPhoneVerified: true },
    otpCode: "JBSWY3DPEHPK3PXP",
  });
  const metadata = ["u1", "u2", "u1"].map((id, index) => ({ id, key: `k${index}`, value: "dg==" }));
  const body = {
    dataOrgs: { orgs: [{ orgId: "org1", userMetadata: metadata, humanUsers: [user, testUser(2)] }] },
    timeout: "1m",
  };
  const { cwd, file } = inFolder(JSON.stringify(body));
  const { report } = await importJson([file], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 0, otherObjects: { user_metadata: { created: 3, failed: 0 } } });
  expect(front.added).toMatchObject([
    {
      profile: {
        givenName: "Ada",
        familyName: "L",
        nickName: "A",
        displayName: "Ada L",
        preferredLanguage: "de",
        gender: 1,
      },
      phone: { phone: "+41791234567", isVerified: true },
      totpSecret: "JBSWY3DPEHPK3PXP",
      metadata: [
        { key: "k0", value: "dg==" },
        { key: "k2", value: "dg==" },
      ],
    },
  ]);
  const sent = sentTo(mock);
  expect(sent).toContain('"k1"');
  expect(sent).not.toContain('"k0"');
  // An existing user keeps the metadata.
  const again = await importJson([file], { cwd, env: front.env });
  expect(again.report).toMatchObject({
    exitCode: 0,
    users: { alreadyThere: 2 },
    otherObjects: { user_metadata: { created: 0, alreadyThere: 3 } },
  });
  expect(again.stderr).not.toContain("not sent, of");
  expect(sentTo(mock)).not.toContain('"k0"');
});

test("only inactive and locked users are deactivated or locked after they were created", async () => {
  const { front } = await startTarget();
  const users = [
    { ...testUser(1, noHash), state: "USER_STATE_INACTIVE" },
    { ...testUser(2, noHash), state: "USER_STATE_LOCKED" },
    { ...testUser(3, noHash), state: "USER_STATE_ACTIVE" },
  ];
  const { cwd, file } = inFolder(testBody(users));
  await importJson([file], { cwd, env: front.env });
  expect([...front.changed].sort()).toEqual(["u1 deactivate", "u2 lock"]);
  await importJson([file], { cwd, env: front.env });
  expect(front.changed).toHaveLength(2);
});

test.each([
  ["a lost answer", "lost"],
  ["a broken connection before anything was done", "never"],
  ["429", { status: 429 }],
  ["503", { status: 503 }],
  ["502", { status: 502 }],
] as const)("%s is retried for each user, and existing users are distinguished from created ones", async (_, fault) => {
  const { mock, front } = await startTarget();
  await mock.importOrgs([{ orgId: "org1", humanUsers: testUsers(4) }]);
  front.fault = (_body, attempt) => (attempt === 1 ? fault : undefined);
  const { cwd, file } = inFolder(testBody(verifiedUsers(20)));
  const { report } = await importJson([file], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 16, alreadyThere: 4, failed: 0, unknown: 0 } });
  const strict = await importJson([file, "--fail-on-existing"], { cwd, env: front.env });
  expect(strict.report).toMatchObject({ exitCode: 1, users: { failed: 20 } });
});

test("a name that another call for the same user has just taken is no taken name", async () => {
  const { mock, front } = await startTarget();
  front.fault = (_, attempt) =>
    attempt === 2 ? { status: 409, body: { code: 6, message: "User already exists (V3-DKcYh)" } } : "lost";
  const { cwd, file } = inFolder(testBody(verifiedUsers(3)));
  const { report } = await importJson([file], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 3, failed: 0 } });
  mock.clearFaults();
});

test("what the users API refuses is a failure of that user, with line and words, and comes back as a body", async () => {
  const { mock, front } = await startTarget();
  await mock.importOrgs([{ orgId: "org1", humanUsers: [testUser(9)] }]);
  const users = [
    testUser(1, noHash),
    testUser(2, { ...noHash, userName: "USER9@example.com" }),
    testUser(3, { ...noHash, userName: "hash" }),
  ];
  front.fault = ({ username }) =>
    username === "hash"
      ? { status: 400, body: { code: 3, message: "Password hash not supported (USER-JDk4t)" } }
      : undefined;
  const { cwd, file } = inFolder(testBody(users));
  const { report, stderr } = await importJson([file, "--rejects", "r"], { cwd, env: front.env });
  expect(report).toMatchObject({
    exitCode: 1,
    users: { created: 1, failed: 2 },
    failures: [
      { type: "human_user", id: "u2", cause: "user-name-taken", line: 3 },
      { type: "human_user", id: "u3", cause: "hash", line: 4 },
    ],
  });
  expect(stderr).toContain("has the user name");
  const rejected = JSON.parse(readFileSync(join(cwd, "r/body.json"), "utf8"));
  expect(rejected.dataOrgs.orgs[0].humanUsers).toEqual(
    [users[1], users[2]].map((user) => JSON.parse(JSON.stringify(user))),
  );
});

test("a user whose hash the users API refuses on --resume is created if the first run had created the user", async () => {
  const { front } = await startTarget();
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  front.fault = () => "nonsense";
  const first = await importJson([file, "--via", "users"], { cwd, env: front.env });
  expect(first.report).toMatchObject({ exitCode: 5, users: { created: 0, unknown: 1 } });
  front.fault = () => ({ status: 400, body: { code: 3, message: "Password hash not supported (USER-JDk4t)" } });
  const { report } = await importJson([file, "--via", "users", "--resume"], { cwd, env: front.env });
  expect(report).toMatchObject({
    exitCode: 1,
    users: { created: 1, failed: 1, unknown: 0 },
    failures: [{ type: "human_user", id: "u2" }],
  });
});

test("users of an organization that was refused fail because of it, and are not sent", async () => {
  const { front } = await startTarget({ without: { orgs: 404 } });
  const { cwd, file } = inFolder(testBody([...testUsers(1), ...verifiedUsers(2, 2)], "nowhere"));
  const { report } = await importJson([file], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 1, users: { failed: 3, unknown: 0 } });
  expect(report.failures.map(({ cause }) => cause)).toEqual(Array(4).fill("org-missing"));
  expect(front.added).toEqual([]);
});

test("--concurrency limits the concurrent calls", async () => {
  const { front } = await startTarget();
  front.latencyMs = 5;
  const { cwd, file } = inFolder(testBody(verifiedUsers(60)));
  await importJson([file, "--concurrency", "3"], { cwd, env: front.env });
  expect(front.most).toBeLessThanOrEqual(3);
  expect(front.most).toBeGreaterThan(1);
});

test.each([
  [[], 1],
  [["--concurrency", "auto"], 39],
])("--resume continues a run %j that stops between users, and each user exists once", async (flags, mostUnknown) => {
  const { front } = await startTarget();
  const { cwd, file } = inFolder(testBody([...testUsers(5), ...verifiedUsers(250, 6)]));
  const controller = new AbortController();
  front.fault = () => {
    if (front.added.length >= 130) controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
    return undefined;
  };
  const first = await importJson([file, ...flags], { cwd, env: front.env, signal: controller.signal });
  expect(first.report.exitCode).toBe(130);
  const { created, unknown, notSent } = first.report.users as { created: number; unknown: number; notSent: number };
  expect(created + unknown + notSent).toBe(255);
  expect(notSent).toBeGreaterThan(50);
  expect(unknown).toBeLessThanOrEqual(mostUnknown);
  expect(existsSync(join(cwd, `${file}.journal.ndjson`))).toBe(true);
  const other = await importJson([file, ...flags, "--resume", "--via", "import"], { cwd, env: front.env });
  expect(other.report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.other-settings" }] });
  front.fault = () => undefined;
  const { report } = await importJson([file, ...flags, "--resume"], { cwd, env: front.env });
  expect(report).toMatchObject({
    exitCode: 0,
    users: { read: 255, sent: 255, created: 255, alreadyThere: 0, unknown: 0 },
    via: { import: 5, users: 250 },
  });
});

test("when the service is down for good, who was never sent is not called unknown", async () => {
  const { front } = await startTarget();
  front.fault = () => (front.added.length < 20 ? undefined : { status: 502 });
  const { cwd, file } = inFolder(testBody(verifiedUsers(300)));
  const { report } = await importJson([file, "--concurrency", "4"], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 6, users: { created: front.added.length } });
  expect(report.users["unknown"]).toBeLessThanOrEqual(4);
  expect(report.unknown).toHaveLength(report.users["unknown"] as number);
});

test("an unreadable answer of the users API stops the run, and --resume finds that the user was created: no e-mail", async () => {
  const { mock, front } = await startTarget();
  front.fault = () => "nonsense";
  const { cwd, file } = inFolder(testBody(verifiedUsers(1)));
  const { report } = await importJson([file], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 5, users: { created: 0, unknown: 1 } });
  front.fault = () => undefined;
  const again = await importJson([file, "--resume"], { cwd, env: front.env });
  expect(again.report).toMatchObject({ exitCode: 0, users: { created: 1, alreadyThere: 0 } });
  expect(mock.mails()).toEqual([]);
});

test.each([
  ["a 404", { status: 404, body: { code: 5, message: "Not Found" } }, 5],
  ["a 403", { status: 403, body: { code: 7, message: "No matching permissions found (AUTH-5mWD2)" } }, 4],
  ["a page", "nonsense", 5],
] as const)(
  "%s of a users API that has created a user stops the run: the user gets no e-mail",
  async (_, fault, exitCode) => {
    const { mock, front } = await startTarget();
    front.fault = () => (front.added.length === 0 ? undefined : fault);
    const { cwd, file } = inFolder(testBody(verifiedUsers(5)));
    const { report } = await importJson([file, "--concurrency", "1"], { cwd, env: front.env });
    expect(report.exitCode).toBe(exitCode);
    expect(report.resume).toContain("--resume");
    front.fault = () => undefined;
    const again = await importJson([file, "--concurrency", "1", "--resume"], { cwd, env: front.env });
    expect(again.report).toMatchObject({ exitCode: 0, users: { created: 5 }, via: { import: 0, users: 5 } });
    expect(imports(mock)).toBe(1);
  },
);

test("a target that stops telling its events ends the run before a call without an answer is repeated", async () => {
  const { mock, front } = await startTarget();
  front.fault = (_, attempt) => {
    if (attempt > 1) return undefined;
    mock.addFault({ endpoint: "events", fault: "500" });
    return "lost";
  };
  const { cwd, file } = inFolder(testBody(verifiedUsers(2)));
  const { report, stderr } = await importJson([file], { cwd, env: front.env });
  // Another account may have deleted the user that the call created.
  expect(report, stderr).toMatchObject({ exitCode: 5, users: { created: 0, alreadyThere: 0, unknown: 1, notSent: 1 } });
  expect(front.added).toHaveLength(1);
  front.fault = () => undefined;
  mock.clearFaults();
  const resumed = await importJson([file, "--resume"], { cwd, env: front.env });
  expect(resumed.report, resumed.stderr).toMatchObject({ exitCode: 0, users: { created: 2, failed: 0, unknown: 0 } });
});

test("a user that an earlier run created through the import endpoint still gets metadata and secret", async () => {
  const { mock, front } = await startTarget();
  const userMetadata = [{ id: "u1", key: "plan", value: "Z29sZA==" }];
  const otpCode = "JBSWY3DPEHPK3PXP";
  const orgs = [{ orgId: "org1", humanUsers: [testUser(1, { ...noHash, otpCode })], userMetadata }];
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" }));
  front.answer = { status: 404, body: { code: 5, message: "Not Found" } };
  mock.addFault({ endpoint: "import", fault: "reset-after" });
  const first = await importJson([file], { cwd, env: front.env });
  expect(first.report).toMatchObject({ exitCode: 6, users: { unknown: 1 } });
  mock.clearFaults();
  delete front.answer;
  const before = mock.requests.length;
  const { report } = await importJson([file, "--resume"], { cwd, env: front.env });
  expect(report).toMatchObject({
    exitCode: 0,
    users: { created: 1 },
    otherObjects: { user_metadata: { created: 1 } },
  });
  const sent = mock.requests.slice(before).map(({ body }) => body ?? "");
  expect(sent.some((body) => body.includes("Z29sZA=="))).toBe(true);
  expect(sent.some((body) => body.includes(otpCode))).toBe(true);
});

// service behaviour 0.19b: version 2.62 ignores the state of an imported user.
test.each([
  ["v2", ["--via", "import"], 2],
  ["v2", [], 2],
  ["v4", [], 0],
] as const)("an inactive or locked user never becomes active (%s %j)", async (mimic, flags, byUser) => {
  const mock = await startMock({ mimic, seed: { orgs: [org] } });
  const front = await startUsersFront(mock);
  const closed = [
    { ...testUser(1), state: "USER_STATE_INACTIVE" },
    { ...testUser(2), state: "USER_STATE_LOCKED" },
  ];
  const { cwd, file } = inFolder(testBody([...closed, testUser(3)]));
  // The first answer is lost, as after a kill: the state is set nevertheless.
  front.fault = ({ userId }, attempt) => (userId === "u1" && attempt === 1 ? "lost" : undefined);
  const { report } = await importJson([file, ...flags], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 3 } });
  expect(report["via"]?.users ?? 0).toBe(byUser);
  expect(front.changed.filter((call) => /lock|deactivate/.test(call)).sort()).toEqual(
    byUser === 0 ? [] : ["u1 deactivate", "u2 lock"],
  );
});

test("an inactive user is not created where the import endpoint would make the user active and the users API is missing", async () => {
  const mock = await startMock({ mimic: "v2", without: { users: 404 }, seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody([{ ...testUser(1), state: "USER_STATE_INACTIVE" }, testUser(2)]));
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 1, users: { created: 1, failed: 1 } });
  expect(report["failures"]).toMatchObject([{ id: "u1", cause: "state-lost" }]);
  expect(importCalls(mock).some(({ body }) => JSON.stringify(body ?? "").includes("u1"))).toBe(false);
});

test("users who are inactive or locked get no message: its link would open the account", async () => {
  const { mock, front } = await startTarget({ mimic: "v4" });
  const state = (name: string): object => ({ state: `USER_STATE_${name}` });
  const users = [
    unverified(1),
    { ...testUser(2, { email: { email: "user2@example.com" } }), ...state("INACTIVE") },
    { ...unverified(3, { phone: { phone: "+41791234567" } }), ...state("LOCKED") },
    // Without an e-mail: a verified address with a hash, and one that goes through the users API.
    { ...testUser(4), ...state("LOCKED") },
    { ...testUser(5, noHash), ...state("INACTIVE") },
  ];
  const { cwd, file } = inFolder(testBody(users));
  const run = (...flags: string[]) => runCli(["import", file, "--yes", ...flags], { cwd, env: front.env });
  const dry = await run("--dry-run");
  expect(dry.stderr).toContain("will send 1 e-mail, none to existing users");
  expect(dry.stderr).not.toContain("to users who are inactive or locked");
  const forced = await run("--dry-run", "--via", "import");
  expect(forced.stderr).toContain("3 e-mails and 1 SMS go to users who are inactive or locked in the input\n");
  // The others are inactive and locked.
  expect(dry.stderr).toContain(
    "1 user is created in the state INITIAL: the login page asks for the code of the e-mail",
  );
  const silent = await run("--dry-run", "--no-mail");
  expect(silent.stderr).not.toContain("INITIAL");
  expect((await run()).exitCode).toBe(0);
  const states = ["u1", "u2", "u3"].map(async (id) => {
    const headers = { authorization: `Bearer ${mock.token}` };
    const answer = await fetch(`${mock.url}/v2/users/${id}`, { headers });
    return ((await answer.json()) as { user: { state: string } }).user.state;
  });
  expect(await Promise.all(states)).toEqual(["USER_STATE_INITIAL", "USER_STATE_INACTIVE", "USER_STATE_LOCKED"]);
  expect(mock.mails().map(({ userId }) => userId)).toEqual(["u1"]);
});

test("a hash of more than 200 characters is a fault of a user that the users API creates, and of no other", async () => {
  const hashedPassword = { value: `$pbkdf2-sha256$25000$${"a".repeat(22)}$${"b".repeat(683)}` };
  const { mock, front } = await startTarget({ verifiers: ["pbkdf2"] });
  const users = [testUser(1, { hashedPassword }), unverified(2, { hashedPassword }), unverified(3)];
  const { cwd, file } = inFolder(testBody(users));
  const fault = { code: "field.hash", field: "user.hashedPassword.value", line: 3 };
  for (const flags of [["--dry-run"], []]) {
    const { report, stderr } = await importJson([file, "--no-mail", ...flags], { cwd, env: front.env });
    expect(report, stderr).toMatchObject({
      exitCode: 3,
      problems: expect.arrayContaining([expect.objectContaining(fault)]),
    });
    expect(stderr).toContain("more than 200 characters, and the users API");
  }
  expect(imports(mock) + front.added.length).toBe(0);
  const skipping = await importJson([file, "--no-mail", "--skip-invalid"], { cwd, env: front.env });
  expect(skipping.report).toMatchObject({ exitCode: 1, users: { created: 2, skipped: 1 } });
  const { report } = await importJson([file, "--yes"], { cwd, env: front.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 1, alreadyThere: 2 } });
});
