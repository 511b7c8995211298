import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import type { FaultInput } from "../../src/mock/http/faults.ts";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const batches = ["--batch-users", "10"];
const flags = [...batches, "--concurrency", "1"];

async function importWith(fault: Omit<FaultInput, "endpoint">, existing = 0) {
  const mock = await startMock({ seed });
  const before = inFolder(testBody(testUsers(existing)));
  if (existing > 0) await importJson([before.file], { cwd: before.cwd, env: mock.env });
  mock.addFault({ endpoint: "import", ...fault });
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  return { mock, cwd, file, ...(await importJson([file, ...flags], { cwd, env: mock.env })) };
}

const survived: readonly (readonly [string, Omit<FaultInput, "endpoint">])[] = [
  ["429 with Retry-After in seconds", { fault: "429", times: 1, retryAfter: 0 }],
  ["429 with Retry-After as a date", { fault: "429", times: 1, retryAfterDate: 0 }],
  ["503", { fault: "503", times: 2, retryAfter: 0 }],
  ["502", { fault: "502", times: 2 }],
  ["503 after the work was done", { fault: "503", times: 1, skip: 1, handled: true }],
  ["502 after the work was done", { fault: "502", times: 1, skip: 1, handled: true }],
  ["504", { fault: "504", times: 1 }],
  ["a connection reset before the request is read", { fault: "reset-before", times: 1 }],
  ["a connection reset while the request is read", { fault: "reset-during", times: 1, bytes: 100 }],
  ["a connection reset after the work was done", { fault: "reset-after", times: 1 }],
  ["an answer cut off", { fault: "truncated", times: 1, bytes: 20 }],
  ["half an answer", { fault: "half-json", times: 1 }],
  ["a slow answer in pieces", { fault: "trickle", times: 1, bytes: 50, delay: "1ms" }],
  ["latency", { fault: "latency", times: 1, delay: "50ms" }],
  ["a time-out", { fault: "timeout", times: 1, users: 3 }],
];

test.each(survived)("%s is got over, and the counts are those of an undisturbed run", async (_, fault) => {
  const { report } = await importWith(fault);
  expect(report).toMatchObject({
    exitCode: 0,
    users: { read: 30, sent: 30, created: 30, alreadyThere: 0, failed: 0, unknown: 0 },
    otherObjects: { org: { created: 0, alreadyThere: 1 } },
  });
});

test.each([
  ["import", "import"],
  ["users", "users"],
] as const)("a user who comes back is created, also when the answer is lost (--via %s)", async (via, endpoint) => {
  const mock = await startMock({
    mimic: "v4",
    seed: { orgs: seed.orgs.map((org) => ({ ...org, humanUsers: testUsers(3) })) },
  });
  mock.removeUser("u2");
  // The first call of the users API asks whether there is one.
  mock.addFault({ endpoint, fault: "reset-after", times: 1, skip: via === "users" ? 1 : 0 });
  const { cwd, file } = inFolder(testBody([testUser(2)]));
  const { report, stderr } = await importJson([file, "--via", via], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 1, alreadyThere: 0, failed: 0 } });
});

test.each(survived)("after %s, existing users are still distinguished from created users", async (_, fault) => {
  const { report } = await importWith(fault, 7);
  expect(report).toMatchObject({ exitCode: 0, users: { created: 23, alreadyThere: 7, failed: 0, unknown: 0 } });
});

test("a time-out halves the batch and what follows", async () => {
  const { mock, stderr } = await importWith({ fault: "timeout", times: 1, users: 2 });
  expect(stderr).toContain("continuing with at most 5 users per call.");
  const sizes = mock.requests
    .filter(({ path }) => path.endsWith("/import"))
    .map(({ body }) => (body ?? "").split('"userName"').length - 1);
  expect(sizes).toEqual([10, 5, 5, 5, 5, 5, 5]);
});

test("the over-size 429 is no rate limit: the batch is halved by bytes", async () => {
  const mock = await startMock({ seed, maxRequestBytes: 3_000 });
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  const { report, stderr } = await importJson([file, "--batch-users", "30"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 30 } });
  expect(stderr).toContain("rejects calls of this size");
});

test("one user too large for the service is exit 5, and who got through is counted", async () => {
  const mock = await startMock({ seed, maxRequestBytes: 100 });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 5, users: { sent: 0, notSent: 2 }, problems: [{ code: "api.too-large" }] });
});

test.each([
  ["401", 4, "auth.refused", 0],
  ["413", 5, "api.too-large", 0],
  ["500", 5, "api.rejected", 30],
  ["503", 6, "net.busy", 30],
  ["502", 6, "net.gateway", 30],
  ["reset-before", 6, "net.cut-off", 30],
  ["truncated", 6, "net.cut-off", 30],
  ["not-json", 5, "api.not-json", 30],
] as const)("%s all the time ends with exit %i and %s", async (fault, exitCode, code, unknown) => {
  const mock = await startMock({ seed });
  mock.addFault({ endpoint: "import", fault });
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  const { report, stderr } = await importJson([file, "--batch-users", "30"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode, users: { created: 0, unknown, sent: unknown }, problems: [{ code }] });
  expect(report.unknown).toHaveLength(unknown);
  // Without an unknown outcome there is no job to continue.
  expect(existsSync(join(cwd, "body.json.journal.ndjson"))).toBe(unknown > 0);
  expect(report.resume?.includes("--resume") ?? false).toBe(unknown > 0);
  const command = `orgferry import body.json --target ${mock.url} --batch-users 30 --json --resume`;
  expect(stderr.includes(command)).toBe(unknown > 0);
});

test("--resume continues a stopped run, and the numbers are those of the whole job", async () => {
  const mock = await startMock({ seed });
  await mock.importOrgs([{ orgId: "org1", humanUsers: testUsers(3) }]);
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  mock.addFault({ endpoint: "import", fault: "not-json", skip: 1 });
  const first = await importJson([file, ...flags], { cwd, env: mock.env });
  expect(first.report).toMatchObject({
    exitCode: 5,
    users: { read: 30, sent: 20, created: 7, alreadyThere: 3, unknown: 10, notSent: 10 },
  });
  mock.clearFaults();
  const again = await importJson([file, ...flags], { cwd, env: mock.env });
  expect(again.report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.left-over" }] });
  expect(again.stderr).toContain("prints the command");
  expect(again.stderr).toContain("--resume");
  const { report } = await importJson([file, ...flags, "--resume"], { cwd, env: mock.env });
  expect(report).toMatchObject({
    exitCode: 0,
    users: { read: 30, sent: 30, created: 27, alreadyThere: 3, unknown: 0 },
  });
  expect(report.calls).toBe(4);
  const anew = await importJson([file, ...flags, "--resume"], { cwd, env: mock.env });
  expect(anew.stderr).toContain("the run starts at the beginning");
  expect(anew.report).toMatchObject({ exitCode: 0, users: { created: 0, alreadyThere: 30 } });
});

test("a journal of another input or target is refused, a torn last line is not", async () => {
  const mock = await startMock({ seed });
  const other = await startMock({ seed });
  const { cwd, file } = inFolder(testBody(testUsers(30)));
  mock.addFault({ endpoint: "import", fault: "401", skip: 1 });
  await importJson([file, ...flags], { cwd, env: mock.env });
  const code = async (env: Record<string, string>): Promise<unknown> =>
    (await importJson([file, "--resume"], { cwd, env })).report.problems[0]?.["code"];
  expect(await code(other.env)).toBe("journal.other-target");
  const pilot = await importJson([file, "--resume", "--limit", "5"], { cwd, env: mock.env });
  expect(pilot.report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.other-settings" }] });
  expect(pilot.stderr).toContain(
    "belongs to a run with other settings (--limit). Use the flags of that run (orgferry import",
  );
  const content = readFileSync(join(cwd, file), "utf8");
  writeFileSync(join(cwd, file), `${content} `);
  expect(await code(mock.env)).toBe("journal.other-input");
  writeFileSync(join(cwd, file), content);
  const journal = join(cwd, `${file}.journal.ndjson`);
  writeFileSync(journal, `${readFileSync(journal, "utf8")}{"kind":"do`);
  mock.clearFaults();
  const { report } = await importJson([file, "--resume"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 30 } });
});

test("the journal goes away only when the numbers have got to where they should go", async () => {
  const mock = await startMock({ seed });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const journal = join(cwd, `${file}.journal.ndjson`);
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error("ENOSPC")) });
  stdout.on("error", () => {});
  await runCli(["import", file, "--json"], { cwd, env: mock.env, stdout });
  expect(existsSync(journal)).toBe(true);
  const { report } = await importJson([file, "--resume"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { read: 3, sent: 3, created: 3 } });
  expect(existsSync(journal)).toBe(false);
});

test.each([[flags], [[...batches, "--concurrency", "auto", "--max-concurrency=1"]]])(
  "Ctrl-C stops the call, keeps the journal and prints the command that continues: %j",
  async (flags) => {
    const mock = await startMock({ seed });
    mock.addFault({ endpoint: "import", fault: "latency", delay: "500ms", skip: 1 });
    const { cwd, file } = inFolder(testBody(testUsers(30)));
    const controller = new AbortController();
    void mock
      .arrived("/import", 2)
      .then(() => controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" })));
    const { report, stderr } = await importJson([file, ...flags], { cwd, env: mock.env, signal: controller.signal });
    expect(report).toMatchObject({ exitCode: 130, users: { sent: 20, created: 10, unknown: 10, notSent: 10 } });
    const written = flags.join(" ").replace("=", " ");
    expect(stderr).toMatch(new RegExp(`orgferry import \\S+ --target \\S+ ${written} --json --resume`));
    mock.clearFaults();
    const resumed = await importJson([file, ...flags, "--resume"], { cwd, env: mock.env });
    expect(resumed.report).toMatchObject({ exitCode: 0, users: { created: 30, alreadyThere: 0 } });
  },
);

test("Ctrl-C after a user failed: the rejects have the user and what belongs to the user, and the numbers are right", async () => {
  const mock = await startMock({ seed });
  mock.addFault({ endpoint: "import", fault: "latency", delay: "500ms", skip: 1 });
  const failing = testUser(1, { userName: "user2@example.com" });
  const userMetadata = [{ id: "u2", key: "theme", value: "ZGFyaw==" }];
  const orgs = [{ orgId: "org1", humanUsers: [testUser(3), testUser(2), failing, ...testUsers(20, 4)], userMetadata }];
  userMetadata.push({ id: "u1", key: "theme", value: "ZGFyaw==" });
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" }));
  const controller = new AbortController();
  void mock
    .arrived("/import", 2)
    .then(() => controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" })));
  const args = [file, ...flags, "--rejects", "failed"];
  const { report, stderr } = await importJson(args, { cwd, env: mock.env, signal: controller.signal });
  expect(report, stderr).toMatchObject({ exitCode: 130, users: { created: 9, failed: 1 } });
  expect(stderr).toContain("not finished. To continue:");
  const body = JSON.parse(readFileSync(join(cwd, "failed/body.json"), "utf8"));
  expect(body.dataOrgs.orgs).toMatchObject([{ humanUsers: [{ userId: "u1" }] }, { userMetadata: [{ id: "u1" }] }]);
});

test.each([[[]], [["--concurrency", "auto"]]])(
  "calls begin small, and get larger while the service gains by it: %j",
  async (flags) => {
    const mock = await startMock({ seed });
    mock.addFault({ endpoint: "import", fault: "latency", delay: "40ms" });
    const { cwd, file } = inFolder(testBody(testUsers(3_000)));
    const { report } = await importJson([file, ...flags], { cwd, env: mock.env });
    expect(report).toMatchObject({ exitCode: 0, users: { created: 3_000, alreadyThere: 0, failed: 0 } });
    const sizes = mock.requests
      .filter(({ path }) => path.endsWith("/import"))
      .map(({ body }) => (body ?? "").split('"userName"').length - 1);
    expect(sizes[0]).toBe(10);
    expect(Math.max(...sizes)).toBeGreaterThan(20);
    expect(report.pace).toMatchObject({
      concurrency: flags.length === 0 ? 1 : expect.any(Number),
      batchUsers: expect.any(Number),
    });
  },
);

test("concurrent calls give the same numbers", async () => {
  const mock = await startMock({ seed });
  mock.addFault({ endpoint: "import", fault: "502", times: 2, skip: 1, handled: true });
  const { cwd, file } = inFolder(testBody(testUsers(100)));
  const { report } = await importJson([file, ...batches, "--concurrency", "4"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 100, alreadyThere: 0 } });
});

test("a probe, a body sent as it is and the start mark get over a busy target", async () => {
  const mock = await startMock({ seed });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  mock.addFault({ endpoint: "import", fault: "429", times: 1, retryAfter: 0 });
  mock.addFault({ endpoint: "events", fault: "502", times: 2 });
  expect((await importJson([file, "--dry-run"], { cwd, env: mock.env })).report.exitCode).toBe(0);
  expect((await importJson([file], { cwd, env: mock.env })).report).toMatchObject({
    exitCode: 0,
    users: { created: 2 },
  });
  mock.addFault({ endpoint: "import", fault: "502", times: 1 });
  const text = inFolder(JSON.stringify({ data_orgsv1: JSON.stringify({ orgs: [{ orgId: "org1", humanUsers: [] }] }) }));
  const { report } = await importJson([text.file], { cwd: text.cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, calls: 2 });
});

test("when the target cannot be asked for its events because of trouble, nothing is sent", async () => {
  const mock = await startMock({ seed });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  mock.addFault({ endpoint: "events", fault: "502" });
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 6, problems: [{ code: "net.gateway" }] });
  expect(mock.requests.some(({ path }) => path.endsWith("/import"))).toBe(false);
});

test("one user alone that runs into the time limit is tried again", async () => {
  const { report } = await importWith({ fault: "timeout", times: 6 });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 30, failed: 0 } });
});

test("after a time-out calls grow again, up to the flags", async () => {
  const mock = await startMock({ seed });
  mock.addFault({ endpoint: "import", fault: "timeout", times: 1 });
  const { cwd, file } = inFolder(testBody(testUsers(120)));
  const { report } = await importJson([file, ...flags], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 120 } });
  const sizes = mock.requests
    .filter(({ path }) => path.endsWith("/import"))
    .map(({ body }) => (body ?? "").split('"userName"').length - 1);
  expect(sizes.slice(0, 9)).toEqual([10, 5, 5, 5, 5, 5, 5, 5, 5]);
  expect(sizes.slice(10, 17)).toEqual([10, 10, 10, 10, 10, 10, 10]);
});

test("a password that is no hash is a warning that names the user and not the password, also with --quiet", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody([testUser(1), testUser(2, { hashedPassword: { value: "Summer2024!" } })]));
  const { stdout, stderr } = await runCli(["import", file, "--json", "--quiet", "--no-mail"], { cwd, env: mock.env });
  const words =
    "1 password hash has a form or a cost that the service does not check: these users cannot sign in with a password (u2).";
  expect(stderr.replace(/\s+/g, " ")).toContain(`warning: ${words}`);
  expect(JSON.parse(stdout).warnings).toContain(words);
  expect(stdout + stderr).not.toContain("Summer2024");
});

test("a hash with a cost that no service can compute is named, and no setting is advised for it", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const value = `$argon2id$v=19$m=65536,t=0,p=4$c2FsdHNhbHRzYWx0c2FsdA$${"c2Fs".repeat(8)}`;
  const { cwd, file } = inFolder(testBody([testUser(1), testUser(2, { hashedPassword: { value } })]));
  const { stdout, stderr } = await runCli(["import", file, "--json", "--dry-run"], { cwd, env: mock.env });
  expect(JSON.parse(stdout).warnings).toContainEqual(expect.stringContaining("1 password hash has a form or a cost"));
  expect(stdout + stderr).not.toContain("MINTIME");
});
