import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// The service exports what its lists have read so far, and does not report that (service behaviour 0.15): the mock lags on demand.

const ids = ["u1", "u2", "u3", "u4", "u5"];

async function startLagging(
  users: number,
  times?: number,
  endpoint: "export" | "users" = "export",
): Promise<{ mock: TestMock; env: Record<string, string> }> {
  const lag = { endpoint, fault: "lag", users, ...(times === undefined ? {} : { times }) } as const;
  const mock = await startMock({ faults: [lag] });
  const humanUsers = ids.map((_, index) => testUser(index + 1));
  const orgs = [{ orgId: "a", org: { name: "A" }, humanUsers }];
  const headers = { authorization: `Bearer ${mock.token}` };
  const body = JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" });
  await fetch(`${mock.url}/admin/v1/import`, { method: "POST", headers, body });
  return { mock, env: { ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token } };
}

const exportsOf = (mock: TestMock): number => mock.requests.filter(({ path }) => path === "/admin/v1/export").length;

function usersIn(path: string): string[] {
  const { orgs } = JSON.parse(readFileSync(path, "utf8"));
  return orgs.flatMap(({ humanUsers = [] }: { humanUsers?: { userId: string }[] }) =>
    humanUsers.map(({ userId }) => userId),
  );
}

test("an export that lags behind waits, is fetched again, and is whole", async () => {
  const { mock, env } = await startLagging(3, 2);
  const cwd = tempDir();
  const { exitCode, stdout, stderr } = await runCli(["export", "--json"], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  expect(usersIn(join(cwd, "export.json")).sort()).toEqual(ids);
  expect(JSON.parse(stdout)).toMatchObject({ users: 5, missing: 0 });
  expect(exportsOf(mock)).toBe(3);
  expect(stderr.split("the export lacks 3 of 5 users that the event log knows. It lags behind")).toHaveLength(3);
  expect(stderr).toMatch(/exporting again in 1(\.0)? s[\s\S]*exporting again in 2(\.0)? s/);
});

test("an export that is still short after --settle is exit 1 and says of how many how many are missing", async () => {
  const { mock, env } = await startLagging(2);
  const cwd = tempDir();
  const { exitCode, stdout, stderr } = await runCli(["export", "--json", "--settle", "6s"], { cwd, env });
  expect(exitCode).toBe(1);
  const missingUsers = ids
    .slice(3)
    .map((id) => ({ type: "human_user", id, orgId: "a", userName: `${id.replace("u", "user")}@example.com` }));
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 1, users: 3, missing: 2, missingUsers });
  expect(stderr).toContain("lacks 2 of 5 users");
  // Pauses of 1, 2 and the 3 seconds that are left.
  expect(exportsOf(mock)).toBe(4);
  // What came is kept, and nothing of the earlier tries.
  expect(usersIn(join(cwd, "export.json"))).toEqual(ids.slice(0, 3));
  expect(readdirSync(cwd)).toEqual(["export.json"]);
});

test("--settle 0s asks once", async () => {
  const { mock, env } = await startLagging(1, 1);
  const { exitCode } = await runCli(["export", "--settle", "0s"], { cwd: tempDir(), env });
  expect(exitCode).toBe(1);
  expect(exportsOf(mock)).toBe(1);
});

test("a copy imports no user before the export is complete", async () => {
  const { mock: source, env } = await startLagging(4, 1);
  const target = await startMock();
  const cwd = tempDir();
  const { exitCode, stderr } = await runCli(["copy"], { cwd, env: { ...env, ...target.env } });
  expect(exitCode, stderr).toBe(0);
  expect(exportsOf(source)).toBe(2);
  await runCli(["export"], { cwd, env: { ZITADEL_EXPORT_DOMAIN: target.url, PAT_EXPORT_TOKEN: target.token } });
  expect(usersIn(join(cwd, "export.json")).sort()).toEqual(ids);
});

test("an export waits until the lists of metadata and grants have read the event log, and is requested once", async () => {
  const { mock, env } = await startLagging(2, 2, "users");
  const { exitCode, stdout, stderr } = await runCli(["export", "--json"], { cwd: tempDir(), env });
  expect(exitCode, stderr).toBe(0);
  expect(exportsOf(mock)).toBe(1);
  expect(stderr).toMatch(
    /lists lag behind its event log: users[^.]*\. Looking again in 1(\.0)? s[\s\S]*Looking again in 2(\.0)? s/,
  );
  expect(JSON.parse(stdout)).not.toHaveProperty("slowLists");
});

test.each(["export", "copy"])("%s with lists that stay behind is exit 1 and names them", async (command) => {
  const { env } = await startLagging(2, undefined, "users");
  const target = await startMock();
  const args = [command, "--json", "--settle", "2s"];
  const { exitCode, stdout, stderr } = await runCli(args, { cwd: tempDir(), env: { ...target.env, ...env } });
  expect(exitCode, stderr).toBe(1);
  const report = JSON.parse(stdout);
  expect((report.export ?? report).slowLists).toEqual(["users"]);
  expect(stderr).toContain("The export may be incomplete.");
});

test.each([
  { times: 1, flags: [], exitCode: 0 },
  { times: 9, flags: ["--settle", "3s"], exitCode: 1 },
])("an export with users who were deleted is fetched again, and is not whole ($exitCode)", async (one) => {
  const { mock, env } = await startLagging(0, 0);
  const headers = { authorization: `Bearer ${mock.token}` };
  const early = await fetch(`${mock.url}/admin/v1/export`, { method: "POST", headers, body: "{}" });
  const before = { status: 200, body: await early.text() };
  for (const id of ["u2", "u3"]) await fetch(`${mock.url}/v2/users/${id}`, { method: "DELETE", headers });
  const again = JSON.stringify({
    dataOrgs: { orgs: [{ orgId: "a", humanUsers: [testUser(3)] }] },
    timeout: "1m",
  });
  await fetch(`${mock.url}/admin/v1/import`, { method: "POST", headers, body: again });
  let left = one.times;
  const url = await startFront(mock, (path) => (path === "/admin/v1/export" && left-- > 0 ? before : undefined));
  const cwd = tempDir();
  const args = ["export", "--org-id", "a", "--json", ...one.flags];
  const { exitCode, stdout, stderr } = await runCli(args, { cwd, env: { ...env, ZITADEL_EXPORT_DOMAIN: url } });
  expect(exitCode, stderr).toBe(one.exitCode);
  expect(stderr).toContain("the export has 1 user who was deleted: u2.");
  const report = JSON.parse(stdout);
  expect(report.deletedUsers).toEqual(one.exitCode === 0 ? undefined : ["u2"]);
  expect(usersIn(join(cwd, "export.json")).includes("u2")).toBe(one.exitCode === 1);
});

test.each([[[]], [["--update", "--delete"]]])(
  "a copy creates no user that the source has deleted, though its lists still have the user (%j)",
  async (flags) => {
    const { mock, env } = await startLagging(0, 0);
    const headers = { authorization: `Bearer ${mock.token}` };
    const members = [2, 3].map((number) => ({ userId: `u${number}`, roles: ["ORG_OWNER"] }));
    const more = JSON.stringify({ dataOrgs: { orgs: [{ orgId: "a", orgMembers: members }] }, timeout: "1m" });
    await fetch(`${mock.url}/admin/v1/import`, { method: "POST", headers, body: more });
    const early = await fetch(`${mock.url}/admin/v1/export`, { method: "POST", headers, body: "{}" });
    const before = { status: 200, body: await early.text() };
    await fetch(`${mock.url}/v2/users/u2`, { method: "DELETE", headers });
    const url = await startFront(mock, (path) => (path === "/admin/v1/export" ? before : undefined));
    const target = await startMock();
    const args = ["copy", "--org-id", "a", "--json", "--no-mail", "--settle", "1s", ...flags];
    const world = { cwd: tempDir(), env: { ...env, ...target.env, ZITADEL_EXPORT_DOMAIN: url } };
    const { stdout, stderr } = await runCli(args, world);
    const report = JSON.parse(stdout);
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      users: { failed: 1 },
      failureCauses: { "deleted-at-source": 1, consequence: 1 },
    });
    expect(report.failures).toContainEqual(expect.objectContaining({ id: "u2", cause: "deleted-at-source" }));
    const created = await fetch(`${target.url}/v2/users`, {
      method: "POST",
      headers: { authorization: `Bearer ${target.token}` },
      body: "{}",
    });
    const { result } = (await created.json()) as { result: readonly { userId: string }[] };
    expect(result.map(({ userId }) => userId)).toContain("u3");
    expect(result.map(({ userId }) => userId)).not.toContain("u2");
  },
);
