import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { forward, serve } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

// The users API creates active users: until a second call, a user of the input who is locked can sign in (service behaviour 0.19b).

const USERS = 40;
const locked = (id: number) => ({
  ...testUser(id, { email: { email: `user${id}@example.com`, isEmailVerified: false } }),
  state: "USER_STATE_LOCKED",
});

/** A target that counts the users who are open: created and not locked. `onCreated` is called before the answer. */
async function startCounting(onCreated: (created: number) => void = () => {}) {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const open = { now: 0, most: 0, created: 0 };
  const url = await serve(async (request, body, response) => {
    const path = request.url ?? "";
    if (path === "/v2/users/human" && body.includes("@example.com")) {
      open.created += 1;
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      onCreated(open.created);
    }
    await forward(mock.url, request, body, response);
    if (path.endsWith("/lock")) open.now -= 1;
  });
  const users = Array.from({ length: USERS }, (_, at) => locked(at + 1));
  const { cwd, file } = inFolder(testBody(users, "org1"));
  return { mock, open, cwd, file, env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url } };
}

test("each locked user is locked right after the creation, before the next users are created", async () => {
  const { open, cwd, file, env } = await startCounting();
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  expect(open).toMatchObject({ created: USERS, now: 0 });
  expect(open.most).toBeLessThan(USERS / 2);
});

/** Imports until the connection ends between a creation and the lock that follows; then the target answers again. */
async function killBetween({ hasFormer = false, flags = [] as readonly string[] } = {}) {
  const { mock, cwd, file, env } = await startCounting();
  if (hasFormer) {
    expect((await runCli(["import", file], { cwd, env })).exitCode).toBe(0);
    const undo = ["undo", `${file}.manifest.ndjson`, "--yes", "--force"];
    const undone = await runCli(undo, { cwd, env });
    expect(undone.exitCode, undone.stderr).toBe(0);
  }
  let locks = 0;
  const end = { at: 3 };
  const url = await serve(async (request, body, response) => {
    locks += request.url?.endsWith("/lock") ? 1 : 0;
    if (locks > end.at) throw new Error("the connection ends");
    await forward(env.ZITADEL_IMPORT_DOMAIN, request, body, response);
  });
  const at = { cwd, env: { ...env, ZITADEL_IMPORT_DOMAIN: url } };
  const cut = await runCli(["import", file, ...flags], at);
  expect(cut.exitCode, cut.stderr).not.toBe(0);
  end.at = Number.POSITIVE_INFINITY;
  const findOpen = async (): Promise<readonly string[]> => {
    const headers = { authorization: `Bearer ${mock.token}`, "content-type": "application/json" };
    const answer = await fetch(`${mock.url}/v2/users`, { method: "POST", headers, body: "{}" });
    const { result } = (await answer.json()) as { result: readonly { userId: string; state: string }[] };
    const isOpen = ({ userId, state }: (typeof result)[number]) =>
      /^u\d+$/.test(userId) && state !== "USER_STATE_LOCKED";
    return result.filter(isOpen).map(({ userId }) => userId);
  };
  const open = await findOpen();
  expect(open.length).toBeGreaterThan(0);
  return { mock, file, at, open, findOpen };
}

test("--resume locks users that a killed run left open before it creates others, and names them", async () => {
  const { mock, file, at, open, findOpen } = await killBetween();
  const before = mock.requests.length;
  const { exitCode, stdout, stderr } = await runCli(["import", file, "--json", "--resume"], at);
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout).closedNow.sort()).toEqual([...open].sort());
  expect(stderr).toContain("the run that created them was killed, or got no answer");
  expect(await findOpen()).toEqual([]);
  const isFirstOpen = ({ path }: { path: string }) => path === `/v2/users/${open[0]}/lock`;
  const calls = mock.requests.slice(before);
  const isCreation = ({ path }: { path: string }) => path === "/v2/users/human";
  expect(calls.slice(0, calls.findIndex(isFirstOpen)).filter(isCreation).length).toBeLessThan(USERS / 4);
});

test("--resume locks users that a killed run left open, also if a former user of the id was locked", async () => {
  const { file, at, open, findOpen } = await killBetween({ hasFormer: true });
  const { exitCode, stdout, stderr } = await runCli(["import", file, "--json", "--resume"], at);
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout).closedNow.sort()).toEqual([...open].sort());
  expect(await findOpen()).toEqual([]);
});

test("without its journal, a run names users that a killed run left open, and closes them with --update only", async () => {
  const { file, at, open, findOpen } = await killBetween();
  rmSync(join(at.cwd, `${file}.journal.ndjson`));
  const { exitCode, stdout, stderr } = await runCli(["import", file, "--json"], at);
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout).closedNow).toBeUndefined();
  for (const id of open) expect(stderr).toMatch(new RegExp(`${id} .*: state \\(locked in the input\\)`));
  expect(await findOpen()).toEqual(open);
  expect((await runCli(["import", file, "--update"], at)).exitCode).toBe(0);
  expect(await findOpen()).toEqual([]);
});

/** Calls of another account about a user of org1. */
const CALLS = {
  changed: (id: string) => [`/v2/users/${id}/metadata`, { metadata: [{ key: "theme", value: "ZGFyaw==" }] }],
  "made an administrator of the organization": (userId: string) => [
    "/admin/v1/import",
    { timeout: "1m", dataOrgs: { orgs: [{ orgId: "org1", orgMembers: [{ userId, roles: ["ORG_OWNER"] }] }] } },
  ],
  "given a role": (userId: string) => [
    "/admin/v1/import",
    {
      timeout: "1m",
      dataOrgs: {
        orgs: [
          {
            orgId: "org1",
            projects: [{ projectId: "p", project: { name: "P" } }],
            projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
            userGrants: [{ userId, projectId: "p", roleKeys: ["r"] }],
          },
        ],
      },
    },
  ],
  "signed in": (userId: string) => ["/v2/sessions", { checks: { user: { userId } } }],
} as const satisfies Record<string, (id: string) => readonly [string, object]>;

/** Does this to a user as another account. */
async function act(mock: Awaited<ReturnType<typeof startMock>>, what: keyof typeof CALLS, id: string): Promise<void> {
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  const [path, body] = CALLS[what](id);
  const headers = { authorization: "Bearer admin", "content-type": "application/json" };
  const answer = await fetch(`${mock.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.ok, await answer.text()).toBe(true);
}

test("--resume with another service user locks what the job's former one left open", async () => {
  const { mock, file, at, findOpen } = await killBetween();
  mock.addToken("second", { userId: "second", roles: ["IAM_OWNER"] });
  const env = { ...at.env, PAT_IMPORT_TOKEN: "second" };
  const { exitCode, stderr } = await runCli(["import", file, "--resume"], { ...at, env });
  expect(exitCode, stderr).toBe(0);
  expect(await findOpen()).toEqual([]);
});

test("--resume locks a user who has signed in since", async () => {
  const { mock, file, at, open, findOpen } = await killBetween();
  await act(mock, "signed in", open[0] ?? "");
  const { exitCode, stderr } = await runCli(["import", file, "--resume"], at);
  expect(exitCode, stderr).toBe(0);
  expect(await findOpen()).toEqual([]);
});

test("--update --resume does not change a user that another account deleted and created again, and names the user", async () => {
  const { mock, file, at, open, findOpen } = await killBetween({ flags: ["--update"] });
  const [id = ""] = open;
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  const headers = { authorization: "Bearer admin", "content-type": "application/json" };
  expect((await fetch(`${mock.url}/v2/users/${id}`, { method: "DELETE", headers })).status).toBe(200);
  const { userName } = testUser(Number(id.slice(1))).user as { userName: string };
  const person = {
    userId: id,
    organization: { orgId: "org1" },
    username: userName,
    profile: { givenName: "Other", familyName: "Person" },
    email: { email: `${id}@other.example`, isVerified: true },
  };
  const body = JSON.stringify(person);
  expect((await fetch(`${mock.url}/v2/users/human`, { method: "POST", headers, body })).status).toBe(200);
  const { exitCode, stdout, stderr } = await runCli(["import", file, "--json", "--update", "--resume"], at);
  expect(exitCode, stderr).toBe(1);
  const { failures, users, update } = JSON.parse(stdout);
  expect(failures).toEqual([expect.objectContaining({ id, cause: "taken-over" })]);
  expect(users).toMatchObject({ created: USERS - 1, updated: 0, failed: 1 });
  expect(update.update).toEqual([]);
  expect(await findOpen()).toEqual([id]);
});

test.each(["changed", "made an administrator of the organization", "given a role", "made an administrator"] as const)(
  "--resume does not lock a user who was %s since, and names the user",
  async (what) => {
    const { mock, file, at, open, findOpen } = await killBetween();
    const [id = ""] = open;
    if (what === "made an administrator") mock.addToken("admin", { userId: id, roles: ["IAM_OWNER"] });
    else await act(mock, what, id);
    const { exitCode, stdout } = await runCli(["import", file, "--json", "--resume"], at);
    expect(exitCode).toBe(1);
    const { failures, users, otherObjects } = JSON.parse(stdout);
    expect(failures).toEqual([expect.objectContaining({ type: "human_user_state", id, cause: "state-changed" })]);
    expect(users).toMatchObject({ sent: USERS, created: USERS, failed: 0 });
    expect(otherObjects).toMatchObject({ human_user_state: { failed: 1 } });
    expect(await findOpen()).toEqual([id]);
  },
);

test("--resume does not lock a user that the job's own account has unlocked since, and blames no other account", async () => {
  const { mock, file, at, open, findOpen } = await killBetween();
  const [id = ""] = open;
  const headers = { authorization: `Bearer ${mock.token}`, "content-type": "application/json" };
  for (const call of ["lock", "unlock"])
    expect((await fetch(`${mock.url}/v2/users/${id}/${call}`, { method: "POST", headers, body: "{}" })).ok).toBe(true);
  const { exitCode, stderr } = await runCli(["import", file, "--resume"], at);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("0 created, 0 already there, 1 failed\nfailed:   1 × the user can sign in");
  expect(stderr).toContain("the user was unlocked or reactivated, changed by another account, or given rights");
  expect(stderr).toContain(`first: human_user_state ${id} `);
  expect(await findOpen()).toEqual([id]);
});

test("a state that the service refuses is no failed user", async () => {
  const { cwd, file, env } = await startCounting();
  const url = await serve(async (request, body, response) => {
    if (request.url !== "/v2/users/u7/lock") return forward(env.ZITADEL_IMPORT_DOMAIN, request, body, response);
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ code: 9, message: "no (COMMAND-3NN8v)" }));
  });
  const at = { cwd, env: { ...env, ZITADEL_IMPORT_DOMAIN: url } };
  const { exitCode, stdout } = await runCli(["import", file, "--json"], at);
  expect(exitCode).toBe(1);
  const { failures, users, otherObjects } = JSON.parse(stdout);
  expect(failures).toEqual([expect.objectContaining({ type: "human_user_state", id: "u7", cause: "state" })]);
  expect(users).toMatchObject({ sent: USERS, created: USERS, failed: 0 });
  expect(otherObjects).toMatchObject({ human_user_state: { created: 0, alreadyThere: 0, failed: 1 } });
});

test("a user who is locked in the input and active on the target, and that another account has changed, is named first", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  const before = inFolder(testBody([testUser(1), testUser(2)], "org1"));
  expect((await runCli(["import", before.file], { cwd: before.cwd, env: mock.env })).exitCode).toBe(0);
  const headers = { authorization: "Bearer admin", "content-type": "application/json" };
  const metadata = JSON.stringify({ metadata: [{ key: "theme", value: "ZGFyaw==" }] });
  const changed = await fetch(`${mock.url}/v2/users/u2/metadata`, { method: "POST", headers, body: metadata });
  expect(changed.status).toBe(200);
  const { cwd, file } = inFolder(
    testBody([testUser(1, { userName: "other" }), { ...testUser(2), state: "USER_STATE_LOCKED" }], "org1"),
  );
  const { exitCode, stderr } = await runCli(["import", file, "--quiet"], { cwd, env: mock.env });
  expect(exitCode, stderr).toBe(0);
  const [, u2 = "", u1 = ""] = /not changed:\n.*\n(.*)\n(.*)\n/.exec(stderr) ?? [];
  expect(u2).toContain("u2 (user2@example.com): state (locked in the input)");
  expect(u1).toContain("u1 (other): userName");
});

test("a user of a complete earlier run is not locked without --update", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const before = inFolder(testBody([testUser(2)], "org1"));
  expect((await runCli(["import", before.file], { cwd: before.cwd, env: mock.env })).exitCode).toBe(0);
  const { cwd, file } = inFolder(testBody([locked(2)], "org1"));
  const { stdout } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout).closedNow).toBeUndefined();
  const headers = { authorization: `Bearer ${mock.token}` };
  const answer = await fetch(`${mock.url}/v2/users/u2`, { headers });
  expect(((await answer.json()) as { user: { state: string } }).user.state).toBe("USER_STATE_ACTIVE");
});

test("an interrupt leaves no locked user open", async () => {
  const controller = new AbortController();
  const { open, cwd, file, env } = await startCounting((created) => {
    if (created === 20) controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGTERM" }));
  });
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env, signal: controller.signal });
  expect(exitCode, stderr).toBe(143);
  expect(open.created).toBeLessThan(USERS);
  expect(open.now).toBe(0);
  const resumed = await runCli(["import", file, "--resume"], { cwd, env });
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect(open).toMatchObject({ created: USERS, now: 0 });
});
