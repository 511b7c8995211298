import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { type CliWorld, runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const bare = (number: number) => testUser(number, { hashedPassword: undefined });

/** Users 1 to 4 have no password, user 5 has one. No e-mail was sent to them. */
async function world(mimic: "v2" | "v4.15" = "v4.15") {
  const mock = await startMock({ seed, mimic });
  const { cwd, file } = inFolder(testBody([bare(1), bare(2), bare(3), bare(4), testUser(5)]));
  const imported = await importJson([file, "--no-mail"], { cwd, env: mock.env });
  expect(imported.exitCode, imported.stderr).toBe(0);
  const invite = async (flags: readonly string[] = [], more: CliWorld = {}) => {
    const run = await runCli(["invite", file, "--json", ...flags], { cwd, env: mock.env, ...more });
    return { ...run, report: JSON.parse(run.stdout) };
  };
  return { mock, cwd, file, invite };
}

/** The users who were sent an e-mail about a password, by the server. */
const mailed = (mock: MockServer): readonly string[] =>
  mock
    .mails()
    .filter(({ reason }) => reason === "password-reset" || reason === "invitation")
    .map(({ userId }) => userId);

test("users without a password get one e-mail each, in waves, and a second run sends no other", async () => {
  const { mock, invite } = await world();
  const first = await invite(["--limit", "3", "--yes"]);
  expect(first.report).toMatchObject({ exitCode: 0, users: { read: 5, withPassword: 1, sent: 3, toSend: 1 } });
  expect(mailed(mock)).toEqual(["u1", "u2", "u3"]);
  const second = await invite(["--limit", "3", "--yes"]);
  expect(second.report.users).toMatchObject({ sent: 1, invitedBefore: 3, toSend: 0 });
  expect((await invite(["--yes"])).report.users).toMatchObject({ sent: 0, invitedBefore: 4 });
  expect(mailed(mock)).toEqual(["u1", "u2", "u3", "u4"]);
  expect((await invite(["--yes", "--again", "--only", "u2"])).report).toMatchObject({
    users: { read: 1, sent: 1 },
    notSelected: 4,
  });
  expect(mailed(mock)).toEqual(["u1", "u2", "u3", "u4", "u2"]);
});

test("with --again, waves continue with those whose e-mail is the oldest, and who failed is named", async () => {
  const { mock, cwd, file, invite } = await world();
  await invite(["--yes"]);
  const wave = async () => {
    const { report, stderr } = await invite(["--again", "--limit", "2", "--yes"]);
    return { stderr, ids: report.recipients.map(({ id }: { id: string }) => id) };
  };
  const first = await wave();
  expect(first.ids).toEqual(["u1", "u2"]);
  expect(first.stderr).toContain("left:     2 users not in this run; the next one begins with them");
  expect((await wave()).ids).toEqual(["u3", "u4"]);
  expect((await wave()).ids).toEqual(["u1", "u2"]);
  const message = "User is not yet initialized (COMMAND-Sfe4g)";
  const url = await startFront(mock, (path) =>
    path.endsWith("/u3/password_reset") ? { status: 400, body: { code: 9, message } } : undefined,
  );
  const refused = await runCli(["invite", file, "--again", "--only", "u3", "--yes"], {
    cwd,
    env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url },
  });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(`failed:   u3 (user3@example.com): "${message}"`);
  expect(refused.stderr).toContain("can get an invitation (--by invitation)");
});

test("a token that may not change users is refused, also in a dry run, with the role that it needs", async () => {
  const { mock, cwd, file } = await world();
  mock.addToken("viewer", { userId: "viewer", roles: ["IAM_OWNER_VIEWER"] });
  mock.addToken("manager", { userId: "manager", roles: ["IAM_USER_MANAGER"] }); // may change users, and read no events
  for (const token of ["viewer", "manager"])
    for (const flag of ["--dry-run", "--yes"]) {
      const env = { ...mock.env, PAT_IMPORT_TOKEN: token };
      const { exitCode, stderr } = await runCli(["invite", file, flag], { cwd, env });
      expect(exitCode, stderr).toBe(4);
      expect(stderr).toContain("the token lacks a permission");
      expect(stderr).toContain("with the role IAM_OWNER.");
    }
  expect(mailed(mock)).toEqual([]);
});

test("a dry run ends with the command that sends, and ends with 1 if no user of the file is on the target", async () => {
  const { cwd, file, invite } = await world();
  const dry = await invite(["--dry-run", "--limit", "3"]);
  expect(dry.stderr).toContain(`To send them: orgferry invite ${file}`);
  expect(dry.stderr).not.toContain("--dry-run");
  expect(dry.stderr).not.toContain("Is it the right instance?");
  const other = await startMock({ seed });
  for (const flags of [["--dry-run"], ["--yes"], ["--yes", "--quiet"]]) {
    const wrong = await runCli(["invite", file, ...flags], { cwd, env: other.env });
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain("none of these users is on the target. Is it the right instance?");
    expect(wrong.stderr).not.toContain("To send them");
  }
});

test("a password of an earlier import is called one on the target, which no user has set since", async () => {
  const { mock, invite } = await world();
  const earlier = inFolder(testBody([{ ...testUser(1), userId: "u1" }]));
  await fetch(`${mock.url}/v2/users/u1`, { method: "DELETE", headers: { authorization: `Bearer ${mock.token}` } });
  await importJson([earlier.file, "--no-mail"], { cwd: earlier.cwd, env: mock.env });
  const { report, stderr } = await invite(["--dry-run"]);
  expect(report.users, stderr).toMatchObject({ withPassword: 1, passwordSet: 1 });
  expect(stderr).toContain("1 with a password on the target");
  expect(stderr).not.toContain("set a password");
});

test("users who set a password, were deactivated, deleted, or are in another organization get none", async () => {
  const { mock, invite } = await world();
  const call = (path: string, method: string, body?: object) =>
    fetch(`${mock.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${mock.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  await call("/v2/users/u1/password", "POST", { newPassword: { password: "Secret-1234!", changeRequired: false } });
  await call("/v2/users/u2/deactivate", "POST", {});
  await call("/v2/users/u3", "DELETE");
  const { report, stderr } = await invite(["--yes"]);
  expect(report.users).toEqual({
    ...{
      read: 5,
      withPassword: 1,
      signsInOtherwise: 0,
      passwordSet: 1,
      invitedBefore: 0,
      inactive: 1,
      gone: 1,
      otherPerson: 0,
    },
    ...{ sent: 1, failed: 0, unknown: 0, toSend: 0 },
  });
  expect(report.notInvited).toEqual([
    { id: "u2", reason: "inactive" },
    { id: "u3", reason: "gone" },
  ]);
  expect(stderr).toContain("1 inactive or locked: u2 (user2@example.com)");
  expect(stderr).toContain("1 not in the organization of the target: u3 (user3@example.com)");
  expect(mailed(mock)).toEqual(["u4"]);
});

test("an e-mail of the import that was not sent is none after five minutes; the import names invite for no others", async () => {
  const mock = await startMock({ seed, mimic: "v4.15" });
  const unverified = testUser(1, { hashedPassword: undefined, email: { email: "user1@example.com" } });
  const { cwd, file } = inFolder(testBody([unverified, testUser(2)]));
  const imported = await runCli(["import", file, "--yes", "--report", "r.json"], { cwd, env: mock.env });
  expect(imported.exitCode, imported.stderr).toBe(0);
  expect(mock.mails()).toMatchObject([{ userId: "u1", reason: "initialization" }]);
  expect(JSON.parse(readFileSync(join(cwd, "r.json"), "utf8")).withoutPassword).toBe(1);
  expect(imported.stderr).not.toContain("orgferry invite");
  const invite = async (minutes: number) => {
    const now = () => new Date(Date.now() + minutes * 60_000);
    const args = ["invite", file, "--by", "invitation", "--yes", "--json"];
    const { stdout, stderr } = await runCli(args, { cwd, env: mock.env, now });
    return { report: JSON.parse(stdout), stderr };
  };
  expect((await invite(4)).report.users).toMatchObject({ invitedBefore: 1, sent: 0 });
  const url = await startFront(mock, (path) =>
    path === "/admin/v1/email/_search" ? { status: 200, body: { details: {} } } : undefined,
  );
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const dry = await runCli(["invite", file, "--dry-run"], { cwd, env });
  expect(dry.stderr).toContain("for 1 of them, an e-mail was requested before");
  const { report, stderr } = await invite(6);
  expect(report, stderr).toMatchObject({ users: { invitedBefore: 0, sent: 1 }, requestedNotSent: 1 });
  expect(stderr).toContain("for 1 of them, an e-mail was requested before, and the service has not sent it");
});

test("an interrupted wave says how many e-mails were sent, also with --quiet, and whose outcome is unknown", async () => {
  const { mock, cwd, file } = await world();
  const controller = new AbortController();
  const url = await startFront(mock, async (path) => {
    if (!path.endsWith("/u2/password_reset")) return undefined;
    controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
    return await new Promise<undefined>((done) => setTimeout(() => done(undefined), 200));
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { exitCode, stderr } = await runCli(["invite", file, "--yes", "-q"], { cwd, env, signal: controller.signal });
  expect(exitCode).toBe(130);
  expect(stderr).toContain(
    "1 e-mail was sent before the run ended, and it is unknown whether u2 (user2@example.com) got one",
  );
  expect(stderr).toContain("interrupted; the changes that the service has made so far stay");
  expect(stderr).not.toContain("nothing was written");
});

test("another person who has the id now gets none; a user who was renamed since does", async () => {
  const { mock, invite } = await world();
  const headers = { authorization: `Bearer ${mock.token}`, "content-type": "application/json" };
  const put = (id: string, body: object) =>
    fetch(`${mock.url}/v2/users/human/${id}`, { method: "PUT", headers, body: JSON.stringify(body) });
  mock.removeUser("u1");
  const bob = { userName: "bob", email: { email: "bob@example.org", isEmailVerified: true } };
  await mock.importOrgs([{ orgId: "org1", humanUsers: [testUser(1, { ...bob, hashedPassword: undefined })] }]);
  await put("u2", { username: "renamed", email: { email: "renamed@example.org", isVerified: true } });
  const { report } = await invite(["--yes"]);
  expect(report.users).toMatchObject({ otherPerson: 1, sent: 3 });
  expect(mailed(mock)).toEqual(["u2", "u3", "u4"]);
});

test("a user with an account at an identity provider needs no password", async () => {
  const mock = await startMock({ seed: { ...seed, instanceIdpIds: ["idp"] }, mimic: "v4.15" });
  const linked = testUser(1, {
    hashedPassword: undefined,
    idps: [{ configId: "idp", externalUserId: "x", displayName: "x" }],
  });
  const { cwd, file } = inFolder(testBody([linked, bare(2)]));
  await importJson([file, "--no-mail"], { cwd, env: mock.env });
  const { stdout } = await runCli(["invite", file, "--yes", "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout).users).toMatchObject({ signsInOtherwise: 1, sent: 1 });
  expect(mailed(mock)).toEqual(["u2"]);
});

describe("nothing is sent", () => {
  test.each<[string, readonly string[], CliWorld, number]>([
    ["without a yes, and the command that says it is named", [], { answer: undefined }, 2],
    ["after a no", [], { answer: "n\n" }, 3],
    ["to more users than --max-mails", ["--max-mails", "3"], {}, 5],
    ["by a dry run", ["--dry-run"], { answer: undefined }, 0],
  ])("%s", async (_, flags, more, exitCode) => {
    const { mock, invite } = await world();
    const run = await invite(flags, more);
    expect(mailed(mock)).toEqual([]);
    if (exitCode !== 5) expect(run.exitCode, run.stderr).toBe(exitCode);
    else expect(run.exitCode).not.toBe(0);
    if (more.answer === undefined && flags.length === 0)
      expect(run.stderr).toContain("orgferry invite body.json --json --yes");
  });

  test("by --by invitation to a 2.x service, which refuses some users", async () => {
    const { mock, invite } = await world("v2");
    const { report, exitCode } = await invite(["--by", "invitation", "--yes"]);
    expect([exitCode, report.problems[0].code]).toEqual([5, "api.flag-impossible"]);
    expect(mailed(mock)).toEqual([]);
    expect((await invite(["--yes"])).report.users.sent).toBe(4);
  });
});

test("--by invitation sends invitations", async () => {
  const { mock, invite } = await world();
  expect((await invite(["--by", "invitation", "--max-mails", "9"])).report.users.sent).toBe(4);
  expect(mock.mails().map(({ reason }) => reason)).toEqual(["invitation", "invitation", "invitation", "invitation"]);
});

test.each(["reset-after", "500", "502", "half-json"] as const)(
  "after %s, no user gets two e-mails, and the next run sends those that are missing",
  async (fault) => {
    const { mock, invite } = await world();
    mock.addFault({ endpoint: "users", fault, probability: 0.5, seed: 7 });
    const first = await invite(["--yes"], { sleep: async () => {} });
    const sent = mailed(mock);
    expect(new Set(sent).size).toBe(sent.length);
    mock.clearFaults();
    const second = await invite(["--yes"]);
    expect(second.exitCode, first.stderr + second.stderr).toBe(0);
    expect([...mailed(mock)].sort()).toEqual(["u1", "u2", "u3", "u4"]);
  },
);

describe("an import names invite", () => {
  const files = async (
    mock: Awaited<ReturnType<typeof startMock>>,
    users: readonly object[],
    flags: readonly string[] = [],
  ) => {
    const { cwd, file } = inFolder(testBody([...users] as Parameters<typeof testBody>[0]));
    const run = await runCli(["import", file, "--no-mail", "--report", "r.json", ...flags], { cwd, env: mock.env });
    return { ...run, file, report: JSON.parse(readFileSync(join(cwd, "r.json"), "utf8")) };
  };

  test("and the created users without a password, but no users with a link", async () => {
    const mock = await startMock({ seed: { ...seed, instanceIdpIds: ["idp"] }, mimic: "v4.15" });
    const idps = [{ configId: "idp", externalUserId: "x", displayName: "x" }];
    const linked = testUser(1, { hashedPassword: undefined, idps });
    const first = await files(mock, [linked, bare(2), bare(3), testUser(4)]);
    expect(first.exitCode, first.stderr).toBe(0);
    expect(first.report.withoutPassword).toBe(2);
    expect(first.stderr).toContain("2 of the created users have no password");
    expect(first.stderr).toMatch(/without a password: orgferry invite .* --target http:\/\/\S+ --dry-run\n/);
    const again = await files(mock, [linked, bare(2), bare(3), testUser(4), bare(5)]);
    expect(again.report.withoutPassword).toBe(1);
  });

  test("without those who get no invitation, and with those who get another e-mail of the service", async () => {
    const mock = await startMock({ seed, mimic: "v4.15" });
    const closed = { ...bare(1), state: "USER_STATE_INACTIVE" };
    const asked = testUser(2, { hashedPassword: undefined, email: { email: "user2@example.com" } });
    const { cwd, file } = inFolder(testBody([closed, asked, bare(3)]));
    const { stderr } = await runCli(["import", file, "--yes", "--report", "r.json"], { cwd, env: mock.env });
    expect(stderr).toContain(
      "1 of the created users has no password and no link: orgferry invite sends an e-mail to set one; 1 more gets one from the service; 1 more is inactive or locked, without an e-mail\n",
    );
    expect(JSON.parse(readFileSync(join(cwd, "r.json"), "utf8")).withoutPassword).toBe(3);
  });

  test("not if all created users have a password, and not with --quiet", async () => {
    const mock = await startMock({ seed, mimic: "v4.15" });
    const all = await files(mock, [testUser(1)]);
    expect(all.report.withoutPassword).toBe(0);
    expect(all.stderr).not.toContain("invite");
    const quiet = await files(mock, [bare(2)], ["--quiet"]);
    expect(quiet.report.withoutPassword).toBe(1);
    expect(quiet.stderr).toBe("");
  });
});

test.each(["drop", "later"])("migrate --unverifiable %s names invite for the time after the import", async (what) => {
  const hash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g";
  const { cwd } = inFolder(`userId,email,hash\n1,a@example.com,"${hash}"\n`, "t.csv");
  const map = ["--map", "userId=userId,email=email,hash=hash"];
  const run = await runCli(
    ["migrate", "csv", "--users", "t.csv", "--org", "1", ...map, "--unverifiable", what, "--output", "b.json"],
    { cwd },
  );
  expect(run.exitCode, run.stderr).toBe(0);
  expect(run.stderr).toContain("After the import, preview the e-mails: orgferry invite b.json --dry-run");
});

const answerOf = (body: object | string) =>
  typeof body === "string" ? { status: 400, body: { code: 9, message: "no" } } : { status: 200, body };

test.each([
  ["none", { details: {} }, "no active e-mail provider"],
  [
    "an inactive one",
    { details: { totalResult: "1" }, result: [{ id: "1", state: "EMAIL_PROVIDER_INACTIVE" }] },
    "no active e-mail provider",
  ],
  [
    "an active one",
    { details: { totalResult: "1" }, result: [{ id: "1", state: "EMAIL_PROVIDER_ACTIVE" }] },
    undefined,
  ],
  ["an unknown number", undefined, undefined],
  ["an answer that the service fails at", "fails", undefined],
])("invite, import and doctor say if the instance cannot deliver e-mails: it has %s", async (_, body, expected) => {
  const { mock, cwd, file } = await world();
  const url = await startFront(mock, (path) =>
    path === "/admin/v1/email/_search" && body !== undefined ? answerOf(body) : undefined,
  );
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stderr, exitCode } = await runCli(["invite", file, "--dry-run"], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  const sends = await runCli(["invite", file, "--yes", "--json"], { cwd, env });
  expect(JSON.parse(sends.stdout), sends.stderr).toMatchObject(
    expected === undefined
      ? { exitCode: 0, users: { failed: 0 } }
      : { exitCode: 5, users: { sent: 0 }, problems: [{ code: "api.no-mail-provider" }] },
  );
  const another = inFolder(testBody([testUser(6, { email: { email: "user6@example.com" } })]));
  const imported = await runCli(["import", another.file, "--yes"], { cwd: another.cwd, env });
  expect(imported.exitCode, imported.stderr).toBe(0);
  const doctor = await runCli(["doctor", "--json"], { cwd, env });
  const checks: readonly { name: string; status: string }[] = JSON.parse(doctor.stdout).checks;
  const status = checks.find(({ name }) => name === "target e-mails")?.status;
  for (const said of [stderr, imported.stderr])
    if (expected === undefined) expect(said).not.toContain("e-mail provider");
    else expect(said).toContain(expected);
  expect(status).toBe(expected === undefined ? (typeof body === "object" ? "ok" : undefined) : "warn");
});
