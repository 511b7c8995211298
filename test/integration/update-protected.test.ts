import { expect, test } from "vitest";
import { inFolder, testUser, testUsers } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// Users with a role on the instance, and the service users of the job, are never changed and never deleted.

const OTHER_HASH = "$2b$10$zyxwvutsrqponmlkjihgfeabcdefghijklmnopqrstuvwxyzABCDE";

async function send(mock: TestMock, method: string, path: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${mock.token}` };
  const more = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${mock.url}${path}`, { method, headers, ...more });
  expect(answer.status, `${method} ${path} ${await answer.text()}`).toBeLessThan(300);
}

/** A source and a target with users u1 to u4, copied once; u2 is an administrator of the target, u3 the service user of the source. */
async function copied() {
  const seed = { instanceIdpIds: ["idp"] };
  const source = await startMock({ mimic: "v4", seed });
  const target = await startMock({ mimic: "v4", seed });
  const orgs = [
    {
      orgId: "org1",
      org: { name: "One" },
      humanUsers: testUsers(4),
      userMetadata: [{ id: "u2", key: "k", value: "dg==" }],
    },
  ];
  await send(source, "POST", "/admin/v1/import", { timeout: "1m", dataOrgs: { orgs } });
  target.addToken("of-u2", { userId: "u2", roles: ["IAM_OWNER_VIEWER"] });
  source.addToken("of-u3", { userId: "u3", roles: ["IAM_OWNER"] });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: "of-u3" };
  const copy = async (...more: readonly string[]) => {
    const argv = ["copy", "--org-id", "org1", "--with-passwords", "--update", "--json", ...more];
    const { stdout, stderr } = await runCli(argv, { cwd: tempDir(), env: { ...env } });
    return { report: JSON.parse(stdout), stderr };
  };
  const first = await copy();
  expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 4 } });
  return { source, target, env, copy };
}

test("an administrator gets no link, metadata or membership that the source added, with --update and without", async () => {
  const { source, target, env, copy } = await copied();
  const orgMembers = ["u1", "u2"].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  await send(source, "POST", "/admin/v1/import", {
    timeout: "1m",
    dataOrgs: { orgs: [{ orgId: "org1", orgMembers }] },
  });
  for (const id of ["u1", "u2"]) {
    await send(source, "POST", `/v2/users/${id}/links`, { idpLink: { idpId: "idp", userId: `g-${id}`, userName: id } });
    await send(source, "POST", `/v2/users/${id}/metadata`, { metadata: [{ key: "new", value: "dg==" }] });
  }
  const without = await runCli(["copy", "--org-id", "org1", "--json"], { cwd: tempDir(), env: { ...env } });
  expect(JSON.parse(without.stdout), without.stderr).toMatchObject({ exitCode: 0 });
  expect(without.stderr).toContain("not sent: the user has a role on the instance, and is never changed.");
  await copy("--prefer", "target");
  const given = async (id: string) => {
    const links = await fetch(`${target.url}/v2/users/${id}/links/_search`, {
      method: "POST",
      headers: { authorization: `Bearer ${target.token}` },
      body: "{}",
    });
    return ((await links.json()) as { result?: object[] }).result?.length ?? 0;
  };
  expect([await given("u1"), await given("u2")]).toEqual([1, 0]);
  expect(changed(target).filter((path) => path.includes("u2") && path.includes("metadata"))).toEqual([]);
  const exported = await fetch(`${target.url}/admin/v1/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${target.token}` },
    body: JSON.stringify({ org_ids: ["org1"], timeout: "1m" }),
  });
  const { orgs } = (await exported.json()) as { orgs: { orgMembers: object[] }[] };
  expect(orgs[0]?.orgMembers).toMatchObject([{ userId: "u1" }]);
});

const changed = (target: TestMock): readonly string[] =>
  target.requests.filter(({ path }) => /^\/v2\/users\/(human\/)?u[23]/.test(path)).map(({ path }) => path);

test("they are skipped and counted, a conflict only where they differ, and --prefer target settles it", async () => {
  const { source, target, copy } = await copied();
  const equal = await copy();
  expect(equal.report, equal.stderr).toMatchObject({
    exitCode: 0,
    users: { unchanged: 4 },
    update: { protected: ["u2", "u3"], conflict: [] },
  });
  expect(equal.stderr).toContain("2 users with a role on the instance");
  for (const id of ["u2", "u3"])
    await send(source, "PUT", `/v2/users/human/${id}`, { password: { hashedPassword: { hash: OTHER_HASH } } });
  await send(source, "POST", "/v2/users/u2/metadata", { metadata: [{ key: "k", value: "dzI=" }] });
  const conflict = [
    { userId: "u2", fields: ["hash", "metadata.k"], reason: "protected" },
    { userId: "u3", fields: ["hash"], reason: "protected" },
  ];
  for (const [more, exitCode] of [
    [["--dry-run"], 1],
    [[], 1],
    [["--prefer", "source"], 1],
    [["--prefer", "target"], 0],
  ] as const) {
    const { report, stderr } = await copy(...more);
    expect(report, stderr).toMatchObject({ exitCode, conflicts: 2, update: { conflict, update: [] } });
  }
  expect(changed(target)).toEqual([]);
});

test("they get no link, grant or membership", async () => {
  const { source, target, copy } = await copied();
  const ids = ["u1", "u2", "u3"];
  const userLinks = ids.map((userId) => ({
    userId,
    idpId: "idp",
    providedUserId: `x${userId}`,
    providedUserName: "x",
  }));
  const userGrants = ids.map((userId) => ({ userId, projectId: "p1", roleKeys: [] }));
  const orgMembers = ids.map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
  const projects = [{ projectId: "p1", project: { name: "P" } }];
  const orgs = [{ orgId: "org1", org: { name: "One" }, projects, userLinks, userGrants, orgMembers }];
  await send(source, "POST", "/admin/v1/import", { timeout: "1m", dataOrgs: { orgs } });
  const { report, stderr } = await copy();
  const one = { created: 1 };
  expect(report, stderr).toMatchObject({ otherObjects: { user_link: one, user_grant: one, org_member: one } });
  const headers = { authorization: `Bearer ${target.token}` };
  const body = JSON.stringify({ org_ids: ["org1"], timeout: "1m" });
  const exported = await fetch(`${target.url}/admin/v1/export`, { method: "POST", headers, body });
  const { orgs: [org = {}] = [] } = (await exported.json()) as { orgs?: Record<string, { userId: string }[]>[] };
  for (const list of ["userLinks", "userGrants"]) expect(org[list]?.map(({ userId }) => userId)).toEqual(["u1"]);
  expect(org["orgMembers"]?.map(({ userId }) => userId).filter((id) => ids.includes(id))).toEqual(["u1"]);
});

test("they are not deleted and not deactivated, though the source has deleted them", async () => {
  const { source, target, copy } = await copied();
  for (const id of ["u2", "u3", "u4"]) await send(source, "DELETE", `/v2/users/${id}`);
  for (const flag of ["--deactivate", "--delete"]) {
    const { report, stderr } = await copy(flag);
    const done = flag === "--delete" ? { delete: ["u4"] } : { deactivate: ["u4"] };
    expect(report, stderr).toMatchObject({ exitCode: 0, update: { ...done, protected: ["u2", "u3"] } });
  }
  expect(changed(target)).toEqual([]);
});

test("an update changes nothing where the users with a role cannot be listed", async () => {
  const { source, target, env } = await copied();
  await send(source, "PUT", "/v2/users/human/u1", { username: "ada" });
  const refusal = { status: 403, body: { code: 7, message: "No matching permissions found (AUTH-5mWD2)" } };
  const url = await startFront(target, (path) => (path === "/admin/v1/members/_search" ? refusal : undefined));
  const before = target.requests.length;
  const { stdout, stderr } = await runCli(["copy", "--org-id", "org1", "--update", "--json"], {
    cwd: tempDir(),
    env: { ...env, ZITADEL_IMPORT_DOMAIN: url },
  });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 5, problems: [{ code: "api.cannot-update" }] });
  const writes = target.requests.slice(before).filter(({ path }) => /^\/v2\/users\/(human\/)?u\d/.test(path));
  expect(writes).toEqual([]);
});

test("a file with an organization that --org-map does not name is exit 3, and nothing is sent", async () => {
  const target = await startMock({ mimic: "v4" });
  const orgs = ["o1", "o2"].map((orgId, n) => ({ orgId, org: { name: orgId }, humanUsers: [testUser(n + 1)] }));
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" }));
  for (const more of [[], ["--update", "--prefer", "source"]]) {
    const argv = ["import", file, "--org-map", "o1=p1", "--json", ...more];
    const { stdout, stderr } = await runCli(argv, { cwd, env: target.env });
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 3,
      problems: [{ code: "input.org-not-mapped", message: expect.stringContaining("o2") }],
    });
  }
  expect(target.requests.filter(({ path }) => path.endsWith("/import"))).toEqual([]);
  const both = await runCli(["import", file, "--org-map", "o1=p1", "--org-map", "o2=o2"], { cwd, env: target.env });
  expect(both.exitCode, both.stderr).toBe(0);
});
