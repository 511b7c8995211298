import { describe, expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// What another account has removed is not created again (service behaviour 9.40).

const OTHERS = "of-others";
const idp = (idpId: string) => ({
  idpId,
  idp: { name: `Name of ${idpId}`, issuer: "https://idp.example.com", clientId: "c", clientSecret: "s" },
});
const link = (userId: string, idpId: string) => ({ userId, idpId, providedUserId: `${userId}@${idpId}` });
const role = (roleKey: string) => ({ projectId: "p", roleKey, displayName: roleKey });
const action = (actionId: string) => ({
  actionId,
  action: { name: actionId, script: `function ${actionId}(){}`, timeout: "5s" },
});
const ORG = {
  orgId: "org1",
  org: { name: "One" },
  lockoutPolicy: { maxPasswordAttempts: 5 },
  privacyPolicy: { tosLink: "https://example.com" },
  oidcIdps: [idp("corp"), idp("stays")],
  humanUsers: [testUser(1), testUser(2)],
  userLinks: [link("u1", "corp"), link("u2", "stays")],
  projects: [{ projectId: "p", project: { name: "P" } }],
  projectRoles: [role("viewer"), role("editor")],
  projectGrants: [{ grantId: "g", projectGrant: { projectId: "p", grantedOrgId: "org2", roleKeys: ["viewer"] } }],
  actions: [action("first"), action("second")],
  triggerActions: [{ flowType: "1", triggerType: "1", actionIds: ["first"] }],
  userGrants: [{ userId: "u1", projectId: "p", roleKeys: ["viewer"] }],
};
const bodyOf = (...orgs: object[]): string => JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" });

/** What an export of the organization has. */
interface Exported {
  readonly projectRoles?: readonly { readonly roleKey: string }[];
  readonly triggerActions?: readonly object[];
  readonly loginTexts?: readonly object[];
  readonly lockoutPolicy?: object;
}

async function ask(mock: TestMock, path: string, body: string, token = OTHERS): Promise<{ orgs?: Exported[] }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${mock.url}/admin/v1/${path}`, { method: "POST", headers, body });
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as { orgs?: Exported[] };
}

async function remove(mock: TestMock, paths: readonly string[], token = OTHERS): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "x-zitadel-orgid": "org1" };
  for (const path of paths)
    expect((await fetch(`${mock.url}/management/v1/${path}`, { method: "DELETE", headers })).status, path).toBe(200);
}

async function exported(mock: TestMock): Promise<Exported> {
  const { orgs = [] } = await ask(mock, "export", JSON.stringify({ org_ids: ["org1"], timeout: "1m" }));
  return orgs[0] ?? {};
}

const rolesOf = ({ projectRoles = [] }: Exported): readonly string[] =>
  projectRoles.map(({ roleKey }) => roleKey).sort();

/** A target with what the input has. */
async function startTarget(): Promise<TestMock> {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org2", org: { name: "Two" } }] } });
  target.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  await ask(target, "import", bodyOf(ORG), target.token);
  return target;
}

const SOME = ["projects/p/roles/editor", "projects/p/grants/g", "idps/corp", "policies/lockout"];
const REMOVED = [
  { type: "oidcIdps", id: "corp", orgId: "org1" },
  { type: "lockoutPolicy", id: "", orgId: "org1" },
  { type: "projectRoles", id: "p_editor", orgId: "org1" },
  { type: "projectGrants", id: "g", orgId: "org1", projectId: "p", grantedOrgId: "org2" },
].map((one) => ({ ...one, cause: "object-removed" }));

test("a membership that another account removed and the input repeats is held back each time", async () => {
  const target = await startTarget();
  const member = { projectId: "p", userId: "u1", roles: ["PROJECT_OWNER"] };
  const body = bodyOf({ ...ORG, projectMembers: [member, member] });
  await ask(target, "import", body, target.token);
  await remove(target, ["projects/p/members/u1"]);
  const { cwd, file } = inFolder(body);
  for (const flags of [[], ["--update"]]) {
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: target.env });
    expect(JSON.parse(stdout).otherObjects.project_member, stderr).toEqual({
      ...{ created: 0, alreadyThere: 0, failed: 0, heldBack: 2 },
    });
    expect(stderr).not.toContain("left out");
  }
});

test("a membership of a user whose organization comes later in the input stays removed", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  target.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  const member = { projectId: "p", grantId: "g", userId: "u9", roles: ["PROJECT_GRANT_OWNER"] };
  const body = bodyOf(
    ORG,
    { orgId: "org2", org: { name: "Two" }, humanUsers: [testUser(9)] },
    {
      ...{ orgId: "org1", projectGrantMembers: [member] },
    },
  );
  await ask(target, "import", body, target.token);
  await remove(target, ["projects/p/grants/g/members/u9"]);
  const { cwd, file } = inFolder(body);
  for (const flags of [[], ["--update"]]) {
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: target.env });
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 0,
      heldBack: [{ type: "projectGrantMembers", userId: "u9", cause: "taken-away" }],
    });
  }
});

test("a user that another account deleted and created again gets none of the former user's grants", async () => {
  const target = await startTarget();
  await remove(target, [], OTHERS);
  const headers = { authorization: `Bearer ${OTHERS}`, "content-type": "application/json" };
  expect((await fetch(`${target.url}/v2/users/u1`, { method: "DELETE", headers })).status).toBe(200);
  await ask(target, "import", bodyOf({ orgId: "org1", humanUsers: [testUser(1)] }));
  const { cwd, file } = inFolder(bodyOf({ ...ORG, userLinks: [] }));
  for (const flags of [["--dry-run"], [], ["--update"]]) {
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: target.env });
    const { heldBack, exitCode } = JSON.parse(stdout);
    expect(heldBack, stderr).toMatchObject([{ type: "userGrants", userId: "u1", cause: "other-account" }]);
    expect(exitCode).toBe(0);
  }
});

test("a user that another account deleted and created again, of its own users, gets the grants of the input", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org2", org: { name: "Two" } }] } });
  target.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  const user = bodyOf({ orgId: "org1", org: { name: "One" }, humanUsers: [testUser(1)] });
  await ask(target, "import", user);
  const headers = { authorization: `Bearer ${OTHERS}`, "content-type": "application/json" };
  expect((await fetch(`${target.url}/v2/users/u1`, { method: "DELETE", headers })).status).toBe(200);
  await ask(target, "import", user);
  const { cwd, file } = inFolder(bodyOf({ ...ORG, userLinks: [] }));
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: target.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, otherObjects: { user_grant: { created: 1 } } });
});

test("an update names a removed provider and a removed domain also if the organization has all its other settings", async () => {
  const target = await startTarget();
  await remove(target, ["idps/corp"]);
  const { cwd, file } = inFolder(JSON.stringify({ orgs: [{ ...ORG, userLinks: [] }] }));
  for (const flags of [["--dry-run"], []]) {
    const args = ["import", file, "--json", "--update", ...flags];
    const { stdout, stderr } = await runCli(args, { cwd, env: target.env });
    expect(JSON.parse(stdout).heldBack, stderr).toMatchObject([{ type: "oidcIdps", id: "corp" }]);
  }
});

test.each([
  { missing: "what another account removed", more: {} },
  { missing: "that and a new policy", more: { loginPolicy: { allowUsernamePassword: true } } },
])("an update leaves the texts of an organization that lacks $missing", async ({ more }) => {
  const target = await startTarget();
  const text = (title: string) => [{ language: "en", selectAccountText: { title } }];
  await ask(target, "import", bodyOf({ orgId: "org1", org: { name: "One" }, loginTexts: text("Old") }), target.token);
  await remove(target, ["idps/corp", "idps/stays", "policies/lockout"]);
  const { loginTexts } = await exported(target);
  const input = { ...ORG, ...more, loginTexts: text("New"), userLinks: [] };
  const { cwd, file } = inFolder(JSON.stringify({ orgs: [input] }));
  const args = ["import", file, "--json", "--update"];
  const { stdout, stderr } = await runCli(args, { cwd, env: target.env });
  const report = JSON.parse(stdout);
  expect(report.heldBackCauses, stderr).toEqual({ "object-removed": 3 });
  expect(report.otherObjects).toMatchObject({ org: { alreadyThere: 1 } });
  expect(report.otherDifferences).toContainEqual(expect.objectContaining({ type: "loginTexts" }));
  const now = await exported(target);
  expect(now.loginTexts).toEqual(loginTexts);
  expect(Object.keys(now)).toEqual(expect.arrayContaining(["privacyPolicy", ...Object.keys(more)]));
  expect(now).not.toHaveProperty("lockoutPolicy");
});

describe.each([[[]], [["--update"]]])("what another account removed is not created again, with %j", (flags) => {
  const importBody = async (target: TestMock, body: string, ...more: readonly string[]) => {
    const { cwd, file } = inFolder(body);
    const args = ["import", file, "--json", "--yes", ...flags, ...more];
    const { stdout, stderr } = await runCli(args, { cwd, env: target.env });
    return { report: JSON.parse(stdout), stderr: stderr.replace(/\s+/g, " ") };
  };

  test("the dry run and the run name it", async () => {
    const target = await startTarget();
    await remove(target, SOME);
    const before = await exported(target);
    for (const more of [["--dry-run"], []]) {
      const { report, stderr } = await importBody(target, bodyOf(ORG), ...more);
      expect(report.exitCode, stderr).toBe(0);
      expect(report.heldBack, stderr).toEqual(expect.arrayContaining(REMOVED));
      expect(report.heldBackCauses, stderr).toMatchObject({ "object-removed": 4 });
      expect(stderr).toContain(
        "4 objects not sent: they were removed on the target, or need something that was removed there.",
      );
      expect(stderr).toContain("identity provider corp (Name of corp) of organization org1 (One)");
      expect(stderr).toContain("project role p_editor (project P) of organization org1 (One)");
      expect(stderr).toContain("link to identity provider corp (Name of corp) of user u1 (user1@example.com)");
      expect(report.objectNames).toEqual({ corp: "Name of corp", p: "P", org1: "One" });
      expect(stderr).toContain("lockout policy of organization org1");
    }
    expect(await exported(target)).toEqual(before);
    expect(rolesOf(before)).toEqual(["viewer"]);
  });

  test("with the account of the job it is, and so is what was created again since", async () => {
    const target = await startTarget();
    await remove(target, SOME, target.token);
    const { report, stderr } = await importBody(target, bodyOf(ORG));
    expect(report, stderr).toMatchObject({ exitCode: 0, otherObjects: { project_role: { created: 1 } } });
    expect(report.heldBack).toBeUndefined();
    await remove(target, SOME);
    await ask(target, "import", bodyOf(ORG));
    const again = await importBody(target, bodyOf(ORG));
    expect(again.report.heldBack, again.stderr).toBeUndefined();
    const now = await exported(target);
    expect(rolesOf(now)).toEqual(["editor", "viewer"]);
    expect(now.lockoutPolicy).toBeDefined();
  });

  test("members of a project grant that the job's own account removed are named: the service never adds them again", async () => {
    const target = await startTarget();
    const member = { projectId: "p", grantId: "g", userId: "u1", roles: ["PROJECT_GRANT_OWNER"] };
    const body = { ...ORG, projectGrantMembers: [member] };
    await ask(target, "import", bodyOf(body), target.token);
    await remove(target, ["projects/p/grants/g"], target.token);
    const { report, stderr } = await importBody(target, bodyOf(body));
    expect(report.otherObjects, stderr).toMatchObject({
      project_grant: { created: 1 },
      project_grant_member: { created: 0, alreadyThere: 0, failed: 0, heldBack: 1 },
    });
    expect(report.heldBack).toMatchObject([{ type: "projectGrantMembers", userId: "u1", cause: "object-removed" }]);
    expect(report.exitCode).toBe(0);
  });

  test("a project grant that another account removed is created under another id, and both the dry run and the run name it", async () => {
    const target = await startTarget();
    await remove(target, ["projects/p/grants/g"]);
    const again = (grantId: string) => ({ ...ORG, projectGrants: [{ ...ORG.projectGrants[0], grantId }] });
    for (const more of [["--dry-run"], []]) {
      const { report, stderr } = await importBody(target, bodyOf(again("g2")), ...more);
      expect(report.exitCode, stderr).toBe(0);
      expect(report.heldBack, stderr).toBeUndefined();
      expect(stderr).toContain(
        `1 project grant of the input ${more.length === 0 ? "was" : "is"} created although another account removed one of the same project and organization`,
      );
      expect(stderr).toContain("project grant g2 to organization org2 of project p (P) of organization org1 (One)");
      if (more.length === 0) expect(report.otherObjects.project_grant, stderr).toMatchObject({ created: 1, failed: 0 });
    }
    // It is there now; and a removal by the account of the job is no decision of another one.
    expect((await importBody(target, bodyOf(again("g2")))).stderr).not.toContain("although another account");
    await remove(target, ["projects/p/grants/g2"], target.token);
    const own = await importBody(target, bodyOf(again("g3")));
    expect(own.report.otherObjects.project_grant, own.stderr).toMatchObject({ created: 1 });
    expect(own.stderr).not.toContain("although another account");
    // One that fails does not come again.
    await remove(target, ["projects/p/grants/g3", "projects/p/roles/viewer"]);
    for (const more of [["--dry-run"], []]) {
      const { report, stderr } = await importBody(target, bodyOf({ ...again("g4"), userGrants: [] }), ...more);
      expect(report.exitCode, stderr).toBe(1);
      expect(stderr).not.toContain("although another account");
    }
  });

  test("a trigger with other actions of another account keeps them", async () => {
    const target = await startTarget();
    const triggerActions = [{ flowType: "1", triggerType: "1", actionIds: ["second"] }];
    await ask(target, "import", bodyOf({ orgId: "org1", triggerActions }));
    const { report, stderr } = await importBody(target, bodyOf(ORG));
    expect(report.heldBack, stderr).toEqual([
      { type: "triggerActions", id: "1_1", orgId: "org1", cause: "object-removed" },
    ]);
    expect((await exported(target)).triggerActions).toMatchObject([{ actionIds: ["second"] }]);
    // As the input has it, there is nothing to keep.
    const same = await importBody(target, bodyOf({ ...ORG, triggerActions }));
    expect(same.report.heldBack, same.stderr).toBeUndefined();
  });

  test("a text that another account has set stays", async () => {
    const target = await startTarget();
    const textOf = (title: string) => ({
      orgId: "org1",
      loginTexts: [{ language: "en", selectAccountText: { title } }],
    });
    await ask(target, "import", bodyOf(textOf("theirs")));
    const { report, stderr } = await importBody(target, bodyOf({ ...ORG, ...textOf("of the input") }));
    expect(report.exitCode, stderr).toBe(0);
    expect((await exported(target)).loginTexts).toMatchObject([{ selectAccountText: { title: "theirs" } }]);
  });
});

test("a copy leaves what another account removed, and grants that lost a role with it", async () => {
  const source = await startTarget();
  const target = await startTarget();
  const sourceEnv = { ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const env = { ...target.env, ...sourceEnv };
  await remove(target, SOME);
  const copy = async (...flags: readonly string[]) => {
    const args = ["copy", "--org-id", "org1", "--with-passwords", "--update", "--json", "--yes", ...flags];
    const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
    return { report: JSON.parse(stdout), stderr };
  };
  for (const flags of [["--dry-run"], []]) {
    const { report, stderr } = await copy(...flags);
    expect(report, stderr).toMatchObject({ exitCode: 0, heldBackCauses: { "object-removed": 3 } });
    expect(report.missingObjects).toBeUndefined();
  }
  const added = { userId: "u2", projectId: "p", roleKeys: ["viewer", "editor"] };
  await ask(source, "import", bodyOf({ orgId: "org1", userGrants: [added] }), source.token);
  for (const flags of [["--dry-run"], []]) {
    const { report, stderr } = await copy(...flags);
    expect(report.exitCode, stderr).toBe(1);
    expect(stderr.replace(/\s+/g, " ")).toContain("editor");
  }
  expect(rolesOf(await exported(target))).toEqual(["viewer"]);
});

test("members of a project grant that another account removed are held back, once, and new users' links to its provider will fail", async () => {
  const target = await startTarget();
  const member = { projectId: "p", grantId: "g", userId: "u1", roles: ["PROJECT_GRANT_OWNER"] };
  const body = { ...ORG, projectGrantMembers: [member] };
  await ask(target, "import", bodyOf(body), target.token);
  await remove(target, SOME);
  const { cwd, file } = inFolder(bodyOf(body));
  for (const flags of [["--dry-run"], []]) {
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env: target.env });
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, heldBackCauses: { "object-removed": 5 } });
    if (flags.length === 0)
      expect(JSON.parse(stdout).otherObjects.project_grant_member, stderr).toEqual({
        ...{ created: 0, alreadyThere: 0, failed: 0, heldBack: 1 },
      });
  }
  const idps = [{ configId: "corp", externalUserId: "x9", displayName: "x9" }];
  const later = inFolder(bodyOf({ ...ORG, humanUsers: [testUser(9, { idps })] }));
  const dry = await runCli(["import", later.file, "--json", "--dry-run"], { cwd: later.cwd, env: target.env });
  expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({
    exitCode: 1,
    foreseen: { missingIdps: [{ idpId: "corp" }] },
  });
});

test("texts of messages are not sent: the service would set them on the organization of the token", async () => {
  const target = await startTarget();
  const initMessages = [{ language: "en", title: "Welcome" }];
  const { cwd, file } = inFolder(bodyOf({ ...ORG, initMessages, verifyEmailMessages: [] }));
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: target.env });
  expect(JSON.parse(stdout).exitCode, stderr).toBe(0);
  expect(stderr).toContain("texts of e-mails and text messages of 1 organization is not sent (org1)");
  const sent = target.requests.filter(({ path }) => path === "/admin/v1/import").map(({ body }) => String(body));
  expect(sent.slice(1).join("")).toContain("lockoutPolicy");
  expect(sent.join("")).not.toContain("Messages");
});

test("an update compares the texts with the target's, and names those that differ or that one side lacks", async () => {
  const texts = (language: string, title: string) => ({ language, title });
  const login = (language: string, title: string) => ({ language, loginText: { title } });
  // The service sets texts of messages on the organization in the header.
  const start = async (mimic: "v4" | "v4.13", lists: object) => {
    const mock = await startMock({ mimic, seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const headers = { authorization: `Bearer ${mock.token}`, "x-zitadel-orgid": "org1" };
    const body = JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", ...lists }] }, timeout: "1m" });
    expect((await fetch(`${mock.url}/admin/v1/import`, { method: "POST", headers, body })).status).toBe(200);
    return mock;
  };
  const same = { initMessages: [texts("en", "Welcome")], verifyEmailMessages: [texts("en", "Verify")] };
  const loginTexts = [login("en", "Hi")];
  const source = await start("v4", { ...same, loginTexts });
  const copy = async (lists: object, ...flags: readonly string[]) => copyTo(await start("v4.13", lists), ...flags);
  const copyTo = async (target: TestMock, ...flags: readonly string[]) => {
    const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
    const args = ["copy", "--org-id", "org1", "--with-passwords", "--json", "--quiet", "--yes", ...flags];
    const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
    return { report: JSON.parse(stdout), stderr: stderr.replace(/\s+/g, " ") };
  };
  for (const flags of [["--update"], ["--update", "--dry-run"]]) {
    const quiet = await copy({ ...same, loginTexts }, ...flags);
    expect(quiet.report, quiet.stderr).toMatchObject({ exitCode: 0, otherDifferencesCount: 0 });
    expect(quiet.stderr).toBe("");
    const { report, stderr } = await copy(
      {
        ...{ initMessages: [texts("en", "Hello")], passwordResetMessages: [texts("en", "Reset")] },
        loginTexts: [...loginTexts, login("de", "Hallo")],
      },
      ...flags,
    );
    expect(report.otherDifferences, stderr).toEqual(
      expect.arrayContaining([
        { type: "initMessages", id: "", orgId: "org1", fields: ["initMessages"] },
        { type: "verifyEmailMessages", id: "", orgId: "org1", fields: ["missing"] },
        { type: "loginTexts", id: "", orgId: "org1", fields: ["loginTexts"] },
      ]),
    );
    expect(report).toMatchObject({ exitCode: 0, otherDifferencesCount: 3 });
    expect(report.onlyOnTarget).toEqual([{ type: "passwordResetMessages", id: "", orgId: "org1" }]);
    expect(stderr).toContain("verify email messages of organization org1 (One): missing on the target");
    expect(stderr).not.toContain("is not sent");
  }
  const closed = await startMock({
    mimic: "v4.13",
    faults: [{ endpoint: "export", fault: "403" }],
    seed: { orgs: [] },
  });
  for (const { report, stderr } of [await copy(same), await copyTo(closed, "--update")]) {
    expect(report.exitCode, stderr).toBe(0);
    expect(stderr).toContain("is not sent (org1)");
    expect(stderr).toContain("They were not compared with the target's");
  }
});
