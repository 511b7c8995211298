import { bcrypt } from "hash-wasm";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { forward, serve, startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// Users of the target who never finished registration: the service takes a password only after a lock (service behaviour 0.28).

const OWN_HASH = "$2b$10$ownownownownownownownuabcdefghijklmnopqrstuvwxyzABCDEF";
const HASH = "$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE";
const ADMIN = { userId: "admin", roles: ["IAM_OWNER" as const] };

async function send(mock: TestMock, method: string, path: string, body?: object, token = mock.token): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${mock.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.status, `${method} ${path} ${text}`).toBeLessThan(300);
  return JSON.parse(text);
}

async function hashOf(mock: TestMock, id: string): Promise<string | undefined> {
  const asked = { org_ids: ["org1"], with_passwords: true, timeout: "1m" };
  const { orgs } = (await send(mock, "POST", "/admin/v1/export", asked)) as {
    orgs: { humanUsers: { userId: string; user: { hashedPassword?: { value: string } } }[] }[];
  };
  return orgs[0]?.humanUsers.find(({ userId }) => userId === id)?.user.hashedPassword?.value;
}

async function stateOf(mock: TestMock, id: string): Promise<string> {
  return ((await send(mock, "GET", `/v2/users/${id}`)) as { user: { state: string } }).user.state;
}

/** A target whose users u1 and u2 this account has created and who never finished, and a file in which they have passwords. */
async function unfinished(inFile: (user: ReturnType<typeof testUser>) => object = (user) => user) {
  const target = await startMock({ mimic: "v4" });
  target.addToken("admin", ADMIN);
  const humanUsers = [1, 2].map((n) => testUser(n, { hashedPassword: undefined }));
  const orgs = [{ orgId: "org1", org: { name: "One" }, humanUsers }];
  await send(target, "POST", "/admin/v1/import", { timeout: "1m", dataOrgs: { orgs } });
  const { cwd, file } = inFolder(testBody([inFile(testUser(1)), testUser(2)]));
  const run = async (more: readonly string[] = [], url = target.url) => {
    const argv = ["import", file, "--update", "--json", ...more];
    const env = { ...target.env, ZITADEL_IMPORT_DOMAIN: url };
    const { stdout, stderr } = await runCli(argv, { cwd, env });
    return { report: JSON.parse(stdout), stderr };
  };
  /** A front that refuses the token from the call with this number on that changes a user. */
  const endingBefore = (number: number): Promise<string> => {
    let calls = 0;
    return startFront(target, (path) => {
      if (!/^\/v2\/users\/(human\/)?u\d/.test(path)) return undefined;
      calls += 1;
      return calls >= number ? { status: 401, body: { code: 16, message: "Errors.Token.Invalid" } } : undefined;
    });
  };
  const wrote = (): string[] =>
    target.requests
      .filter(({ path }) => /^\/v2\/users\/(human\/)?u1/.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/^.*\//, "")}`);
  return { target, run, endingBefore, wrote };
}

test("a user who never finished gets the password by a lock and an unlock, the dry run foretells it, and no user is deleted", async () => {
  const { target, run, wrote } = await unfinished();
  const dry = await run(["--dry-run"]);
  expect(dry.report, dry.stderr).toMatchObject({
    exitCode: 0,
    mails: 2,
    update: {
      update: [{ userId: "u1", fields: ["isEmailVerified", "hash"] }, { userId: "u2" }],
      remake: [],
      delete: [],
    },
  });
  expect(wrote()).toEqual([]);
  const { report, stderr } = await run();
  expect(report, stderr).toMatchObject({
    exitCode: 0,
    users: { updated: 2, conflict: 0, failed: 0, created: 0 },
    update: { update: ["u1", "u2"].map((userId) => ({ userId, fields: ["isEmailVerified", "hash"] })) },
  });
  // The address; then a password that is refused, because the service checks the hash and changes nothing.
  expect(wrote()).toEqual(["PUT u1", "PUT u1", "POST lock", "POST unlock", "PUT u1"]);
  for (const id of ["u1", "u2"]) {
    expect(await hashOf(target, id)).toBeDefined();
    expect(await stateOf(target, id)).toBe("USER_STATE_ACTIVE");
  }
  expect((await run()).report).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: 2 } });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  "a run that ends before call %d of the two users is completed by the next run, and no user stays locked",
  async (number) => {
    const { target, run, endingBefore } = await unfinished();
    const first = await run([], await endingBefore(number));
    expect(first.report, first.stderr).toMatchObject({ exitCode: 4 });
    const { report, stderr } = await run(["--restart"]);
    expect(report, stderr).toMatchObject({ exitCode: 0, users: { conflict: 0, failed: 0 } });
    for (const id of ["u1", "u2"]) {
      expect(await stateOf(target, id)).toBe("USER_STATE_ACTIVE");
      expect(await hashOf(target, id)).toBe(HASH);
    }
    expect((await run()).report).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: 2 } });
  },
);

test.each([1, 2, 3, 4])(
  "a user who never finished becomes active with a verified address, also after a run that ends before call %d",
  async (number) => {
    const target = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const unverified = { email: { email: "user1@example.com", isEmailVerified: false } };
    const before = inFolder(testBody([testUser(1, unverified)]));
    const first = await runCli(["import", before.file, "--yes"], { cwd: before.cwd, env: target.env });
    expect(first.exitCode, first.stderr).toBe(0);
    expect(await stateOf(target, "u1")).toBe("USER_STATE_INITIAL");
    const { cwd, file } = inFolder(testBody([{ ...testUser(1), state: "USER_STATE_ACTIVE" }]));
    let calls = 0;
    const url = await startFront(target, (path) => {
      if (!/^\/v2\/users\/(human\/)?u1/.test(path)) return undefined;
      calls += 1;
      return calls === number ? { status: 401, body: { code: 16, message: "Errors.Token.Invalid" } } : undefined;
    });
    const run = async (of = target.url, more: readonly string[] = []) => {
      const env = { ...target.env, ZITADEL_IMPORT_DOMAIN: of };
      const { stdout, stderr } = await runCli(["import", file, "--update", "--yes", "--json", ...more], { cwd, env });
      return { report: JSON.parse(stdout), stderr };
    };
    const cut = await run(url);
    expect(cut.report, cut.stderr).toMatchObject({ exitCode: number === 4 ? 0 : 4 });
    const { report, stderr } = await run(target.url, ["--restart"]);
    expect(report, stderr).toMatchObject({ exitCode: 0, users: { conflict: 0, failed: 0 } });
    expect(await stateOf(target, "u1")).toBe("USER_STATE_ACTIVE");
    expect(await hashOf(target, "u1")).toBe(HASH);
    expect((await run()).report).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: 1 } });
  },
);

test.each([
  ["locked", 1, (target: TestMock) => send(target, "POST", "/v2/users/u1/lock", {}, "admin"), "USER_STATE_LOCKED"],
  ["locked", 2, (target: TestMock) => send(target, "POST", "/v2/users/u1/lock", {}, "admin"), "USER_STATE_LOCKED"],
  [
    "deactivated",
    4,
    (target: TestMock) => send(target, "POST", "/v2/users/u1/deactivate", {}, "admin"),
    "USER_STATE_INACTIVE",
  ],
])("a user that another account has %s before call %d stays so, as a conflict", async (_, number, act, state) => {
  const { target, run } = await unfinished();
  // Before the question that precedes the call.
  let asked = 0;
  const url = await serve(async (request, body, response) => {
    const isQuestion = request.url?.endsWith("/events/_search") && body.includes("initialization.check");
    // The look at the user before the first call asks for more events.
    if (isQuestion && body.includes('"u1"') && body.includes('"limit":1,')) {
      asked += 1;
      if (asked === number) await act(target);
    }
    await forward(target.url, request, body, response);
  });
  const { report, stderr } = await run([], url);
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    users: { updated: 1, conflict: 1, failed: 0 },
    update: { conflict: [{ userId: "u1", fields: ["hash"] }] },
  });
  expect(await stateOf(target, "u1")).toBe(state);
  expect(await hashOf(target, "u1")).toBeUndefined();
});

test("a user who never finished and has no password in the file is deactivated by a lock, and stays so", async () => {
  const closed = { state: "USER_STATE_INACTIVE" };
  const { target, run, wrote } = await unfinished(({ user: { hashedPassword: _, ...user }, ...entry }) => ({
    ...entry,
    ...closed,
    user,
  }));
  const { report, stderr } = await run();
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { updated: 2, failed: 0 } });
  expect(wrote().slice(-2)).toEqual(["POST lock", "POST deactivate"]);
  expect(await stateOf(target, "u1")).toBe("USER_STATE_INACTIVE");
  const again = await run();
  expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { updated: 0, unchanged: 2 } });
});

test("a hash that the target refuses causes no lock", async () => {
  const { target, run, wrote } = await unfinished((user) => ({
    ...user,
    user: { ...user.user, hashedPassword: { value: "nonsense" } },
  }));
  const { report } = await run();
  expect(report).toMatchObject({ exitCode: 1, users: { updated: 1, failed: 1 } });
  expect(wrote()).toEqual(["PUT u1", "PUT u1"]);
  expect(await stateOf(target, "u1")).toBe("USER_STATE_INITIAL");
});

// A lock ends the state in which the service takes no password (tried on 4.x and 2.62), so what a run says to be left would be written by
// the next one, or by the same job when it continues.
test("a user who never finished, of another account and locked in the source, gets the password in the same run or never", async () => {
  const target = await startMock({ mimic: "v4" });
  target.addToken("admin", ADMIN);
  const unverified = { email: { email: "user1@example.com" }, hashedPassword: { value: OWN_HASH } };
  const orgs = [
    { orgId: "org1", org: { name: "One" }, humanUsers: [testUser(1, unverified), testUser(2, unverified)] },
  ];
  await send(target, "POST", "/admin/v1/import", { timeout: "1m", dataOrgs: { orgs } }, "admin");
  const wanted = [{ ...testUser(1), state: "USER_STATE_LOCKED" }, testUser(2)];
  const { cwd, file } = inFolder(testBody(wanted));
  const run = async () => {
    const argv = ["import", file, "--update", "--prefer", "target", "--json"];
    const { stdout, stderr } = await runCli(argv, { cwd, env: target.env });
    return { report: JSON.parse(stdout), stderr };
  };
  const { report, stderr } = await run();
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { updated: 1, conflict: 1 } });
  expect(report.update.update).toEqual([{ userId: "u1", fields: expect.arrayContaining(["state", "hash"]) }]);
  expect(report.update.conflict).toMatchObject([{ userId: "u2", fields: ["hash"] }]);
  expect(await stateOf(target, "u1")).toBe("USER_STATE_LOCKED");
  expect(await hashOf(target, "u1")).not.toBe(OWN_HASH);
  expect(await hashOf(target, "u2")).toBe(OWN_HASH);
  const again = await run();
  expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: 1, conflict: 1 } });
  expect(await hashOf(target, "u2")).toBe(OWN_HASH);
});

test("a sign-in that hashes the same password again does not keep the new one from a user who never finished", async () => {
  const target = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  target.addToken("admin", ADMIN);
  const password = "Correct horse 1!";
  const value = await bcrypt({ password, salt: new Uint8Array(16), costFactor: 5, outputType: "encoded" });
  const unverified = { email: { email: "user1@example.com", isEmailVerified: false } };
  const before = inFolder(testBody([testUser(1, { ...unverified, hashedPassword: { value } })]));
  await runCli(["import", before.file, "--yes"], { cwd: before.cwd, env: target.env });
  expect(await stateOf(target, "u1")).toBe("USER_STATE_INITIAL");
  await send(target, "POST", "/v2/sessions", { checks: { user: { userId: "u1" }, password: { password } } }, "admin");
  expect(await hashOf(target, "u1")).not.toBe(value);
  const { cwd, file } = inFolder(testBody([testUser(1, unverified)]));
  const { stdout, stderr } = await runCli(["import", file, "--update", "--yes", "--json"], { cwd, env: target.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { updated: 1, conflict: 0 } });
  expect(await hashOf(target, "u1")).toBe(HASH);
});

test("a comparison names a user who never finished, but not one who waits for the code of an unverified address", async () => {
  const target = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const unverified = { email: { email: "user1@example.com", isEmailVerified: false } };
  const before = inFolder(testBody([testUser(1, unverified)]));
  const first = await runCli(["import", before.file, "--verify", "--yes"], { cwd: before.cwd, env: target.env });
  expect(first.exitCode, first.stderr).toBe(0);
  expect(first.stderr).toContain("1 of 1 found, 1 identical");
  const body = (user: object) => inFolder(testBody([{ ...testUser(1), ...user }]));
  const { cwd, file } = body({});
  const run = (command: string, ...more: string[]) =>
    runCli([command, file, "--json", ...more], { cwd, env: target.env });
  const updated = await run("import", "--update", "--verify", "--yes");
  expect(await stateOf(target, "u1")).toBe("USER_STATE_INITIAL");
  expect(updated.stderr).toContain("different: human_user u1");
  expect(updated.stderr).toContain(": state (never finished registration)");
  const verified = await run("verify");
  expect(JSON.parse(verified.stdout), verified.stderr).toMatchObject({
    exitCode: 1,
    different: [{ id: "u1", fields: ["state"], targetState: "initial" }],
    differentCount: 1,
  });
  const initial = body({ state: "USER_STATE_INITIAL" });
  const same = await runCli(["verify", initial.file], { cwd: initial.cwd, env: target.env });
  expect(same.exitCode, same.stderr).toBe(0);
  // A lock and an unlock finish the registration.
  await run("import", "--update", "--prefer", "source", "--yes");
  expect(JSON.parse((await run("verify")).stdout)).toMatchObject({ exitCode: 0, differentCount: 0 });
});

test.each([
  ["with a password, active in the input", {}, { state: "USER_STATE_ACTIVE" }],
  ["with a password, without a state in the input", {}, {}],
  ["without a password", { hashedPassword: undefined }, { state: "USER_STATE_ACTIVE" }],
])("a user that another account created and who never finished is named each night: %s", async (_, fields, state) => {
  const target = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  target.addToken("admin", ADMIN);
  const unverified = { email: { email: "user1@example.com", isEmailVerified: false } };
  const before = inFolder(testBody([testUser(1, { ...fields, ...unverified })]));
  const env = { ...target.env, PAT_IMPORT_TOKEN: "admin" };
  const first = await runCli(["import", before.file, "--yes"], { cwd: before.cwd, env });
  expect(first.exitCode, first.stderr).toBe(0);
  const { cwd, file } = inFolder(testBody([{ ...testUser(1, fields), ...state }]));
  const run = async (...more: readonly string[]) => {
    const argv = ["import", file, "--update", "--yes", "--json", ...more];
    const { stdout, stderr } = await runCli(argv, { cwd, env: target.env });
    return { report: JSON.parse(stdout), stderr };
  };
  for (const night of [1, 2]) {
    const { report, stderr } = await run();
    expect(report, `${night}: ${stderr}`).toMatchObject({
      exitCode: 0,
      update: { notUpdated: [{ userId: "u1", fields: ["state"] }] },
    });
    expect(stderr).toContain("or another account created them: --prefer source --only <ids> finishes it");
    expect(await stateOf(target, "u1")).toBe("USER_STATE_INITIAL");
  }
  const { report, stderr } = await run("--prefer", "source");
  expect(report, stderr).toMatchObject({ exitCode: 0, update: { update: [{ userId: "u1", fields: ["state"] }] } });
  expect(await stateOf(target, "u1")).toBe("USER_STATE_ACTIVE");
});
