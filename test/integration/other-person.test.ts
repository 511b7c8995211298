import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { forward, serve, startCutOff, startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// An id of the input that is another person's on the target: nothing of the input's person may reach that account.

const projects = [{ projectId: "p", project: { name: "Portal" } }];
const projectRoles = [{ projectId: "p", roleKey: "admin", displayName: "Admin" }];
const idp = { name: "Okta", clientId: "x", clientSecret: "y", issuer: "https://o.example" };
const oidcIdps = [{ idpId: "idp1", idp }];
const seed = { orgs: [{ orgId: "org1", org: { name: "Org" }, projects, projectRoles, oidcIdps }] };
const ann = testUser(1);
const mallory = {
  ...ann,
  user: { ...ann.user, userName: "mallory", email: { email: "m@example.org", isEmailVerified: true } },
};
const HASH = "$2b$10$9999999999999999999999.TW7xCKKFKBSF.C7E0xiUwumqIDqWUX";
const withOtherHash = (one: typeof ann) => ({ ...one, user: { ...one.user, hashedPassword: { value: HASH } } });
const BELONGINGS = {
  userMetadata: [{ id: "u1", key: "theme", value: "ZGFyaw==" }],
  userLinks: [{ userId: "u1", idpId: "idp1", providedUserId: "google-mallory" }],
  userGrants: [{ userId: "u1", projectId: "p", roleKeys: ["admin"] }],
  orgMembers: [{ userId: "u1", roles: ["ORG_OWNER"] }],
};

function bodyOf(user: object, belongings: object = {}): string {
  const org = { orgId: "org1", humanUsers: [user], ...belongings };
  return JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" });
}

async function call(mock: Pick<TestMock, "url" | "token">, path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${mock.token}`, "content-type": "application/json" };
  return (await fetch(`${mock.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

function causesOf(stdout: string): readonly string[] {
  const { failures } = JSON.parse(stdout) as { failures: readonly { type: string; cause: string }[] };
  return failures.map(({ type, cause }) => `${type} ${cause}`).sort();
}

/** What was given to the account since it was created, by the types of events. */
async function givenTo(mock: TestMock): Promise<readonly string[]> {
  const event_types = [
    "user.metadata.set",
    "user.human.externalidp.added",
    "user.grant.added",
    "org.member.added",
    "user.human.mfa.otp.added",
  ];
  const { events } = (await call(mock, "/admin/v1/events/_search", { event_types, limit: 1000 })) as {
    events: readonly { type: { type: string } }[];
  };
  const aboutUser = events.filter((event) => JSON.stringify(event).includes('"u1"'));
  return aboutUser.map(({ type }) => type.type).sort();
}

const ALL_FAILED = [
  "org_member other-person",
  "user_grant other-person",
  "user_link other-person",
  "user_metadata other-person",
];

test("an account that the same token created as another person gets nothing that belongs to the input's person", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const { cwd, file } = inFolder(bodyOf(ann));
  expect((await runCli(["import", file], { cwd, env: mock.env })).exitCode).toBe(0);
  const before = await givenTo(mock);
  const other = inFolder(bodyOf(withOtherHash(mallory), BELONGINGS));
  const at = { cwd: other.cwd, env: mock.env };
  const dry = await runCli(["import", other.file, "--dry-run", "--json"], at);
  expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({ exitCode: 1, foreseen: { otherPersonCount: 4 } });
  expect(dry.stderr).toContain(
    "4 objects will fail, because the account of the user on the target may be another person's (u1",
  );
  const { stdout, stderr } = await runCli(["import", other.file, "--json"], at);
  expect(JSON.parse(stdout).exitCode, stderr).toBe(1);
  expect(causesOf(stdout)).toEqual(ALL_FAILED);
  expect(await givenTo(mock)).toEqual(before);
});

test.each([
  { flags: [], person: "with other names" },
  { flags: [], person: "with the same user name" },
  { flags: ["--update"], person: "with the same user name" },
  { flags: ["--update"], person: "with other names" },
  { flags: ["--update", "--prefer", "source"], person: "with other names" },
  { flags: ["--update", "--delete"], person: "with other names" },
  { flags: ["--update", "--prefer", "target"], person: "with other names" },
])(
  "what belongs to another person of the source with the id of a former one is not copied ($flags, $person)",
  async ({ flags, person }) => {
    const source = await startMock({ mimic: "v4", seed });
    const target = await startMock({ mimic: "v4", seed });
    const cwd = inFolder("").cwd;
    const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
    const copy = (...more: readonly string[]) =>
      runCli(["copy", "--org-id", "org1", "--with-passwords", "--json", ...more], { cwd, env });
    await call(source, "/admin/v1/import", JSON.parse(bodyOf(ann)) as object);
    const first = await copy();
    expect(first.exitCode, first.stderr).toBe(0);
    const before = await givenTo(target);
    source.removeUser("u1");
    const { userName } = (person === "with the same user name" ? ann : mallory).user;
    const other = withOtherHash({ ...mallory, user: { ...mallory.user, userName } });
    await call(source, "/admin/v1/import", JSON.parse(bodyOf(other, BELONGINGS)) as object);
    const dry = JSON.parse((await copy(...flags, "--dry-run")).stdout);
    const { stdout, stderr } = await copy(...flags, "--yes");
    expect(dry.exitCode).toBe(1);
    expect(dry.heldBackCauses ?? {}).toEqual(JSON.parse(stdout).heldBackCauses ?? {});
    // An update names the user as a conflict, which no --prefer settles.
    const isUpdate = flags.length > 0;
    expect(JSON.parse(stdout).exitCode, stderr).toBe(1);
    expect(causesOf(stdout)).toEqual(isUpdate ? [] : ALL_FAILED);
    const { heldBack = [], otherObjects } = JSON.parse(stdout) as {
      heldBack?: readonly object[];
      otherObjects: Record<string, { heldBack?: number }>;
    };
    // Metadata is a part of the user's conflict.
    const unsent = ["orgMembers", "userGrants", "userLinks"];
    expect(heldBack.map((one) => "type" in one && one.type).sort()).toEqual(isUpdate ? unsent : []);
    const numbers = ["org_member", "user_grant", "user_link"].map((type) => otherObjects[type]?.heldBack ?? 0);
    expect(numbers, stderr).toEqual(isUpdate ? [1, 1, 1] : [0, 0, 0]);
    expect(await givenTo(target)).toEqual(before);
  },
);

test("a dry run with --prefer source foretells that what belongs to the user of another account is sent", async () => {
  const source = await startMock({ mimic: "v4.15", seed });
  const target = await startMock({ mimic: "v4.15", seed });
  target.addToken("of-others", { userId: "others", roles: ["IAM_OWNER"] });
  await call(
    { ...target, token: "of-others" },
    "/admin/v1/import",
    JSON.parse(bodyOf(withOtherHash(mallory))) as object,
  );
  await call(source, "/admin/v1/import", JSON.parse(bodyOf(ann, BELONGINGS)) as object);
  const cwd = inFolder("").cwd;
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = async (...more: readonly string[]) => {
    const flags = ["--org-id", "org1", "--with-passwords", "--update", "--json", "--yes", ...more];
    const { stdout, stderr } = await runCli(["copy", ...flags], { cwd, env });
    return { stderr, report: JSON.parse(stdout) };
  };
  expect((await copy("--dry-run")).report).toMatchObject({ exitCode: 1, foreseen: {} });
  const prefer = ["--prefer", "source", "--only", "u1"];
  const dry = await copy(...prefer, "--dry-run");
  expect(dry.report, dry.stderr).toMatchObject({ exitCode: 0 });
  expect(dry.stderr).not.toContain("may be another person");
  const run = await copy(...prefer);
  expect(run.report, run.stderr).toMatchObject({ exitCode: 0, failures: [] });
  expect(dry.report.heldBackCauses).toEqual(run.report.heldBackCauses);
  expect(await givenTo(target)).toContain("user.metadata.set");
});

test("a project member that an export repeats in every organization fails once", async () => {
  const other = { orgId: "org2", org: { name: "Two" } };
  const source = await startMock({ mimic: "v4", seed: { orgs: [...seed.orgs, other] } });
  const target = await startMock({ mimic: "v4", seed: { orgs: [...seed.orgs, other] } });
  const projectMembers = [{ projectId: "p", userId: "u1", roles: ["PROJECT_OWNER"] }];
  await call(target, "/admin/v1/import", JSON.parse(bodyOf(ann)) as object);
  const members = { ...BELONGINGS, projectMembers };
  await call(source, "/admin/v1/import", JSON.parse(bodyOf(withOtherHash(mallory), members)) as object);
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = (...more: readonly string[]) =>
    runCli(["copy", "--org-id", "org1", "--org-id", "org2", "--with-passwords", "--json", ...more], {
      cwd: inFolder("").cwd,
      env,
    });
  const dry = await copy("--dry-run");
  expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({ exitCode: 1, foreseen: { otherPersonCount: 5 } });
  const { stdout, stderr } = await copy();
  const causes = causesOf(stdout).filter((cause) => cause.endsWith("other-person"));
  expect(causes, stderr).toEqual([...ALL_FAILED, "project_member other-person"].sort());
  expect(JSON.parse(stdout).otherObjects.project_member).toMatchObject({ created: 0, failed: 1, leftOut: 1 });
});

test.each([
  { who: "another name", profile: { firstName: "Mallory", lastName: "Stern" }, isSame: false },
  { who: "the same first name", profile: { lastName: "Stern" }, isSame: false },
  { who: "the same names", profile: {}, isSame: true },
  {
    who: "another name, with --prefer source",
    profile: { firstName: "Mallory" },
    isSame: true,
    flags: ["--prefer", "source"],
  },
])(
  "an update from a file of an account that the same token created, with other user name, address and hash, and $who",
  async ({ profile, isSame, flags = [] }) => {
    const mock = await startMock({ mimic: "v4", seed });
    const { cwd, file } = inFolder(bodyOf(ann));
    expect((await runCli(["import", file], { cwd, env: mock.env })).exitCode).toBe(0);
    const before = await givenTo(mock);
    const user = { ...mallory.user, profile: { firstName: "Ada", lastName: "Lovelace", ...profile } };
    const other = inFolder(bodyOf(withOtherHash({ ...mallory, user }), BELONGINGS));
    const { stdout, stderr } = await runCli(["import", other.file, "--update", "--yes", "--json", ...flags], {
      cwd: other.cwd,
      env: mock.env,
    });
    const report = JSON.parse(stdout);
    expect(report.update, stderr).toMatchObject(
      isSame ? { update: [{ userId: "u1" }], conflict: [] } : { conflict: [{ userId: "u1", reason: "other-person" }] },
    );
    expect(report.exitCode).toBe(isSame ? 0 : 1);
    if (isSame) return;
    expect(await givenTo(mock)).toEqual(before);
    expect(stderr).toContain("use --prefer source --only <id>. If it is another person, delete the user on the target");
    expect(stderr).toContain("of the former person stay, and without a hash in the input the password, too");
    expect(stderr).not.toContain("--deactivate");
  },
);

test("a user who was renamed on the target since is the same person", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const { cwd, file } = inFolder(bodyOf(ann));
  await runCli(["import", file], { cwd, env: mock.env });
  await fetch(`${mock.url}/v2/users/human/u1`, {
    method: "PUT",
    headers: { authorization: `Bearer ${mock.token}`, "content-type": "application/json" },
    body: JSON.stringify({ username: "ann.renamed" }),
  });
  const again = inFolder(bodyOf(ann, BELONGINGS));
  const { stdout, stderr } = await runCli(["import", again.file, "--json"], { cwd: again.cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ failures: [] });
  expect(await givenTo(mock)).toContain("user.grant.added");
});

for (const flag of ["--resume", "--restart"])
  for (const [via, path] of [
    ["import", "/admin/v1/import"],
    ["users", "/v2/users/human"],
  ] as const)
    for (const by of ["another account", "the same account"])
      test(`a user of the job that ${by} replaced is a failure after ${flag}, and not in the manifest (${via})`, async () => {
        const mock = await startMock({ mimic: "v4", seed });
        const { cwd, file } = inFolder(bodyOf(ann));
        const front = await startCutOff(mock, path, "u1");
        const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: front.url };
        await runCli(["import", file, "--via", via], { cwd, env });
        expect(front.isCutOff).toBe(true);
        front.isBack = true;
        mock.removeUser("u1");
        mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
        const creator = by === "another account" ? { ...mock, token: "other" } : mock;
        await call(creator, "/admin/v1/import", JSON.parse(bodyOf(withOtherHash(mallory))) as object);
        const { stdout, stderr } = await runCli(["import", file, "--via", via, flag, "--json"], { cwd, env });
        expect(JSON.parse(stdout), stderr).toMatchObject({
          exitCode: 1,
          users: { created: 0, alreadyThere: 0, failed: 1 },
          failures: [{ id: "u1", cause: "taken-over" }],
        });
        expect(existsSync(join(cwd, `${file}.manifest.ndjson`))).toBe(false);
      });

/** Another account deletes u1, and creates another person under the id. */
async function replaceUser(mock: TestMock): Promise<void> {
  mock.removeUser("u1");
  await call({ ...mock, token: "other" }, "/admin/v1/import", JSON.parse(bodyOf(withOtherHash(ann))) as object);
}

for (const [part, path] of [
  ["metadata", "/admin/v1/import"],
  ["a repeated call", "/admin/v1/import"],
  ["an OTP secret", "/admin/v1/import"],
  ["an OTP secret by the users API", "/v2/users/human"],
] as const)
  test(`a user of the run that another account replaces before the next call gets nothing (${part})`, async () => {
    const mock = await startMock({ mimic: "v4", seed });
    mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
    const user = part.includes("OTP") ? { ...ann, user: { ...ann.user, otpCode: "JBSWY3DPEHPK3PXP" } } : ann;
    let before: readonly string[] | undefined;
    const url = await serve(async (request, body, response) => {
      const isBelongings = body.includes("userMetadata");
      const isAbout = body.includes("u1") && (part !== "a repeated call" || isBelongings);
      if (before !== undefined || request.url !== path || !isAbout) return forward(mock.url, request, body, response);
      if (part !== "a repeated call")
        return forward(mock.url, request, body, response, async () => {
          await replaceUser(mock);
          before = await givenTo(mock);
        });
      await replaceUser(mock);
      before = await givenTo(mock);
      response.writeHead(503).end();
    });
    const { cwd, file } = inFolder(bodyOf(user, BELONGINGS));
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const via = path === "/v2/users/human" ? "users" : "import";
    const { stdout, stderr } = await runCli(["import", file, "--json", "--via", via, "--batch-users", "1"], {
      cwd,
      env,
    });
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 1, users: { created: 0, failed: 1 } });
    expect(causesOf(stdout)).toContain("human_user taken-over");
    expect(await givenTo(mock)).toEqual(before);
    expect(existsSync(join(cwd, `${file}.manifest.ndjson`))).toBe(false);
  });

test("a user of the run that another account deletes at the end is a failure", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const url = await serve(async (request, body, response) => {
    const isLast = body.includes("orgMembers");
    await forward(mock.url, request, body, response, () => void (isLast && mock.removeUser("u1")));
  });
  const { cwd, file } = inFolder(bodyOf(ann, BELONGINGS));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 1,
    users: { created: 0, failed: 1 },
    failures: [{ type: "human_user", id: "u1", cause: "taken-over" }],
  });
});

test.each([
  ["import", [], { users: { alreadyThere: 0, failed: 1 } }],
  ["import --update", ["--update"], { users: { unchanged: 1, failed: 0 } }],
] as const)(
  "an existing user that another account deletes during the run is a failure (%s)",
  async (_, flags, users) => {
    const mock = await startMock({ mimic: "v4", seed });
    await call(mock, "/admin/v1/import", JSON.parse(bodyOf(ann)) as object);
    const url = await serve(async (request, body, response) => {
      const isLast = body.includes("orgMembers");
      await forward(mock.url, request, body, response, () => void (isLast && mock.removeUser("u1")));
    });
    const other = { orgMembers: [{ userId: "u2", roles: ["ORG_OWNER"] }] };
    const { cwd, file } = inFolder(bodyOf(ann, other));
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const { stdout, stderr } = await runCli(["import", file, "--json", "--yes", ...flags], { cwd, env });
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 1, ...users });
    expect(causesOf(stdout)).toContain("human_user gone");
  },
);

test("an existing user that another account replaces during the run gets nothing that comes later", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
  await call(mock, "/admin/v1/import", JSON.parse(bodyOf(ann)) as object);
  let before: readonly string[] | undefined;
  const url = await serve(async (request, body, response) => {
    const isFirst = before === undefined && request.url === "/admin/v1/import" && body.includes("humanUsers");
    await forward(mock.url, request, body, response, async () => {
      if (!isFirst) return;
      await replaceUser(mock);
      before = await givenTo(mock);
    });
  });
  const { cwd, file } = inFolder(bodyOf(ann, BELONGINGS));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json", "--batch-users", "1"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 1, users: { created: 0, alreadyThere: 0, failed: 1 } });
  expect(causesOf(stdout)).toContain("human_user taken-over");
  expect(await givenTo(mock)).toEqual(before);
});

test("a log that is refused during the run ends it, and nothing more is sent", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  let isCreated = false;
  const url = await startFront(mock, (path, body) => {
    if (path === "/admin/v1/import" && body.includes("humanUsers")) isCreated = true;
    if (!isCreated || !path.endsWith("/events/_search")) return undefined;
    return { status: 403, body: { code: 7, message: "No matching permissions found" } };
  });
  const { cwd, file } = inFolder(bodyOf(ann, BELONGINGS));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 4, users: { created: 1 } });
  expect(await givenTo(mock)).toEqual([]);
});

test("--restart after all users were created writes the manifest of the job's users", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const { cwd, file } = inFolder(bodyOf(ann, BELONGINGS));
  const front = await startCutOff(mock, "/admin/v1/import", "userMetadata");
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: front.url };
  await runCli(["import", file, "--batch-users", "1"], { cwd, env });
  expect(front.isCutOff).toBe(true);
  front.isBack = true;
  const { stdout, stderr } = await runCli(["import", file, "--restart", "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ users: { created: 0, alreadyThere: 1 } });
  expect(existsSync(join(cwd, `${file}.manifest.ndjson`))).toBe(true);
});

test("a user that a discarded run created anew after a deletion is the job's, not another person's", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const { cwd, file } = inFolder(bodyOf(ann, BELONGINGS));
  let isCutOff = false;
  let mayEnd = false;
  const url = await serve(async (request, body, response) => {
    isCutOff ||= !mayEnd && request.url === "/admin/v1/import" && body.includes("userMetadata");
    if (isCutOff) throw new Error("the connection ends");
    await forward(mock.url, request, body, response);
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const run = (...flags: readonly string[]) =>
    runCli(["import", file, "--json", "--batch-users", "1", ...flags], { cwd, env });
  await run();
  mock.removeUser("u1");
  isCutOff = false;
  await run("--restart");
  [isCutOff, mayEnd] = [false, true];
  const { stdout, stderr } = await run("--restart");
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { created: 0, alreadyThere: 1 } });
  expect(readFileSync(join(cwd, `${file}.manifest.ndjson`), "utf8")).toContain('"id":"u1"');
});

test("a user of the job that no answer mentions, and that another account replaced meanwhile, is a failure", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
  let isReplaced = false;
  const url = await startFront(mock, async (path, body) => {
    if (isReplaced || path !== "/admin/v1/import" || !body.includes("u1")) return undefined;
    isReplaced = true;
    await call(mock, path, JSON.parse(body.toString()) as object);
    mock.removeUser("u1");
    await call({ ...mock, token: "other" }, path, JSON.parse(bodyOf(withOtherHash(ann))) as object);
    return { status: 200, body: { success: { orgs: [{ orgId: "100" }] } } };
  });
  const { cwd, file } = inFolder(bodyOf(ann));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 1,
    users: { created: 0, alreadyThere: 0, failed: 1, unknown: 0 },
    failures: [{ id: "u1", cause: "taken-over" }],
  });
});

test("an existing user of another account is no failure after a lost answer", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
  await call({ ...mock, token: "other" }, "/admin/v1/import", JSON.parse(bodyOf(ann)) as object);
  mock.addFault({ endpoint: "import", fault: "502", times: 1 });
  const { cwd, file } = inFolder(bodyOf(ann));
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, users: { alreadyThere: 1, failed: 0 } });
});

for (const by of ["another account", "the same account"])
  test(`a user of the job that ${by} replaced gets nothing, also with the same user name and e-mail address`, async () => {
    const mock = await startMock({ mimic: "v4", seed });
    const user = { ...ann, user: { ...ann.user, otpCode: "JBSWY3DPEHPK3PXP" } };
    const { cwd, file } = inFolder(bodyOf(user, BELONGINGS));
    const front = await startCutOff(mock, "/admin/v1/import", "u1");
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: front.url };
    await runCli(["import", file], { cwd, env });
    expect(front.isCutOff).toBe(true);
    front.isBack = true;
    mock.removeUser("u1");
    mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
    const creator = by === "another account" ? { ...mock, token: "other" } : mock;
    await call(creator, "/admin/v1/import", JSON.parse(bodyOf(withOtherHash(ann))) as object);
    const before = await givenTo(mock);
    const { stdout, stderr } = await runCli(["import", file, "--resume", "--json"], { cwd, env });
    expect(JSON.parse(stdout).exitCode, stderr).toBe(1);
    expect(causesOf(stdout)).toEqual([
      "human_user taken-over",
      "org_member consequence",
      "user_grant consequence",
      "user_link consequence",
      "user_metadata consequence",
    ]);
    expect(await givenTo(mock)).toEqual(before);
  });

test.each([["import"], ["import", "--fail-on-different"], ["import", "--update"]] as const)(
  "an account of another organization gets nothing that belongs to the input's person (%s %s)",
  async (...args) => {
    const other = { orgId: "org2", org: { name: "Two" }, humanUsers: [mallory] };
    const mock = await startMock({ mimic: "v4", seed: { orgs: [...seed.orgs, other] } });
    const before = await givenTo(mock);
    const { cwd, file } = inFolder(bodyOf(ann, BELONGINGS));
    const [command, ...flags] = args;
    const { stdout, stderr } = await runCli([command, file, "--json", ...flags], { cwd, env: mock.env });
    expect(JSON.parse(stdout).exitCode, stderr).toBe(1);
    expect(causesOf(stdout)).toEqual([
      "human_user in-other-org",
      "org_member consequence",
      "user_grant consequence",
      "user_link consequence",
      "user_metadata consequence",
    ]);
    expect(await givenTo(mock)).toEqual(before);
  },
);

test.each([
  ["one by one", ["--via", "users"]],
  ["by the import", ["--via", "import"]],
] as const)(
  "an account of another organization gets nothing if the target's answers about it are unreadable after a lost call (%s)",
  async (_, flags) => {
    const other = { orgId: "org2", org: { name: "Two" }, humanUsers: [mallory] };
    const mock = await startMock({ mimic: "v4", seed: { orgs: [...seed.orgs, other] } });
    const before = await givenTo(mock);
    const { cwd, file } = inFolder(bodyOf(ann, BELONGINGS));
    const written = { isLost: false, unreadable: 0 };
    const url = await startFront(mock, async (path, body) => {
      const isWrite = path === "/admin/v1/import" || path.startsWith("/v2/users");
      if (isWrite && !written.isLost && body.includes("u1") && !path.includes("search")) {
        written.isLost = true;
        return { status: 502, body: "Bad Gateway" };
      }
      const isAboutLife = path === "/admin/v1/events/_search" && body.includes("user.human.added");
      if (!written.isLost || written.unreadable > 0 || !isAboutLife) return undefined;
      written.unreadable += 1;
      return { status: 200, body: "<html>" };
    });
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env });
    expect(written).toEqual({ isLost: true, unreadable: 1 });
    expect(await givenTo(mock), stderr).toEqual(before);
    expect(JSON.parse(stdout).exitCode, stderr).toBe(1);
  },
);

test("a service user of another organization gets no membership that belongs to the input's one", async () => {
  const machine = { userId: "m1", user: { userName: "bot", name: "Bot" } };
  const other = { orgId: "org2", org: { name: "Two" }, machineUsers: [machine] };
  const mock = await startMock({ mimic: "v4", seed: { orgs: [...seed.orgs, other] } });
  const org = { orgId: "org1", machineUsers: [machine], orgMembers: [{ userId: "m1", roles: ["ORG_OWNER"] }] };
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" }));
  const { stdout } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
  expect(causesOf(stdout)).toEqual(["machine_user user-name-taken", "org_member consequence"]);
});

test("a service user that exists in the input's organization gets its membership", async () => {
  const mock = await startMock({ mimic: "v4", seed });
  const machineUsers = [{ userId: "m1", user: { userName: "bot", name: "Bot" } }];
  for (const orgMembers of [[], [{ userId: "m1", roles: ["ORG_OWNER"] }]]) {
    const org = { orgId: "org1", machineUsers, orgMembers };
    const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" }));
    const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
    const members = orgMembers.length === 0 ? {} : { otherObjects: { org_member: { created: 1 } } };
    expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, ...members });
  }
});

describe("a service user of the input", () => {
  const machineUsers = [{ userId: "m1", user: { userName: "bot", name: "Bot" } }];
  const orgMembers = [{ userId: "m1", roles: ["ORG_OWNER"] }];
  const org = { orgId: "org1", humanUsers: [ann], machineUsers, orgMembers };
  const input = JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" });
  const members = async (mock: TestMock) => {
    const event_types = ["org.member.added"];
    const { events } = (await call(mock, "/admin/v1/events/_search", { event_types, limit: 1000 })) as {
      events: object[];
    };
    return events.filter((event) => JSON.stringify(event).includes('"m1"')).length;
  };

  test("that another account created with another name gets no membership", async () => {
    const mock = await startMock({ mimic: "v4", seed });
    mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
    const stranger = { orgId: "org1", machineUsers: [{ user: { userId: "m1", userName: "otherbot", name: "Other" } }] };
    await call({ url: mock.url, token: "other" }, "/admin/v1/import", {
      dataOrgs: { orgs: [stranger] },
      timeout: "1m",
    });
    const { cwd, file } = inFolder(input);
    const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
    expect(JSON.parse(stdout).exitCode, stderr).toBe(1);
    expect(causesOf(stdout)).toContain("org_member other-person");
    expect(await members(mock)).toBe(0);
  });

  test("that is replaced during the run is a failure, and gets no membership", async () => {
    const mock = await startMock({ mimic: "v4", seed });
    mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
    let isFirst = true;
    const url = await serve((request, sent, response) =>
      forward(mock.url, request, sent, response, async () => {
        if (!isFirst || !sent.includes('"machineUsers"')) return;
        isFirst = false;
        mock.removeUser("m1");
        const bob = { organization: { orgId: "org1" }, userId: "m1", username: "bob" };
        await call({ url: mock.url, token: "other" }, "/v2/users/human", {
          ...bob,
          profile: { givenName: "B", familyName: "O" },
          email: { email: "bob@example.org", isVerified: true },
        });
      }),
    );
    const { cwd, file } = inFolder(input);
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
    expect(JSON.parse(stdout), stderr).toMatchObject({
      exitCode: 1,
      users: { created: 1 },
      otherObjects: { machine_user: { created: 0, failed: 1 } },
    });
    expect(causesOf(stdout)).toEqual(["machine_user taken-over", "org_member consequence"]);
    expect(await members(mock)).toBe(0);
  });
});

describe("a user that another account deletes during the job is not created again", () => {
  /** Users u1 and u2, and u2 existed before; the first call is lost before or after it took effect, and then both are deleted. */
  async function scene(isDone: boolean, flags: readonly string[]) {
    const mock = await startMock({ mimic: "v4.13", seed });
    mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
    const second = testUser(2);
    await call({ ...mock, token: "other" }, "/admin/v1/import", JSON.parse(bodyOf(second)) as object);
    let isLost = false;
    const url = await startFront(mock, async (path, sent) => {
      if (isLost || (path !== "/admin/v1/import" && !path.startsWith("/v2/users/")) || !sent.includes('"u1"')) return;
      isLost = true;
      if (isDone) await call(mock, path, JSON.parse(sent.toString()) as object);
      for (const id of ["u1", "u2"])
        await fetch(`${mock.url}/v2/users/${id}`, { method: "DELETE", headers: { authorization: "Bearer other" } });
      return { status: 502, body: "Bad Gateway" };
    });
    const org = { orgId: "org1", humanUsers: [ann, second], orgMembers: BELONGINGS.orgMembers };
    const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "5m0s" }));
    const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
    const { stdout, stderr } = await runCli(["import", file, "--json", ...flags], { cwd, env });
    return { report: JSON.parse(stdout), stderr, given: await givenTo(mock) };
  }

  for (const via of ["import", "users"])
    test(`after a lost call (--via ${via})`, async () => {
      const { report, stderr, given } = await scene(true, ["--via", via]);
      expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 0, alreadyThere: 0, failed: 2 } });
      expect(report.failures).toContainEqual(expect.objectContaining({ id: "u1", cause: "taken-over" }));
      expect(given).toEqual([]);
    });

  test("a user who existed before", async () => {
    const { report, stderr } = await scene(false, ["--via", "import"]);
    expect(report, stderr).toMatchObject({ exitCode: 1, users: { created: 1, failed: 1 } });
    expect(report.failures).toMatchObject([{ id: "u2" }]);
  });
});
