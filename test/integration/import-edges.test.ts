import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { toOutcome } from "../../src/core/transfer/answer/outcome.ts";
import { ResultReader } from "../../src/core/transfer/answer/result-reader.ts";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const org = { orgId: "org1", org: { name: "One" } };

test("the result of a body sent as it is is reported, and is not taken for an accepted request", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  await importJson([inFolder(testBody(testUsers(1))).file], { ...inFolder(testBody(testUsers(1))), env: mock.env });
  const users = [testUser(1), testUser(2, { userName: "user1@example.com", otpCode: "ABC" }), testUser(3)];
  const orgs = [{ orgId: "org1", humanUsers: users }];
  const { cwd, file } = inFolder(JSON.stringify({ data_orgsv1: JSON.stringify({ orgs }), timeout: "5m0s" }));
  const { report, stderr } = await importJson([file, "--rejects", "r"], { cwd, env: mock.env });
  expect(readFileSync(join(cwd, "r/reasons.ndjson"), "utf8")).toContain('"id":"u2"');
  expect(report).toMatchObject({
    exitCode: 1,
    outcome: "known",
    failures: [{ type: "human_user", id: "u2", cause: "user-name-taken" }],
    otherObjects: { org: { alreadyThere: 1 }, human_user: { created: 1, alreadyThere: 1, failed: 1 } },
  });
  expect(report.failures).toHaveLength(1);
  expect(stderr).not.toContain("accepted the request");
});

test.each([["--restart"], ["--resume"], []])(
  "a journal that is the input, the token or the report is refused (%s)",
  async (...flags) => {
    const mock = await startMock({ seed: { orgs: [org] } });
    const { cwd, file } = inFolder(testBody(testUsers(2)));
    writeFileSync(join(cwd, "token"), mock.token, { mode: 0o600 });
    const before = readFileSync(join(cwd, file), "utf8");
    for (const [journal, code] of [
      [file, "usage.output-is-input"],
      ["./token", "usage.output-is-input"],
      ["report.json", "usage.same-output"],
    ] as const) {
      const args = [file, "--journal", journal, "--token-file", "token", "--report", "report.json", ...flags];
      const { report } = await importJson(args, { cwd, env: mock.env });
      expect(report).toMatchObject({ exitCode: 2, problems: [{ code }] });
    }
    expect(readFileSync(join(cwd, file), "utf8")).toBe(before);
    expect(readFileSync(join(cwd, "token"), "utf8")).toBe(mock.token);
  },
);

test.each([["--restart"], ["--resume"], []])(
  "a file that is no journal is never cut or removed (%s)",
  async (...flags) => {
    const mock = await startMock({ seed: { orgs: [org] } });
    const { cwd, file } = inFolder(testBody(testUsers(2)));
    for (const content of ["my notes\nwithout an end", '{"kind":"done"}\n', "x"]) {
      writeFileSync(join(cwd, "notes"), content);
      const { report } = await importJson([file, "--journal", "notes", ...flags], { cwd, env: mock.env });
      expect(report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.not-one" }] });
      expect(readFileSync(join(cwd, "notes"), "utf8")).toBe(content);
    }
    writeFileSync(join(cwd, "notes"), "");
    const { report } = await importJson([file, "--journal", "notes", ...flags], { cwd, env: mock.env });
    expect(report).toMatchObject({ exitCode: 0, users: { created: 2 } });
  },
);

test.each([
  ["import", "body.json", "--report", "body.json"],
  ["import", "body.json", "--report", "token"],
  ["verify", "body.json", "--report", "./body.json"],
  ["export", "--output", "token"],
  ["export", "--report", "token"],
  ["copy", "--keep", "token"],
])("%s %s %s %s would overwrite what it reads: exit 2", async (command, ...args) => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const before = readFileSync(join(cwd, file), "utf8");
  writeFileSync(join(cwd, "token"), mock.token, { mode: 0o600 });
  const flag = command === "copy" ? "--source-token-file" : "--token-file";
  const { exitCode, stderr } = await runCli([command, ...args, flag, "token"], { cwd, env: mock.env });
  expect(stderr).toContain("would overwrite the input");
  expect(exitCode).toBe(2);
  expect(readFileSync(join(cwd, "token"), "utf8")).toBe(mock.token);
  expect(readFileSync(join(cwd, file), "utf8")).toBe(before);
});

test("an empty stdin is called empty", async () => {
  const mock = await startMock();
  const { report, stderr } = await importJson(["-"], { env: mock.env, stdin: "" });
  expect(report).toMatchObject({ exitCode: 3, problems: [{ code: "input.empty" }] });
  expect(stderr).toContain("stdin: is empty.");
});

test("Ctrl-C ends the wait for a pipe whose writer says nothing", async () => {
  const mock = await startMock();
  const controller = new AbortController();
  const interrupt = () => controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
  const stdin = new Readable({ read: () => void setImmediate(interrupt) });
  const { report } = await importJson(["-"], { env: mock.env, stdin, signal: controller.signal });
  expect(report.exitCode).toBe(130);
});

test("what the service would refuse for its form is found before anything is sent", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const profile = { firstName: "Ada", lastName: "Lovelace" };
  const users = [
    testUser(1, { profile: { ...profile, gender: true } }),
    { ...testUser(2), state: 1.5 },
    testUser(3, { user_name: "twice" }),
    testUser(4, { profile: { ...profile, gender: "GENDER_MALE" } }),
  ];
  const { cwd, file } = inFolder(testBody(users));
  const { report } = await importJson([file], { cwd, env: mock.env });
  const field = (name: string, line: number) => ({ code: "field.type", field: name, line });
  expect(report.problems).toMatchObject([
    field("user.profile.gender", 2),
    field("state", 3),
    field("user.user_name", 4),
    { code: "input.invalid-users" },
  ]);
});

test("a token with a line break in it is no token", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  const env = { ...mock.env, PAT_IMPORT_TOKEN: "first-half\nsecond-half" };
  const { report, stderr } = await importJson([file], { cwd, env });
  expect(report).toMatchObject({ exitCode: 4, problems: [{ code: "auth.bad-token" }] });
  expect(stderr).not.toContain("half");
});

test("an address that speaks plain http is recognized", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: mock.url.replace("http:", "https:") };
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env });
  expect(stderr).toContain("speaks plain http");
  expect(exitCode).toBe(6);
});

test("the rejects are written when the check fails, with the body's own timeout; a clean run removes them", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const good = testBody(testUsers(25)).replace("5m0s", "7m");
  const { cwd, file } = inFolder(good.replaceAll('"firstName":"Ada"', '"firstName":""'));
  const { report, stderr } = await importJson([file, "--rejects", "r"], { cwd, env: mock.env });
  expect(report.exitCode).toBe(3);
  expect(stderr).toContain("more faults are in the rejects.");
  const body = JSON.parse(readFileSync(join(cwd, "r/body.json"), "utf8"));
  expect(body.timeout).toBe("7m");
  expect(body.dataOrgs.orgs[0].humanUsers).toHaveLength(25);
  expect(readFileSync(join(cwd, "r/reasons.ndjson"), "utf8").trim().split("\n")).toHaveLength(25);
  expect((await runCli(["import", file], { cwd, env: mock.env })).stderr).not.toContain("more of them");
  writeFileSync(join(cwd, file), good);
  expect((await importJson([file, "--rejects", "r"], { cwd, env: mock.env })).report.exitCode).toBe(0);
  expect(existsSync(join(cwd, "r"))).toBe(false);
});

test("the second user with an id is a fault of the input, named with the first one, in any of its files", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const bo = testUser(1, { profile: { firstName: "Bo", lastName: "Ek" } });
  const machineUsers = [{ userId: "u2", user: { userId: "u2", userName: "robot", name: "Robot" } }];
  const moreOf = (lists: object): string =>
    JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", ...lists }] } }, undefined, 1);
  const { cwd } = inFolder(testBody([testUser(1)]));
  const importBoth = (...flags: readonly string[]) =>
    importJson(["body.json", "more.json", ...flags], { cwd, env: mock.env });
  writeFileSync(join(cwd, "more.json"), moreOf({ humanUsers: [bo, testUser(2)], machineUsers }));
  const { report, stderr } = await importBoth();
  expect(report).toMatchObject({ exitCode: 3 });
  expect(stderr).toMatch(/more\.json:7: user u1: .*duplicate id: the user at body\.json:\d+ has the same/);
  expect(stderr).toMatch(/more\.json:\d+: u2: .*duplicate id: the user at line \d+ has the same/);
  expect(mock.requests.filter(({ path }) => path.endsWith("/import"))).toEqual([]);
  writeFileSync(join(cwd, "more.json"), moreOf({ humanUsers: [bo, testUser(2)] }));
  const sent = await importBoth("--skip-invalid", "--fail-on-existing");
  expect(sent.report, sent.stderr).toMatchObject({ exitCode: 1, users: { created: 2, skipped: 1, failed: 0 } });
});

test("the rejects have no later user with an id that the import has taken: imported with --update, it would undo the first", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  const metadata = (value: string) => ({ id: "u1", key: "k", value });
  const bodyOf = (humanUsers: readonly object[], value: string): string =>
    JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers, userMetadata: [metadata(value)] }] } });
  const former = testUser(1, { profile: { firstName: "Former", lastName: "Name" } });
  const { cwd } = inFolder(bodyOf([{ ...testUser(1), state: "USER_STATE_INACTIVE" }, testUser(2)], "bmV3"));
  const importBoth = () =>
    importJson(["body.json", "corrected.json", "--skip-invalid", "--rejects", "r"], { cwd, env: mock.env });
  writeFileSync(join(cwd, "corrected.json"), bodyOf([former], "b2xk"));
  const { report, stderr } = await importBoth();
  expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 2, skipped: 1 } });
  expect(existsSync(join(cwd, "r/body.json"))).toBe(false);
  const reasons = readFileSync(join(cwd, "r/reasons.ndjson"), "utf8").trim().split("\n");
  expect(reasons.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ file: "corrected.json", code: "user.duplicate-id", id: "u1" }),
  );
  // Beside another rejected user, too.
  const broken = testUser(3, { email: { email: "no address", isEmailVerified: true } });
  writeFileSync(join(cwd, "corrected.json"), bodyOf([former, broken], "b2xk"));
  await importBoth();
  const kept = JSON.parse(readFileSync(join(cwd, "r/body.json"), "utf8"));
  expect(kept.dataOrgs.orgs).toEqual([{ orgId: "org1", humanUsers: [broken] }]);
});

const SECOND = { userName: "second@example.com", email: { email: "second@example.com", isEmailVerified: true } };
const FIRST = { userName: "first@example.com", email: { email: "first@example.com", isEmailVerified: true } };

test.each([
  ["the first one is valid", {}, ["--skip-invalid"], ["u1", "u2"]],
  ["the first one is invalid", { email: { email: "none", isEmailVerified: true } }, ["--skip-invalid"], ["u2"]],
  ["the second one is selected", FIRST, ["--skip-invalid", "--only", "second@example.com"], ["u1"]],
  ["the first one is selected", FIRST, ["--skip-invalid", "--limit", "1"], ["u1"]],
  ["the first one is selected, and nothing is skipped", FIRST, ["--only", "first@example.com"], []],
] as const)("what belongs to an id that occurs twice is given to neither user: %s", async (_, more, flags, created) => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [org] } });
  const lists = { humanUsers: [testUser(1, more), testUser(1, SECOND), testUser(2)] };
  const orgMembers = ["u1", "u2"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", ...lists, orgMembers }] } }));
  const { report, stderr } = await importJson([file, ...flags], { cwd, env: mock.env });
  expect(report.exitCode, stderr).not.toBe(0);
  const idsOf = async (type: string): Promise<readonly string[]> => {
    const response = await fetch(`${mock.url}/admin/v1/events/_search`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.token}` },
      body: JSON.stringify({ event_types: [type], limit: 100 }),
    });
    const { events = [] } = (await response.json()) as {
      events?: readonly { aggregate: { id: string }; payload: { userId?: string } }[];
    };
    return events
      .map(({ aggregate, payload }) => payload.userId ?? aggregate.id)
      .filter((id) => /^u\d$/.test(id))
      .sort();
  };
  expect(await idsOf("user.human.added"), stderr).toEqual(created);
  expect(await idsOf("org.member.added")).toEqual(created.filter((id) => id !== "u1"));
});

test.each([
  ["a new user of the users API", undefined],
  ["an update", "Zm9ybWVy"],
])("metadata of an id that occurs twice is given to neither user, and not compared: %s", async (_, former) => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  const metadata = (value: string) => ({ id: "u1", key: "k", value });
  const bodyOf = (value: string): string =>
    JSON.stringify({
      dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [testUser(1)], userMetadata: [metadata(value)] }] },
    });
  const { cwd } = inFolder(bodyOf("bmV3"));
  writeFileSync(join(cwd, "second.json"), bodyOf("b2xk"));
  if (former !== undefined) {
    writeFileSync(join(cwd, "former.json"), bodyOf(former));
    await importJson(["former.json"], { cwd, env: mock.env });
  }
  const flags = ["--via", "users", "--skip-invalid", "--verify", ...(former === undefined ? [] : ["--update"])];
  const { report, stderr } = await importJson(["body.json", "second.json", ...flags], { cwd, env: mock.env });
  expect(report.exitCode, stderr).toBe(1);
  expect(stderr).toContain("user_metadata: 0 created, 0 already there, 2 failed");
  expect(stderr).toContain("1 of 1 found");
  expect(stderr).not.toContain("different:");
  const response = await fetch(`${mock.url}/v2/users/u1/metadata/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.token}` },
    body: "{}",
  });
  const { metadata: found = [] } = (await response.json()) as { metadata?: readonly { value: string }[] };
  expect(found.map(({ value }) => value)).toEqual(former === undefined ? [] : [former]);
});

test("users without an id are unknown after a lost answer, never failed, and verify cannot compare them", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  mock.addFault({ endpoint: "import", fault: "reset-after", times: 1 });
  const nameless = testUsers(2).map(({ user }) => ({ user }));
  const { cwd, file } = inFolder(testBody([...nameless, testUser(3)]));
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 1, users: { created: 1, failed: 0, unknown: 2 }, failures: [] });
  const { stdout, stderr } = await runCli(["verify", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, expected: 1, found: 1, missing: [], notCheckable: 2 });
  expect(stderr).toContain("2 users without userId cannot be compared.");
});

test("users without an id are named as that in the plan, in a dry run and beside the manifest", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  // A misspelt key: no text but the user name is known of these users.
  const misspelt = testUsers(2).map(({ user, userId }) => ({
    user: { ...user, hashedPassword: undefined },
    userid: userId,
  }));
  const { cwd, file } = inFolder(testBody([...misspelt, testUser(3)]));
  const dry = await runCli(["import", file, "--dry-run", "--no-mail"], { cwd, env: mock.env });
  expect(dry.stderr).toContain("2 users of the input have no userId: the service generates an id for each of them");
  expect(dry.stderr).toContain("and has other fields: users without an id.");
  const first = await runCli(["import", file, "--no-mail"], { cwd, env: mock.env });
  expect(first.stderr).toContain("orgferry undo deletes these users, and not 2 users without an id in the input");
  const again = await runCli(["import", file, "--dry-run", "--no-mail"], { cwd, env: mock.env });
  expect(again.stderr).toContain("2 with the name of another user\n");
});

test("a secret in the type or id of an entry of an answer is taken out", () => {
  const reader = new ResultReader((text) => text.replaceAll("s3cret", "[redacted]"));
  reader.push(Buffer.from(JSON.stringify({ errors: [{ type: "s3cret-type", id: "id-s3cret", message: "s3cret" }] })));
  const result = reader.finish({ items: [] }, { orgs: [] });
  expect(JSON.stringify([result.failures, [...result.others]])).not.toContain("s3cret");
});

test("an error about a user that was not sent is a failure, but counts in no number of users", () => {
  const reader = new ResultReader((text) => text);
  const errors = [{ type: "human_user", id: "stranger", message: "ID=X Message=Errors.Internal" }];
  const success = { orgs: [{ orgId: "org1", humanUserIds: ["u1"] }] };
  reader.push(Buffer.from(JSON.stringify({ errors, success })));
  const bytes = Buffer.from(JSON.stringify(testUser(1)));
  const batch = { items: [{ index: 0, org: 0, key: "humanUsers", way: "import" as const, bytes, line: 1 }] };
  const result = reader.finish(batch, { orgs: [{ orgId: "org1", line: 1, head: [] }] });
  const outcome = toOutcome(result, { whose: () => "theirs", failOnExisting: false });
  expect(outcome).toMatchObject({ created: 1, failed: 0, failures: [{ type: "human_user", id: "stranger" }] });
});

test("an interrupt after everything was sent says so", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const controller = new AbortController();
  void mock.arrived("/import", 1).then(async () => {
    // Twice for users that were replaced, once for the manifest, then for the comparison.
    await mock.arrived("/events/_search", 4);
    controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
  });
  const { report, stderr } = await importJson([file, "--verify"], { cwd, env: mock.env, signal: controller.signal });
  expect(report).toMatchObject({ exitCode: 130, users: { created: 2 } });
  expect(stderr).toContain("all users were sent");
  expect(stderr).not.toContain("nothing was written");
});
