import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
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
  expect(lists.stderr).toContain("user u1 of organization guest: project p");
  const events = await runCli(["export", "--output", "b.json", "--transport", "events", ...flags], { cwd, env });
  expect(JSON.parse(events.stdout), events.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(events.stdout).grantsLeft).toBeUndefined();
  const alone = await runCli(["export", "--output", "c.json", "--org-id", "guest", "--json"], { cwd, env });
  expect(JSON.parse(alone.stdout), alone.stderr).toMatchObject({ exitCode: 0 });
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
  return (await answer.json()) as { events?: { aggregate: { id: string }; payload: { userId: string } }[] };
}

const ADDED = { asc: true, limit: 100, event_types: ["user.grant.added"] };

test("a copy does not give a grant of these that is deactivated at the source", async () => {
  const { source, target, cwd, env } = await startPair();
  const { events = [] } = await call(source, "POST", "/admin/v1/events/_search", ADDED);
  const grantId = events.find(({ payload }) => payload.userId === "u1")?.aggregate.id;
  await call(source, "POST", `/management/v1/users/u1/grants/${grantId}/_deactivate`, {});
  const { stdout, stderr } = await runCli(["copy", ...flags], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, otherObjects: { user_grant: { created: 1 } } });
  const given = await call(target, "POST", "/admin/v1/events/_search", ADDED);
  expect(given.events?.map(({ payload }) => payload.userId)).toEqual(["u2"]);
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
  expect(given.events?.map(({ payload }) => payload.userId)).toEqual(["u2"]);
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
