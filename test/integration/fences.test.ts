import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { forward, serve, startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// Overwrites and e-mails that must not happen. Deletions: update.test.ts, undo.test.ts.

const OWN_HASH = "$2b$10$ownownownownownownownuabcdefghijklmnopqrstuvwxyzABCDEF";

/** A source that answers every export with o1 and o2, and a target with an administrator in o2 who has the id of a user of the source. */
async function sourceThatAnswersWithMore() {
  const seed = {
    orgs: ["o1", "o2"].map((orgId) => ({
      orgId,
      org: { name: orgId },
      humanUsers: [testUser(orgId === "o1" ? 1 : 2)],
    })),
  };
  const source = await startMock({ mimic: "v4", seed });
  const all = await fetch(`${source.url}/admin/v1/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${source.token}` },
    body: JSON.stringify({ org_ids: ["o1", "o2"], with_passwords: true, timeout: "1m", response_output: true }),
  });
  const answer = { status: 200, body: await all.json() };
  const url = await startFront(source, (path) => (path === "/admin/v1/export" ? answer : undefined));
  const administrator = testUser(2, { hashedPassword: { value: OWN_HASH } });
  const target = await startMock({
    mimic: "v4",
    seed: { orgs: [{ orgId: "o2", org: { name: "o2" }, humanUsers: [administrator] }] },
  });
  target.addToken("copy", { userId: "copier", roles: ["IAM_OWNER"] });
  const env = { ...target.env, PAT_IMPORT_TOKEN: "copy", ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: source.token };
  return { target, env, cwd: tempDir() };
}

test.each([
  [["copy", "--org-id", "o1", "--with-passwords"]],
  [["copy", "--org-id", "o1", "--with-passwords", "--update", "--prefer", "source"]],
  [["copy", "--org-id", "o1", "--with-passwords", "--update", "--prefer", "target", "--dry-run"]],
  [["copy", "--exclude-org-id", "o2", "--keep", "kept.json"]],
  [["export", "--org-id", "o1"]],
])("an organization that was not requested ends the run before anything is sent or written: %j", async (argv) => {
  const { target, env, cwd } = await sourceThatAnswersWithMore();
  const before = target.requests.length;
  const { stdout, stderr, exitCode } = await runCli([...argv, "--json"], { cwd, env });
  expect(exitCode, stderr).toBe(5);
  expect(JSON.parse(stdout).problems).toMatchObject([
    { code: "api.org-not-requested", message: expect.stringContaining("organization o2") },
  ]);
  // The one call asks whether the token may import.
  const writes = target.requests
    .slice(before)
    .filter(({ path, body }) => path.endsWith("/import") && body !== '{"timeout":"1m"}');
  expect(writes).toEqual([]);
  expect(readdirSync(cwd)).toEqual([]);
});

test("organizations that were requested are no reason to stop, nor are more than these where all are", async () => {
  const { env, cwd } = await sourceThatAnswersWithMore();
  expect((await runCli(["export", "--org-id", "o1", "--org-id", "o2"], { cwd, env })).exitCode).toBe(0);
  expect((await runCli(["export", "--settle", "0s"], { cwd, env })).stderr).not.toContain("not requested");
});

const unverified = (n: number) => testUser(n, { hashedPassword: undefined, email: { email: `user${n}@example.com` } });
const oneOrg = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const proxyPage = { status: 200, body: "<html>sign in to the proxy</html>" };

test.each([
  ["has no users API", { status: 404, body: { code: 5, message: "Not Found" } }],
  ["may not use it", { status: 403, body: { code: 7, message: "No matching permissions found (AUTH-5mWD2)" } }],
  ["answers the first question with a page of a proxy", proxyPage],
])("--no-mail sends nothing where the target %s: exit 5, and no e-mail", async (_, answer) => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  let asked = 0;
  const url = await startFront(mock, (path) => {
    if (!path.startsWith("/v2/users")) return undefined;
    asked += 1;
    return asked === 1 || answer !== proxyPage ? answer : undefined;
  });
  const { cwd, file } = inFolder(testBody([testUser(1), unverified(2)]));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  for (const more of [["--dry-run"], [], ["--via", "users"]]) {
    asked = 0;
    const { stdout, stderr, exitCode } = await runCli(["import", file, "--no-mail", "--json", ...more], { cwd, env });
    expect(exitCode, stderr).toBe(5);
    expect(JSON.parse(stdout).problems).toMatchObject([{ code: "api.no-mail-impossible" }]);
  }
  expect(mock.requests.filter(({ path }) => path.endsWith("/import"))).toEqual([]);
  expect(mock.mails()).toEqual([]);
});

test("--no-mail sends no e-mail when the users API disappears after the first call", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  let asked = 0;
  const url = await startFront(mock, (path) => {
    if (!path.startsWith("/v2/users")) return undefined;
    asked += 1;
    return asked > 1 ? { status: 404, body: { code: 5, message: "Not Found" } } : undefined;
  });
  const { cwd, file } = inFolder(testBody([testUser(1), unverified(2), unverified(3)]));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, exitCode } = await runCli(["import", file, "--no-mail", "--json"], { cwd, env });
  expect(exitCode).toBe(5);
  expect(JSON.parse(stdout)).toMatchObject({
    problems: [{ code: "api.no-mail-impossible" }],
    users: { created: 1 },
    resume: expect.stringContaining("--no-mail"),
  });
  expect(mock.mails()).toEqual([]);
});

test("--no-mail needs no users API if the import endpoint sends no e-mail", async () => {
  const mock = await startMock({ mimic: "v4", without: { users: 404 }, seed: oneOrg });
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  const { exitCode, stderr } = await runCli(["import", file, "--no-mail"], { cwd, env: mock.env });
  expect(exitCode, stderr).toBe(0);
});

test("an instance is not copied into itself, under another address", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  const url = await startFront(mock, () => undefined);
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: mock.token };
  const { stdout, exitCode } = await runCli(["copy", "--update", "--json"], { cwd: tempDir(), env });
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout).problems).toMatchObject([{ code: "usage.same-instance" }]);
  expect(mock.requests.filter(({ path }) => /import|export/.test(path))).toEqual([]);
});

test.each([
  ["a folder", "taken", "output.unwritable"],
  ["in a file", "body.json/manifest", "output.unwritable"],
])("a manifest that cannot be written is known before anything is sent: %s", async (_, manifest, code) => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  mkdirSync(join(cwd, "taken"));
  mkdirSync(join(cwd, "b.manifest.ndjson"));
  const before = mock.requests.length;
  for (const flags of [
    ["--manifest", manifest],
    ["--journal", "b.journal.ndjson"],
  ]) {
    const { stdout, exitCode } = await runCli(["import", file, "--json", ...flags], { cwd, env: mock.env });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout).problems).toMatchObject([{ code }]);
  }
  expect(mock.requests.slice(before).filter(({ path }) => path.endsWith("/import"))).toEqual([]);
  expect(readdirSync(cwd).sort()).toEqual(["b.manifest.ndjson", "body.json", "taken"]);
});

test("a manifest that becomes unwritable during the import is written by --resume", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  const place = join(cwd, "body.json.manifest.ndjson");
  const url = await startFront(mock, (path, body) => {
    if (path.endsWith("/import") && body.includes("userId")) mkdirSync(place);
    return undefined;
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const first = await runCli(["import", file, "--json"], { cwd, env });
  expect(first.exitCode, first.stderr).toBe(3);
  expect(JSON.parse(first.stdout)).toMatchObject({
    users: { created: 1 },
    resume: expect.stringContaining("--resume"),
  });
  rmSync(place, { recursive: true });
  const again = await runCli(["import", file, "--json", "--resume"], { cwd, env });
  expect(again.exitCode, again.stderr).toBe(0);
  expect(readFileSync(place, "utf8")).toContain('"id":"u1"');
});

test("an answer with another id than the one that was sent creates no user of this run", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  const other = { status: 201, body: { userId: "u77", details: {} } };
  const url = await startFront(mock, (path, body) =>
    path === "/v2/users/human" && body.includes("profile") ? other : undefined,
  );
  const { cwd, file } = inFolder(testBody([verifiedNoHash]));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, exitCode } = await runCli(["import", file, "--json"], { cwd, env });
  expect(exitCode).toBe(5);
  expect(JSON.parse(stdout)).toMatchObject({ users: { created: 0, unknown: 1 }, unknown: ["u2"] });
});

test("an organization that was renamed at the source is named, and not renamed", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  const orgs = [{ orgId: "org1", org: { name: "Uno" }, humanUsers: [testUser(1)] }];
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" }));
  for (const more of [["--dry-run"], ["--update"], []]) {
    const { stdout, stderr } = await runCli(["import", file, "--json", ...more], { cwd, env: mock.env });
    expect(JSON.parse(stdout)).toMatchObject({ renamedOrgs: [{ orgId: "org1", name: "Uno", targetName: "One" }] });
    expect(stderr).toContain("organization org1 is called Uno in the input and One on the target");
  }
});

test.each([
  ["Errors.Internal", [{ id: "u1" }, { id: "u2" }]],
  ["ID=V2-yLh3d Message=Errors.User.AlreadyExisting", [{ id: "u1", cause: "already-there" }]],
])("of a user among the created ones and among the errors, the event log decides: %s", async (message, failures) => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  mock.addToken("ferry", { userId: "ferry", roles: ["IAM_OWNER"] });
  const success = { orgs: [{ orgId: "org1", humanUserIds: ["u1", "u2"] }] };
  const errors = ["u1", "u2"].map((id) => ({ type: "human_user", id, message }));
  // Only u1 is created.
  const one = Buffer.from(testBody([testUser(1)]));
  const url = await serve(async (request, body, response) => {
    const isImport = request.url?.endsWith("/import") === true && body.includes("userId");
    const instead = isImport ? JSON.stringify({ errors, success }) : undefined;
    await forward(mock.url, request, isImport ? one : body, response, undefined, instead);
  });
  const { cwd, file } = inFolder(testBody([testUser(1), testUser(2)]));
  const env = { ...mock.env, PAT_IMPORT_TOKEN: "ferry", ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  const report = JSON.parse(stdout);
  expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 1 } });
  const byId = [...report.failures].sort((x, y) => x.id.localeCompare(y.id));
  expect(byId).toMatchObject(failures);
  expect(readFileSync(join(cwd, `${file}.manifest.ndjson`), "utf8")).toContain('"id":"u1"');
});

const verifiedNoHash = testUser(2, { hashedPassword: undefined });

test.each([
  [["--via", "users"], { users: 404 } as const, "users API"],
  [["--via", "users", "--dry-run"], { users: 501 } as const, "users API"],
  [["--verify"], { events: 404 } as const, "events"],
  [["--verify", "--dry-run"], { events: 404 } as const, "events"],
  [["--fail-on-different"], { events: 404 } as const, "events"],
])(
  "a flag that the target cannot do ends the run before anything is sent: %j without %j",
  async (more, without, words) => {
    const mock = await startMock({ mimic: "v4", without, seed: oneOrg });
    const { cwd, file } = inFolder(testBody([testUser(1), verifiedNoHash]));
    const { stdout, stderr, exitCode } = await runCli(["import", file, "--json", ...more], { cwd, env: mock.env });
    expect(exitCode, stderr).toBe(5);
    const [problem] = JSON.parse(stdout).problems;
    expect(problem).toMatchObject({ code: "api.flag-impossible", message: expect.stringContaining(words) });
    expect(problem.message).toContain(`${more[0]}`);
    expect(mock.requests.filter(({ path, body }) => path.endsWith("/import") && body !== '{"timeout":"1m"}')).toEqual(
      [],
    );
    // The journal of a run that sent nothing would be in the way of the next one.
    expect(readdirSync(cwd)).toEqual(["body.json"]);
  },
);

test("one page of a proxy in place of the first answer of the users API does not e-mail users", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  let asked = 0;
  const url = await startFront(mock, (path) => {
    if (!path.startsWith("/v2/users")) return undefined;
    asked += 1;
    return asked === 1 ? proxyPage : undefined;
  });
  const { cwd, file } = inFolder(testBody([verifiedNoHash]));
  const { exitCode, stderr } = await runCli(["import", file], {
    cwd,
    env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url },
  });
  expect(exitCode, stderr).toBe(0);
  expect(mock.mails()).toEqual([]);
});

test("a users API that answers the probe and then disappears e-mails no user, without any flag", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  let asked = 0;
  const url = await startFront(mock, (path) => {
    if (!path.startsWith("/v2/users")) return undefined;
    asked += 1;
    return asked === 1 ? undefined : { status: 404, body: { code: 5, message: "Not Found" } };
  });
  const { cwd, file } = inFolder(testBody([verifiedNoHash]));
  const run = ["import", file, "--max-mails", "0"];
  const { exitCode, stderr } = await runCli(run, { cwd, env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url } });
  expect(exitCode, stderr).toBe(5);
  expect(mock.mails()).toEqual([]);
});

/** A target whose organization o2 has users u1 to u`count`, and o1 one user u900; the input wants all of them in o1. */
async function usersElsewhere(count: number) {
  const mock = await startMock({
    mimic: "v4",
    seed: {
      orgs: [
        { orgId: "o1", org: { name: "One" }, humanUsers: [testUser(900)] },
        { orgId: "o2", org: { name: "Two" }, humanUsers: testUsers(count) },
      ],
    },
  });
  mock.addToken("ferry", { userId: "ferry", roles: ["IAM_OWNER"] });
  const users = [testUser(900), ...testUsers(count), testUser(901)];
  const { cwd, file } = inFolder(
    JSON.stringify({ dataOrgs: { orgs: [{ orgId: "o1", humanUsers: users }] }, timeout: "5m0s" }),
  );
  const env = { ...mock.env, PAT_IMPORT_TOKEN: "ferry" };
  const run = async (...more: readonly string[]) => {
    const { stdout, stderr, exitCode } = await runCli(["import", file, "--json", ...more], { cwd, env });
    return { report: JSON.parse(stdout), stderr, exitCode };
  };
  return { mock, cwd, run };
}

test.each([
  [3, []],
  [3, ["--via", "users"]],
  [3, ["--update"]],
  // So many that the log of the whole instance is read.
  [250, []],
])(
  "%d users who are in another organization of the target have not arrived: exit 1, with its name %j",
  async (count, more) => {
    const { run, cwd } = await usersElsewhere(count);
    const dry = await run("--dry-run", ...more);
    expect(dry.report, dry.stderr).toMatchObject({
      exitCode: 1,
      foreseen: { users: { new: 1, alreadyThere: 1, elsewhere: count } },
    });
    const { report, stderr } = await run("--rejects", "rejects", ...more);
    const isUpdate = more[0] === "--update";
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      users: { read: count + 2, created: 1, alreadyThere: isUpdate ? 0 : 1, failed: count, unknown: 0 },
    });
    expect(report.failures).toHaveLength(count);
    expect(report.failures).toContainEqual(
      expect.objectContaining({ id: "u2", cause: "in-other-org", message: "organization o2", line: 1 }),
    );
    expect(stderr).toContain(
      `failed:   ${count} × the id belongs to a user, a project or an action of another organization of the target`,
    );
    const rejected = JSON.parse(readFileSync(join(cwd, "rejects", "body.json"), "utf8"));
    expect(rejected.dataOrgs.orgs[0].humanUsers).toHaveLength(count);
    const again = await run(...more);
    expect(again.report, again.stderr).toMatchObject({ exitCode: 1, users: { created: 0, failed: count } });
  },
);

test("a user who was deleted and recreated in the organization of the input exists", async () => {
  const { mock, run } = await usersElsewhere(2);
  const headers = { authorization: `Bearer ${mock.token}` };
  for (const id of ["u1", "u900"]) await fetch(`${mock.url}/v2/users/${id}`, { method: "DELETE", headers });
  const back = { timeout: "1m", dataOrgs: { orgs: [{ orgId: "o1", humanUsers: [testUser(900)] }] } };
  await fetch(`${mock.url}/admin/v1/import`, { method: "POST", headers, body: JSON.stringify(back) });
  const { report, stderr } = await run();
  // u1 comes back into the organization that it was deleted from, so it is not sent; u2 is there still.
  expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 1, alreadyThere: 1, failed: 2 } });
  expect(report.failures.map(({ cause }: { cause: string }) => cause).sort()).toEqual(["in-other-org", "user-removed"]);
});

test.each([['"org.added"'], ['["user.removed"]'], ['"user.machine.added"]'], ['"limit":1,']])(
  "an id of a machine user is not written over, though one answer to %s breaks: exit 1, and undo has nothing of it",
  async (faulty) => {
    const machine = (userId: string) => ({ userId, user: { userId, userName: userId, name: userId } });
    const mock = await startMock({
      mimic: "v4",
      seed: {
        orgs: [
          { orgId: "o1", org: { name: "One" }, machineUsers: [machine("here")], humanUsers: [testUser(7)] },
          { orgId: "o2", org: { name: "Two" }, machineUsers: [machine("there"), machine("robot")] },
        ],
      },
    });
    const humanUsers = [{ ...testUser(1), userId: "here" }, { ...testUser(2), userId: "there" }, testUser(3)];
    const machineUsers = [machine("robot"), machine("u7"), machine("new")];
    const { cwd, file } = inFolder(
      JSON.stringify({ dataOrgs: { orgs: [{ orgId: "o1", humanUsers, machineUsers }] }, timeout: "5m0s" }),
    );
    // One page of a proxy in place of an answer is no reason to go on without what it would have told.
    let asked = 0;
    const url = await startFront(mock, (path, body) => {
      if (!path.endsWith("/events/_search") || !body.includes(faulty)) return undefined;
      asked += 1;
      return asked === 1 ? proxyPage : undefined;
    });
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const dry = await runCli(["import", file, "--dry-run", "--json"], { cwd, env: mock.env });
    expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({
      exitCode: 1,
      foreseen: { users: { new: 1, elsewhere: 4 } },
    });
    const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
    const report = JSON.parse(stdout);
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      users: { created: 1, alreadyThere: 0, failed: 2 },
      otherObjects: { machine_user: { created: 1, failed: 2 } },
    });
    const failures = report.failures.map(({ type, id, cause }: Record<string, string>) => `${type} ${id} ${cause}`);
    expect(failures.sort()).toEqual([
      "human_user here id-of-other-kind",
      "human_user there in-other-org",
      "machine_user robot in-other-org",
      "machine_user u7 id-of-other-kind",
    ]);
    expect(readFileSync(join(cwd, `${file}.manifest.ndjson`), "utf8")).not.toMatch(/here|there/);
    const sent = mock.requests.filter(({ path }) => path.endsWith("/import")).map(({ body }) => body ?? "");
    expect(sent.join("")).not.toMatch(/"(here|there|robot|u7)"/);
    expect(sent.join("")).toMatch(/"u3"/);
  },
);

// Made while the answer is lost: a later creation alone does not make a user this job's own.
test.each(["another organization", "this organization, by another account"])(
  "a user that another account creates in %s after the job began is not counted as created",
  async (where) => {
    const orgs = ["o1", "o2"].map((orgId) => ({ orgId, org: { name: orgId } }));
    const mock = await startMock({ mimic: "v4", seed: { orgs } });
    mock.addToken("ferry", { userId: "ferry", roles: ["IAM_OWNER"] });
    const isElsewhere = where === "another organization";
    const { cwd, file } = inFolder(
      JSON.stringify({ dataOrgs: { orgs: [{ orgId: "o1", humanUsers: testUsers(2) }] }, timeout: "1m" }),
    );
    // Whose token it is, is asked again when the first answer is none.
    let asked = 0;
    const url = await startFront(mock, (path) => {
      asked += path.endsWith("/userinfo") ? 1 : 0;
      return path.endsWith("/userinfo") && asked === 1 ? proxyPage : undefined;
    });
    const env = { ...mock.env, PAT_IMPORT_TOKEN: "ferry", ZITADEL_IMPORT_DOMAIN: url };
    // Cut off before the service has read anything: it creates no user.
    mock.addFault({ endpoint: "import", fault: "reset-before" });
    const first = JSON.parse((await runCli(["import", file, "--json"], { cwd, env })).stdout);
    expect(first).toMatchObject({ exitCode: 6, users: { unknown: 2 } });
    mock.clearFaults();
    const foreign = {
      timeout: "1m",
      dataOrgs: { orgs: [{ orgId: isElsewhere ? "o2" : "o1", humanUsers: [testUser(1)] }] },
    };
    const headers = { authorization: `Bearer ${isElsewhere ? "ferry" : mock.token}` };
    await fetch(`${mock.url}/admin/v1/import`, { method: "POST", headers, body: JSON.stringify(foreign) });
    const { stdout, stderr } = await runCli(["import", file, "--resume", "--json"], { cwd, env });
    expect(JSON.parse(stdout), stderr).toMatchObject(
      isElsewhere
        ? { exitCode: 1, users: { created: 1, failed: 1 }, failures: [{ id: "u1", cause: "in-other-org" }] }
        : { exitCode: 0, users: { created: 1, alreadyThere: 1, failed: 0 } },
    );
    const manifest = readFileSync(join(cwd, `${file}.manifest.ndjson`), "utf8");
    expect(manifest).toContain('"u2"');
    expect(manifest).not.toContain('"u1"');
  },
);

test.each([
  { what: "a broken answer", answer: proxyPage, exitCode: 5 },
  { what: "a refused token", answer: { status: 401, body: { code: 16, message: "no" } }, exitCode: 4 },
  { what: "a missing role", answer: { status: 403, body: { code: 7, message: "no" } }, exitCode: 4 },
])(
  "the organizations of existing users are not guessed: $what to that question ends the run, which can be resumed",
  async ({ answer, exitCode }) => {
    const { mock, cwd } = await usersElsewhere(3);
    let isAsking = false;
    const url = await startFront(mock, (path, body) => {
      if (path !== "/admin/v1/events/_search" || !body.includes('"user.selfregistered"')) return undefined;
      if (isAsking) return undefined;
      isAsking = true;
      return answer;
    });
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const first = await runCli(["import", "body.json", "--json"], { cwd, env });
    expect(JSON.parse(first.stdout), first.stderr).toMatchObject({
      exitCode,
      resume: expect.stringContaining("--resume"),
    });
    const second = await runCli(["import", "body.json", "--resume", "--json"], { cwd, env });
    expect(JSON.parse(second.stdout), second.stderr).toMatchObject({ exitCode: 1, users: { created: 1, failed: 3 } });
  },
);

test("one empty answer of the event log does not make existing users this job's own", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  const before = inFolder(testBody([testUser(1)]));
  await runCli(["import", before.file], { cwd: before.cwd, env: mock.env });
  let asked = 0;
  const url = await startFront(mock, (path, body) => {
    if (!path.endsWith("/events/_search") || !body.includes('"limit":1,')) return undefined;
    asked += 1;
    return asked === 1 ? { status: 200, body: { events: [] } } : undefined;
  });
  mock.addFault({ endpoint: "import", fault: "reset-after", times: 1 });
  const { cwd, file } = inFolder(testBody(testUsers(2)));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { created: 1, alreadyThere: 1 } });
  expect(readFileSync(join(cwd, `${file}.manifest.ndjson`), "utf8")).not.toContain('"u1"');
});

test("an id that the input has as a human and as a machine user is a fault of the input", async () => {
  const mock = await startMock({ mimic: "v4", seed: oneOrg });
  const machineUsers = [{ userId: "q", user: { userId: "q", userName: "q", name: "q" } }];
  const humanUsers = [{ ...testUser(1), userId: "q" }, testUser(2)];
  const { cwd, file } = inFolder(
    JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", machineUsers, humanUsers }] }, timeout: "5m0s" }),
  );
  for (const more of [["--dry-run"], []]) {
    const { stdout, stderr } = await runCli(["import", file, "--json", ...more], { cwd, env: mock.env });
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 3 });
    expect(stderr).toContain("duplicate id: the user at line 1 has the same");
  }
  expect(mock.requests.filter(({ path }) => path.endsWith("/import"))).toEqual([]);
});
