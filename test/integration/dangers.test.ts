import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const GOOD = '{"dataOrgs":{"orgs":[]}}';

// Nothing dangerous without a word.

const org = { orgId: "org1", org: { name: "One" } };
/** Without a hash and unverified: the service mails them. */
const mailed = { hashedPassword: undefined, email: { email: "user1@example.com", isEmailVerified: false } };

async function twoMailed(): Promise<{ mock: TestMock; cwd: string; file: string; imports: () => number }> {
  const mock = await startMock({ seed: { orgs: [org] } });
  const users = [testUser(1, mailed), testUser(2, mailed), testUser(3)];
  const { cwd, file } = inFolder(testBody(users));
  const imports = (): number => mock.requests.filter(({ path }) => path.endsWith("/import")).length;
  return { mock, cwd, file, imports };
}

test.each(["n\n", "\n", "", "nope\n"])("on a terminal the service sends no e-mail without a yes: %j", async (stdin) => {
  const { mock, cwd, file, imports } = await twoMailed();
  const env = { ...mock.env, NO_COLOR: "1" };
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env, isTerminal: true, stdin });
  expect(stderr).toContain(`127.0.0.1:${mock.port} will send 2 e-mails. Continue? [y/N]`);
  expect(stderr).toContain("error: not confirmed; nothing was sent.");
  expect({ exitCode, imports: imports() }).toEqual({ exitCode: 3, imports: 0 });
  // Nothing is left that would be in the way of the next run.
  expect((await runCli(["import", file, "--yes"], { cwd, env: mock.env })).exitCode).toBe(0);
});

test.each(["y\n", "YES\n"])("on a terminal %j continues", async (stdin) => {
  const { mock, cwd, file, imports } = await twoMailed();
  const result = await runCli(["import", file], { cwd, env: mock.env, isTerminal: true, stdin });
  expect({ ...result, imports: imports() }).toMatchObject({ exitCode: 0, imports: 1 });
});

test.each([
  ["--yes", { isTerminal: true }],
  ["with --max-mails", { isTerminal: true, ci: { CI: "true" } }],
  ["with a dry run", { isTerminal: true }],
])(
  "the run does not ask %s, and reports the number",
  async (how, { ci = {}, ...world }: { ci?: object; isTerminal?: boolean }) => {
    const { mock, cwd, file } = await twoMailed();
    const flags = { "--yes": ["--yes"], "with a dry run": ["--dry-run"] }[how] ?? ["--max-mails", "2"];
    const env = { ...mock.env, ...ci };
    const { exitCode, stderr } = await runCli(["import", file, ...flags], { cwd, env, ...world });
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("[y/N]");
    expect(stderr).toContain("will send 2 e-mails");
  },
);

test.each([
  ["without a terminal", {}],
  ["in CI", { isTerminal: true, ci: { CI: "true" } }],
])(
  "%s the service sends no e-mail, and the command that would send them is named",
  async (_, { ci = {}, ...world }: { ci?: object; isTerminal?: boolean }) => {
    const { mock, cwd, file, imports } = await twoMailed();
    const argv = ["import", file, "--rejects", "my rejects"];
    const result = await runCli(argv, { cwd, env: { ...mock.env, ...ci }, answer: undefined, ...world });
    expect({ exitCode: result.exitCode, imports: imports() }).toEqual({ exitCode: 2, imports: 0 });
    expect(result.stderr).toContain("would send 2 e-mails, and there is no terminal to ask; nothing was sent.");
    expect(result.stderr).toContain(
      "To send them: orgferry import body.json --rejects 'my rejects' --yes (or with --no-mail",
    );
    expect(existsSync(join(cwd, "body.json.journal.ndjson"))).toBe(false);
  },
);

test("a pipe on stdin is no obstacle to a question on the controlling terminal", async () => {
  const { mock, cwd, imports, file } = await twoMailed();
  const stdin = readFileSync(join(cwd, file));
  const refused = await runCli(["import", "-"], { cwd, env: mock.env, stdin, answer: "n\n" });
  expect({ exitCode: refused.exitCode, imports: imports() }).toEqual({ exitCode: 3, imports: 0 });
  const accepted = await runCli(["import", "-"], { cwd, env: mock.env, stdin, answer: "y\n" });
  expect({ exitCode: accepted.exitCode, imports: imports() }).toEqual({ exitCode: 0, imports: 1 });
});

test("plan, question and dry run have one number of e-mails, without users who exist", async () => {
  const { mock, cwd, file } = await twoMailed();
  writeFileSync(join(cwd, "first.json"), testBody([testUser(1, mailed)]));
  expect((await runCli(["import", "first.json"], { cwd, env: mock.env })).exitCode).toBe(0);
  const dry = await runCli(["import", file, "--dry-run"], { cwd, env: mock.env });
  expect(dry.stderr).toContain("will send 1 e-mail, none to existing users");
  const refused = await runCli(["import", file, "--max-mails", "0", "--report", "r.json"], { cwd, env: mock.env });
  expect({ exitCode: refused.exitCode, stderr: refused.stderr }).toEqual({
    exitCode: 3,
    stderr: expect.stringContaining("would e-mail 1 user,"),
  });
  expect(JSON.parse(readFileSync(join(cwd, "r.json"), "utf8"))).toMatchObject({ mails: 1 });
});

test.each([
  ["a dry run", ["--dry-run"], 0],
  ["a refusal by --max-mails", ["--max-mails", "0"], 3],
  ["a refusal without a terminal", [], 2],
  ["the plan of an update", ["--update"], 2],
] as const)("%s names who would get a message, by reason", async (_, flags, expected) => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const many = Array.from({ length: 12 }, (_, at) => testUser(at + 10, mailed));
  const phone = { phone: { phone: "+41791234567", isPhoneVerified: false } };
  const { cwd, file } = inFolder(testBody([...many, testUser(3, phone), testUser(4)]));
  const { exitCode, stderr, stdout } = await runCli(["import", file, ...flags, "--json"], {
    cwd,
    env: mock.env,
    answer: undefined,
  });
  expect(exitCode).toBe(expected);
  expect(stderr).toContain("e-mail, because their address is not verified: u10 (user10@example.com), u11 (");
  expect(stderr).toContain("u19 (user19@example.com) and 2 more\n");
  expect(stderr).toContain("SMS, because their phone number is not verified: u3 (user3@example.com)\n");
  expect(stderr).toContain("12 users are created in the state INITIAL: the login page asks for the code of the e-mail");
  expect(stderr).not.toContain("u4 (");
  const { recipients, loginNames } = JSON.parse(stdout);
  expect(recipients).toHaveLength(13);
  expect(recipients.at(-1)).toEqual({ id: "u3", reason: "phone-not-verified" });
  expect(loginNames).toMatchObject({ u3: "user3@example.com", u21: "user21@example.com" });
});

test.each([
  ["a refusal without a terminal", [], 2],
  ["--max-mails", ["--max-mails", "1"], 3],
  ["--max-mails in an update", ["--max-mails", "1", "--update"], 3],
] as const)("%s names who would get a message with --quiet, too", async (_, flags, expected) => {
  const { mock, cwd, file } = await twoMailed();
  const { exitCode, stderr } = await runCli(["import", file, ...flags, "-q"], {
    cwd,
    env: mock.env,
    answer: undefined,
  });
  expect(exitCode).toBe(expected);
  expect(stderr.replace(/^error: .*\n/, "")).toBe(
    [
      "warning: these users would get a message:",
      "  2 not sent: E-mail, because their address is not verified.",
      "    u1 (user1@example.com)",
      "    u2 (user2@example.com)",
      "",
    ].join("\n"),
  );
});

test("the run does not ask when the service sends no e-mail", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env: mock.env, isTerminal: true });
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain("[y/N]");
});

test("Ctrl-C ends the question at once", async () => {
  const { mock, cwd, file, imports } = await twoMailed();
  const interrupt = new AbortController();
  const stdin = new PassThrough();
  const running = runCli(["import", file], { cwd, env: mock.env, isTerminal: true, stdin, signal: interrupt.signal });
  // The prompt starts to read.
  await new Promise((asked) => stdin.once("resume", asked));
  interrupt.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
  expect((await running).exitCode).toBe(130);
  expect(imports()).toBe(0);
});

test.each([
  ["1", 3, 0],
  ["2", 0, 1],
  ["0", 3, 0],
])("--max-mails %s with two who would be mailed ends with %i", async (limit, expected, calls) => {
  const { mock, cwd, file, imports } = await twoMailed();
  const { exitCode, stderr } = await runCli(["import", file, "--max-mails", limit], { cwd, env: mock.env });
  expect({ exitCode, imports: imports() }).toEqual({ exitCode: expected, imports: calls });
  if (expected !== 0) expect(stderr).toContain(`127.0.0.1:${mock.port} would e-mail 2 users, and --max-mails`);
});

test("--max-mails holds for a copy as well, before anything is sent", async () => {
  const source = await startMock({ seed: { orgs: [{ ...org, humanUsers: [testUser(1, mailed)] }] } });
  const { mock, imports } = await twoMailed();
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const { exitCode } = await runCli(["copy", "--max-mails", "0"], { cwd: tempDir(), env });
  // The one call is without data: may the token import?
  expect({ exitCode, imports: imports() }).toEqual({ exitCode: 3, imports: 1 });
});

test.each([["--max-mails", "5"], ["--no-mail"]])(
  "%s is refused if only the service could count the e-mails",
  async (...limit) => {
    const mock = await startMock();
    const cwd = tempDir();
    writeFileSync(join(cwd, "key.json"), '{"type":"service_account","private_key":"k"}');
    const flags = ["--gcs-bucket", "b", "--gcs-path", "p", "--gcs-service-account", "key.json", ...limit];
    const { exitCode, stderr } = await runCli(["import", ...flags], { cwd, env: mock.env });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(`${limit[0]} cannot be used here`),
    });
  },
);

test("with --quiet each command says why the exit code is not 0, with the items", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const rest = '"email_verified":true,"blocked":false}\n';
  const rows = [`{"user_id":"a","email":"a@example.com",${rest}`, `{"user_id":"b","email":"x",${rest}`];
  writeFileSync(join(cwd, "users.json"), rows.join(""));
  const one = async (argv: string[], line: RegExp): Promise<void> => {
    const { exitCode, stderr } = await runCli([...argv, "-q"], { cwd, env: mock.env });
    expect({ argv, exitCode }).toEqual({ argv, exitCode: 1 });
    expect(stderr).toMatch(line);
  };
  await one(
    ["migrate", "auth0", "--org", "1"],
    /^warning: 1 user of 2 and 0 password rows were rejected .*\n {2}\.\/users\.json:2: email: not an e-mail address .* Fix the address\.\n$/,
  );
  await one(["verify", file], /of 2 expected, 2 are missing and 0 different\.\n$/);
  await runCli(["import", file, "-q"], { cwd, env: mock.env });
  await one(
    ["import", file, "--fail-on-existing"],
    /^warning: of 2 users, 2 failed, 0 unknown\.\n {2}2 failed: The id already exists\. .*\n {4}u1 \(user1@example\.com\), .*\n {4}u2 .*\n$/,
  );
  await one(
    ["import", file, "--fail-on-existing", "--dry-run"],
    /^warning: dry run: .*would end with exit code 1.*\n$/,
  );
});

test("with --quiet a run that went well says nothing", async () => {
  const { cwd } = inFolder(
    '{"user_id":"a","email":"a@example.com","email_verified":true,"blocked":false}\n',
    "users.json",
  );
  expect((await runCli(["migrate", "auth0", "--org", "1", "-q"], { cwd })).stderr).toBe("");
});

const profile = '{"user_id":"auth0|1","email":"a@example.com","name":"A"}\n';
const password = '{"_id":{"$oid":"1"},"email":"a@example.com","passwordHash":"x"}\n';
const exported = '{"orgs":[{"orgId":"1","humanUsers":[]}]}';
const exportedByV1 = '{"orgs":[{"orgId":"1","iamPolicy":{"userLoginMustBeDomain":true},"humanUsers":[]}]}';

test.each([
  ["swapped", password, profile, /users\.json: is a file for --passwords of Auth0.*Swap/],
  ["an array of password rows for the users", `[${password}]`, "", /is a file for --passwords/],
  ["profiles for the passwords", profile, profile, /passwords\.json: is a file for --users/],
  ["an export", exported, password, /users\.json: is an export of an instance\. Import it with orgferry import/],
  ["an export of the first version", exportedByV1, password, /is an export of an instance of version 1/],
  ["a body", testBody([]), password, /users\.json: is an import body already/],
  ["a body for the passwords", profile, testBody([]), /passwords\.json: is an import body already/],
])("migrate recognizes %s by its fields, and leaves the output as it is", async (_, users, passwords, words) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), users);
  writeFileSync(join(cwd, "passwords.json"), passwords);
  writeFileSync(join(cwd, "importBody.json"), GOOD);
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1"], { cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringMatching(words) });
  expect(readFileSync(join(cwd, "importBody.json"), "utf8")).toBe(GOOD);
});

test("migrate recognizes what comes through a pipe as well", async () => {
  const { cwd } = inFolder(profile, "users.json");
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", "--passwords", "-"], {
    cwd,
    stdin: profile,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining("stdin: is a file for") });
});

test("one file for both inputs is refused, under any name", async () => {
  const { cwd } = inFolder(profile, "users.json");
  const { exitCode, stderr } = await runCli(
    ["migrate", "auth0", "--org", "1", "--passwords", `../${cwd.split("/").at(-1)}/users.json`],
    { cwd },
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining("are the same file") });
});

test.each(["import", "verify"])(
  "%s recognizes the export of a provider and says what to do with it",
  async (command) => {
    const mock = await startMock();
    for (const content of [profile, `[\n${profile}]`]) {
      const { cwd, file } = inFolder(content, "users.json");
      const { exitCode, stderr } = await runCli([command, file], { cwd, env: mock.env });
      expect(exitCode).toBe(3);
      expect(stderr).toContain("is a file for --users of Auth0, not a body or an export");
      expect(stderr).toContain("orgferry migrate auth0 --org <id> --users users.json");
    }
    expect(mock.requests).toEqual([]);
  },
);

test("a good output is never replaced by one without users", async () => {
  const { cwd } = inFolder(profile, "users.json");
  const run = () => runCli(["migrate", "auth0", "--org", "1"], { cwd });
  const body = (): string => readFileSync(join(cwd, "importBody.json"), "utf8");
  expect((await run()).exitCode).toBe(0);
  const good = body();
  writeFileSync(join(cwd, "users.json"), '{"user_id":"auth0|1","email":"x"}\n');
  const { exitCode, stderr } = await run();
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: expect.stringContaining("no user to write, so the existing ./importBody.json was not replaced"),
  });
  expect(body()).toBe(good);
  expect(readFileSync(join(cwd, "importBody.json.rejects/users.ndjson"), "utf8")).toContain("auth0|1");
});

test("a body without users replaces another one without users, and where there is none it is written", async () => {
  const { cwd } = inFolder('{"user_id":"auth0|1","email":"x"}\n', "users.json");
  const run = () => runCli(["migrate", "auth0", "--org", "1"], { cwd });
  expect([(await run()).exitCode, (await run()).exitCode]).toEqual([1, 1]);
});

test("a verified import counts its own e-mails, and not those of an earlier run", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody([testUser(1, mailed)]));
  const run = async (...flags: readonly string[]) => {
    const { stdout, stderr } = await runCli(["import", file, "--verify", "--json", ...flags], { cwd, env: mock.env });
    return { report: JSON.parse(stdout), stderr };
  };
  expect((await run("--yes")).report).toMatchObject({ exitCode: 0, mailed: 1 });
  const { report, stderr } = await run("--no-mail");
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { alreadyThere: 1 }, mailed: 0 });
});

const unverified = (number: number) =>
  testUser(number, { email: { email: `user${number}@example.com`, isEmailVerified: false } });

test.each(["import", "copy"])(
  "%s names the users who need a code before the login page asks for the password",
  async (command) => {
    const seeded = { ...org, humanUsers: [unverified(1), unverified(2), testUser(3)] };
    const source = await startMock({ seed: { orgs: [seeded] } });
    const target = await startMock({ seed: { orgs: [org] } });
    const { cwd, file } = inFolder(testBody(seeded.humanUsers));
    const runner = { GITHUB_ACTIONS: "true", CI: "true", GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
    const env = { ...target.env, ...runner, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
    const what = command === "import" ? ["import", file] : ["copy", "--with-passwords"];
    const args = [...what, "--yes", "--quiet", "--report", "r.json", "--html", "r.html"];
    const { exitCode, stderr } = await runCli(args, { cwd, env });
    expect(exitCode, stderr).toBe(0);
    const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
    const line = "2 users with a password were created in the state INITIAL: the login page asks for the code";
    const names = "u1 (user1@example.com), u2 (user2@example.com)";
    expect(stderr).toMatch(
      /^warning: 2 users with a password .*: u1 \(user1@example\.com\), u2 \(user2@example\.com\)$/m,
    );
    expect(stderr).toContain(`::warning::${line}`);
    expect(read("summary.md")).toContain(line);
    expect(read("summary.md")).toContain(names);
    expect(read("r.html")).toMatch(
      /with a password, created in the state INITIAL: .*<span class="count">2<\/span>.*<bdi>u2<\/bdi>/s,
    );
    const report = JSON.parse(read("r.json"));
    expect(report).toMatchObject({ stateInitial: 2, stateInitialUsers: ["u1", "u2"] });
    expect(report.loginNames).toMatchObject({ u2: "user2@example.com" });
    const silent = await startMock({ seed: { orgs: [org] } });
    const quiet = await runCli([...what, "--no-mail", "--report", "s.json"], { cwd, env: { ...env, ...silent.env } });
    expect(quiet.stderr).not.toContain("INITIAL");
    expect(JSON.parse(read("s.json"))).not.toHaveProperty("stateInitial");
  },
);
