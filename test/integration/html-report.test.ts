import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const org = { orgId: "org1", org: { name: "One" } };
const read = (cwd: string, name: string): string => readFileSync(join(cwd, name), "utf8");

test("migrate writes its report as a page with the id and login name of rejected users, private to the user", async () => {
  const cwd = tempDir();
  const rows = [
    { user_id: "auth0|1", email: "ann@example.com", email_verified: true, name: "Ann" },
    { user_id: "auth0|2", email: "eve@exa_mple.com", name: "Eve" },
  ];
  writeFileSync(join(cwd, "users.json"), rows.map((row) => JSON.stringify(row)).join("\n"));
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", "--html", "report.html"], { cwd });
  expect(exitCode).toBe(1);
  expect(stderr).not.toMatch(/auth0\||example\.com/);
  const page = read(cwd, "report.html");
  expect(page).toContain("2 read = 1 written + 1 rejected");
  expect(page).toMatch(
    /<bdi>auth0\|2 \(eve@exa_mple\.com\)<\/bdi><\/code> <span class="where">users\.json:2<\/span> <span>email<\/span>/,
  );
  expect(page).toContain("This page contains personal data");
  if (process.platform !== "win32") expect(statSync(join(cwd, "report.html")).mode & 0o077).toBe(0);
});

test("import writes the page of a run with failures, and an anonymous one names no user", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const users = [testUser(1), testUser(2, { phone: { phone: "+x", isPhoneVerified: true } })];
  const { cwd, file } = inFolder(testBody(users));
  const first = await runCli(["import", file, "--html", "report.html"], { cwd, env: mock.env });
  expect(first.exitCode).toBe(1);
  expect(read(cwd, "report.html")).toContain("2 sent = 1 created + 1 failed");
  expect(first.stderr).toContain("page:     report.html\n");
  expect(read(cwd, "report.html")).toMatch(
    /Invalid phone number\.<\/summary>.*Write it in full.*<bdi>u2 \(user2@example\.com\)<\/bdi>/s,
  );
  const verify = ["verify", file, "--html", "verify.html", "--html-anonymous", "--report", "verify.json"];
  expect((await runCli(verify, { cwd, env: mock.env })).exitCode).toBe(1);
  expect(read(cwd, "verify.html")).toContain("2 expected = 1 found + 1 missing");
  expect(read(cwd, "verify.html")).not.toMatch(/u2|@example\.com/);
  expect(read(cwd, "verify.json")).toContain('"u2"');
});

test("--html-anonymous without --html is refused before anything is sent", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  const { exitCode, stderr } = await runCli(["import", file, "--html-anonymous", "--report", "r.json"], {
    cwd,
    env: mock.env,
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("--html-anonymous needs --html."),
  });
  expect(mock.requests).toEqual([]);
});

test("the page of a verified import says so first, and an anonymous page gives reasons without login names", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const users = [testUser(1), testUser(2, { phone: { phone: "+x", isPhoneVerified: true } })];
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  await runCli(["import", file, "--verify", "--html", "report.html"], { cwd, env: mock.env });
  expect(read(cwd, "report.html")).toMatch(/<p class="verdict good">Verified: 1 of 1 as in the input/);
  writeFileSync(join(cwd, "both.json"), testBody(users));
  await runCli(["import", "both.json", "--html", "a.html", "--html-anonymous"], { cwd, env: mock.env });
  expect(read(cwd, "a.html")).toContain("<strong>1</strong> Invalid phone number.");
  expect(read(cwd, "a.html")).not.toMatch(/u2|@example\.com/);
});

test("a user who failed is not listed as missing once more, on the terminal or on the page", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const users = [testUser(1), testUser(2, { phone: { phone: "+x", isPhoneVerified: true } })];
  const { cwd, file } = inFolder(testBody(users));
  const { stderr } = await runCli(["import", file, "--verify", "--html", "r.html"], { cwd, env: mock.env });
  expect(stderr).toContain("of the missing ones, 1 is reported above, with the reason");
  expect(stderr).toMatch(/failed: {3}1 × .*\n {10}first: human_user u2 \(user2@example\.com\) \(body\.json:/);
  expect(stderr).not.toContain("missing: human_user");
  expect(read(cwd, "r.html")).toContain('Failed items <span class="count">1</span>');
  expect(read(cwd, "r.html")).toMatch(/<p class="command">orgferry import<\/p><h1><bdi>body\.json<\/bdi> → /);
  const verify = await runCli(["verify", file, "--html", "v.html"], { cwd, env: mock.env });
  expect(verify.stderr).toContain("missing: human_user u2 (user2@example.com)");
  expect(read(cwd, "v.html")).toContain('Differences <span class="count">1</span>');
});

test("the page names an organization that only the input knows, after an import and a comparison", async () => {
  const mock = await startMock();
  const content = { orgs: [{ orgId: "org9", org: { name: "Acme" }, humanUsers: [testUser(1)] }] };
  const { cwd, file } = inFolder(JSON.stringify(content));
  for (const command of [["import", "--dry-run"], ["import"], ["verify"]]) {
    const [name = "", ...flags] = command;
    const { exitCode, stderr } = await runCli([name, file, ...flags, "--html", "r.html"], { cwd, env: mock.env });
    expect(exitCode, stderr).toBe(0);
    expect(read(cwd, "r.html")).toContain("<h1><bdi>body.json</bdi> → <bdi>Acme (org9)</bdi></h1>");
  }
});

test("a run that fails has its page, too", async () => {
  const cwd = tempDir();
  const { exitCode } = await runCli(["import", "none.json", "--target", "localhost:1", "--html", "r.html"], {
    cwd,
    env: { PAT_IMPORT_TOKEN: "token" },
  });
  expect(exitCode).toBe(3);
  expect(read(cwd, "r.html")).toContain("none.json: no such file.");
});

test("an interrupted run has its page, with the command that continues", async () => {
  const mock = await startMock({
    seed: { orgs: [org] },
    faults: [{ endpoint: "import", fault: "latency", skip: 1, delay: "3s" }],
  });
  const { cwd, file } = inFolder(testBody(testUsers(20)));
  const controller = new AbortController();
  const secondCall = mock.arrived("/admin/v1/import", 2);
  const run = runCli(["import", file, "--batch-users", "10", "--html", "r.html"], {
    cwd,
    env: mock.env,
    signal: controller.signal,
  });
  await secondCall;
  controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
  expect((await run).exitCode).toBe(130);
  const page = read(cwd, "r.html");
  expect(page).toContain("Interrupted");
  expect(page).toContain("10 created");
  expect(page.replaceAll(/<\/?span[^>]*>/g, "")).toContain("--html r.html --resume");
});

test("a page is never written over an input, a report or an output", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  const before = read(cwd, file);
  const overInput = await runCli(["import", file, "--html", file], { cwd, env: mock.env });
  expect(overInput).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--html would overwrite the input") });
  expect(read(cwd, file)).toBe(before);
  const overReport = await runCli(["verify", file, "--report", "r", "--html", "r"], { cwd, env: mock.env });
  expect(overReport.exitCode).toBe(2);
  writeFileSync(join(cwd, "users.json"), '{"user_id":"auth0|1","email":"ann@example.com"}');
  const overBody = await runCli(["migrate", "auth0", "--org", "1", "--output", "b.json", "--html", "b.json"], { cwd });
  expect(overBody.exitCode).toBe(2);
  expect(existsSync(join(cwd, "b.json"))).toBe(false);
  const toStdout = await runCli(["verify", file, "--html", "-"], { cwd, env: mock.env });
  expect(toStdout).toMatchObject({ exitCode: 2, stdout: "" });
  expect(readdirSync(cwd).filter((name) => name.includes(".tmp"))).toEqual([]);
});

test("the page names who would get a message, and an anonymous one counts them", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const mailed = testUser(2, { email: { email: "user2@example.com", isEmailVerified: false } });
  const { cwd, file } = inFolder(testBody([testUser(1), mailed]));
  await runCli(["import", file, "--dry-run", "--html", "r.html"], { cwd, env: mock.env });
  const page = read(cwd, "r.html");
  expect(page).toContain("<h2>Who would get a message, at most</h2>");
  expect(page).toMatch(/because their address is not verified <span class="count">1<\/span>.*<bdi>user2@example\.com/s);
  await runCli(["import", file, "--dry-run", "--html", "a.html", "--html-anonymous"], { cwd, env: mock.env });
  expect(read(cwd, "a.html")).toContain('because their address is not verified <span class="count">1</span>');
  expect(read(cwd, "a.html")).not.toMatch(/u2|@example\.com/);
});

test("the page of invite has the numbers of invite", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const users = [testUser(1), ...[2, 3].map((number) => testUser(number, { hashedPassword: undefined }))];
  const { cwd, file } = inFolder(testBody(users));
  await runCli(["import", file, "--no-mail"], { cwd, env: mock.env });
  await runCli(["invite", file, "--dry-run", "--html", "dry.html"], { cwd, env: mock.env });
  expect(read(cwd, "dry.html")).toContain("3 read = 2 to invite + 1 with a password");
  expect(read(cwd, "dry.html")).toContain("2 would get an e-mail");
  expect(read(cwd, "dry.html")).toContain("<code><bdi>u3</bdi></code> <bdi>user3@example.com</bdi>");
  await runCli(["invite", file, "--yes", "--limit", "1", "--html", "r.html"], { cwd, env: mock.env });
  expect(read(cwd, "r.html")).toContain("2 to invite = 1 sent + 1 left to a later run");
});

test("an anonymous page of a folder names the number of each file, and what is wrong with a row", async () => {
  const cwd = tempDir();
  const long = "x".repeat(201);
  const user = (id: string, more: object = {}) => ({ id, username: id, email: `${id}@example.com`, ...more });
  const argon2d = {
    type: "password",
    secretData: JSON.stringify({ value: "c2VjcmV0", salt: "c2FsdHNhbHQ=" }),
    credentialData: JSON.stringify({
      algorithm: "argon2",
      hashIterations: 5,
      additionalParameters: { type: ["d"], version: ["1.3"], memory: ["7168"], parallelism: ["1"], hashLength: ["6"] },
    }),
  };
  const files = [[user("ann")], [user("bo", { credentials: [argon2d] }), user(long)], [user("cy")]];
  mkdirSync(join(cwd, "maxwell"));
  for (const [at, users] of files.entries())
    writeFileSync(join(cwd, `maxwell/acme-users-${at}.json`), JSON.stringify({ realm: "acme", users }, undefined, 1));
  const argv = ["migrate", "keycloak", "--org", "1", "--users", "maxwell", "--html", "a.html", "--html-anonymous"];
  const { exitCode, stderr } = await runCli([...argv, "--report", "r.json"], { cwd });
  expect(exitCode, stderr).toBe(1);
  const page = read(cwd, "a.html");
  expect(page).toMatch(/file 2 of 3, line \d+/);
  expect(page).toContain("argon2d");
  expect(page).toContain("200 characters");
  expect(page).not.toMatch(/maxwell|acme-users|example\.com|xxx/);
  expect(page).toContain("This page contains no names, addresses or ids of people.");
  const names = [0, 1, 2].map((at) => join("maxwell", `acme-users-${at}.json`));
  expect(JSON.parse(read(cwd, "r.json"))).toMatchObject({ inputs: ["maxwell"], inputFiles: names });
});

test("a page says that it has personal data only if it names a user, and counts an organization of two files once", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  writeFileSync(join(cwd, "two.json"), testBody([testUser(2)]));
  const run = (...files: string[]) =>
    runCli(["import", ...files, "--html", "r.html", "--restart"], { cwd, env: mock.env });
  expect((await run(file, "two.json")).exitCode).toBe(0);
  expect(read(cwd, "r.html")).toContain("This page names no user.");
  expect(read(cwd, "r.html")).not.toMatch(/personal data|2 organizations/);
  const verify = ["verify", file, "--html", "v.html"];
  await runCli(verify, { cwd, env: mock.env });
  expect(read(cwd, "v.html")).toMatch(/on the target that the file lacks: u2 \(user2@example\.com\)/);
  expect(read(cwd, "v.html")).toContain("This page contains personal data");
  await runCli([...verify, "--html-anonymous", "--force"], { cwd, env: mock.env });
  expect(read(cwd, "v.html")).toContain("1 user or object is on the target that the file lacks</li>");
  writeFileSync(join(cwd, "three.json"), testBody([testUser(3, { phone: { phone: "+x", isPhoneVerified: true } })]));
  expect((await run("three.json")).exitCode).toBe(1);
  expect(read(cwd, "r.html")).toContain("This page contains personal data");
});

test("the page and the report have every warning of the terminal, and an anonymous page has none", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const body = { dataOrgs: { orgs: [{ orgId: "org1", initMessages: [{ language: "en", title: "Hello" }] }] } };
  const { cwd, file } = inFolder(JSON.stringify({ ...body, timeout: "1m" }));
  for (const flags of [[], ["--html-anonymous"]]) {
    const args = ["import", file, "--html", "page.html", "--json", ...flags];
    const { stdout, stderr } = await runCli(args, { cwd, env: mock.env });
    const { warnings } = JSON.parse(stdout) as { warnings: string[] };
    const said = warnings.find((one) => one.includes("initMessages") || one.includes("texts")) ?? "";
    expect(said, stderr).not.toBe("");
    expect(stderr).toContain(`warning: ${said.split("\n")[0]}`);
    const page = readFileSync(join(cwd, "page.html"), "utf8");
    expect(page.includes("Warnings of the terminal")).toBe(flags.length === 0);
    rmSync(join(cwd, "page.html"));
  }
});

test("the pages of an export and a copy without password hashes say so", async () => {
  const source = await startMock({ seed: { orgs: [{ ...org, humanUsers: [testUser(1)] }] } });
  const target = await startMock({ seed: { orgs: [org] } });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const cwd = tempDir();
  const none = "No password hashes: no user can sign in with the old password (--with-passwords includes those";
  for (const [command, ...flags] of [
    ["export"],
    ["copy", "--yes"],
    ["copy", "--dry-run", "--html-anonymous"],
  ] as const) {
    await runCli([command, ...flags, "--html", "r.html"], { cwd, env });
    expect(read(cwd, "r.html")).toContain("<dt>with a password hash</dt><dd>0</dd>");
    expect(read(cwd, "r.html")).toContain(none);
  }
  await runCli(["export", "--with-passwords", "--html", "r.html"], { cwd, env });
  expect(read(cwd, "r.html")).toContain("<dt>with a password hash</dt><dd>1</dd>");
  expect(read(cwd, "r.html")).not.toContain("No password hashes");
});

test("the pages of an import and a copy name the manifest; of users who all failed, no e-mail is to come", async () => {
  const unverified = testUser(1, { email: { email: "user1@example.com", isEmailVerified: false } });
  const source = await startMock({ seed: { orgs: [{ ...org, humanUsers: [unverified] }] } });
  for (const [command, ...flags] of [
    ["import", "body.json"],
    ["copy", "--with-passwords"],
  ] as const) {
    const target = await startMock({ seed: { orgs: [org] } });
    const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
    const { cwd } = inFolder(testBody([unverified]));
    const run = () => runCli([command, ...flags, "--yes", "--html", "r.html", "--report", "r.json"], { cwd, env });
    const { exitCode, stderr } = await run();
    expect(exitCode, stderr).toBe(0);
    expect(read(cwd, "r.html")).toContain(`<code>${JSON.parse(read(cwd, "r.json")).manifest}</code>, the ids of the`);
    expect(read(cwd, "r.html")).toContain("<dt>e-mails at most</dt><dd>1</dd>");
  }
  const target = await startMock({ seed: { orgs: [org] } });
  const { cwd, file } = inFolder(
    testBody([testUser(1, { ...unverified.user, phone: { phone: "+x", isPhoneVerified: true } })]),
  );
  const { exitCode } = await runCli(["import", file, "--yes", "--html", "r.html"], { cwd, env: target.env });
  expect(exitCode).toBe(1);
  expect(read(cwd, "r.html")).toContain("1 sent = 1 failed");
  expect(read(cwd, "r.html")).not.toMatch(/e-mails at most|gets a message/);
});
