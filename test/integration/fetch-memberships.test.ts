import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const count = 250;
const idOf = (number: number): string => `auth0|${String(number).padStart(24, "0")}`;
const all = Array.from({ length: count }, (_, number) => number);
const sourceUsers = all.map((number) => ({
  user_id: idOf(number),
  email: `u${number}@example.com`,
  name: `User ${number}`,
}));
/** All users are in the first, and one in the second as well. */
const sourceOrganizations = [
  {
    id: "org_1",
    name: "acme",
    members: Object.fromEntries(all.map((number) => [idOf(number), number === 0 ? ["owner"] : []])),
  },
  { id: "org_2", name: 'co, "inc"', members: { [idOf(1)]: ["editor"] } },
  ...Array.from({ length: 120 }, (_, number) => ({ id: `org_x${number}`, name: `x${number}` })),
];
const sourceRoles = [
  { id: "rol_1", name: "editor", users: [idOf(1), idOf(2)] },
  ...Array.from({ length: 101 }, (_, number) => ({ id: `rol_x${number}`, name: `r${number}`, users: all.map(idOf) })),
];
const seed = { sourceUsers, sourceOrganizations, sourceRoles };

async function world() {
  const mock = await startMock({ seed });
  const cwd = tempDir();
  const fetch = (...args: readonly string[]) =>
    runCli(["fetch", "auth0", ...(args.includes("--domain") ? [] : ["--domain", mock.url]), "--json", ...args], {
      cwd,
      env: { AUTH0_TOKEN: mock.token },
      sleep: async () => {},
    });
  const linesOf = (name: string): readonly string[] => readFileSync(join(cwd, name), "utf8").trimEnd().split("\n");
  const calls = (path: string) => mock.requests.filter((request) => request.path === path).length;
  return { mock, cwd, fetch, linesOf, calls };
}

test("members of all organizations and users of all roles are fetched, page by page, and migrate reads them", async () => {
  const { cwd, fetch, linesOf } = await world();
  const { exitCode, stdout, stderr } = await fetch("--organizations", "--roles");
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    users: count,
    memberships: count + 1,
    roleAssignments: 1 + 2 + 101 * count,
  });
  expect(readdirSync(cwd).sort()).toEqual(["organizations.csv", "roles.csv", "users.ndjson"]);
  const orgs = linesOf("organizations.csv");
  expect([orgs[0], orgs[1], orgs.at(-1)]).toEqual(["user_id,org", `${idOf(0)},acme`, `${idOf(1)},"co, ""inc"""`]);
  expect(linesOf("roles.csv").slice(0, 3)).toEqual(["user_id,role", `${idOf(0)},owner`, `${idOf(1)},editor`]);
  const lists = ["--org-by", "organizations.csv", "--roles-by", "roles.csv"];
  const rules = [
    "--org-map",
    "acme=5",
    "--grant",
    "owner=31:owner",
    "--grant",
    "editor=31:editor",
    "--grant",
    "r*=32:all",
  ];
  const migrated = await runCli(
    ["migrate", "auth0", "--org", "1", "--users", "users.ndjson", "--json", ...lists, ...rules],
    { cwd },
  );
  expect(migrated.exitCode, migrated.stderr).toBe(0);
  expect(JSON.parse(migrated.stdout).remarks).toMatchObject({ granted: count, "orgs-lost": 1 });
  const [org] = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8")).dataOrgs.orgs.slice(1);
  expect([org.orgId, org.humanUsers.length]).toEqual(["5", count]);
  expect(org.userGrants.filter(({ userId }: { userId: string }) => userId === idOf(1))).toEqual([
    { userId: idOf(1), projectId: "31", roleKeys: ["editor"] },
    { userId: idOf(1), projectId: "32", roleKeys: ["all"] },
  ]);
});

describe("an interrupted fetch", () => {
  test.each([
    ["500", 4],
    ["403", 1],
    ["reset-before", 4],
  ] as const)("by %s: the same command continues with what is missing", async (fault, times) => {
    const { mock, cwd, fetch, calls, linesOf } = await world();
    mock.addFault({ endpoint: "memberships", fault, skip: 60, times });
    const first = await fetch("--organizations");
    expect(first.exitCode).not.toBe(0);
    expect(readdirSync(cwd)).toEqual(["organizations.csv.partial.json"]);
    const second = await fetch("--organizations");
    expect(second.exitCode, second.stderr).toBe(0);
    expect(calls("/api/v2/organizations/org_2/members")).toBe(1);
    expect(linesOf("organizations.csv")).toHaveLength(count + 2);
    expect(existsSync(join(cwd, "organizations.csv.partial.json"))).toBe(false);
  });

  test("of another tenant is refused", async () => {
    const { mock, fetch } = await world();
    mock.addFault({ endpoint: "memberships", fault: "403", skip: 60 });
    expect((await fetch("--organizations")).exitCode).toBe(4);
    const other = await startMock({ seed });
    const refused = await fetch("--organizations", "--domain", other.url);
    expect([refused.exitCode, JSON.parse(refused.stdout).problems[0].code]).toEqual([3, "input.other-jobs"]);
  });
});

test("a token without the scope is named with it, and nothing is written", async () => {
  const { mock, cwd, fetch } = await world();
  mock.addFault({ endpoint: "memberships", fault: "403" });
  const { exitCode, stderr } = await fetch("--roles");
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining("read:roles")]);
  // Auth0's own form of a refusal, and not the service's.
  const refused = await globalThis.fetch(`${mock.url}/api/v2/roles`, {
    headers: { authorization: `Bearer ${mock.token}` },
  });
  expect(await refused.json()).toMatchObject({ statusCode: 403, error: "Forbidden" });
  expect(readdirSync(cwd)).toEqual([]);
});
