import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describe as describeProblem } from "../../src/problem/describe.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { hasPipes, makePipe } from "../helpers/pipes.ts";
import { startTcp } from "../helpers/raw-server.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// One test for each message that once was wrong.

const org = { orgId: "org1", org: { name: "One" } };
const nowhere = { ZITADEL_IMPORT_DOMAIN: "http://127.0.0.1:9", PAT_IMPORT_TOKEN: "pat-0123456789" };
const bad = { email: { email: "nobody", isEmailVerified: true } };

function profiles(count: number, fields: (number: number) => object = () => ({})): string {
  return Array.from({ length: count }, (_, number) =>
    JSON.stringify({ user_id: `auth0|${number}`, name: "Ada", email: `u${number}@example.com`, ...fields(number) }),
  ).join("\n");
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const cwd = tempDir();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  return cwd;
}

function lines(path: string): Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("import names each invalid user by id and path, also in a body on one line", async () => {
  const body = JSON.stringify(JSON.parse(testBody([testUser(1), testUser(2, bad), testUser(3, bad)])));
  const { cwd, file } = inFolder(body);
  const { exitCode, stdout, stderr } = await runCli(["import", file, "--json", "--rejects", "r"], {
    cwd,
    env: nowhere,
  });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("body.json:1: user u2: orgs[0].humanUsers[1].user.email.email: not an e-mail address");
  expect(stderr).toContain("user u3: orgs[0].humanUsers[2]");
  const named = { id: "u2", path: "orgs[0].humanUsers[1]", field: "user.email.email", line: 1 };
  expect(JSON.parse(stdout).problems[0]).toMatchObject(named);
  expect(lines(join(cwd, "r/reasons.ndjson"))[0]).toMatchObject(named);
});

test("import names a broken entry of any list by its path", async () => {
  const body = { dataOrgs: { orgs: [org, { ...org, orgId: "2", projects: [{ projectId: "p1" }] }] }, timeout: "5m0s" };
  const { cwd, file } = inFolder(JSON.stringify(body));
  const { stdout } = await runCli(["import", file, "--json"], { cwd, env: nowhere });
  expect(JSON.parse(stdout).problems[0]).toMatchObject({ path: "orgs[1].projects[0]", code: "element.no-content" });
});

test("what is not shown of the rejected rows is counted in words, and the counts add up", async () => {
  const users = profiles(40, (number) => (number < 37 ? { email: "x" } : {}));
  const cwd = folderOf({ "users.json": `${users}\nnonsense\n` });
  const { stderr } = await runCli(["migrate", "auth0", "--org", "1"], { cwd });
  expect(stderr).toContain("… and 28 more:");
  const kinds = [...stderr.matchAll(/^ +(\d+) × (.*)$/gm)];
  expect(kinds.map(([, times]) => Number(times)).reduce((a, b) => a + b)).toBe(28);
  expect(kinds.map(([, , words]) => words)).toEqual([
    "email: not an e-mail address that the service accepts",
    "invalid JSON",
  ]);
});

test("what to do about a rejected row is said on the terminal, once for each kind", async () => {
  const cwd = folderOf({ "users.json": profiles(3, () => ({ email: "x" })) });
  const { stderr } = await runCli(["migrate", "auth0", "--org", "1"], { cwd });
  expect(stderr.match(/Fix the address\./g)).toHaveLength(1);
});

test("reasons give the line in the rejects file, too", async () => {
  const users = `[\n${profiles(6, (number) => (number % 2 === 0 ? { email: "x" } : {})).replaceAll("\n", ",\n")}\n]`;
  const cwd = folderOf({ "users.json": users });
  await runCli(["migrate", "auth0", "--org", "1", "--output", "b.json"], { cwd });
  const kept = readFileSync(join(cwd, "b.json.rejects/users.ndjson"), "utf8").split("\n");
  const reasons = lines(join(cwd, "b.json.rejects/reasons.ndjson"));
  expect(reasons.map(({ line, rejectLine }) => [line, rejectLine])).toEqual([
    [2, 1],
    [4, 2],
    [6, 3],
  ]);
  expect(kept[2]).toContain("auth0|4");
});

test("--strict reports what would have been written, and no user as written", async () => {
  const cwd = folderOf({ "users.json": profiles(3, (number) => (number === 0 ? { email: "x" } : {})) });
  const { exitCode, stdout, stderr } = await runCli(["migrate", "auth0", "--org", "1", "--strict", "--json"], { cwd });
  expect(exitCode).toBe(3);
  expect(stderr).toContain("read 3 = would have written 2 + rejected 1");
  expect(JSON.parse(stdout).users).toMatchObject({ read: 3, written: 0, wouldHaveWritten: 2, rejected: 1 });
});

test.each([
  [["migrate", "auth0", "--org", "", "--json"], "migrate auth0", "option '--org <id>' argument '' is invalid"],
  [["import", "x.json", "--timeout", "5", "--json"], "import", "30s, 5m0s or 1h30m"],
  [["help", "nonsense", "--json"], "orgferry", "unknown option '--json'"],
  [["copy", "--nothing", "--json"], "copy", "unknown option '--nothing'"],
])("a usage error with --json is that document: %j", async (argv, command, message) => {
  const { exitCode, stdout } = await runCli(argv as string[]);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ schemaVersion: 1, command, exitCode: 2, problems: [{ code: "usage.invalid" }] });
  expect(report.problems[0].message).toContain(message);
  expect(exitCode).toBe(2);
});

test("a usage error writes the report, over an earlier one, but over nothing else", async () => {
  const cwd = folderOf({ "body.json": "{}", "old.json": '{"schemaVersion":1}' });
  const run = (report: string) => runCli(["import", "body.json", "--timeout", "5", `--report=${report}`], { cwd });
  await run("new.json");
  await run("old.json");
  await run("body.json");
  for (const name of ["new.json", "old.json"])
    expect(JSON.parse(readFileSync(join(cwd, name), "utf8"))).toMatchObject({ exitCode: 2, command: "import" });
  expect(readFileSync(join(cwd, "body.json"), "utf8")).toBe("{}");
});

test("copy does not advise --with-passwords when it is given", async () => {
  const source = await startMock({
    seed: { orgs: [{ ...org, humanUsers: [testUser(1, { hashedPassword: undefined })] }] },
  });
  const target = await startMock({ seed: { orgs: [org] } });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const run = (...flags: string[]) => runCli(["copy", "--dry-run", ...flags], { cwd: tempDir(), env });
  expect((await run()).stderr).toContain("(--with-passwords includes them)");
  const { stderr } = await run("--with-passwords");
  expect(stderr).toContain("no password hashes: no user can sign in with the old password (the source exported none)");
  expect(stderr).not.toContain("includes them");
});

test("copy names its own flags", async () => {
  const env = { ZITADEL_EXPORT_DOMAIN: "http://127.0.0.1:9", ...nowhere };
  const missing = await runCli(["copy", "--source-token-file", "nope"], { cwd: tempDir(), env });
  expect(missing.stderr).toContain("nope: no such file. Name the right file with --source-token-file.");
  const none = await runCli(["copy"], { cwd: tempDir(), env });
  expect(none.stderr).toContain("no token for the source instance");
  expect(none.stderr).toContain("--source-token-file");
});

test.each([
  [["migrate", "auth0", "--ogr", "1"], "(Did you mean --org?)"],
  [["version"], "(Did you mean --version?)"],
  [["migrate", "--org", "1"], "orgferry migrate auth0"],
  [["migrate", "acme"], "unknown provider 'acme'"],
  [["migrate", "acme", "--org", "1"], "orgferry migrate auth0"],
  [["import", "b.json", "--timeout", "0s"], "It must be longer than 0."],
  [["import", ""], "nothing to import"],
])("the message for %j has the right form", async (argv, text) => {
  const { exitCode, stderr } = await runCli(argv as string[], { env: nowhere });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(text);
});

test.each([
  [["verify", ""], "the file argument is empty"],
  [["migrate", "auth0", "--org", "1", "--users", ""], "--users is empty"],
])("an empty path is said to be empty: %j", async (argv, text) => {
  const { exitCode, stderr } = await runCli(argv as string[], { env: nowhere, cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(text) });
});

test("where no journal can be kept beside the input, --journal is named", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  // With the ending of a journal the name is too long for any folder.
  const { cwd, file } = inFolder(testBody(testUsers(1)), `${"long".repeat(60)}.json`);
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env: mock.env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining("with --journal") });
  expect((await runCli(["import", file, "--journal", "j"], { cwd, env: mock.env })).exitCode).toBe(0);
});

test.skipIf(!hasPipes)("a named pipe keeps nothing beside it, and names no step that would read it again", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const cwd = tempDir();
  makePipe("body", cwd);
  const running = runCli(["import", "body"], { cwd, env: mock.env });
  await writeFile(join(cwd, "body"), testBody(testUsers(1)));
  const { exitCode, stderr } = await running;
  expect(exitCode, stderr).toBe(0);
  expect(stderr).not.toContain("orgferry verify");
  expect(readdirSync(cwd)).toEqual(["body"]);
});

test("a file that is not there: its flag, or its name", async () => {
  const { exitCode, stderr } = await runCli(["import", "nope.json"], { env: nowhere, cwd: tempDir() });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 3,
    stderr: expect.stringContaining("no such file. Check the name"),
  });
});

function target(url: string): Record<string, string> {
  return { ...nowhere, ZITADEL_IMPORT_DOMAIN: url };
}

test("https to a server that speaks plain http", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  const { exitCode, stderr } = await runCli(["import", file], {
    cwd,
    env: target(mock.url.replace("http:", "https:")),
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 6,
    stderr: expect.stringContaining("Use the address with http://"),
  });
});

test.each([
  ["closes the connection", ""],
  ["answers with a TLS alert", "\u0015\u0003\u0001\u0000\u0002\u0002\u0046"],
  ["says so", "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"],
])("plain http to a server that speaks https and %s", async (_, words) => {
  const { url } = await startTcp((socket) => socket.on("data", () => socket.end(words, "latin1")));
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env: target(url) });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 6,
    stderr: expect.stringMatching(/se the address with https:\/\//),
  });
});

test.each([
  ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate is for another name"],
  ["CERT_HAS_EXPIRED", "must be renewed"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "NODE_EXTRA_CA_CERTS"],
])("a TLS connection that fails with %s has a hint of its own", (detail, hint) => {
  const problem = describeProblem({ code: "net.unreachable", host: "example.com", reason: "tls", detail });
  expect(problem.hint).toContain(hint);
});

test("a server that says nothing is given up after the time asked for, and not after a minute", async () => {
  const { url } = await startTcp((socket) => socket.on("data", () => {}));
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  const started = performance.now();
  const { exitCode, stderr } = await runCli(["import", file, "--timeout", "1s"], { cwd, env: target(url) });
  expect(performance.now() - started).toBeLessThan(12_000);
  expect({ exitCode, stderr }).toEqual({ exitCode: 6, stderr: expect.stringContaining("no response within 5.0 s") });
}, 30_000);

test.each([
  [["--fault", "import:429,tims=3"], 2, "there is no key tims; write one of times"],
  [["--fault", "import:429,times=x"], 2, "times: must be a whole number"],
  [["--fault", "import:429,probability=2"], 2, "probability: must be at most 1"],
  [["--fault", "import:429,handled=maybe"], 2, "handled: must be true or false"],
  [["--seed", "a.json"], 3, "orgs[0].orgId: write a text"],
  [["--seed", "b.json"], 3, "this is not one JSON object"],
  [["--seed", "c.json"], 3, 'there is no "tokns" here'],
])("the mock says in words what does not fit: %j", async (argv, exitCode, words) => {
  const cwd = folderOf({ "a.json": '{"orgs":[{"name":"x"}]}', "b.json": '{"orgs":[', "c.json": '{"tokns":[]}' });
  const result = await runCli(["mock", "--port", "0", ...(argv as string[])], { cwd });
  expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining(words as string) });
  expect(result.stderr).not.toMatch(/✖|→ at|Invalid|\bexpected\b/);
});

test("ids whose outcome is open are listed up to a thousand, counted, and all of them in a file", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody(testUsers(1_200)));
  mock.addFault({ endpoint: "import", fault: "not-json" });
  const { stdout } = await runCli(["import", file, "--json", "--rejects", "r", "--batch-users", "5000"], {
    cwd,
    env: mock.env,
  });
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ exitCode: 5, unknownCount: 1_200, unknownFile: join("r", "unknown.ndjson") });
  expect(report.unknown).toHaveLength(1_000);
  expect(lines(join(cwd, "r/unknown.ndjson"))).toHaveLength(1_200);
});

test("a copy that ends while users have no answer says that undo does not know them", async () => {
  const source = await startMock({ seed: { orgs: [{ ...org, humanUsers: testUsers(3) }] } });
  const mock = await startMock({ seed: { orgs: [org] } });
  mock.addFault({ endpoint: "import", fault: "not-json", skip: 1 });
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const { stderr } = await runCli(["copy", "--with-passwords", "--yes"], { cwd: tempDir(), env });
  expect(stderr).toContain("3 users without an answer may exist. They are in no manifest");
});

test("the export of a copy is named as a place, and not as a host with two ports", () => {
  const problem = { code: "field.missing", field: "userId", file: "export of 127.0.0.1:8091", line: 1 } as const;
  expect(describeProblem(problem).message).toBe("export of 127.0.0.1:8091, line 1: userId: required value missing.");
});

test("migrate to a stream says that rejected rows are not kept", async () => {
  const cwd = folderOf({ "users.json": profiles(2, (number) => (number === 0 ? { email: "x" } : {})) });
  const run = (...flags: string[]) =>
    runCli(["migrate", "auth0", "--org", "1", "--output", "-", "-q", ...flags], { cwd });
  expect((await run()).stderr).toContain("not kept when the output is a stream: name a folder with --rejects");
  expect((await run("--rejects", "r")).stderr).not.toContain("not kept");
  expect(existsSync(join(cwd, "r/users.ndjson"))).toBe(true);
});

test("a copy asks the target before it begins with an export", async () => {
  const source = await startMock({ seed: { orgs: [org] } });
  const env = { ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const { exitCode, stderr } = await runCli(["copy"], { cwd: tempDir(), env: { ...env, ...nowhere } });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 6,
    stderr: expect.stringContaining("no server is listening there"),
  });
  expect(source.requests.filter(({ path }) => path.endsWith("/export"))).toEqual([]);
});

test("a journal in the way is found before the input is read", async () => {
  const { cwd, file } = inFolder("no JSON at all");
  writeFileSync(join(cwd, `${file}.journal.ndjson`), '{"kind":"job"}\n');
  const { exitCode, stdout } = await runCli(["import", file, "--json"], { cwd, env: nowhere });
  expect(exitCode).toBe(3);
  expect(JSON.parse(stdout).problems[0].code).toMatch(/^journal\./);
});

test("after success the next step is said, ready to be pasted", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const cwd = folderOf({ "users.json": profiles(1) });
  const migrated = await runCli(["migrate", "auth0", "--org", "org1", "--output", "a b.json"], { cwd });
  expect(migrated.stderr).toContain("orgferry import 'a b.json' --dry-run");
  const imported = await runCli(["import", "a b.json"], { cwd, env: mock.env });
  expect(imported.stderr).toContain(`Check it: orgferry verify 'a b.json' --target ${mock.url}`);
  const split = await runCli(["migrate", "auth0", "--org", "org1", "--split", "1", "--output", "p/b 2.json"], {
    cwd: folderOf({ "users.json": profiles(2) }),
  });
  expect(split.stderr).toContain("orgferry import 'p/b 2-*.json' --dry-run");
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  const exported = await runCli(["export", "--output", "e.json"], { cwd, env });
  expect(exported.stderr).toContain("orgferry mock --seed e.json");
  expect((await runCli(["verify", "a b.json"], { cwd, env })).exitCode).toBe(0);
});

test("an update that sends an SMS for a new phone number needs a yes, like one that sends an e-mail", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [org] } });
  const cwd = folderOf({
    "before.json": testBody(testUsers(2), "org1"),
    "after.json": testBody([testUser(1, { phone: { phone: "+41791234567" } }), testUser(2)], "org1"),
  });
  const run = (...args: readonly string[]) =>
    runCli(["import", ...args, "--json"], { cwd, env: mock.env, answer: undefined });
  expect((await run("before.json")).exitCode).toBe(0);
  const refused = await run("after.json", "--update");
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("0 e-mails and 1 SMS, for new addresses and phone numbers");
  expect(mock.mails()).toEqual([]);
  const silent = await run("after.json", "--update", "--no-mail", "--dry-run");
  expect(JSON.parse(silent.stdout)).toMatchObject({ exitCode: 0, mails: 0, sms: 0 });
  expect((await run("after.json", "--update", "--yes")).exitCode).toBe(0);
  expect(mock.mails()).toMatchObject([{ by: "sms" }]);
});

test("an update sends no code to users who are inactive or locked, and --max-mails says that it does not answer for SMS", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [org] } });
  const closed = (id: number, state: string, fields: Record<string, unknown> = {}) => ({
    ...testUser(id, fields),
    state,
  });
  const moved = (id: number) => ({
    phone: { phone: `+4179123456${id}` },
    email: { email: `new${id}@example.com`, isEmailVerified: false },
  });
  const cwd = folderOf({
    "before.json": testBody(
      [1, 2, 3].map((id) => closed(id, "USER_STATE_ACTIVE")),
      "org1",
    ),
    "closed.json": testBody(
      [
        closed(1, "USER_STATE_LOCKED", moved(1)),
        closed(2, "USER_STATE_INACTIVE", moved(2)),
        closed(3, "USER_STATE_ACTIVE"),
      ],
      "org1",
    ),
    "open.json": testBody([closed(3, "USER_STATE_ACTIVE", moved(3))], "org1"),
  });
  const run = (...args: readonly string[]) =>
    runCli(["import", ...args, "--json"], { cwd, env: mock.env, answer: undefined });
  expect((await run("before.json")).exitCode).toBe(0);
  const { stdout, stderr, exitCode } = await run("closed.json", "--update");
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ mails: 0, sms: 0, users: { updated: 2 } });
  expect(mock.mails()).toEqual([]);
  const refused = await run("open.json", "--update", "--max-mails", "1");
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("nothing was sent. --max-mails answers for e-mails only, not for SMS.");
});

test("after hashes that the target takes without a check and cannot be asked about, a warning names the way to find out", async () => {
  const hash = "$pbkdf2-sha256$27500$c2FsdHNhbHRzYWx0$q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA";
  for (const [mimic, isNamed] of [
    ["v4.13", true],
    ["v4.15", false],
  ] as const) {
    const mock = await startMock({ mimic, without: { users: 404 }, seed: { orgs: [org] } });
    const { cwd, file } = inFolder(testBody([testUser(1), testUser(2, { hashedPassword: { value: hash } })]));
    const { stderr } = await runCli(["import", file, "--quiet"], { cwd, env: mock.env });
    const line = "it is not known whether users with these can sign in: 1 pbkdf2. orgferry doctor --probe finds out";
    expect(stderr.includes(line), `${mimic} ${stderr}`).toBe(isNamed);
  }
});
