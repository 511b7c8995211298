import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// Another account deletes an organization of the target and creates it again with the same id: its users are gone without events of their own,
// and the service keeps their ids (service behaviour 9.48).

const orgId = "org1";
const org = { name: "Org" };
const theme = { key: "theme", value: "ZGFyaw==" };
const content = {
  orgId,
  org,
  humanUsers: [testUser(1), testUser(2, { hashedPassword: undefined })],
  machineUsers: [{ userId: "m1", user: { userId: "m1", userName: "bot", name: "Bot" } }],
  userMetadata: ["u1", "u2"].map((id) => ({ id, ...theme })),
};
const bodyOf = (...orgs: readonly object[]): string => JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" });
const ids = ["u1", "u2", "m1"];

type Where = Pick<TestMock, "url" | "token">;

async function send({ url, token }: Where, method: string, path: string, body: object = {}): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return (await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })).status;
}

async function isThere({ url, token }: Where, id: string): Promise<boolean> {
  return (await fetch(`${url}/v2/users/${id}`, { headers: { authorization: `Bearer ${token}` } })).status === 200;
}

/** Removes something from the organization, with the token of the import. */
async function remove({ url, token }: Where, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "x-zitadel-orgid": orgId };
  expect((await fetch(`${url}/management/v1/${path}`, { method: "DELETE", headers })).status).toBe(200);
}

async function recreate(mock: TestMock): Promise<void> {
  mock.addToken("other", { userId: "another", roles: ["IAM_OWNER"] });
  const other = { url: mock.url, token: "other" };
  mock.removeOrg(orgId);
  expect(await send(other, "POST", "/v2/organizations", { name: "Again", orgId })).toBe(200);
}

async function run(mock: Pick<TestMock, "env">, cwd: string, ...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await runCli([...args, "--json"], { cwd, env: mock.env });
  return { exitCode, stderr, report: JSON.parse(stdout) };
}

/** A target with the users of a body, whose organization was deleted and created again. */
async function startRecreated(mimic: "v4.13" | "v4.15") {
  const mock = await startMock({ mimic });
  const { cwd, file } = inFolder(bodyOf(content));
  const first = await run(mock, cwd, "import", file);
  expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 2 } });
  await recreate(mock);
  return { mock, cwd, file };
}

const failing = { users: { created: 0, alreadyThere: 0, failed: 2 }, otherObjects: { user_metadata: { failed: 2 } } };
const causes = { failureCauses: { "removed-with-org": 3, consequence: 2 } };

for (const mimic of ["v4.13", "v4.15"] as const)
  test(`users who were deleted with their organization fail, and are created when their ids are free (${mimic})`, async () => {
    const { mock, cwd, file } = await startRecreated(mimic);
    for (const flags of [[], ["--update"], ["--update", "--prefer", "source"]]) {
      const dry = await run(mock, cwd, "import", file, "--dry-run", ...flags);
      expect(dry.report, dry.stderr).toMatchObject({
        exitCode: 1,
        foreseen: { users: { new: 0, alreadyThere: 0, removedWithOrg: 3 } },
      });
      const sent = await run(mock, cwd, "import", file, ...flags);
      expect(sent.report, sent.stderr).toMatchObject({ exitCode: 1, ...failing, ...causes });
      expect(sent.stderr).toContain("DELETE /v2/users/<id>");
      expect(sent.stderr).not.toContain("--concurrency");
    }
    expect((await run(mock, cwd, "verify", file)).report).toMatchObject({
      exitCode: 1,
      missing: [{ id: "u1" }, { id: "u2" }],
    });
    const undo = await run(mock, cwd, "undo", "body.json.manifest.ndjson", "--yes");
    expect(undo.report, undo.stderr).toMatchObject({ exitCode: 0, users: { removed: 0, alreadyGone: 2 } });
    for (const id of ids) expect(await isThere(mock, id)).toBe(false);

    for (const id of ids) expect(await send(mock, "DELETE", `/v2/users/${id}`)).toBe(200);
    expect((await run(mock, cwd, "import", file, "--dry-run")).report).toMatchObject({
      exitCode: 0,
      foreseen: { users: { new: 2 } },
    });
    const again = await run(mock, cwd, "import", file, "--verify");
    expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { created: 2 }, missing: [] });
    for (const id of ids) expect(await isThere(mock, id)).toBe(true);
    const update = await run(mock, cwd, "import", file, "--update");
    expect(update.report, update.stderr).toMatchObject({ exitCode: 0, update: { unchanged: 2 } });
  });

test("with --org-map, and of an organization that the input does not have, they fail as well", async () => {
  const { mock, cwd, file } = await startRecreated("v4.15");
  const mapped = await run(mock, cwd, "import", file, "--org-map", `${orgId}=org2`);
  expect(mapped.report, mapped.stderr).toMatchObject({ exitCode: 1, ...failing, ...causes });
  const { humanUsers, machineUsers } = content;
  const moved = inFolder(bodyOf({ orgId: "org3", org: { name: "Third" }, humanUsers, machineUsers }));
  const dry = await run(mock, moved.cwd, "import", moved.file, "--dry-run");
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: 1, foreseen: { users: { new: 0, removedWithOrg: 3 } } });
  const sent = await run(mock, moved.cwd, "import", moved.file);
  expect(sent.report, sent.stderr).toMatchObject({ exitCode: 1, failureCauses: { "removed-with-org": 3 } });
  expect(sent.report.failures[0]).toMatchObject({ message: "organization org1" });
});

test("a former user's name and link are free", async () => {
  const { mock } = await startRecreated("v4.15");
  const { user } = testUser(1);
  const { cwd, file } = inFolder(bodyOf({ orgId, humanUsers: [{ userId: "u9", user }] }));
  const dry = await run(mock, cwd, "import", file, "--dry-run");
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: 0, foreseen: { users: { new: 1, nameTaken: 0 } } });
  expect((await run(mock, cwd, "import", file)).report).toMatchObject({ exitCode: 0, users: { created: 1 } });
});

test("a copy with a state file does not take them for existing users, and updates those who come later", async () => {
  const source = await startMock({ mimic: "v4.13" });
  await source.importOrgs([content]);
  const target = await startMock({ mimic: "v4.15" });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const cwd = tempDir();
  const copy = (...flags: readonly string[]) =>
    run({ env }, cwd, "copy", "--org-id", orgId, "--with-passwords", "--yes", "--update", "--state", "st", ...flags);
  expect((await copy()).report).toMatchObject({ exitCode: 0, users: { created: 2 } });
  await recreate(target);
  for (const flags of [["--dry-run"], [], []])
    expect((await copy(...flags)).report).toMatchObject({ exitCode: 1, state: "used" });
  for (const id of ids) await send(target, "DELETE", `/v2/users/${id}`);
  const created = await copy();
  expect(created.report, created.stderr).toMatchObject({ exitCode: 0, users: { created: 2 } });
  await send(source, "PUT", "/v2/users/human/u1", { profile: { givenName: "Grace", familyName: "Hopper" } });
  const updated = await copy();
  expect(updated.report, updated.stderr).toMatchObject({
    exitCode: 0,
    users: { updated: 1 },
    update: { unchanged: 1 },
  });
});

test("with --update, objects that the service takes for existing and does not have are failures of a copy", async () => {
  const projects = [{ projectId: "p1", project: { name: "Shop" } }];
  const projectRoles = [{ projectId: "p1", roleKey: "editor", displayName: "Editor" }];
  const source = await startMock({ mimic: "v4.13" });
  await source.importOrgs([{ orgId, org, projects, projectRoles }]);
  const target = await startMock({ mimic: "v4.15" });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = () => run({ env }, tempDir(), "copy", "--org-id", orgId, "--yes", "--update");
  expect((await copy()).report).toMatchObject({ exitCode: 0, otherObjects: { project: { created: 1 } } });
  expect((await copy()).report).toMatchObject({ exitCode: 0, otherObjects: { project: { alreadyThere: 1 } } });
  await recreate(target);
  const { report, stderr } = await copy();
  expect(report, stderr).toMatchObject({ exitCode: 1, otherObjects: { project: { failed: 1, alreadyThere: 0 } } });
  expect(report.failures).toContainEqual(
    expect.objectContaining({ type: "project", id: "p1", cause: "removed-with-org", message: "organization org1" }),
  );
});

test("with --update, memberships of users whose ids were freed are given and count as created, then as existing", async () => {
  const members = {
    projects: [{ projectId: "p1", project: { name: "Shop" } }],
    orgMembers: [
      { userId: "u1", roles: ["ORG_OWNER"] },
      { userId: "guest", roles: ["ORG_OWNER"] },
    ],
    projectMembers: [{ projectId: "p1", userId: "u2", roles: ["PROJECT_OWNER"] }],
  };
  const guests = { orgId: "org2", org: { name: "Guests" }, humanUsers: [{ ...testUser(3), userId: "guest" }] };
  const source = await startMock({ mimic: "v4.13" });
  await source.importOrgs([guests, { ...content, ...members }]);
  const target = await startMock({ mimic: "v4.15" });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const orgs = ["--org-id", orgId, "--org-id", "org2"];
  const copy = () => run({ env }, tempDir(), "copy", ...orgs, "--with-passwords", "--yes", "--update");
  const first = await copy();
  expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 3 } });
  await recreate(target);
  for (const id of ids) expect(await send(target, "DELETE", `/v2/users/${id}`)).toBe(200);
  const again = await copy();
  expect(again.report, again.stderr).toMatchObject({
    users: { created: 2, failed: 0 },
    healed: { users: 0 },
    // The former membership of a user of another organization is not there, and not given.
    otherObjects: {
      org_member: { created: 1, alreadyThere: 0, failed: 1 },
      project_member: { created: 1, alreadyThere: 0, failed: 0 },
    },
    failureCauses: { "removed-with-org": 1, "kept-from-removed-org": 1 },
  });
  const next = await copy();
  expect(next.report, next.stderr).toMatchObject({
    users: { created: 0 },
    otherObjects: {
      org_member: { created: 0, alreadyThere: 1, failed: 1 },
      project_member: { created: 0, alreadyThere: 1, failed: 0 },
    },
    failureCauses: { "removed-with-org": 1, "kept-from-removed-org": 1 },
  });
  expect(next.report).not.toHaveProperty("healed");
  await remove(target, "orgs/me/members/guest");
  const last = await copy();
  expect(last.report, last.stderr).toMatchObject({
    otherObjects: { org_member: { created: 1, alreadyThere: 1, failed: 0 } },
    failureCauses: { "removed-with-org": 1 },
  });
});

test("with --update, policies that went with their organization fail until they are reset, also by hand", async () => {
  const policies = { lockoutPolicy: { maxPasswordAttempts: 7 }, privacyPolicy: { tosLink: "https://example.org/tos" } };
  const source = await startMock({ mimic: "v4.13" });
  await source.importOrgs([{ orgId, org, ...policies }]);
  const target = await startMock({ mimic: "v4.15" });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = () => run({ env }, tempDir(), "copy", "--org-id", orgId, "--yes", "--update");
  expect((await copy()).report).toMatchObject({ exitCode: 0 });
  await recreate(target);
  const failed = { created: 0, alreadyThere: 0, failed: 1 };
  for (const _ of [1, 2]) {
    const { report, stderr } = await copy();
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      otherObjects: { lockout_policy: failed, privacy_policy: failed },
      failureCauses: { "kept-from-removed-org": 2 },
    });
    expect(stderr).toContain("DELETE /management/v1/policies/");
    expect(stderr).not.toContain("Change the ids");
  }
  await remove(target, "policies/lockout");
  const half = await copy();
  expect(half.report, half.stderr).toMatchObject({
    exitCode: 1,
    otherObjects: { lockout_policy: { created: 1, failed: 0 }, privacy_policy: failed },
  });
  await remove(target, "policies/privacy");
  // Another account sets it meanwhile.
  await target.importOrgs([{ orgId, privacyPolicy: { tosLink: "https://example.org/other" } }]);
  expect((await copy()).report).toMatchObject({ exitCode: 0 });
});

test("an export from events, and the comparison of an export with them, have the users of the present organization alone", async () => {
  const mock = await startMock({ mimic: "v4.15" });
  await mock.importOrgs([content]);
  await recreate(mock);
  await mock.importOrgs([{ orgId, humanUsers: [testUser(3)] }]);
  const cwd = tempDir();
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  const idsIn = (file: string): string[] =>
    JSON.parse(readFileSync(join(cwd, file), "utf8")).orgs.flatMap(
      ({ humanUsers = [] }: { humanUsers?: { userId: string }[] }) => humanUsers.map(({ userId }) => userId),
    );
  for (const [file, ...flags] of [["events.json", "--transport", "events"], ["lists.json"]] as const) {
    const { report, stderr } = await run({ env }, cwd, "export", "--org-id", orgId, "--output", file, ...flags);
    expect(report, stderr).toMatchObject({ exitCode: 0 });
    expect(idsIn(file)).toEqual(["u3"]);
  }
});
