import { describe, expect, test } from "vitest";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { forward, serve } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// service behaviour 0.41: concurrent writes make the service's lists lose entries, on versions that are not safe.

const org = { orgId: "org1", org: { name: "One" } };
const userMetadata = [1, 2, 3].map((number) => ({ id: `u${number}`, key: "plan", value: "Z29sZA==" }));
const body = JSON.stringify({
  dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [1, 2, 3].map((number) => testUser(number)), userMetadata }] },
  timeout: "5m0s",
});

/** A target that loses the metadata of u2 when they are sent. */
async function losing(mimic: "v4" | "v4.13", before: (mock: TestMock) => Promise<void> = async () => {}) {
  const mock = await startMock({ mimic, seed: { orgs: [org] } });
  const url = await serve(async (request, sent, response) => {
    const isMetadata = request.url === "/admin/v1/import" && sent.includes("userMetadata");
    await forward(mock.url, request, sent, response, async () => {
      if (!isMetadata) return;
      await before(mock);
      mock.skipUser("u2", "metadata");
    });
  });
  return { mock, env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url } };
}

async function exported(url: string, token: string): Promise<readonly { id: string }[]> {
  const answer = await fetch(`${url}/admin/v1/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ org_ids: ["org1"], timeout: "1m" }),
  });
  return ((await answer.json()) as { orgs: { userMetadata: { id: string }[] }[] }).orgs[0]?.userMetadata ?? [];
}

test("metadata that concurrent writes lose are set again in the same run", async () => {
  const { mock, env } = await losing("v4");
  const { cwd, file } = inFolder(body);
  const { report, stderr } = await importJson([file, "--concurrency", "8"], { cwd, env });
  expect(report, stderr).toMatchObject({ exitCode: 0, healed: { users: 0, metadata: 1 }, failures: [] });
  expect(stderr).toContain("1 entry of metadata, lost by the service's lists to concurrent writes, was set again.");
  expect((await exported(mock.url, mock.token)).map(({ id }) => id).sort()).toEqual(["u1", "u2", "u3"]);
});

test("a dry run warns of concurrent writes, as the run does", async () => {
  const { env } = await losing("v4");
  const { cwd, file } = inFolder(body);
  const warning = "warning: concurrent writes: the service then leaves about 1 user in 1,000 without a login name";
  for (const flags of [["--dry-run"], []]) {
    const { stderr } = await importJson([file, "--concurrency", "8", ...flags], { cwd, env });
    expect(stderr).toContain(warning);
  }
});

test.each([["--concurrency", "8", "--resume"], ["--restart"]])(
  "a target that fails to answer what it has lost ends the run, and the next one sets them again (%s)",
  async (...flags) => {
    const { mock, env } = await losing("v4");
    mock.addFault({ endpoint: "grpc-web", fault: "500", times: 9 });
    const { cwd, file } = inFolder(body);
    const first = await importJson([file, "--concurrency", "8"], { cwd, env });
    expect(first.report, first.stderr).toMatchObject({ exitCode: 5, users: { created: 3, failed: 0 } });
    mock.clearFaults();
    const { report, stderr } = await importJson([file, ...flags], { cwd, env });
    expect(report, stderr).toMatchObject({ exitCode: 0, healed: { users: 0, metadata: 1 }, failures: [] });
    expect(await exported(mock.url, mock.token)).toHaveLength(3);
  },
);

test("with --no-heal they are failures, and nothing is sent", async () => {
  const { mock, env } = await losing("v4");
  const { cwd, file } = inFolder(body);
  const { report } = await importJson([file, "--concurrency", "8", "--no-heal"], { cwd, env });
  expect(report).toMatchObject({
    exitCode: 1,
    otherObjects: { user_metadata: { created: 2, failed: 1 } },
    failures: [{ type: "user_metadata", id: "u2_plan", cause: "not-made" }],
  });
  expect(await exported(mock.url, mock.token)).toHaveLength(2);
});

test("what another account has set since is not set back", async () => {
  const { mock, env } = await losing("v4", async (target) => {
    target.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
    await fetch(`${target.url}/v2/users/u2/metadata`, {
      method: "POST",
      headers: { authorization: "Bearer other" },
      body: JSON.stringify({ metadata: [{ key: "plan", value: "c2lsdmVy" }] }),
    });
  });
  const { cwd, file } = inFolder(body);
  await importJson([file, "--concurrency", "8"], { cwd, env });
  const writes = mock.requests.filter(
    ({ method, path }) => path.startsWith("/v2/users/u2/metadata") && method !== "GET",
  );
  expect(writes).toHaveLength(1);
});

test("after sequential writes, and on a version that is safe, they are not looked for", async () => {
  for (const [mimic, flags] of [
    ["v4", []],
    ["v4.13", ["--concurrency", "8"]],
  ] as const) {
    const { mock, env } = await losing(mimic);
    const { cwd, file } = inFolder(body);
    await importJson([file, ...flags], { cwd, env });
    expect(mock.requests.filter(({ path }) => /ExportData|\/export$/.test(path))).toEqual([]);
  }
});

const ids = ["u1", "u2", "u3"];
const owned = {
  oidcIdps: [
    { idpId: "i1", idp: { name: "SSO", issuer: "https://sso.example.com", clientId: "c", clientSecret: "s" } },
  ],
  projects: [{ projectId: "p1", project: { name: "Shop" } }],
  projectRoles: [{ projectId: "p1", roleKey: "admin", displayName: "Admin" }],
  userGrants: ids.map((userId) => ({ projectId: "p1", userId, roleKeys: ["admin"] })),
  orgMembers: ids.map((userId) => ({ userId, roles: ["ORG_OWNER"] })),
  projectMembers: ids.map((userId) => ({ projectId: "p1", userId, roles: ["PROJECT_OWNER"] })),
};
const userLinks = ids.map((userId) => ({ userId, idpId: "i1", providedUserId: `x-${userId}` }));
const humanUsers = [1, 2, 3].map((number) => testUser(number));

/** Something that belongs to users, how its list is named, and what a removal of u2's is asked with. */
const parts = {
  grants: { sections: ["userGrants"], body: { ...owned }, removals: 1 },
  memberships: { sections: ["orgMembers", "projectMembers"], body: { ...owned }, removals: 2 },
  links: { sections: ["userLinks"], body: { ...owned, userLinks }, removals: 1 },
} as const;
type List = keyof typeof parts;

/** A target whose list loses what u2 has after everything was sent; another account writes at that moment, and does `also`. */
async function losingPart(list: List, also: (mock: TestMock) => Promise<void> = async () => {}) {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
  let isDone = false;
  const url = await serve(async (request, sent, response) => {
    const isLast = !isDone && request.url === "/admin/v1/import" && sent.includes('"projectMembers"');
    isDone ||= isLast;
    await forward(mock.url, request, sent, response, async () => {
      if (!isLast) return;
      mock.skipUser("u2", list);
      await by("other", mock, "PUT", "/v2/users/u1/metadata", { metadata: [{ key: "seen", value: "MQ==" }] });
      await also(mock);
    });
  });
  return { mock, env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url } };
}

async function by(token: string, { url }: TestMock, method: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "x-zitadel-orgid": "org1" };
  await fetch(`${url}${path}`, {
    method: path.endsWith("/metadata") ? "POST" : method,
    headers,
    body: JSON.stringify(body),
  });
}

async function listed(mock: TestMock, section: string): Promise<readonly string[]> {
  const answer = await fetch(`${mock.url}/admin/v1/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.token}` },
    body: JSON.stringify({ org_ids: ["org1"], timeout: "1m" }),
  });
  const { orgs } = (await answer.json()) as { orgs: Record<string, { userId: string }[]>[] };
  return (orgs[0]?.[section] ?? []).map(({ userId }) => userId).sort();
}

const removalsOf = ({ requests }: TestMock) =>
  requests.filter(({ method, path }) => method === "DELETE" && path.startsWith("/management/v1/"));

describe.each(["grants", "memberships", "links"] as const)("%s that a list loses while others write", (list) => {
  const { sections, removals } = parts[list];
  const body = JSON.stringify({ dataOrgs: { orgs: [{ ...org, humanUsers, ...parts[list].body }] } });

  test("are given again in the same run", async () => {
    const { mock, env } = await losingPart(list);
    const { cwd, file } = inFolder(body);
    const { report, stderr } = await importJson([file], { cwd, env });
    expect(report, stderr).toMatchObject({ exitCode: 0, healed: { users: 0, belongings: removals }, failures: [] });
    for (const section of sections) expect(await listed(mock, section)).toEqual(ids);
    expect(removalsOf(mock)).toHaveLength(removals);
    // The next run finds nothing to do.
    const next = await importJson([file], { cwd, env });
    expect(next.report).toMatchObject({ exitCode: 0 });
    expect(removalsOf(mock)).toHaveLength(removals);
  });

  test("with --no-heal they are failures, and nothing is sent", async () => {
    const { mock, env } = await losingPart(list);
    const { cwd, file } = inFolder(body);
    const { report } = await importJson([file, "--no-heal"], { cwd, env });
    expect(report).toMatchObject({ exitCode: 1 });
    expect(report.failures.map(({ cause }) => cause)).toEqual(Array(removals).fill("not-made"));
    expect(removalsOf(mock)).toEqual([]);
  });

  test("a run that is killed after it took them away gives them again with --resume", async () => {
    const { mock, env } = await losingPart(list);
    const { cwd, file } = inFolder(body);
    const interrupt = new AbortController();
    const url = await serve(async (request, sent, response) => {
      const isRemoval = request.method === "DELETE" && request.url?.startsWith("/management/v1/") === true;
      await forward(env.ZITADEL_IMPORT_DOMAIN, request, sent, response, () => {
        if (isRemoval) interrupt.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
      });
    });
    const through = { ...env, ZITADEL_IMPORT_DOMAIN: url };
    const first = await importJson([file], { cwd, env: through, signal: interrupt.signal });
    expect(first.report, first.stderr).toMatchObject({ exitCode: 130 });
    const missing = await Promise.all(sections.map((section) => listed(mock, section)));
    expect(missing).toContainEqual(["u1", "u3"]);
    const { report, stderr } = await importJson([file, "--resume"], { cwd, env: through });
    expect(report, stderr).toMatchObject({ exitCode: 0 });
    for (const section of sections) expect(await listed(mock, section)).toEqual(ids);
  });
});

test("grants that a call gave whose answer was lost count as given", async () => {
  const { mock, env } = await losingPart("grants");
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [{ ...org, humanUsers, ...owned }] } }));
  let isLost = false;
  const url = await serve((request, sent, response) =>
    forward(env.ZITADEL_IMPORT_DOMAIN, request, sent, response, () => {
      const isGive = removalsOf(mock).length > 0 && request.url === "/admin/v1/import";
      if (isGive && !isLost) response.destroy();
      isLost ||= isGive;
    }),
  );
  const { report, stderr } = await importJson([file], { cwd, env: { ...env, ZITADEL_IMPORT_DOMAIN: url } });
  expect(isLost).toBe(true);
  expect(report, stderr).toMatchObject({ exitCode: 0, healed: { belongings: 1 }, failures: [] });
  expect(await listed(mock, "userGrants")).toEqual(ids);
});

test("grants that another account takes away meanwhile are not given again", async () => {
  const { mock, env } = await losingPart("grants", async (target) => {
    const { events } = (await (
      await fetch(`${target.url}/admin/v1/events/_search`, {
        method: "POST",
        headers: { authorization: `Bearer ${target.token}` },
        body: JSON.stringify({ event_types: ["user.grant.added"] }),
      })
    ).json()) as { events: { aggregate: { id: string }; payload: { userId: string } }[] };
    const grant = events.find(({ payload }) => payload.userId === "u2")?.aggregate.id;
    await by("other", target, "DELETE", `/management/v1/users/u2/grants/${grant}`, {});
  });
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [{ ...org, humanUsers, ...owned }] } }));
  const { report } = await importJson([file], { cwd, env });
  expect(report).not.toHaveProperty("healed");
  expect(await listed(mock, "userGrants")).toEqual(["u1", "u3"]);
});

test("grants of a project that the export does not have are not looked for", async () => {
  const projectGrant = { projectId: "p1", grantedOrgId: "org1", roleKeys: ["admin"] };
  const { projects, projectRoles } = owned;
  const others = {
    orgId: "org2",
    org: { name: "Two" },
    projects,
    projectRoles,
    projectGrants: [{ grantId: "g1", projectGrant }],
  };
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org, others] } });
  const userGrants = owned.userGrants.map((grant) => ({ ...grant, projectGrantId: "g1" }));
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [{ ...org, humanUsers, userGrants }] } }));
  const { report, stderr } = await importJson([file, "--concurrency", "8"], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({ exitCode: 0, otherObjects: { user_grant: { created: 3 } } });
  expect(report).not.toHaveProperty("healed");
  expect(removalsOf(mock)).toEqual([]);
});
