import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// The service leaves role grants in granted projects out of an export if it exports the organization of the user first (service behaviour 9.43).

const grantOf = (userId: string) => ({ projectId: "p", userId, projectGrantId: "g", roleKeys: ["viewer"] });
const guest = { orgId: "guest", org: { name: "Guest" }, humanUsers: [testUser(1), testUser(2)] };
const owner = {
  orgId: "owner",
  org: { name: "Owner" },
  projects: [{ projectId: "p", project: { name: "P" } }],
  projectRoles: [{ projectId: "p", roleKey: "viewer", displayName: "viewer" }],
  projectGrants: [{ grantId: "g", projectGrant: { projectId: "p", grantedOrgId: "guest", roleKeys: ["viewer"] } }],
};
const granted = { orgId: "guest", userGrants: [grantOf("u1"), grantOf("u2")] };
const flags = ["--org-id", "guest", "--org-id", "owner", "--with-passwords", "--json"];

/** Two instances; in the first, a grant was removed again. */
async function startPair() {
  const source = await startMock({ mimic: "v4.15", seed: { orgs: [guest] } });
  await source.importOrgs([owner]);
  await source.importOrgs([granted]);
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  return { source, target, cwd: tempDir(), env };
}

const LEFT = ["u1", "u2"].map((userId) => ({ orgId: "guest", userId, projectId: "p" }));

test("an export without them is exit 1 and names them, and one by the event log has them", async () => {
  const { cwd, env } = await startPair();
  const lists = await runCli(["export", "--output", "a.json", ...flags], { cwd, env });
  expect(JSON.parse(lists.stdout), lists.stderr).toMatchObject({ exitCode: 1, grantsLeft: LEFT, grantsLeftCount: 2 });
  expect(lists.stderr).toContain("user u1 of organization guest: project p\n");
  const quiet = await runCli(["export", "--output", "q.json", "-q", ...flags], { cwd, env });
  expect(quiet.stderr).toMatch(
    /^warning: the service left [\s\S]*\nwarning: the export lacks data: the warnings above name it\.\n$/,
  );
  const events = await runCli(["export", "--output", "b.json", "--transport", "events", ...flags], { cwd, env });
  expect(JSON.parse(events.stdout), events.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(events.stdout).grantsLeft).toBeUndefined();
  const alone = await runCli(["export", "--output", "c.json", "--org-id", "guest", "--json"], { cwd, env });
  // The project is of an organization that is not asked for.
  const outside = { grantsOutside: LEFT.map((one) => ({ ...one, notExported: ["owner"] })), grantsOutsideCount: 2 };
  expect(JSON.parse(alone.stdout), alone.stderr).toMatchObject({ exitCode: 0, ...outside });
  expect(alone.stderr).toContain(
    "2 role grants with a user or a project of an organization that is not exported are not carried",
  );
  expect(alone.stderr).toContain("user u1 of organization guest: project p (--org-id owner)\n");
});

test("a grant that an exported organization gave to a user of another one is named while that user exists", async () => {
  const { source, cwd, env } = await startPair();
  await source.importOrgs([{ orgId: "owner", userGrants: [{ projectId: "p", userId: "u1", roleKeys: ["viewer"] }] }]);
  const first = await runCli(["export", "--output", "a.json", "--org-id", "owner", "--json"], { cwd, env });
  const outside = { grantsOutside: [{ ...LEFT[0], orgId: "owner", notExported: ["guest"] }], grantsOutsideCount: 1 };
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ exitCode: 0, ...outside });
  await call(source, "DELETE", "/management/v1/orgs/me");
  const later = await runCli(["export", "--output", "b.json", "--org-id", "owner", "--json"], { cwd, env });
  expect(JSON.parse(later.stdout).grantsOutside, later.stderr).toBeUndefined();
});

test.each([{ more: [] }, { more: ["--update"] }])(
  "an organization that was deleted on the target fails once, also if the copy has its grants apart ($more)",
  async ({ more }) => {
    const { target, cwd, env } = await startPair();
    const copy = () => runCli(["copy", ...flags, ...more, "--yes"], { cwd, env });
    expect((await copy()).exitCode).toBe(0);
    target.removeOrg("guest");
    const { stdout, stderr } = await copy();
    const report = JSON.parse(stdout) as { failures: readonly { type: string }[] };
    expect(report, stderr).toMatchObject({ exitCode: 1, otherObjects: { org: { alreadyThere: 1, failed: 1 } } });
    expect(report.failures.filter(({ type }) => type === "org")).toMatchObject([{ id: "guest", cause: "org-removed" }]);
    expect(stderr).toContain("To stop copying it, leave out its --org-id, or use --exclude-org-id.");
  },
);

test("a user of another organization than the grant's has it too, and one that only the target has is named", async () => {
  const { source, target, cwd, env } = await startPair();
  await source.importOrgs([{ orgId: "owner", humanUsers: [testUser(3)] }]);
  await source.importOrgs([{ orgId: "guest", userGrants: [grantOf("u3")] }]);
  const { stdout, stderr } = await runCli(["copy", ...flags], { cwd, env });
  const created = { exitCode: 0, export: { grantsLeftCount: 3 }, otherObjects: { user_grant: { created: 3 } } };
  expect(JSON.parse(stdout), stderr).toMatchObject(created);
  await target.importOrgs([{ orgId: "guest", humanUsers: [testUser(4)], userGrants: [grantOf("u4")] }]);
  const body = { orgs: [guest, { ...owner, humanUsers: [testUser(3)] }, granted] };
  writeFileSync(join(cwd, "export.json"), JSON.stringify(body));
  const verified = await runCli(["verify", "export.json", "--json"], { cwd, env });
  expect(JSON.parse(verified.stdout).unexpected, verified.stderr).toEqual(
    expect.arrayContaining(["userGrants p_u3", "userGrants p_u4"]),
  );
});

test("a copy has them, and a comparison with the target finds what its export leaves out", async () => {
  const { cwd, env } = await startPair();
  const whole = await runCli(["copy", ...flags], { cwd, env });
  expect(JSON.parse(whole.stdout), whole.stderr).toMatchObject({
    exitCode: 0,
    otherObjects: { user_grant: { created: 2 } },
  });
  const next = await runCli(["copy", "--update", ...flags], { cwd, env });
  const report = JSON.parse(next.stdout);
  expect(report, next.stderr).toMatchObject({ exitCode: 0, export: { grantsLeftCount: 2 } });
  expect(report.onlyOnTarget).toBeUndefined();
  const body = { dataOrgs: { orgs: [guest, owner, granted] }, timeout: "1m" };
  writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
  const verified = await runCli(["verify", "body.json", "--by", "export", "--json"], { cwd, env });
  const { missing, different } = JSON.parse(verified.stdout);
  const ofGrants = [...missing, ...different].filter(({ type }: { type: string }) => type === "userGrants");
  expect(ofGrants, verified.stderr).toEqual([]);
});

test.each(["a new organization", "the organization of the project"])(
  "an update gives a role grant in a project that is granted in the same run, also if %s has triggers",
  async (which) => {
    const project = (projectId: string) => ({
      projects: [{ projectId, project: { name: projectId } }],
      projectRoles: [{ projectId, roleKey: "viewer", displayName: "viewer" }],
    });
    const triggers = (isWanted: boolean) =>
      isWanted && {
        actions: [{ actionId: "a", action: { name: "greet", script: "function greet() {}", timeout: "10s" } }],
        triggerActions: [{ flowType: "1", triggerType: "1", actionIds: ["a"] }],
      };
    const isNew = which === "a new organization";
    const acme = { orgId: "acme", org: { name: "Acme" }, humanUsers: [testUser(3)], ...project("p") };
    const own = { projectId: "own", userId: "u1", roleKeys: ["viewer"] };
    const source = await startMock({ mimic: "v4", seed: { orgs: [{ ...acme, ...triggers(!isNew) }] } });
    const target = await startMock({ mimic: "v4.13", seed: { orgs: [] } });
    const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
    const copy = async (...more: readonly string[]) => {
      const args = ["copy", "--org-id", "acme", ...more, "--with-passwords", "--json", "--yes"];
      const { stdout, stderr } = await runCli(args, { cwd: tempDir(), env });
      return { report: JSON.parse(stdout), stderr };
    };
    expect((await copy()).report.exitCode).toBe(0);
    const added = { ...guest, ...project("own"), ...triggers(isNew), userGrants: [own] };
    await source.importOrgs([added, { orgId: "acme", projectGrants: owner.projectGrants }]);
    await source.importOrgs([{ orgId: "guest", userGrants: [grantOf("u2")] }]);
    const { report, stderr } = await copy("--org-id", "guest", "--update");
    expect(report, stderr).toMatchObject({
      ...{ exitCode: 0, failures: [] },
      otherObjects: { project_grant: { created: 1 }, user_grant: { created: 2 } },
    });
  },
);

test("a role grant that the source has and an export cannot have is not called on the target only", async () => {
  const { source, target, cwd, env } = await startPair();
  const whole = await runCli(["copy", ...flags], { cwd, env });
  expect(whole.exitCode, whole.stderr).toBe(0);
  const own = (userId: string) => ({ projectId: "own", userId, roleKeys: [] });
  const added = { orgId: "guest", projects: [{ projectId: "own", project: { name: "Own" } }], userGrants: [own("u2")] };
  await source.importOrgs([added]);
  await target.importOrgs([{ ...added, userGrants: [own("u1"), own("u2")] }]);
  const onlyOnTarget = [{ type: "userGrants", id: "own_u1", orgId: "guest", userId: "u1" }];

  for (const orgs of [flags, ["--org-id", "guest", "--with-passwords", "--json"]]) {
    await runCli(["export", "--output", "a.json", "--force", ...orgs], { cwd, env });
    for (const command of [
      ["verify", "a.json", "--by", "events"],
      ["import", "a.json", "--update"],
    ]) {
      const { stdout, stderr } = await runCli([...command, "--json"], { cwd, env });
      expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, onlyOnTarget, onlyOnTargetCount: 1 });
      expect(stderr).toContain("2 role grants on the target cannot be compared: an export can lack role grants");
    }
  }
  const copy = async (...more: readonly string[]) => {
    const { stdout, stderr } = await runCli(["copy", "--org-id", "guest", "--json", "--update", ...more], { cwd, env });
    expect(stderr).not.toContain("cannot be compared");
    return JSON.parse(stdout);
  };
  expect(await copy()).toMatchObject({ onlyOnTarget, onlyOnTargetCount: 1, export: { grantsOutsideCount: 2 } });
  expect(await copy("--only", "u2")).not.toHaveProperty("onlyOnTarget");
  const { events = [] } = await call(source, "POST", "/admin/v1/events/_search", ADDED);
  const grantId = events.find(({ payload }) => payload?.userId === "u1")?.aggregate.id;
  await call(source, "DELETE", `/management/v1/users/u1/grants/${grantId}`);
  // Removed at the source.
  const ofGranted = { ...onlyOnTarget[0], id: "p_u1" };
  const two = { onlyOnTarget: expect.arrayContaining([ofGranted]), onlyOnTargetCount: 2 };
  expect(await copy()).toMatchObject(two);
  expect(await copy("--org-id", "owner")).toMatchObject(two);
  await runCli(["export", "--output", "a.json", "--force", "--transport", "events", ...flags], { cwd, env });
  const byEvents = await runCli(["verify", "a.json", "--by", "events", "--json"], { cwd, env });
  expect(JSON.parse(byEvents.stdout), byEvents.stderr).toMatchObject(two);
});

test("a comparison by export finds grants in a project of an organization that the body lacks, while that organization exists", async () => {
  const { target, cwd, env } = await startPair();
  await target.importOrgs([guest]);
  await target.importOrgs([owner]);
  await target.importOrgs([granted]);
  // The service finds the project grant itself.
  const [first, { projectGrantId: _, ...second }] = granted.userGrants as [object, ReturnType<typeof grantOf>];
  const body = { dataOrgs: { orgs: [{ ...guest, userGrants: [first, second] }] }, timeout: "1m" };
  writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
  const verify = (more = {}) =>
    runCli(["verify", "body.json", "--by", "export", "--json"], { cwd, env: { ...env, ...more } });
  const found = await verify();
  expect(JSON.parse(found.stdout), found.stderr).toMatchObject({ exitCode: 0, missing: [], different: [] });
  const url = await startFront(target, (path) =>
    path.endsWith("/events/_search") ? { status: 404, body: { code: 5, message: "Not Found" } } : undefined,
  );
  const unread = await verify({ ZITADEL_IMPORT_DOMAIN: url });
  expect(JSON.parse(unread.stdout), unread.stderr).toMatchObject({ exitCode: 0, missing: [], notExpected: 2 });
  expect(unread.stderr).toContain("2 role grants in projects of other organizations cannot be compared");
  target.removeOrg("owner");
  const later = await verify();
  expect(JSON.parse(later.stdout).missing, later.stderr).toMatchObject([{ id: "p_u1" }, { id: "p_u2" }]);
});

test("members of a project, which the service repeats in every organization of an export, are not called on the target only", async () => {
  const { cwd, env, target } = await startPair();
  const member = { projectId: "p", userId: "u1", roles: ["PROJECT_OWNER"] };
  await target.importOrgs([guest, { ...owner, projectMembers: [member] }]);
  const exported = { orgs: [guest, { ...owner, projectMembers: [member] }] };
  writeFileSync(join(cwd, "export.json"), JSON.stringify(exported));
  const { stdout, stderr } = await runCli(["import", "export.json", "--update", "--json"], { cwd, env });
  expect(JSON.parse(stdout).onlyOnTarget, stderr).toBeUndefined();
  const verified = await runCli(["verify", "export.json", "--json"], { cwd, env });
  expect(JSON.parse(verified.stdout).unexpected, verified.stderr).not.toContain("projectMembers p_u1");
});

/** A call of the older API about the guests. */
async function call(mock: TestMock, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${mock.token}`, "x-zitadel-orgid": "guest" };
  const answer = await fetch(`${mock.url}${path}`, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as { events?: { aggregate: { id: string }; payload?: { userId: string } }[] };
}

const ADDED = { asc: true, limit: 100, event_types: ["user.grant.added"] };

test("a copy does not give a grant of these that is deactivated at the source", async () => {
  const { source, target, cwd, env } = await startPair();
  const { events = [] } = await call(source, "POST", "/admin/v1/events/_search", ADDED);
  const grantId = events.find(({ payload }) => payload?.userId === "u1")?.aggregate.id;
  await call(source, "POST", `/management/v1/users/u1/grants/${grantId}/_deactivate`, {});
  const { stdout, stderr } = await runCli(["copy", ...flags], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, otherObjects: { user_grant: { created: 1 } } });
  const given = await call(target, "POST", "/admin/v1/events/_search", ADDED);
  expect(given.events?.map(({ payload }) => payload?.userId)).toEqual(["u2"]);
});

test("a user who was created again has none of the former user's grants, also if the log does not say that these went", async () => {
  const { source, target, cwd, env } = await startPair();
  await call(source, "DELETE", "/v2/users/u1");
  await source.importOrgs([{ orgId: "guest", humanUsers: [testUser(1)] }]);
  const url = await startFront(source, async (path, body) => {
    if (!path.endsWith("/events/_search") || !body.includes("user.grant.added")) return undefined;
    const found = await call(source, "POST", path, JSON.parse(body.toString()));
    const events = found.events?.filter((event) => !JSON.stringify(event).includes("user.grant.cascade.removed"));
    return { status: 200, body: { events } };
  });
  const { stdout, stderr } = await runCli(["copy", ...flags], { cwd, env: { ...env, ZITADEL_EXPORT_DOMAIN: url } });
  expect(JSON.parse(stdout).export, stderr).toMatchObject({ grantsLeft: LEFT.slice(1), grantsLeftCount: 1 });
  const given = await call(target, "POST", "/admin/v1/events/_search", ADDED);
  expect(given.events?.map(({ payload }) => payload?.userId)).toEqual(["u2"]);
});

test("a grant that the service's list has lost is none of these: an import still finds it and sets it again", async () => {
  const { source, cwd, env } = await startPair();
  await source.importOrgs([
    { orgId: "owner", humanUsers: [testUser(5)], userGrants: [{ projectId: "p", userId: "u5", roleKeys: ["viewer"] }] },
  ]);
  source.skipUser("u5", "grants");
  const { stdout, stderr } = await runCli(["export", "--output", "a.json", ...flags], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ grantsLeft: LEFT, grantsLeftCount: 2 });
});

/** The events of role grants of the target, in order. */
async function grantEvents(mock: TestMock, ...types: readonly string[]): Promise<readonly string[]> {
  const found = await call(mock, "POST", "/admin/v1/events/_search", { asc: true, limit: 100, event_types: types });
  return found.events?.map(({ aggregate: { id }, payload }) => payload?.userId ?? id) ?? [];
}

const REMOVED = "user.grant.removed";

test("nights take no right grant away, also if the target's own export leaves it out and others write", async () => {
  const { source, target, cwd, env } = await startPair();
  await source.importOrgs([{ orgId: "owner", humanUsers: [testUser(3)] }]);
  await source.importOrgs([{ orgId: "guest", userGrants: [grantOf("u3")] }]);
  target.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
  const others = { ...target, token: "of-others" };
  for (const night of [["--transport", "events"], ["--update"], ["--update", "--transport", "events"]]) {
    const { stdout, stderr } = await runCli(["copy", ...flags, ...night], { cwd, env });
    expect(JSON.parse(stdout).exitCode, stderr).toBe(0);
    expect(await grantEvents(target, REMOVED)).toEqual([]);
    expect([...(await grantEvents(target, "user.grant.added"))].sort()).toEqual(["u1", "u2", "u3"]);
    await call(others, "POST", "/v2/users/u1/metadata", { metadata: [{ key: "k", value: "dg==" }] });
  }
});

test("project grants that only the target has are named, of projects of the input", async () => {
  const { target, cwd, env } = await startPair();
  const first = await runCli(["copy", ...flags], { cwd, env });
  expect(first.exitCode, first.stderr).toBe(0);
  const grant = (grantId: string, projectId: string) => ({
    grantId,
    projectGrant: { projectId, grantedOrgId: "third", roleKeys: projectId === "p" ? ["viewer"] : [] },
  });
  await target.importOrgs([
    { orgId: "third", org: { name: "Third" } },
    {
      ...{ orgId: "owner", projects: [{ projectId: "own", project: { name: "Own" } }] },
      projectGrants: [grant("of-input", "p"), grant("of-target", "own")],
    },
  ]);
  const next = await runCli(["copy", ...flags, "--org-id", "guest", "--update"], { cwd, env });
  const report = JSON.parse(next.stdout);
  expect(report.onlyOnTarget ?? [], next.stderr).toEqual([]);
  // An export leaves out the grants to organizations that are not exported.
  const body = { orgs: [guest, owner, { orgId: "third", org: { name: "Third" } }] };
  writeFileSync(join(cwd, "export.json"), JSON.stringify(body));
  const all = await runCli(["import", "export.json", "--update", "--json"], { cwd, env });
  expect(JSON.parse(all.stdout).onlyOnTarget, all.stderr).toEqual(
    expect.arrayContaining([
      { type: "projectGrants", id: "of-input", orgId: "owner", projectId: "p", grantedOrgId: "third" },
    ]),
  );
  expect(all.stderr).toContain(
    "project grant of-input to organization third (Third) of project p (P) of organization owner (Owner)",
  );
  expect(all.stdout).not.toContain("of-target");
});

test("an update and a comparison by export find project grants of organizations that the body lacks, with their members", async () => {
  const third = { orgId: "third", org: { name: "Third" } };
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [guest, third] } });
  const { cwd, file } = inFolder("");
  const member = (...roles: readonly string[]) => ({ projectId: "p", grantId: "g", userId: "u3", roles });
  const body = (...roles: readonly string[]) => {
    const org = { ...owner, humanUsers: [testUser(3)], projectGrantMembers: [member(...roles)] };
    writeFileSync(join(cwd, file), JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "1m" }));
  };
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr } = await runCli([...args, "--json"], { cwd, env: target.env });
    return { report: JSON.parse(stdout), stderr };
  };
  body("PROJECT_GRANT_OWNER");
  await run("import", file, "--update", "--yes");
  await target.importOrgs([
    { ...owner, projectGrants: [{ grantId: "more", projectGrant: { projectId: "p", grantedOrgId: "third" } }] },
  ]);
  const dry = await run("import", file, "--update", "--dry-run");
  expect(dry.report.missingObjects, dry.stderr).toBeUndefined();
  const onlyOnTarget = [{ type: "projectGrants", id: "more", orgId: "owner", projectId: "p", grantedOrgId: "third" }];
  expect(dry.report).toMatchObject({ otherDifferences: [], onlyOnTarget });
  const verified = await run("verify", file, "--by", "export");
  expect(verified.report, verified.stderr).toMatchObject({ exitCode: 0, missing: [], different: [] });
  body("PROJECT_GRANT_OWNER_VIEWER");
  const changed = await run("import", file, "--update", "--dry-run");
  expect(changed.report.otherDifferences, changed.stderr).toMatchObject([{ id: "p_g_u3", fields: ["roles"] }]);
});

test("the state of a night is used, too, after a night whose export lacked grants", async () => {
  const { source, cwd, env } = await startPair();
  await runCli(["copy", ...flags], { cwd, env });
  const night = async () => {
    const { stdout, stderr } = await runCli(["copy", ...flags, "--update", "--state", "night"], { cwd, env });
    expect(JSON.parse(stdout).exitCode, stderr).toBe(0);
    return JSON.parse(stdout).state;
  };
  await night();
  const { events = [] } = await call(source, "POST", "/admin/v1/events/_search", ADDED);
  for (const { aggregate } of events) {
    const user = events.find((one) => one.aggregate.id === aggregate.id)?.payload?.userId;
    await call(source, "DELETE", `/management/v1/users/${user}/grants/${aggregate.id}`);
  }
  expect(await night()).toBe("used");
});

test("of two grants in one project, only the one that another account removed is held back", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  target.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
  const own = { projectId: "p", userId: "u1", roleKeys: ["viewer"] };
  const body = {
    dataOrgs: {
      orgs: [
        { ...owner, userGrants: [own] },
        { ...guest, userGrants: [grantOf("u1")] },
      ],
    },
  };
  const cwd = tempDir();
  writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
  const run = (...more: readonly string[]) =>
    runCli(["import", "body.json", "--yes", "--json", ...more], { cwd, env: target.env });
  const first = await run();
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ otherObjects: { user_grant: { created: 2 } } });
  const { events = [] } = await call(target, "POST", "/admin/v1/events/_search", ADDED);
  const ofGuest = events.find(({ aggregate }) => (aggregate as { resourceOwner?: string }).resourceOwner === "guest");
  await call({ ...target, token: "of-others" }, "DELETE", `/management/v1/users/u1/grants/${ofGuest?.aggregate.id}`);
  for (const more of [["--dry-run"], [], ["--update", "--dry-run"], ["--update"]]) {
    const { stdout, stderr } = await run(...more);
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 0,
      heldBack: [{ type: "userGrants", orgId: "guest", userId: "u1", cause: "taken-away" }],
    });
  }
  expect(await grantEvents(target, "user.grant.added")).toHaveLength(2);
});

test("a role that another account removed is not given through a project grant either, which the service would do", async () => {
  const target = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  target.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
  await target.importOrgs([guest, owner, granted]);
  const headers = { authorization: "Bearer of-others", "x-zitadel-orgid": "owner" };
  const role = `${target.url}/management/v1/projects/p/roles/viewer`;
  expect((await fetch(role, { method: "DELETE", headers })).status).toBe(200);
  const cwd = tempDir();
  const users = [...guest.humanUsers, testUser(6)];
  const body = {
    dataOrgs: { orgs: [{ ...guest, humanUsers: users, userGrants: [grantOf("u1"), grantOf("u6")] }, owner] },
  };
  writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
  const run = (...more: readonly string[]) =>
    runCli(["import", "body.json", "--yes", "--json", ...more], { cwd, env: target.env });
  const dry = await run("--dry-run");
  expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({
    exitCode: 1,
    foreseen: { roleMissing: [{ userId: "u6", roleKeys: ["viewer"] }] },
  });
  for (const more of [[], ["--update"]]) {
    const { stdout, stderr } = await run(...more);
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 1,
      failures: expect.arrayContaining([
        expect.objectContaining({ type: "user_grant", userId: "u6", cause: "role-missing" }),
      ]),
    });
  }
  expect(await grantEvents(target, "user.grant.added")).not.toContain("u6");
});
