import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// An export does not say what is deactivated (service behaviour 9.37).

const project = (projectId: string) => ({ projectId, project: { name: `Shop ${projectId}` } });
const ORG = {
  orgId: "org1",
  org: { name: "One" },
  projects: [project("p1"), project("p2")],
  projectRoles: ["p1", "p2"].map((projectId) => ({ projectId, roleKey: "r", displayName: "R" })),
  apiApps: [{ appId: "a1", app: { projectId: "p1", name: "A", authMethodType: "API_AUTH_METHOD_TYPE_BASIC" } }],
  humanUsers: [testUser(1), testUser(2)],
  userGrants: ["u1", "u2"].map((userId) => ({ userId, projectId: "p1", roleKeys: ["r"] })),
};

async function post(mock: TestMock, path: string, body: object = {}) {
  const headers = { authorization: `Bearer ${mock.token}`, "x-zitadel-orgid": "org1" };
  const answer = await fetch(`${mock.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as { events?: { aggregate: { id: string } }[] } };
}

/** Imports an organization that does not exist. */
async function fill(mock: TestMock, org: object): Promise<void> {
  const headers = { authorization: `Bearer ${mock.token}` };
  const body = JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "1m" });
  await fetch(`${mock.url}/admin/v1/import`, { method: "POST", headers, body });
}

/** A source where the first user's grant, a project and an application are deactivated. */
async function startSource() {
  const source = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  await fill(source, ORG);
  const grants = await post(source, "/admin/v1/events/_search", { asc: true, eventTypes: ["user.grant.added"] });
  const [first, second] = (grants.body.events ?? []).map(({ aggregate: { id } }) => id);
  const deactivated = [`users/u1/grants/${first}`, `users/u2/grants/${second}`, "projects/p2", "projects/p1/apps/a1"];
  for (const path of deactivated)
    expect(await post(source, `/management/v1/${path}/_deactivate`)).toMatchObject({ status: 200 });
  await post(source, `/management/v1/users/u2/grants/${second}/_reactivate`);
  const sourceEnv = { ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const inactive = [
    {
      ...{ type: "user_grant", id: first, orgId: "org1", userId: "u1", projectId: "p1" },
      ...{ userName: "user1@example.com", projectName: "Shop p1" },
    },
    { type: "project", id: "p2", orgId: "org1", name: "Shop p2" },
    { type: "application", id: "a1", orgId: "org1", projectId: "p1", name: "A", projectName: "Shop p1" },
  ];
  return { source, sourceEnv, inactive };
}

const FOUND = "1 role grant, 1 project, 1 application are deactivated at the source, and an export does not say so.";
const NAMES =
  "role grant of user u1 (user1@example.com) in project p1 (Shop p1) project p2 (Shop p2) application a1 (A) in project p1 (Shop p1)";

test.each([[[]], [["--transport", "events"]]])(
  "an export names what is deactivated, and that an import makes it active: %j",
  async (flags) => {
    const { sourceEnv, inactive } = await startSource();
    const cwd = tempDir();
    const args = ["export", "--org-id", "org1", "--quiet", "--json", "--html", "page.html", ...flags];
    const { exitCode, stdout, stderr } = await runCli(args, { cwd, env: sourceEnv });
    expect(exitCode, stderr).toBe(0);
    expect(stderr.replace(/\s+/g, " ")).toContain(`${FOUND} An import of the export makes them active. ${NAMES}`);
    expect(JSON.parse(stdout)).toMatchObject({ inactive });
    expect(JSON.parse(readFileSync(join(cwd, "export.json"), "utf8")).orgs[0].userGrants).toHaveLength(2);
    expect(readFileSync(join(cwd, "page.html"), "utf8")).toContain(
      "role grant of user u1 (user1@example.com) in project p1 (Shop p1)",
    );
    await runCli([...args, "--html-anonymous"], { cwd, env: sourceEnv });
    expect(readFileSync(join(cwd, "page.html"), "utf8")).not.toContain("deactivated at the source, and");
  },
);

test("a copy does not give inactive role grants, and names the projects and applications that become active", async () => {
  const { sourceEnv, inactive } = await startSource();
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const cwd = tempDir();
  const env = { ...target.env, ...sourceEnv, GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--verify", "--json", "--quiet"];
  const { exitCode, stdout, stderr } = await runCli(args, { cwd, env });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    export: { inactive },
    otherObjects: { user_grant: { created: 1 }, project: { created: 2 }, api_app: { created: 1 } },
    missing: [],
    differentCount: 0,
  });
  expect(stderr.replace(/\s+/g, " ")).toContain(
    `${FOUND} Role grants are not given on the target. The others are active on the target: deactivate them there by hand. ${NAMES}`,
  );
  expect(readFileSync(join(cwd, "summary.md"), "utf8")).toContain(
    "role grant of user u1 (user1@example.com) in project p1 (Shop p1)",
  );
  const given = await post(target, "/admin/v1/events/_search", { eventTypes: ["user.grant.added"] });
  expect(given.body.events).toMatchObject([{ payload: { userId: "u2" } }]);
});

test("an update names a role grant that is inactive at the source alone, until it is inactive on the target too", async () => {
  const { source, sourceEnv, inactive } = await startSource();
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const env = { ...target.env, ...sourceEnv };
  const path = `/management/v1/users/u1/grants/${inactive[0]?.id}`;
  await post(source, `${path}/_reactivate`);
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--json", "--quiet", "--yes"];
  const first = await runCli(args, { cwd: tempDir(), env });
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ otherObjects: { user_grant: { created: 2 } } });
  await post(source, `${path}/_deactivate`);
  const { exitCode, stdout, stderr } = await runCli([...args, "--update"], { cwd: tempDir(), env });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ export: { inactive }, onlyOnTargetCount: 1 });
  expect(stderr).toContain(
    "role grant in project p1 (Shop p1) of user u1 (user1@example.com) of organization org1 (One)\n",
  );
  const { body } = await post(target, "/admin/v1/events/_search", { asc: true, eventTypes: ["user.grant.added"] });
  const [grant] = (body.events ?? []).map(({ aggregate: { id } }) => id);
  for (const object of [`users/u1/grants/${grant}`, "projects/p2", "projects/p1/apps/a1"])
    expect(await post(target, `/management/v1/${object}/_deactivate`)).toMatchObject({ status: 200 });
  const second = await runCli([...args, "--update"], { cwd: tempDir(), env });
  const report = JSON.parse(second.stdout);
  expect(report, second.stderr).toMatchObject({ exitCode: 0, otherDifferencesCount: 0 });
  expect(report).not.toHaveProperty("onlyOnTarget");
  expect(report.export).not.toHaveProperty("inactive");
  expect(second.stderr).toBe("");
});

test("an update names an identity provider and an action that were deactivated at the source since", async () => {
  const idp = { name: "Okta", clientId: "x", clientSecret: "y", issuer: "https://o.example" };
  const action = { name: "act", script: "function act(){}", timeout: "5s" };
  const org = { ...ORG, oidcIdps: [{ idpId: "i1", idp }], actions: [{ actionId: "act1", action }] };
  const source = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  await fill(source, org);
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--json", "--quiet", "--yes", "--update"];
  const copy = async () => {
    const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
    return { report: JSON.parse(stdout), stderr: stderr.replace(/\s+/g, " ") };
  };
  const change = async (mock: TestMock, how: string) => {
    for (const path of ["idps/i1", "actions/act1"])
      expect(await post(mock, `/management/v1/${path}/_${how}`)).toMatchObject({ status: 200 });
  };
  expect((await copy()).report.export).not.toHaveProperty("inactive");
  await change(source, "deactivate");
  const { report, stderr } = await copy();
  expect(report.export.inactive, stderr).toEqual([
    { type: "identity_provider", id: "i1", orgId: "org1", name: "Okta" },
    { type: "action", id: "act1", orgId: "org1", name: "act" },
  ]);
  expect(stderr).toContain(
    "1 identity provider, 1 action are deactivated at the source, and an export does not say so. They are active on the target: deactivate them there by hand. identity provider i1 (Okta) action act1 (act)",
  );
  await change(target, "deactivate");
  expect((await copy()).report.export).not.toHaveProperty("inactive");
  await change(source, "reactivate");
  const again = await copy();
  expect(again.report.otherDifferences, again.stderr).toMatchObject([
    { type: "actions", id: "act1", fields: ["state"] },
  ]);
});

test("an update does not say that what another account removed on the target is active there", async () => {
  const { sourceEnv, inactive } = await startSource();
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const env = { ...target.env, ...sourceEnv };
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--json", "--quiet", "--yes", "--update"];
  const copy = async () => JSON.parse((await runCli(args, { cwd: tempDir(), env })).stdout);
  expect((await copy()).export).toMatchObject({ inactive });
  target.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
  const headers = { authorization: "Bearer of-others", "x-zitadel-orgid": "org1" };
  const removed = await fetch(`${target.url}/management/v1/projects/p2`, { method: "DELETE", headers });
  expect(removed.status).toBe(200);
  const [grant, , application] = inactive;
  expect((await copy()).export).toMatchObject({ inactive: [grant, application] });
});

test("an update names a project grant that was deactivated at the source since, until the target agrees", async () => {
  const projectGrants = ["org2", "org3"].map((grantedOrgId) => ({
    grantId: `to-${grantedOrgId}`,
    projectGrant: { projectId: "p1", grantedOrgId, roleKeys: ["r"] },
  }));
  const source = await startMock({ mimic: "v4", seed: { orgs: [] } });
  for (const orgId of ["org2", "org3"]) await fill(source, { orgId, org: { name: orgId } });
  await fill(source, { ...ORG, projectGrants });
  const target = await startMock({ mimic: "v4.13", seed: { orgs: [] } });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const orgs = ["--org-id", "org1", "--org-id", "org2"];
  const args = ["copy", ...orgs, "--with-passwords", "--json", "--quiet", "--yes", "--update"];
  const copy = async () => {
    const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
    return { report: JSON.parse(stdout), stderr: stderr.replace(/\s+/g, " ") };
  };
  const change = async (mock: TestMock, path: string) =>
    expect(await post(mock, `/management/v1/projects/p1/grants/${path}`)).toMatchObject({ status: 200 });
  expect((await copy()).report.export).not.toHaveProperty("inactive");
  // The export has no grant to an organization that it does not have.
  for (const grant of ["to-org2", "to-org3"]) await change(source, `${grant}/_deactivate`);
  for (const _night of [1, 2]) {
    const { report, stderr } = await copy();
    expect(report.export.inactive, stderr).toEqual([
      {
        ...{ type: "project_grant", id: "to-org2", orgId: "org1", grantedOrgId: "org2" },
        ...{ projectId: "p1", projectName: "Shop p1" },
      },
    ]);
    expect(stderr).toContain(
      "1 project grant is deactivated at the source, and an export does not say so. They are active on the target: deactivate them there by hand. project grant to-org2 to organization org2 in project p1",
    );
  }
  await change(target, "to-org2/_deactivate");
  const agreed = await copy();
  expect(agreed.report.export, agreed.stderr).not.toHaveProperty("inactive");
  expect(agreed.report).toMatchObject({ otherDifferencesCount: 0 });
  await change(source, "to-org2/_reactivate");
  const again = await copy();
  expect(again.report.otherDifferences, again.stderr).toMatchObject([
    { type: "projectGrants", id: "to-org2", fields: ["state"] },
  ]);
});

test("an update names triggers that were emptied at the source, until the target agrees", async () => {
  const action = { name: "act", script: "function act(){}", timeout: "5s" };
  const trigger = (triggerType: string, actionIds: readonly string[]) => ({ flowType: "1", triggerType, actionIds });
  const triggers = (...all: readonly object[]) => ({ orgId: "org1", triggerActions: all });
  const source = await startMock({ mimic: "v4", seed: { orgs: [] } });
  const target = await startMock({ mimic: "v4.13", seed: { orgs: [] } });
  await fill(source, {
    ...{ ...ORG, actions: ["a1", "a2"].map((actionId) => ({ actionId, action: { ...action, name: actionId } })) },
    triggerActions: [trigger("1", ["a1"]), trigger("2", ["a1"]), trigger("3", ["a2"])],
  });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--json", "--quiet", "--yes", "--update"];
  const copy = async () => {
    const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
    return { report: JSON.parse(stdout), stderr: stderr.replace(/\s+/g, " ") };
  };
  const first = await copy();
  expect(first.report, first.stderr).toMatchObject({ otherObjects: { trigger_action: { created: 3 } } });
  // One that was emptied, and one with other actions, which the copy sets.
  await fill(source, triggers(trigger("1", []), trigger("2", ["a1", "a2"])));
  for (const _night of [1, 2]) {
    const { report, stderr } = await copy();
    expect(report.onlyOnTarget, stderr).toEqual([{ type: "triggerActions", id: "1_1", orgId: "org1" }]);
    expect(report).toMatchObject({ exitCode: 0, otherDifferencesCount: 0 });
    expect(stderr).toMatch(
      /1 grant, project grant, trigger, .* is on the target only, .* trigger 1_1 \(External Authentication, Post Authentication\) of organization org1 \(One\)/,
    );
  }
  const set = await post(target, "/admin/v1/events/_search", { eventTypes: ["org.flow.trigger_actions.set"] });
  expect(set.body.events).toHaveLength(4);
  await fill(target, triggers(trigger("1", [])));
  const agreed = await copy();
  expect(agreed.report, agreed.stderr).not.toHaveProperty("onlyOnTarget");
});

test("the grants of many users are found by one reading of the log, and the first ten are named", async () => {
  const ids = Array.from({ length: 101 }, (_, index) => index + 1);
  const userGrants = ids.map((id) => ({ userId: `u${id}`, projectId: "p1", roleKeys: ["r"] }));
  const org = { ...ORG, humanUsers: ids.map((id) => testUser(id)), userGrants };
  const source = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  await fill(source, org);
  const { body } = await post(source, "/admin/v1/events/_search", { eventTypes: ["user.grant.added"] });
  for (const { aggregate } of body.events ?? [])
    await post(source, `/management/v1/users/u/grants/${aggregate.id}/_deactivate`);
  const env = { ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const before = source.requests.length;
  const { stdout, stderr } = await runCli(["export", "--org-id", "org1", "--json"], { cwd: tempDir(), env });
  const report = JSON.parse(stdout);
  expect(new Set(report.inactive.map(({ userId }: { userId: string }) => userId)).size, stderr).toBe(101);
  expect(stderr.replace(/\s+/g, " ")).toMatch(
    /101 role grants are deactivated .* makes them active\. role grant of user .* and 91 more; --report lists them/,
  );
  const searches = source.requests.slice(before).map(({ body }) => String(body));
  expect(
    searches.filter((body) => body.includes('"event_types":["user.grant.added","project.grant.added"]')),
  ).toHaveLength(1);
  expect(searches.join("")).not.toContain("aggregate_id");
});

test("without events, a warning says that nothing is known of deactivated objects", async () => {
  const source = await startMock({
    mimic: "v4.15",
    faults: [{ endpoint: "events", fault: "403" }],
    seed: { orgs: [ORG] },
  });
  const env = { ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const { exitCode, stdout, stderr } = await runCli(["export", "--org-id", "org1", "--json"], { cwd: tempDir(), env });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).not.toHaveProperty("inactive");
  expect(stderr.replace(/\s+/g, " ")).toContain(
    "it is unknown which role grants, identity providers, projects, project grants, applications and actions are deactivated at the source: an import makes them active.",
  );
});

test("a source without deactivated objects costs one search, and nothing is said", async () => {
  const source = await startMock({ mimic: "v4.15", seed: { orgs: [ORG] } });
  const env = { ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const { stdout, stderr } = await runCli(["export", "--org-id", "org1", "--json"], { cwd: tempDir(), env });
  expect(JSON.parse(stdout)).not.toHaveProperty("inactive");
  expect(stderr).not.toContain("deactivated at the source");
  const searches = source.requests.filter(({ body }) => String(body).includes("project.deactivated"));
  expect(searches).toHaveLength(1);
});

test.each(["users/u1/grants/none", "projects/none", "projects/p1/apps/none", "projects/p1/grants/none"])(
  "the mock answers 404 for the state of %s",
  async (path) => {
    const mock = await startMock({ seed: { orgs: [ORG] } });
    for (const change of ["_deactivate", "_reactivate"])
      expect(await post(mock, `/management/v1/${path}/${change}`)).toMatchObject({ status: 404, body: { code: 5 } });
  },
);

test("an update names role grants that are active at the source and inactive on the target", async () => {
  const { sourceEnv } = await startSource();
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const env = { ...target.env, ...sourceEnv };
  const args = ["copy", "--org-id", "org1", "--with-passwords", "--update", "--json"];
  await runCli(args, { cwd: tempDir(), env });
  const { body } = await post(target, "/admin/v1/events/_search", { eventTypes: ["user.grant.added"] });
  const [grant] = (body.events ?? []).map(({ aggregate: { id } }) => id);
  await post(target, `/management/v1/users/u2/grants/${grant}/_deactivate`);
  const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    otherDifferences: [{ type: "userGrants", id: "p1_u2", orgId: "org1", userId: "u2", fields: ["state"] }],
  });
  expect(stderr).toContain(
    "role grant in project p1 (Shop p1) of user u2 (user2@example.com) of organization org1 (One): deactivated on the target\n",
  );
  const { cwd, file } = { cwd: tempDir(), file: "export.json" };
  await runCli(["export", "--org-id", "org1", "--with-passwords"], { cwd, env });
  await post(target, "/management/v1/projects/p1/_deactivate");
  await post(target, "/management/v1/projects/p1/apps/a1/_deactivate");
  const verified = await runCli(["verify", file, "--json"], { cwd, env });
  const changedSince = JSON.parse(verified.stdout).changedSince.map(
    ({ type, id, fields }: Record<string, unknown>) => ({
      ...{ type, id, fields },
    }),
  );
  const states = [
    { type: "projects", id: "p1", fields: ["state"] },
    { type: "apiApps", id: "a1", fields: ["state"] },
    { type: "userGrants", id: "p1_u2", fields: ["state"] },
  ];
  expect(changedSince, verified.stderr).toEqual(states);
  const third = await runCli(args, { cwd: tempDir(), env: { ...env, GITHUB_ACTIONS: "true" } });
  // The application is inactive at the source too.
  expect(JSON.parse(third.stdout), third.stderr).toMatchObject({ otherDifferencesCount: 2 });
  expect(third.stderr).toMatch(
    /^::warning::2 other objects are different on the target, .*%0A.*project p1 \(Shop p1\) of organization org1 \(One\): deactivated on the target/m,
  );
});

describe("what another account deleted on the target", () => {
  const others = "of-others";

  async function copied() {
    const { source, sourceEnv } = await startSource();
    const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
    target.addToken(others, { userId: "others", roles: ["IAM_OWNER"] });
    const env = { ...target.env, ...sourceEnv };
    const copy = async (...flags: readonly string[]) => {
      const args = ["copy", "--org-id", "org1", "--with-passwords", "--json", "--yes", ...flags];
      const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
      return { report: JSON.parse(stdout), stderr: stderr.replace(/\s+/g, " ") };
    };
    await copy();
    const remove = async (path: string) => {
      const headers = { authorization: `Bearer ${others}`, "x-zitadel-orgid": "org1" };
      expect((await fetch(`${target.url}/management/v1/${path}`, { method: "DELETE", headers })).status).toBe(200);
    };
    return { source, target, copy, remove };
  }

  test.each([[[]], [["--update"]]])("a project stays deleted, with all of it, and is named: %j", async (flags) => {
    const { target, copy, remove } = await copied();
    await remove("projects/p1");
    const dry = await copy("--dry-run", ...flags);
    expect(dry.report, dry.stderr).toMatchObject({ exitCode: 0, foreseen: { foreignObjects: 0 } });
    expect(dry.stderr).toContain("they were removed on the target, or need something that was removed there");
    expect(dry.stderr).toContain("project p1 (Shop p1) of organization org1");
    const { report, stderr } = await copy(...flags);
    expect(report, stderr).toMatchObject({
      exitCode: 0,
      otherObjects: { project: { created: 0, heldBack: 1 }, project_role: { created: 0, heldBack: 1 } },
    });
    expect(report.heldBack).toEqual(dry.report.heldBack);
    expect(report.heldBack).toContainEqual({ type: "projects", id: "p1", orgId: "org1", cause: "object-removed" });
    const added = await post(target, "/admin/v1/events/_search", { eventTypes: ["project.added"] });
    expect(added.body.events?.filter(({ aggregate: { id } }) => id === "p1")).toHaveLength(1);
  });
});
