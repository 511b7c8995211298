import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MockServer } from "../../src/mock/server.ts";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };

/** The ids of the users that the server was asked to create. */
const sentIds = (mock: MockServer): readonly string[] =>
  mock.requests
    .filter(({ path }) => /\/(import|human|new)$/.test(path))
    .flatMap(({ body }) => [...(body ?? "").matchAll(/"userId":"(u\d+)"/g)].map(([, id = ""]) => id))
    .sort();

describe("import", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["the first users", ["--limit", "2"], ["u1", "u2"]],
    ["named users, by id, user name or address", ["--only", "u5,USER3@example.com"], ["u3", "u5"]],
    ["no user whose id differs in case", ["--only", "U5,u4"], ["u4"]],
    ["users of a file", ["--only", "@names.txt"], ["u4"]],
    ["users with a value", ["--where", "email=*4@example.com"], ["u4"]],
    ["users without a value", ["--where", "userName!=user1*", "--where", "userId!=u2"], ["u3", "u4", "u5"]],
    ["users without a password", ["--where", "hash="], ["u5"]],
    ["the first of those", ["--where", "hash=*", "--where", "userId!=u1", "--limit", "1"], ["u2"]],
  ])("sends %s, and all others later", async (_, flags, ids) => {
    const mock = await startMock({ seed });
    const users = [...testUsers(4), testUser(5, { hashedPassword: undefined })];
    const { cwd, file } = inFolder(testBody(users));
    writeFileSync(join(cwd, "names.txt"), "u4\r\n\r\n");
    const pilot = await importJson([file, "--yes", "--verify", ...flags], { cwd, env: mock.env });
    expect(pilot.report).toMatchObject({ exitCode: 0, notSelected: 5 - ids.length, users: { created: ids.length } });
    expect(pilot.stderr).toContain(`selected: ${ids.length} of 5 users`);
    expect(sentIds(mock)).toEqual(ids);
    const rest = await importJson([file, "--yes", "--verify"], { cwd, env: mock.env });
    expect(rest.report).toMatchObject({
      exitCode: 0,
      users: { created: 5 - ids.length, alreadyThere: ids.length },
      found: 5,
    });
    const again = await importJson([file, "--yes", "--verify", ...flags], { cwd, env: mock.env });
    expect(again.stderr).toMatch(/the target has \d users? that the file lacks or that are not selected: /);
  });

  test.each<[string, readonly string[], string]>([
    ["1 entry of --only is", ["--only", "u1,U2,User3@Example.com"], "U2"],
    ["2 entries of --only are", ["--only", "u1,u8", "--only", "u9", "--limit", "1"], "u8, u9"],
  ])("names what fits no user: %s", async (entries, flags, names) => {
    const mock = await startMock({ seed });
    const { cwd, file } = inFolder(testBody(testUsers(4)));
    const { exitCode, stderr } = await importJson([file, "--yes", ...flags], { cwd, env: mock.env });
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining(`${entries} no id, user name or e-mail address of a user: ${names}\n`),
    ]);
  });

  test("names nothing if the users after the limit fit", async () => {
    const mock = await startMock({ seed });
    const { cwd, file } = inFolder(testBody(testUsers(4)));
    const flags = ["--yes", "--only", "u1,u2,u3", "--limit", "1"];
    const { stderr } = await importJson([file, ...flags], { cwd, env: mock.env });
    expect(stderr).not.toContain("of --only");
  });

  test("what belongs to other users is not sent, and the lines of faults stay", async () => {
    const mock = await startMock({ seed });
    const { cwd, file } = inFolder(
      JSON.stringify(
        {
          dataOrgs: {
            orgs: [
              {
                orgId: "org1",
                userMetadata: [1, 2, 3].map((n) => ({ id: `u${n}`, key: "plan", value: "Z29sZA==" })),
                humanUsers: [testUser(1), testUser(2), testUser(3, { email: { email: "none" } })],
                machineUsers: [{ user: { userId: "m1", userName: "bot", name: "Bot" } }],
                orgMembers: ["m1", "u1", "u2"].map((userId) => ({ userId, roles: ["ORG_OWNER"] })),
                userGrants: [1, 2].map((n) => ({ userId: `u${n}`, projectId: "p", roleKeys: [] })),
                projects: [{ projectId: "p", project: { name: "P" } }],
              },
            ],
          },
        },
        undefined,
        1,
      ),
    );
    const { report } = await importJson([file, "--only", "u2"], { cwd, env: mock.env });
    expect(report).toMatchObject({
      exitCode: 0,
      users: { read: 1, created: 1 },
      otherObjects: {
        user_metadata: { created: 1 },
        user_grant: { created: 1 },
        org_member: { created: 1 },
        project: { created: 1 },
      },
    });
    expect(report.otherObjects).not.toHaveProperty("machine_user");
    const text = readFileSync(join(cwd, file), "utf8");
    const line = text.slice(0, text.lastIndexOf("{", text.indexOf('"userId": "u3",'))).split("\n").length;
    const refused = await importJson([file, "--only", "u3"], { cwd, env: mock.env });
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining(`body.json:${line}`)]);
  });

  test.each<[string, readonly string[], number]>([
    ["a selection of none", ["--only", "u9"], 2],
    ["an unknown field", ["--where", "mail=x"], 2],
    ["an empty list", ["--only", ","], 2],
    ["a missing file", ["--only", "@none.txt"], 3],
    ["a part of a shard", ["--limit", "1", "--shard", "1/2"], 2],
  ])("refuses %s and sends nothing", async (_, flags, exitCode) => {
    const mock = await startMock({ seed });
    const { cwd, file } = inFolder(testBody(testUsers(2)));
    expect((await runCli(["import", file, ...flags], { cwd, env: mock.env })).exitCode).toBe(exitCode);
    expect(sentIds(mock)).toEqual([]);
  });

  test("an interrupted pilot is resumed with its flags", async () => {
    const mock = await startMock({ seed });
    mock.addFault({ endpoint: "import", fault: "not-json", times: 1 });
    const { cwd, file } = inFolder(testBody(testUsers(9)));
    const args = [file, "--limit", "4", "--batch-users", "2"];
    const first = await importJson(args, { cwd, env: mock.env });
    expect(first.exitCode).not.toBe(0);
    const second = await importJson([...args, "--resume"], { cwd, env: mock.env });
    expect(second.report).toMatchObject({ exitCode: 0, notSelected: 5 });
    expect((await importJson([file], { cwd, env: mock.env })).report).toMatchObject({ exitCode: 0 });
  });
});

test("a copy takes some users first, and all later", async () => {
  const source = await startMock({ seed });
  const { cwd, file } = inFolder(testBody(testUsers(6)));
  await importJson([file], { cwd, env: source.env });
  const target = await startMock({ seed });
  const env = {
    ZITADEL_EXPORT_DOMAIN: source.url,
    PAT_EXPORT_TOKEN: source.env["PAT_IMPORT_TOKEN"] ?? "",
    ...target.env,
  };
  const flags = ["copy", "--org-id", "org1", "--with-passwords", "--insecure-http", "--json"];
  const pilot = await runCli([...flags, "--limit", "2"], { cwd, env });
  expect(JSON.parse(pilot.stdout), pilot.stderr).toMatchObject({ exitCode: 0, users: { created: 2 }, notSelected: 4 });
  const rest = await runCli([...flags, "--verify"], { cwd, env });
  expect(JSON.parse(rest.stdout)).toMatchObject({ exitCode: 0, users: { created: 4, alreadyThere: 2 } });
  const deleting = await runCli([...flags, "--update", "--delete", "--limit", "2"], { cwd, env });
  expect(JSON.parse(deleting.stdout)).toMatchObject({ exitCode: 2, problems: [{ code: "usage.conflict" }] });
});

describe("migrate", () => {
  const users = [1, 2, 3].map((n) => ({ user_id: `auth0|${n}`, email: `u${n}@example.com`, name: `N${n}` }));
  const passwords = [1, 2, 3].map((n) => ({
    _id: { $oid: String(n) },
    email: `u${n}@example.com`,
    passwordHash: "$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE",
  }));

  test("names an entry of --only that fits no user who was not rejected", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "users.json"), users.map((row) => JSON.stringify(row)).join("\n"));
    const flags = ["--only", "u1@example.com,x9"];
    const { stderr, exitCode } = await runCli(["migrate", "auth0", "--org", "1", ...flags], { cwd });
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining(
        "1 entry of --only is no id, user name or e-mail address of a user who was not rejected: x9\n",
      ),
    ]);
  });

  test.each<[readonly string[], readonly string[]]>([
    [
      ["--limit", "2"],
      ["auth0|1", "auth0|2"],
    ],
    [["--only", "U3@EXAMPLE.COM"], ["auth0|3"]],
    [["--where", "firstName=N2"], ["auth0|2"]],
    [["--where", "orgId!=1"], []],
  ])("%j", async (flags, ids) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "users.json"), users.map((row) => JSON.stringify(row)).join("\n"));
    writeFileSync(join(cwd, "passwords.json"), passwords.map((row) => JSON.stringify(row)).join("\n"));
    const { stdout, stderr, exitCode } = await runCli(["migrate", "auth0", "--org", "1", "--json", ...flags], { cwd });
    expect(exitCode, stderr).toBe(0);
    const left = 3 - ids.length;
    expect(JSON.parse(stdout)).toMatchObject({
      users: { read: 3, written: ids.length, leftOut: left, withHash: ids.length },
      passwords: { read: 3, used: 3, unmatched: 0 },
      leftOut: left === 0 ? {} : { "not-selected": left },
    });
    const body = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
    const entries: readonly { userId: string; user: { hashedPassword?: object } }[] = body.dataOrgs.orgs[0].humanUsers;
    expect(entries.map(({ userId }) => userId)).toEqual(ids);
    expect(entries.every(({ user }) => user.hashedPassword !== undefined)).toBe(true);
  });
});
