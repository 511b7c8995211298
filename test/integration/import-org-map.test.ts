import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { makePipe } from "../helpers/pipes.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const document = {
  orgs: [
    {
      orgId: "a",
      org: { name: "A" },
      domainPolicy: { orgId: "a", userLoginMustBeDomain: false },
      humanUsers: testUsers(2),
      domains: [{ orgId: "a", domainName: "a.example" }],
      projects: [{ projectId: "p", project: { name: "P" } }],
      projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
      projectGrants: [{ grantId: "g", projectGrant: { projectId: "p", grantedOrgId: "b", roleKeys: ["r"] } }],
    },
    { orgId: "b", org: { name: "B" }, humanUsers: testUsers(1, 9) },
  ],
};

const bodies = (mock: MockServer): string =>
  mock.requests
    .filter(({ path }) => path.endsWith("/import"))
    .map(({ body }) => body ?? "")
    .join("");

test("--org-map rewrites every reference, by flag and by file", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(JSON.stringify(document), "export.json");
  writeFileSync(join(cwd, "map.csv"), 'source,target\r\n"b","b2"\r\n');
  const { report } = await importJson([file, "--org-map", "a=a2", "--org-map", "@map.csv"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 3 }, otherObjects: { project_grant: { created: 1 } } });
  expect(bodies(mock)).toContain('"grantedOrgId":"b2"');
  expect(bodies(mock)).not.toMatch(/"(orgId|grantedOrgId)":"[ab]"/);
});

const maps = ["--org-map", "a=a2", "--org-map", "b=b2"];

test("what was imported with --org-map is verified with it, and what the import left out is not missing", async () => {
  const mock = await startMock();
  const [one, two] = document.orgs as [object, object];
  // The mock adds a domain of its own.
  const leading = { domains: undefined, userGrants: [{ userId: "u1", projectId: "of-another-file", roleKeys: ["r"] }] };
  const { cwd, file } = inFolder(JSON.stringify({ orgs: [{ ...one, ...leading }, two] }), "export.json");
  const imported = await importJson([file, ...maps, "--verify"], { cwd, env: mock.env });
  const notExpected = { exitCode: 0, notExpected: 1, missing: [], differentCount: 0 };
  expect(imported.report, imported.stderr).toMatchObject({
    ...notExpected,
    otherObjects: { user_grant: { created: 0, leftOut: 1, failed: 0 } },
  });
  const { stdout, stderr } = await runCli(["verify", file, ...maps, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ ...notExpected, expected: imported.report.expected });
  expect(stderr).toContain("1 other object is not expected");
  const without = await runCli(["verify", file, "--org-map", "a=a2"], { cwd, env: mock.env });
  const unmapped = await runCli(["verify", file], { cwd, env: mock.env });
  expect(unmapped.exitCode).toBe(1);
  expect(unmapped.stderr).toContain(
    "the target has no organization a (A). If it has another id there, use --org-map a=a2.",
  );
  expect(without).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("without an id on the target") });
});

test("the rejects are imported with the same maps, also where an id of the target is one of the input", async () => {
  const mock = await startMock({ seed: { orgs: ["a", "b", "c"].map((orgId) => ({ orgId, org: { name: orgId } })) } });
  const user = testUser(1, { email: { email: "no address", isEmailVerified: true } });
  const a = { orgId: "a", humanUsers: [user], orgMembers: [{ userId: "u1", roles: ["ORG_OWNER"] }] };
  const b = { orgId: "b", humanUsers: [testUser(2)] };
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [a, b] } }));
  const flags = ["--org-map", "a=b", "--org-map", "b=c", "--skip-invalid", "--rejects", "failed"];
  expect((await importJson([file, ...flags], { cwd, env: mock.env })).exitCode).toBe(1);
  const rejected = readFileSync(join(cwd, "failed/body.json"), "utf8");
  expect(JSON.parse(rejected).dataOrgs.orgs).toEqual([
    { orgId: "a", humanUsers: [user] },
    { orgId: "a", orgMembers: a.orgMembers },
  ]);
  writeFileSync(join(cwd, "cured.json"), rejected.replace("no address", "ann@example.com"));
  const cured = await importJson(["cured.json", ...flags.slice(0, 5)], { cwd, env: mock.env });
  expect(cured.exitCode, cured.stderr).toBe(0);
  expect(bodies(mock)).toContain('{"orgId":"b","humanUsers":[{"userId":"u1"');
});

test("the commands that an import names to check and to invite have its map", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "one", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody([testUser(1), testUser(2, { hashedPassword: undefined })]));
  const { exitCode, stderr } = await runCli(["import", file, "--org-map", "org1=one", "--no-mail"], {
    cwd,
    env: mock.env,
  });
  expect(exitCode, stderr).toBe(0);
  const commands = ["verify", "invite"].map((name) => {
    const line = stderr.split("\n").find((text) => text.includes(`orgferry ${name} body.json --`)) ?? "";
    return line.slice(line.indexOf("orgferry") + "orgferry ".length).split(" ");
  });
  for (const command of commands) {
    expect(command).toContain("org1=one");
    const run = await runCli(command, { cwd, env: mock.env });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toMatch(/verified: 2 of 2 found|1 user will get a link/);
  }
});

test.each([
  [["--org-map", "a"], 2, "usage.invalid"],
  [["--org-map", "a=b", "--org-map", "a=c"], 2, "usage.invalid"],
  [["--org-map", "@absent.csv"], 3, "input.missing"],
  [["--org-map", "@bad.csv"], 3, "input.org-map"],
])("%j is refused before anything is sent", async (args, exitCode, code) => {
  const mock = await startMock();
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  writeFileSync(join(cwd, "bad.csv"), "a,b\nc\n");
  const { report } = await importJson([file, ...args], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode, problems: [{ code }] });
  expect(mock.requests).toEqual([]);
});

test("a job continues with its first map, and the command that continues it has the map", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "one", org: { name: "One" } }] } });
  mock.addFault({ endpoint: "import", fault: "not-json" });
  const { cwd, file } = inFolder(testBody(testUsers(3)));
  const first = await importJson([file, "--org-map", "org1=one"], { cwd, env: mock.env });
  expect(first.report.resume).toContain("--org-map org1=one");
  mock.clearFaults();
  const other = await importJson([file, "--resume"], { cwd, env: mock.env });
  expect(other.report).toMatchObject({ exitCode: 3, problems: [{ code: "journal.other-settings" }] });
  const { report } = await importJson([file, "--org-map", "org1=one", "--resume"], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, users: { created: 3 } });
});

test("the file of --org-map is never written over, and one that is a pipe can be waited for and interrupted", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(testBody(testUsers(1)));
  writeFileSync(join(cwd, "map.csv"), "org1,org2\n");
  const over = await runCli(["import", file, "--org-map", "@map.csv", "--report", "map.csv"], { cwd, env: mock.env });
  expect(over.exitCode).toBe(2);
  expect(readFileSync(join(cwd, "map.csv"), "utf8")).toBe("org1,org2\n");
  makePipe("pipe", cwd);
  const controller = new AbortController();
  const waiting = runCli(["import", file, "--org-map", "@pipe"], { cwd, env: mock.env, signal: controller.signal });
  controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
  expect((await waiting).exitCode).toBe(130);
  expect(mock.requests).toEqual([]);
});
