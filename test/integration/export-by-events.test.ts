import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { fullOrg, otherOrg } from "../helpers/full-org.ts";
import { openSpools } from "../helpers/open-spools.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

type Org = Readonly<Record<string, unknown>> & { readonly orgId: string };
type User = { readonly user: Readonly<Record<string, unknown>> };

interface World {
  readonly mock: TestMock;
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** With a machine user that keeps its id, and a key that the service can read. */
const richOrg = {
  ...fullOrg,
  machineUsers: [{ userId: "m", user: { userId: "m", userName: "robot", name: "Robot", description: "at night" } }],
  machineKeys: fullOrg.machineKeys.map((key) => ({ ...key, publicKey: btoa("-----BEGIN PUBLIC KEY-----") })),
};

async function start(options: Parameters<typeof startMock>[0] = {}, orgs: readonly object[] = [richOrg, otherOrg]) {
  const mock = await startMock({ mimic: "v4", ...options });
  await post(mock, "/admin/v1/import", { dataOrgs: { orgs }, timeout: "1m" });
  const env = { ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  return { mock, env, cwd: tempDir() };
}

async function post(mock: TestMock, path: string, body: object, method = "POST"): Promise<void> {
  const headers = { authorization: `Bearer ${mock.token}` };
  const response = await fetch(`${mock.url}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBeLessThan(300);
}

async function exportBy(transport: string, { env, cwd }: World, more: readonly string[] = []) {
  const args = ["export", "--transport", transport, "--output", `${transport}.json`, "--with-passwords", "--json"];
  const { exitCode, stdout, stderr } = await runCli([...args, ...more], { cwd, env });
  const report = JSON.parse(stdout);
  // OTP secrets are requested by --with-otp.
  expect(exitCode, stderr).toBe((report.unread?.otpSecrets ?? 0) > 0 ? 1 : 0);
  const { orgs = [] } = JSON.parse(readFileSync(join(cwd, `${transport}.json`), "utf8")) as { orgs?: readonly Org[] };
  return { orgs, report, stderr };
}

/** The members that both exports of the mock have alike, with their lists and keys in one order. */
function comparable(orgs: readonly Org[]): object {
  return orgs.map(({ oidcIdps: _, projectMembers: __, inviteUserMessages: ___, ...org }) =>
    Object.fromEntries(
      Object.entries(org).map(([name, value]) => [name, Array.isArray(value) ? value.map(sorted).sort() : value]),
    ),
  );
}

/** A JSON text in which the keys of each object are in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part !== "object" || part === null || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

test("the export by events is the documented export, and says what it cannot read", async () => {
  const world = await start();
  const documented = await exportBy("rest", world);
  const rebuilt = await exportBy("events", world, ["--with-otp"]);
  expect(comparable(rebuilt.orgs)).toEqual(comparable(documented.orgs));
  const [org] = rebuilt.orgs.filter(({ orgId }) => orgId === fullOrg.orgId);
  expect(org?.["oidcIdps"]).toEqual([
    {
      idpId: "idp",
      idp: { name: "Google", clientId: "c", clientSecret: "secret-not-exported", issuer: "https://example.com" },
    },
  ]);
  expect(org?.["projectMembers"]).toEqual([{ projectId: "p", userId: "m", roles: ["PROJECT_OWNER"] }]);
  expect(rebuilt.report).toMatchObject({
    transport: "events",
    missing: 0,
    unread: { otpSecrets: 1, clientSecrets: 1, laterEvents: 0 },
  });
  expect(rebuilt.stderr).toContain("lacks the OTP secret of 1 user");
  expect(rebuilt.report).toMatchObject({ exitCode: 1 });
  expect(rebuilt.stderr).toContain("lacks the client secret of 1 identity provider");
  expect(openSpools()).toEqual([]);
});

test("users who were changed, deleted and recreated have their last state", async () => {
  const users = [1, 2, 3, 4].map((number) => testUser(number));
  const world = await start({}, [{ orgId: "a", org: { name: "A" }, humanUsers: users }]);
  const { mock } = world;
  await post(mock, "/v2/users/u1/lock", {});
  await post(mock, "/v2/users/u2", {}, "DELETE");
  await post(mock, "/v2/users/u3", {}, "DELETE");
  await post(mock, "/admin/v1/import", {
    dataOrgs: { orgs: [{ orgId: "a", humanUsers: [testUser(3)] }] },
    timeout: "1m",
  });
  await post(mock, "/v2/users/human/u4", { email: { email: "new@example.com", isVerified: true } }, "PUT");
  await post(mock, "/v2/users/u4/metadata", { metadata: [{ key: "k", value: "eA==" }] });
  const documented = await exportBy("rest", world);
  const rebuilt = await exportBy("events", world);
  expect(comparable(rebuilt.orgs)).toEqual(comparable(documented.orgs));
  const one = rebuilt.orgs.find(({ orgId }) => orgId === "a") as { humanUsers?: readonly User[] } | undefined;
  expect(one?.humanUsers).toHaveLength(3);
});

test("without --with-passwords no hash is written, and no hash is ever shown", async () => {
  const world = await start();
  const args = ["export", "--transport", "events", "--verbose", "--output", "-"];
  const { stdout, stderr, exitCode } = await runCli(args, { cwd: world.cwd, env: world.env });
  expect(exitCode, stderr).toBe(0);
  expect(stdout).not.toContain("$2b$");
  expect(stderr).not.toContain("$2b$");
});

const TOO_LARGE = [
  { endpoint: "export", fault: "413" },
  { endpoint: "grpc-web", fault: "413" },
] as const;

test("auto rebuilds what neither call can answer with", async () => {
  const world = await start({ faults: TOO_LARGE });
  const { report, stderr } = await exportBy("auto", world);
  expect(report).toMatchObject({ transport: "events", orgs: 3, missing: 0 });
  expect(world.mock.requests.filter(({ path }) => path.includes("AdminService/ExportData"))).toHaveLength(1);
  expect(stderr).toContain("rebuilding it from the event log and the lists");
});

test("auto does not ask over gRPC-Web where the service limits both answers alike", async () => {
  const world = await start({ mimic: "v4.15", faults: TOO_LARGE });
  const { report } = await exportBy("auto", world);
  expect(report).toMatchObject({ transport: "events", orgs: 3, missing: 0 });
  expect(world.mock.requests.filter(({ path }) => path.includes("AdminService/ExportData"))).toEqual([]);
});

test("where events cannot be read, the export is too large and nothing is written", async () => {
  const { env, cwd } = await start({ faults: TOO_LARGE, without: { events: 404 } });
  const { exitCode, stderr } = await runCli(["export"], { cwd, env });
  expect(exitCode).toBe(5);
  expect(stderr).toContain("larger than one response of the service");
  expect(stderr).toContain("a token that can read events");
  expect(readdirSync(cwd)).toEqual([]);
});

test("a token that may not read events: the message names the role", async () => {
  const { env, cwd, mock } = await start({
    seed: { tokens: [{ token: "org-owner-token", roles: ["ORG_OWNER"] }] },
  });
  expect(mock.token).not.toBe("org-owner-token");
  const { exitCode, stderr } = await runCli(["export", "--transport", "events"], {
    cwd,
    env: { ...env, PAT_EXPORT_TOKEN: "org-owner-token" },
  });
  expect(exitCode).toBe(4);
  expect(stderr).toContain("IAM_OWNER_VIEWER");
  expect(readdirSync(cwd)).toEqual([]);
});

test.each(["events", "orgs"] as const)("a failure of %s half-way leaves no file", async (endpoint) => {
  const { env, cwd, mock } = await start();
  for (const fault of ["500", "half-json"] as const) {
    mock.addFault({ endpoint, fault, skip: 2, times: 100 });
    const { exitCode } = await runCli(["export", "--transport", "events"], { cwd, env });
    expect(exitCode).toBeGreaterThan(0);
    expect(readdirSync(cwd)).toEqual([]);
  }
  expect(openSpools()).toEqual([]);
});

test("what comes while the export is read is counted and not part of it", async () => {
  const orgs = [{ orgId: "a", org: { name: "A" }, humanUsers: [testUser(1)] }];
  // The list of organizations comes after the time up to which the log is read, and before the log.
  const { mock, cwd, env } = await start(
    { faults: [{ endpoint: "orgs", fault: "latency", delay: "3s", times: 1 }] },
    orgs,
  );
  // One search for the comparison, one for each of the four lists, and the one that sets the time.
  const marked = mock.answered("/admin/v1/events/_search", 6);
  const running = runCli(["export", "--transport", "events", "--org-id", "a", "--json"], { cwd, env });
  await marked;
  const later = { dataOrgs: { orgs: [{ orgId: "a", humanUsers: [testUser(2)] }] }, timeout: "1m" };
  await post(mock, "/admin/v1/import", later);
  const { exitCode, stdout, stderr } = await running;
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ users: 1, missing: 0, unread: { laterEvents: 2 } });
  expect(stderr).toContain("2 events came while the export was read");
});

test("a copy of a rebuilt export has everyone", async () => {
  const users = [1, 2, 3].map((number) => testUser(number));
  const { env, cwd } = await start({}, [{ orgId: "a", org: { name: "A" }, humanUsers: users }]);
  const target = await startMock({ mimic: "v4" });
  const args = ["copy", "--transport", "events", "--with-passwords", "--org-id", "a", "--json", "--yes"];
  const { exitCode, stdout, stderr } = await runCli(args, { cwd, env: { ...env, ...target.env } });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ export: { transport: "events" }, users: { created: 3 } });
});

test.each([
  ["events of a type that orgferry does not know", ["fancy"], 1],
  ["none of them in these organizations", [], 0],
] as const)("of a service that knows more types of events: %s", async (_, orgsWithIt, exitCode) => {
  const orgs = ["plain", "fancy"].map((orgId, at) => ({
    orgId,
    org: { name: orgId },
    humanUsers: [testUser(at)],
  }));
  const { mock, cwd, env } = await start({}, orgs);
  const newer = Array.from({ length: 40 }, (__, at) => `user.human.fancy${at}.set`);
  const types = ["user.human.added", "org.fancy.set", ...newer].map((type) => ({ type }));
  let searches = 0;
  const url = await startFront(mock, (path, body) => {
    if (path === "/admin/v1/events/types/_search") return { status: 200, body: { eventTypes: types } };
    const { event_types: asked = [], resource_owner: orgId } = JSON.parse(body.toString() || "{}");
    if (path !== "/admin/v1/events/_search" || !asked.some((type: string) => type.includes("fancy"))) return undefined;
    searches += 1;
    const isInLog = orgsWithIt.some((id) => id === orgId) && asked.includes("user.human.fancy35.set");
    const event = { aggregate: { id: "u1", resourceOwner: orgId }, sequence: "9", type: { type: newer[35] } };
    return { status: 200, body: isInLog ? { events: [event] } : {} };
  });
  const args = ["export", "--transport", "events", "--org-id", "plain", "--org-id", "fancy", "--json"];
  const run = await runCli(args, { cwd, env: { ...env, ZITADEL_EXPORT_DOMAIN: url } });
  expect(run.exitCode, run.stderr).toBe(exitCode);
  const { unread } = JSON.parse(run.stdout);
  // Two groups of types in two organizations, and each of the ten of the second group.
  expect(searches).toBe(exitCode === 0 ? 4 : 14);
  expect(unread.unknownEventTypes).toEqual(exitCode === 0 ? undefined : ["user.human.fancy35.set"]);
  expect(run.stderr.includes("events of users that orgferry does not know: user.human.fancy35.set.")).toBe(
    exitCode > 0,
  );
});
