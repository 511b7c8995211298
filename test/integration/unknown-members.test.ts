import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// The service ignores what it does not know without an error (service behaviour 1), so that a typo loses data.

test("a member of an organization that orgferry does not know is named, and sent unchanged", async () => {
  const { env, requests } = await startMock();
  const org = {
    orgId: "a",
    org: { name: "A" },
    humanUsers: [testUser(1)],
    user_metdata: [{ id: "u1" }],
    userGrant: [],
  };
  const body = JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "1m" });
  const cwd = tempDir();
  writeFileSync(join(cwd, "importBody.json"), body);
  const { exitCode, stdout, stderr } = await runCli(["import", "importBody.json", "--json"], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ unknownMembers: ["user_metdata", "userGrant"] });
  expect(stderr).toContain("user_metdata (did you mean userMetadata?), userGrant (did you mean userGrants?).");
  const sent = requests.filter(({ path }) => path === "/admin/v1/import").map(({ body: text }) => String(text));
  expect(sent.join("")).toContain('"user_metdata":[{"id":"u1"}]');
});

test("a misspelled list of users is named by import and verify, which have nothing to do", async () => {
  const { env } = await startMock({ seed: { orgs: [{ orgId: "a", org: { name: "A" } }] } });
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [{ orgId: "a", humanusers: [testUser(1)] }] } }));
  for (const [args, verb] of [
    [["import"], "import"],
    [["import", "--dry-run"], "import"],
    [["verify"], "compare"],
  ] as const) {
    const { exitCode, stderr } = await runCli([...args, file], { cwd, env });
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain(`the input has no users and no other objects: there is nothing to ${verb}.`);
    expect(stderr).toContain("humanusers (did you mean humanUsers?)");
    expect(stderr.includes("dry run: there is nothing to import")).toBe(args.length === 2);
    expect(stderr).not.toMatch(/body is valid|To do it/);
  }
});

test.each([
  ["no users", { humanUsers: [] }, ": there is nothing to import."],
  ["a name", { org: { name: "A" } }, " besides organizations and their settings."],
  ["projects", { org: { name: "A" }, projects: [{ projectId: "p", project: { name: "P" } }] }, undefined],
])("an organization with %s alone", async (_, members, words) => {
  const { env } = await startMock({ seed: { orgs: [{ orgId: "a", org: { name: "A" } }] } });
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [{ orgId: "a", ...members }] } }));
  const { exitCode, stderr } = await runCli(["import", file], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  if (words === undefined) expect(stderr).not.toContain("no users and no other objects");
  else expect(stderr).toContain(`the input has no users and no other objects${words}`);
});

test("known members in both spellings are not named", async () => {
  const { env } = await startMock();
  const org = { org_id: "a", org: { name: "A" }, human_users: [testUser(1)], user_metadata: [] };
  const cwd = tempDir();
  writeFileSync(join(cwd, "importBody.json"), JSON.stringify({ data_orgs: { orgs: [org] }, timeout: "1m" }));
  const { stdout } = await runCli(["import", "importBody.json", "--json"], { cwd, env });
  expect(JSON.parse(stdout)).not.toHaveProperty("unknownMembers");
});

const bodyOf = (org: object): string =>
  JSON.stringify({ dataOrgs: { orgs: [{ orgId: "a", org: { name: "A" }, ...org }] }, timeout: "1m" });

/** What a newer service may have: in a user, in an object of another list, and in a setting. */
const newer = {
  humanUsers: [testUser(1, { profile: { firstName: "Ada", lastName: "Lovelace", pronouns: "she" } })],
  userMetadata: [{ id: "u1", key: "theme", value: "ZGFyaw==", scope: "own" }],
  loginPolicy: { allowRegister: true, fancy_mode: true },
  fancyThings: [{ id: "f1", colour: "blue" }],
};
const namesOfNewer = [
  "humanUsers.user.profile.pronouns",
  "userMetadata.scope",
  "loginPolicy.fancy_mode",
  "fancyThings",
];

/** The bodies of the imports that a mock got. */
const imports = (mock: TestMock): string =>
  mock.requests.flatMap(({ path, body }) => (path === "/admin/v1/import" ? [String(body)] : [])).join("\n");

test("fields that orgferry does not know are named by their paths, and sent unchanged", async () => {
  const mock = await startMock();
  const { cwd, file } = inFolder(bodyOf(newer));
  for (const args of [["--dry-run"], []]) {
    const { report, stderr } = await importJson([file, ...args], { cwd, env: mock.env });
    expect(report, stderr).toMatchObject({ exitCode: 0 });
    expect((report as { unknownMembers?: string[] }).unknownMembers?.sort()).toEqual([...namesOfNewer].sort());
    for (const name of namesOfNewer) expect(stderr).toContain(name);
  }
  for (const part of ['"pronouns":"she"', '"scope":"own"', '"fancy_mode":true', '"colour":"blue"'])
    expect(imports(mock)).toContain(part);
});

test("users whose unknown fields the users API does not get are counted before anything is sent", async () => {
  const mock = await startMock({ mimic: "v4.15" });
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(1, { hashedPassword: undefined, fancy: 1 })] }));
  const { report, stderr } = await importJson([file], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({ exitCode: 0, via: { users: 1 }, unknownFieldsDropped: 1 });
  expect(stderr).toContain("1 user with fields or states that orgferry does not know is created without them");
});

test("a thousand names are kept, of any number", async () => {
  const users = Array.from({ length: 1_200 }, (_, at) => testUser(at, { [`own${at}`]: 1 }));
  const mock = await startMock();
  const { cwd, file } = inFolder(bodyOf({ humanUsers: users }));
  const { report, stderr } = await importJson([file, "--dry-run"], { cwd, env: mock.env });
  expect((report as { unknownMembers?: string[] }).unknownMembers).toHaveLength(1_000);
  expect(stderr).toContain("humanUsers.user.own9 and 990 more.");
});

test("users with a state that orgferry does not know are counted, and verify finds that they are active", async () => {
  const mock = await startMock({ mimic: "v4.15" });
  const users = [{ ...testUser(1), state: "USER_STATE_FANCY" }, { ...testUser(2), state: 9 }, testUser(3)];
  const { cwd, file } = inFolder(bodyOf({ humanUsers: users }));
  const { report, stderr } = await importJson([file, "--verify"], { cwd, env: mock.env });
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    users: { created: 3, failed: 0 },
    unknownStates: { USER_STATE_FANCY: 1, "9": 1 },
    different: [
      { id: "u1", fields: ["state"] },
      { id: "u2", fields: ["state"] },
    ],
  });
  expect(stderr).toContain("2 users of the input have states that orgferry does not know: USER_STATE_FANCY, 9.");
  expect(imports(mock)).toContain('"state":"USER_STATE_FANCY"');
});

/** A source whose exports have what `newer` has, and an empty target. */
async function newerSource() {
  const source = await startMock({ seed: { orgs: [{ orgId: "a", org: { name: "A" } }] } });
  const humanUsers = newer.humanUsers.map((user) => ({ ...user, state: "USER_STATE_FANCY" }));
  const orgs = [{ orgId: "a", org: { name: "A" }, ...newer, humanUsers }];
  const url = await startFront(source, (path) =>
    path === "/admin/v1/export" ? { status: 200, body: { orgs } } : undefined,
  );
  const target = await startMock();
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: source.token };
  return { target, env, cwd: tempDir(), orgs };
}

test("an export names what orgferry does not know, and writes it unchanged", async () => {
  const { env, cwd, orgs } = await newerSource();
  const { exitCode, stdout, stderr } = await runCli(["export", "--transport", "rest", "--json"], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  const { unknownMembers, unknownStates } = JSON.parse(stdout);
  expect(unknownMembers.sort()).toEqual([...namesOfNewer].sort());
  expect(unknownStates).toEqual({ USER_STATE_FANCY: 1 });
  expect(stderr).toMatch(/members and fields that orgferry does not know: .*fancyThings.*state USER_STATE_FANCY/);
  expect(JSON.parse(readFileSync(join(cwd, "export.json"), "utf8"))).toEqual({ orgs });
});

test("a copy passes it on, and its comparison finds what the target has ignored", async () => {
  const { target, env, cwd } = await newerSource();
  const { exitCode, stdout, stderr } = await runCli(["copy", "--verify", "--keep", "kept.json", "--json"], {
    cwd,
    env,
  });
  expect(exitCode, stderr).toBe(1);
  const report = JSON.parse(stdout);
  expect(report.unknownMembers.sort()).toEqual([...namesOfNewer].sort());
  expect(report.export).toMatchObject({ unknownStates: { USER_STATE_FANCY: 1 } });
  expect(report).toMatchObject({ users: { created: 1 }, unknownStates: { USER_STATE_FANCY: 1 } });
  for (const part of ["pronouns", "scope", "fancy_mode", "fancyThings"]) expect(imports(target)).toContain(part);
  const verified = await runCli(["verify", "kept.json", "--json"], { cwd, env });
  for (const { different, missing } of [report, JSON.parse(verified.stdout)]) {
    expect(missing).toMatchObject([{ type: "fancyThings" }]);
    const fields = Object.fromEntries(
      different.map((one: { type: string; fields: string[] }) => [one.type, one.fields]),
    );
    expect(fields).toEqual({
      humanUsers: ["state", "user.profile.pronouns"],
      userMetadata: ["scope"],
      loginPolicy: ["fancyMode"],
    });
  }
});

test("an error of a type, and successes of a list, that orgferry does not know are counted and reported", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "a", org: { name: "A" } }] } });
  const answer = {
    errors: [{ type: "fancy_thing", id: "f1", message: "ID=FANCY-1 Message=Errors.Fancy.Refused" }],
    success: { orgs: [{ orgId: "a", humanUserIds: ["u1"], fancyThingIds: ["f2", "f3"] }] },
  };
  const url = await startFront(mock, (path, body) =>
    path === "/admin/v1/import" && body.includes("u1") ? { status: 200, body: answer } : undefined,
  );
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(1)], fancyThings: [{}, {}, {}] }));
  const { report, stderr } = await importJson([file, "--rejects", "left"], {
    cwd,
    env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url },
  });
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    users: { created: 1, failed: 0 },
    failures: [{ type: "fancy_thing", id: "f1", cause: "other" }],
    otherObjects: { fancy_thing: { failed: 1 }, fancyThingIds: { created: 2 } },
  });
  expect(stderr).toContain("fancy_thing");
  expect(readFileSync(join(cwd, "left", "reasons.ndjson"), "utf8")).toContain("FANCY-1");
});
