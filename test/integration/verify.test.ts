import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashSync } from "bcryptjs";
import { describe, expect, test } from "vitest";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const OTHER_HASH = "$2b$10$zyxwvutsrqponmlkjihgfeABCDEFGHIJKLMNOPQRSTUVWXYZ01234";

/** Six users as they were imported, and as a file has them that has changed since. */
const imported = [1, 2, 3, 4, 5, 6].map((number) => testUser(number));
const expected = [
  testUser(1),
  testUser(2, { email: { email: "moved@example.com", isEmailVerified: true } }),
  testUser(3, { hashedPassword: { value: OTHER_HASH } }),
  testUser(4, { userName: "four", profile: { firstName: "Ida", lastName: "Lovelace" } }),
  testUser(7),
  testUser(5),
];

async function verifyJson(content: string, by: string, name = "body.json") {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd } = inFolder(content, name);
  writeFileSync(join(cwd, "imported.json"), testBody(imported));
  expect((await runCli(["import", "imported.json"], { cwd, env: mock.env })).exitCode).toBe(0);
  const { stdout, stderr, exitCode } = await runCli(["verify", name, "--by", by, "--json"], { cwd, env: mock.env });
  return { report: JSON.parse(stdout), stderr, exitCode, text: stdout + stderr };
}

test.each(["events", "export"])(
  "by %s, what is missing and what is different is named field by field, with its line",
  async (by) => {
    const { report, stderr, exitCode, text } = await verifyJson(testBody(expected), by);
    expect(exitCode, stderr).toBe(1);
    const type = by === "events" ? "human_user" : "humanUsers";
    expect(report).toMatchObject({
      missing: [{ type, id: "u7", orgId: "org1", line: 6 }],
      different: [
        { type, id: "u2", orgId: "org1", line: 3, fields: ["email"] },
        { type, id: "u3", orgId: "org1", line: 4, fields: ["hash"] },
        { type, id: "u4", orgId: "org1", line: 5, fields: expect.arrayContaining(["userName", "firstName"]) },
      ],
      differentCount: 3,
      changedSinceCount: 0,
    });
    expect(report.unexpected.join(" ")).toContain("u6");
    expect(stderr.replace(/\s+/g, " ")).toMatch(/the target has \d+ (users?|objects?) that the file lacks: .*u6/);
    expect(stderr).toContain(`different: ${type} u2 (user2@example.com) of organization org1 (body.json:3): email`);
    expect(text).not.toContain(OTHER_HASH);
    expect(text).not.toContain("moved@example.com");
  },
);

test.each(["events", "export"])("by %s, all users arrived as in the input", async (by) => {
  const { report, stderr, exitCode } = await verifyJson(testBody(imported), by);
  expect(exitCode, stderr).toBe(0);
  expect(report).toMatchObject({ missing: [], different: [], differentCount: 0 });
  expect(report.expected).toBe(report.found);
});

test("ids that would move the cursor are written out for people, and whole in the report", async () => {
  const nasty = { ...testUser(9), userId: "u9\u001b[2J\nerror: all is lost" };
  const { report, stderr } = await verifyJson(testBody([nasty]), "events");
  expect(report.missing).toMatchObject([{ id: nasty.userId }]);
  expect(stderr).not.toContain("\u001b");
  expect(stderr).not.toMatch(/^error: all is lost/m);
});

test("verify of a body with roles says that it compares users and metadata only", async () => {
  const userGrants = [{ userId: "u1", projectId: "p", roleKeys: ["admin"] }];
  const withGrants = JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [testUser(1)], userGrants }] } });
  const { stderr } = await verifyJson(withGrants, "events");
  expect(stderr).toContain("users and their metadata only; not compared: 1 userGrants. --by export compares all.");
  expect((await verifyJson(testBody([testUser(1)]), "events")).stderr).not.toContain("not compared");
});

test("import --verify is exit 1 for an existing user with another address", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd } = inFolder(testBody(imported));
  await runCli(["import", "body.json"], { cwd, env: mock.env });
  writeFileSync(
    join(cwd, "next.json"),
    testBody([testUser(2, { email: { email: "m@example.com", isEmailVerified: true } })]),
  );
  const { stdout, exitCode, stderr } = await runCli(["import", "next.json", "--verify", "--json"], {
    cwd,
    env: mock.env,
  });
  expect(exitCode, stderr).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    users: { alreadyThere: 1 },
    different: [{ id: "u2", fields: ["email"] }],
  });
});

test("a hash that a body lacks is no difference, as an update keeps the password; an export says that there is none", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody([testUser(1), testUser(2), testUser(3)]));
  expect((await runCli(["import", file], { cwd, env: mock.env })).exitCode).toBe(0);
  const address = { email: { email: "user2@example.com", isEmailVerified: false } };
  const users = [testUser(1, { hashedPassword: undefined }), testUser(2), testUser(3)];
  const later = inFolder(testBody(users));
  const run = async (...args: readonly string[]) => {
    const { stdout } = await runCli([...args, "--json"], { cwd: later.cwd, env: mock.env });
    return JSON.parse(stdout);
  };
  const updated = await run("import", later.file, "--update", "--verify", "--yes");
  expect(updated).toMatchObject({
    ...{ exitCode: 0, users: { unchanged: 3 }, update: { notInFile: [{ userId: "u1", fields: ["hash"] }] } },
    ...{ found: 3, different: [] },
  });
  for (const by of ["events", "export"])
    expect(await run("verify", later.file, "--by", by)).toMatchObject({ exitCode: 0, different: [] });
  writeFileSync(join(later.cwd, "unverified.json"), testBody([testUser(1), testUser(2, address)]));
  expect(await run("import", "unverified.json", "--update", "--yes")).toMatchObject({
    update: { notUpdated: [{ userId: "u2", fields: ["isEmailVerified"] }] },
  });
});

test.each(["events", "export"])(
  "by %s, an address or number that is verified and not so in the input is named, and no fault, as for an update",
  async (by) => {
    const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const phone = { phone: "+41791234567", isPhoneVerified: true };
    const { cwd, file } = inFolder(testBody([testUser(1), testUser(2, { phone }), testUser(3), testUser(4)]));
    expect((await runCli(["import", file], { cwd, env: mock.env })).exitCode).toBe(0);
    const address = (email: string) => ({ email: { email, isEmailVerified: false } });
    const users = [
      testUser(1, address("user1@example.com")),
      testUser(2, { phone: { ...phone, isPhoneVerified: false } }),
      testUser(3, address("other@example.com")),
      testUser(4),
    ];
    const later = inFolder(testBody(users));
    const run = async (...args: readonly string[]) => {
      const { stdout, stderr } = await runCli([...args, "--json"], { cwd: later.cwd, env: mock.env });
      return { report: JSON.parse(stdout), stderr };
    };
    const { report, stderr } = await run("verify", later.file, "--by", by);
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      different: [{ id: "u3", fields: ["email", "isEmailVerified"] }],
      changedSinceCount: 0,
      keptVerified: [
        { id: "u1", orgId: "org1", line: 2, fields: ["isEmailVerified"] },
        { id: "u2", fields: ["isPhoneVerified"] },
      ],
      keptVerifiedCount: 2,
    });
    expect(stderr).toContain(
      "2 have a verified address or number that is not verified in the input: u1 (user1@example.com): isEmailVerified; u2",
    );
    expect(stderr).toContain("A verified address or number cannot become unverified.");
    const kept = inFolder(testBody([...users.slice(0, 2), testUser(4)]));
    const again = await runCli(["import", kept.file, "--verify", "--json"], { cwd: kept.cwd, env: mock.env });
    expect(JSON.parse(again.stdout), again.stderr).toMatchObject({
      ...{ exitCode: 0, found: 3, differentCount: 0, keptVerifiedCount: 2, alreadyThereDifferentCount: 0 },
    });
    expect(again.stderr).toContain("verified: 3 of 3 found, 1 identical");
  },
);

/** An account besides that of the token, which changes users. */
function otherAccount(mock: Awaited<ReturnType<typeof startMock>>) {
  mock.addToken("other", { userId: "other", roles: ["IAM_OWNER"] });
  return async (userId: string, body: object): Promise<void> => {
    const headers = { authorization: "Bearer other", "content-type": "application/json" };
    const answer = await fetch(`${mock.url}/v2/users/human/${userId}`, {
      ...{ method: "PUT", headers, body: JSON.stringify(body) },
    });
    expect(answer.status, await answer.text()).toBeLessThan(300);
  };
}

const phoneOf = (end: number) => ({ phone: { phone: `+417912345${end}`, isPhoneVerified: true } });

describe("values of users that the target has and the file lacks", () => {
  const bodyOf = (humanUsers: readonly object[], userMetadata: readonly object[]) =>
    JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", humanUsers, userMetadata }] }, timeout: "1m" });
  const theme = (id: string) => ({ id, key: "theme", value: "ZGFyaw==" });

  test("are named as an update names them, and are no fault; values of others and of the user are not among them", async () => {
    const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const codes = { otpCode: "JBSWY3DPEHPK3PXP" };
    const before = [
      testUser(1, { ...phoneOf(61), ...codes }),
      testUser(2, phoneOf(62)),
      testUser(3, phoneOf(63)),
      testUser(4),
    ];
    const { cwd, file } = inFolder(bodyOf(before, [theme("u1"), theme("u2")]));
    expect((await runCli(["import", file, "--no-mail"], { cwd, env: mock.env })).exitCode).toBe(0);
    const change = otherAccount(mock);
    await change("u3", { username: "hers" });
    await change("u4", { password: { hashedPassword: { hash: OTHER_HASH } } });
    await change("u4", { phone: { phone: "+41791234564", isVerified: true } });
    const users = [
      testUser(1, { hashedPassword: undefined }),
      testUser(2, phoneOf(62)),
      testUser(3),
      testUser(4, { hashedPassword: undefined }),
    ];
    const later = inFolder(bodyOf(users, [theme("u2")]));
    const run = async (...args: readonly string[]) => {
      const { stdout, stderr } = await runCli([...args, "--json"], { cwd: later.cwd, env: mock.env });
      return { report: JSON.parse(stdout), stderr };
    };
    const updated = await run("import", later.file, "--update", "--dry-run", "--no-mail");
    const { notInFile } = updated.report.update;
    expect(notInFile).toEqual(
      expect.arrayContaining([
        { userId: "u1", fields: ["phone", "otp", "hash", "metadata.theme"] },
        { userId: "u3", fields: ["phone"] },
      ]),
    );
    expect(notInFile).toHaveLength(2);
    const { report, stderr } = await run("verify", later.file, "--html", "page.html");
    expect(report, stderr).toMatchObject({
      exitCode: 0,
      ...{ found: 4, identical: 2, differentCount: 0, notInFileCount: 2 },
      notInFile: [
        { id: "u1", orgId: "org1", line: 1, fields: ["phone", "otp", "hash", "metadata.theme"] },
        { id: "u3", fields: ["phone"] },
      ],
      changedSince: [{ id: "u3", fields: ["userName"] }],
    });
    expect(stderr).toContain("verified: 4 of 4 found, 2 identical");
    expect(stderr).toContain(
      "2 users have values on the target that the file lacks: u1 (user1@example.com): phone, otp, hash, metadata.theme; u3",
    );
    expect(stderr).not.toMatch(/^warning: .*u1/m);
    const page = readFileSync(join(later.cwd, "page.html"), "utf8");
    expect(page).toContain("phone, otp, hash, metadata.theme");
    const exported = await run("verify", later.file, "--by", "export");
    expect(exported.report, exported.stderr).toMatchObject({
      notInFile: [
        { id: "u1", fields: ["phone", "otp", "hash"] },
        { id: "u3", fields: ["phone"] },
      ],
    });
    expect(exported.report.different).not.toContainEqual(expect.objectContaining({ id: "u1" }));
  });

  test.each(["events", "export"])("are names for which the file has one name or an address, by %s", async (by) => {
    const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const named = (number: number, firstName: string, lastName: string, displayName?: string) =>
      testUser(number, { profile: { firstName, lastName, displayName } });
    const first = inFolder(testBody([named(1, "Ann", "Lee"), named(2, "Bob", "Ray"), named(3, "Cyd", "Ohm")]));
    expect((await runCli(["import", first.file], { cwd: first.cwd, env: mock.env })).exitCode).toBe(0);
    const address = "user1@example.com";
    const users = [named(1, address, address, address), named(2, "Bob", "Bob", "Bob"), named(3, "Cyd", "Moe")];
    const { cwd, file } = inFolder(testBody(users));
    const updated = await runCli(["import", file, "--update", "--dry-run", "--json"], { cwd, env: mock.env });
    const { notInFile } = JSON.parse(updated.stdout).update;
    expect(notInFile).toEqual([
      { userId: "u1", fields: ["firstName", "lastName", "displayName"] },
      { userId: "u2", fields: ["lastName", "displayName"] },
    ]);
    const { stdout, stderr } = await runCli(["verify", file, "--by", by, "--json"], { cwd, env: mock.env });
    const report = JSON.parse(stdout);
    expect(report.notInFile, stderr).toMatchObject([
      { id: "u1", fields: notInFile[0].fields },
      { id: "u2", fields: notInFile[1].fields },
    ]);
    expect(report.different, stderr).toMatchObject([{ id: "u3", fields: expect.arrayContaining(["lastName"]) }]);
  });

  test("of an export are also those that others have set; without events, a warning says that they are not known", async () => {
    const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const users = [testUser(1, phoneOf(61)), testUser(2), testUser(3, { hashedPassword: undefined })];
    const { cwd, file } = inFolder(testBody(users));
    const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
    expect((await runCli(["import", file, "--yes"], { cwd, env })).exitCode).toBe(0);
    const exporting = ["export", "--org-id", "org1", "--with-passwords", "--output", "export.json"];
    expect((await runCli(exporting, { cwd, env })).exitCode).toBe(0);
    const path = join(cwd, "export.json");
    const { orgs } = JSON.parse(readFileSync(path, "utf8"));
    delete orgs[0].humanUsers.find(({ userId }: { userId: string }) => userId === "u1").user.phone;
    writeFileSync(path, JSON.stringify({ orgs }));
    const change = otherAccount(mock);
    await change("u2", { phone: { phone: "+41791234562", isVerified: true } });
    await change("u3", { password: { hashedPassword: { hash: OTHER_HASH } } });
    const run = async (...args: readonly string[]) => {
      const { stdout, stderr } = await runCli(["verify", "export.json", "--json", ...args], { cwd, env });
      return { report: JSON.parse(stdout), stderr };
    };
    for (const by of ["events", "export"]) {
      const { report, stderr } = await run("--by", by);
      expect(report, stderr).toMatchObject({
        ...{ exitCode: 0, different: [], notInFileCount: 2 },
        changedSince: [{ id: "u3", fields: ["hash"] }],
        notInFile: [
          { id: "u1", fields: ["phone"] },
          { id: "u2", fields: ["phone"] },
        ],
      });
      expect(report.identical).toBe(report.found - 3);
    }
    mock.addFault({ endpoint: "events", fault: "403" });
    const { report, stderr } = await run();
    expect(report, stderr).not.toHaveProperty("notInFile");
    expect(stderr).toContain("which values users have on the target only is not known, since events cannot be read");
  });
});

describe("what users have on the target only", () => {
  const provider = (idpId: string) => ({
    idpId,
    idp: { name: idpId, issuer: "https://example.org", clientId: "c", clientSecret: "s" },
  });
  const project = {
    oidcIdps: [provider("google"), provider("github")],
    projects: [{ projectId: "p1", project: { name: "Shop" } }],
    projectRoles: [{ projectId: "p1", roleKey: "admin", displayName: "Admin" }],
  };
  const grant = (userId: string) => ({ projectId: "p1", userId, roleKeys: ["admin"] });
  const link = (userId: string, idpId: string) => ({ userId, idpId, providedUserId: `${idpId}-${userId}` });
  const owner = (userId: string) => ({ userId, roles: ["ORG_OWNER"] });
  const bodyOf = (org: object) => JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", ...org }] }, timeout: "1m" });
  const wanted = {
    humanUsers: [testUser(1), testUser(2)],
    userGrants: [grant("u1")],
    orgMembers: [owner("u1")],
    userLinks: [link("u1", "google")],
  };

  async function withMore() {
    const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
    const more = {
      ...project,
      humanUsers: [testUser(1), testUser(2), testUser(3)],
      userGrants: ["u1", "u2", "u3"].map(grant),
      orgMembers: ["u1", "u2"].map(owner),
      userLinks: [link("u1", "google"), link("u1", "github")],
    };
    const { cwd, file } = inFolder(bodyOf(more));
    const first = await runCli(["import", file, "--json", "--yes"], { cwd, env: mock.env });
    expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ exitCode: 0 });
    const run = async (body: object, ...args: readonly string[]) => {
      const folder = inFolder(bodyOf(body));
      const [command = "", ...flags] = args;
      const argv = [command, folder.file, "--json", ...flags];
      const { stdout, stderr } = await runCli(argv, { cwd: folder.cwd, env: mock.env });
      return { report: JSON.parse(stdout), stderr };
    };
    return { mock, run };
  }

  test("is named as an update names it, by events, and changes no exit code", async () => {
    const { run } = await withMore();
    const update = await run(wanted, "import", "--update", "--dry-run");
    const onlyOnTarget = [
      { type: "userLinks", id: "u1_github", orgId: "org1", userId: "u1" },
      { type: "userGrants", id: "p1_u2", orgId: "org1", userId: "u2" },
      { type: "orgMembers", id: "u2", orgId: "org1", userId: "u2" },
    ];
    expect(update.report.onlyOnTarget).toEqual(expect.arrayContaining(onlyOnTarget));
    for (const args of [["verify"], ["import", "--verify", "--yes"]]) {
      const { report, stderr } = await run(wanted, ...args);
      expect(report, stderr).toMatchObject({ exitCode: 0, differentCount: 0, onlyOnTargetCount: 3 });
      expect(report.onlyOnTarget).toEqual(update.report.onlyOnTarget);
      expect(stderr).toContain(
        "3 grants, project grants, triggers, lists of texts, memberships, links, keys or service users are on the target only,",
      );
      expect(stderr).toContain("role grant in project p1 of user u2 (user2@example.com) of organization org1\n");
    }
    const both = await run(wanted, "import", "--update", "--verify", "--yes");
    expect(both.stderr.match(/are on the target only/g)).toHaveLength(1);
    expect(both.report.onlyOnTarget).toEqual(update.report.onlyOnTarget);
  });

  test("is of the lists that the input has; a target that exports nothing is said", async () => {
    const { mock, run } = await withMore();
    const { humanUsers, userGrants } = wanted;
    const { report } = await run({ humanUsers, userGrants }, "verify");
    expect(report.onlyOnTarget).toEqual([{ type: "userGrants", id: "p1_u2", orgId: "org1", userId: "u2" }]);
    const exports = () => mock.requests.filter(({ path }) => path.endsWith("/export")).length;
    const before = exports();
    expect((await run({ humanUsers }, "verify")).report).not.toHaveProperty("onlyOnTarget");
    expect(exports()).toBe(before);
    mock.addFault({ endpoint: "export", fault: "403" });
    const refused = await run({ humanUsers, userGrants }, "verify");
    expect(refused.report, refused.stderr).toMatchObject({ exitCode: 0, found: 2 });
    expect(refused.report).not.toHaveProperty("onlyOnTarget");
    expect(refused.stderr).toContain("which grants, memberships and links are on the target only is not known");
  });
});

test("after undo, metadata and e-mails of users who were found are counted, and no others", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const noHash = { hashedPassword: undefined, email: { email: "a@example.com", isEmailVerified: false } };
  const users = [1, 2, 3].map((number) => testUser(number, { ...noHash, userName: `user${number}@example.com` }));
  const userMetadata = ["u1", "u1", "u2", "u3"].map((id, at) => ({ id, key: `k${at}`, value: "dg==" }));
  const body = { dataOrgs: { orgs: [{ orgId: "org1", humanUsers: users, userMetadata }] }, timeout: "1m" };
  const { cwd, file } = inFolder(JSON.stringify(body));
  expect((await runCli(["import", file, "--yes"], { cwd, env: mock.env })).exitCode).toBe(0);
  const verified = async () => JSON.parse((await runCli(["verify", file, "--json"], { cwd, env: mock.env })).stdout);
  expect(await verified()).toMatchObject({ found: 3, metadataCompared: 4, mailed: 3 });
  mock.removeUser("u1");
  expect(await verified()).toMatchObject({ found: 2, metadataCompared: 2, mailed: 2 });
});

test("events of users of a type that orgferry does not know are named: what they changed is not compared", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody(imported));
  expect((await runCli(["import", file], { cwd, env: mock.env })).exitCode).toBe(0);
  const newer = "user.human.fancy.set";
  const url = await startFront(mock, (path, body) => {
    if (path === "/admin/v1/events/types/_search") return { status: 200, body: { eventTypes: [{ type: newer }] } };
    const isAsked = path === "/admin/v1/events/_search" && body.includes(newer);
    return isAsked
      ? { status: 200, body: { events: [{ aggregate: { id: "u1" }, type: { type: newer } }] } }
      : undefined;
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["verify", file, "--by", "events", "--json"], { cwd, env });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, found: 6, unknownEventTypes: [newer] });
  expect(stderr).toContain(`the event log has events of users that orgferry does not know: ${newer}.`);
});

test("entries that the service's lists have lost are missing by export, and not by events", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const ids = ["u1", "u2", "u3"];
  const org = {
    orgId: "org1",
    humanUsers: imported.slice(0, 3),
    userMetadata: ids.map((id) => ({ id, key: "theme", value: "ZGFyaw==" })),
    projects: [{ projectId: "p1", project: { name: "Shop" } }],
    projectRoles: [{ projectId: "p1", roleKey: "admin", displayName: "Admin" }],
    userGrants: ids.map((userId) => ({ projectId: "p1", userId, roleKeys: ["admin"] })),
    orgMembers: ids.map((userId) => ({ userId, roles: ["ORG_OWNER"] })),
  };
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "1m" }));
  // Their events exist, no list has them (service behaviour 0.41, 9.24), and an export is made from the lists.
  const url = await startFront(mock, async (path, body) => {
    if (path !== "/admin/v1/export") return undefined;
    const headers = { authorization: `Bearer ${mock.token}` };
    const answer = await fetch(mock.url + path, { method: "POST", headers, body: new Uint8Array(body) });
    const { orgs = [] } = (await answer.json()) as {
      orgs?: Record<string, readonly { id?: string; userId?: string }[]>[];
    };
    for (const one of orgs)
      for (const [list, lost] of [
        ["userMetadata", "u1"],
        ["userGrants", "u2"],
        ["orgMembers", "u3"],
      ] as const)
        one[list] = (one[list] ?? []).filter(({ id, userId }) => (id ?? userId) !== lost);
    return { status: 200, body: { orgs } };
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const run = async (...args: readonly string[]) =>
    JSON.parse((await runCli([...args, "--json"], { cwd, env })).stdout);
  expect(await run("import", file, "--verify")).toMatchObject({ exitCode: 0, metadataCompared: 3, differentCount: 0 });
  expect(await run("verify", file, "--by", "events")).toMatchObject({ exitCode: 0, missing: [] });
  const byExport = await run("verify", file, "--by", "export");
  expect(byExport).toMatchObject({ exitCode: 1, different: [] });
  expect(byExport.missing.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`).sort()).toEqual([
    "orgMembers u3",
    "userGrants p1_u2",
    "userMetadata u1_theme",
  ]);
});

test("an export has a password as a sign-in hashed it again: it is the target's, by events and for an update", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const hash = hashSync("Grüße 42 & Σ", 5);
  const { cwd, file } = inFolder(testBody([testUser(1, { hashedPassword: { value: hash } }), testUser(2)]));
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr } = await runCli([...args, "--json"], { cwd, env });
    return { report: JSON.parse(stdout), stderr };
  };
  expect((await run("import", file)).report.exitCode).toBe(0);
  const session = await fetch(`${mock.url}/v2/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.token}`, "content-type": "application/json" },
    body: JSON.stringify({ checks: { user: { userId: "u1" }, password: { password: "Grüße 42 & Σ" } } }),
  });
  expect(session.status).toBe(201);
  await run("export", "--org-id", "org1", "--with-passwords", "--output", "export.json");
  const exported = JSON.parse(readFileSync(join(cwd, "export.json"), "utf8")).orgs[0].humanUsers;
  expect(
    exported.map(({ user }: { user: { hashedPassword: { value: string } } }) => user.hashedPassword.value),
  ).not.toContain(hash);
  const seen = await run("verify", "export.json", "--by", "events");
  expect(seen.report, seen.stderr).toMatchObject({ exitCode: 0, differentCount: 0, changedSinceCount: 0 });
  // What was imported is the same password.
  expect((await run("verify", file, "--by", "events")).report).toMatchObject({ exitCode: 0, differentCount: 0 });
  for (const content of ["export.json", file]) {
    const update = await run("import", content, "--update", "--dry-run");
    expect(update.report, update.stderr).toMatchObject({ update: { update: [], conflict: [], unchanged: 2 } });
  }
});

test("a password that an update set, and that a sign-in hashed again, is the same, by events and by export", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const run = async (users: readonly object[], ...args: readonly string[]) => {
    const { cwd, file } = inFolder(testBody(users));
    const [command = "", ...flags] = args;
    const { stdout, stderr } = await runCli([command, file, "--json", ...flags], { cwd, env: mock.env });
    return { report: JSON.parse(stdout), stderr };
  };
  const users = [testUser(1), testUser(2)];
  const updated = [testUser(1, { hashedPassword: { value: hashSync("Grüße 42 & Σ", 5) } }), testUser(2)];
  await run(users, "import");
  expect((await run(updated, "import", "--update", "--yes")).report).toMatchObject({ users: { updated: 1 } });
  const session = await fetch(`${mock.url}/v2/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${mock.token}`, "content-type": "application/json" },
    body: JSON.stringify({ checks: { user: { userId: "u1" }, password: { password: "Grüße 42 & Σ" } } }),
  });
  expect(session.status).toBe(201);
  for (const by of ["events", "export"]) {
    const same = await run(updated, "verify", "--by", by);
    expect(same.report, same.stderr).toMatchObject({ exitCode: 0, differentCount: 0, changedSinceCount: 0 });
    // The account itself has replaced this one.
    const { report, stderr } = await run(users, "verify", "--by", by);
    expect(report, stderr).toMatchObject({
      exitCode: 1,
      changedSinceCount: 0,
      different: [{ id: "u1", fields: ["hash"] }],
    });
  }
});

test("by events, a user who is locked or deactivated after the import is named, by export different", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  mock.addToken("admin", { userId: "admin", roles: ["IAM_OWNER"] });
  const { cwd, file } = inFolder(testBody([testUser(1), testUser(2), { ...testUser(3), state: "USER_STATE_LOCKED" }]));
  const env = { ...mock.env, ZITADEL_EXPORT_DOMAIN: mock.url, PAT_EXPORT_TOKEN: mock.token };
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr } = await runCli([...args, "--json"], { cwd, env });
    return { report: JSON.parse(stdout), stderr };
  };
  expect((await run("import", file)).report.exitCode).toBe(0);
  await run("export", "--org-id", "org1", "--with-passwords", "--output", "export.json");
  expect((await run("verify", file)).report).toMatchObject({ exitCode: 0, changedSinceCount: 0 });
  expect((await run("verify", "export.json")).report).toMatchObject({ exitCode: 0, differentCount: 0 });
  const headers = { authorization: "Bearer admin", "content-type": "application/json" };
  for (const path of ["u1/lock", "u2/deactivate", "u3/unlock"])
    await fetch(`${mock.url}/v2/users/${path}`, { method: "POST", headers, body: "{}" });
  const changed = ["u1", "u2", "u3"].map((id) => ({ id, fields: ["state"] }));
  const { report, stderr } = await run("verify", file);
  expect(report, stderr).toMatchObject({ exitCode: 0, differentCount: 0, changedSince: changed });
  expect(stderr).toContain("verified: 3 of 3 found, 0 identical");
  expect(stderr).toContain("3 changed on the target since the users were created: u1 (user1@example.com): state; u2");
  expect((await run("verify", "export.json")).report).toMatchObject({ exitCode: 1, different: changed });
});

test("by events, a value that the import itself set is no later change when the file has another one", async () => {
  const mock = await startMock({ mimic: "v4", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const run = async (command: string, users: readonly object[], ...flags: readonly string[]) => {
    const { cwd, file } = inFolder(testBody(users));
    const { stdout, stderr } = await runCli([command, file, "--json", ...flags], { cwd, env: mock.env });
    return { report: JSON.parse(stdout), stderr };
  };
  const locked = { ...testUser(1), state: "USER_STATE_LOCKED" };
  await run("import", [locked, testUser(2)]);
  await run("import", [locked, testUser(2, { userName: "b" })], "--update");
  const { report, stderr } = await run("verify", [testUser(1), testUser(2)]);
  expect(report, stderr).toMatchObject({
    exitCode: 1,
    changedSinceCount: 0,
    different: [
      { id: "u1", fields: ["state"] },
      { id: "u2", fields: ["userName"] },
    ],
  });
});

test("a required change of the password that the import endpoint drops is different, by events and by export", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  mock.addToken("other", { userId: "other", roles: ["IAM_OWNER"] });
  const required = { passwordChangeRequired: true };
  const { cwd, file } = inFolder(testBody([testUser(1, required), testUser(2, required), testUser(3)]));
  const run = async (...argv: readonly string[]) => {
    const { stdout, exitCode, stderr } = await runCli([...argv, "--json"], { cwd, env: mock.env });
    return { report: JSON.parse(stdout), exitCode, stderr };
  };
  expect((await run("import", file)).exitCode).toBe(0);
  for (const by of ["events", "export"]) expect((await run("verify", file, "--by", by)).exitCode).toBe(0);
  for (const id of ["u1", "u2", "u3"]) mock.removeUser(id);
  expect((await run("import", file, "--via", "import")).exitCode).toBe(0);
  const headers = { authorization: "Bearer other" };
  const body = JSON.stringify({ newPassword: { password: "Secret-1234!" } });
  expect((await fetch(`${mock.url}/v2/users/u2/password`, { method: "POST", headers, body })).status).toBe(200);
  const fields = ["passwordChangeRequired"];
  for (const by of ["events", "export"]) {
    const { report, exitCode, stderr } = await run("verify", file, "--by", by);
    expect(exitCode, stderr).toBe(1);
    expect(report).toMatchObject({
      different: [{ id: "u1", fields }],
      changedSince: [{ id: "u2", fields: ["hash", ...fields] }],
    });
  }
  const none = inFolder(testBody([testUser(1), testUser(2), testUser(3)]));
  const update = { method: "PUT", headers: { authorization: `Bearer ${mock.token}` } };
  const hash = (testUser(3).user["hashedPassword"] as { value: string }).value;
  const temporary = JSON.stringify({ password: { hashedPassword: { hash, changeRequired: true } } });
  expect((await fetch(`${mock.url}/v2/users/human/u3`, { ...update, body: temporary })).status).toBe(200);
  const { stdout } = await runCli(["verify", none.file, "--json"], { cwd: none.cwd, env: mock.env });
  // An update keeps what a body does not mention.
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, different: [], notInFile: [{ id: "u3", fields }] });
});

test("by export, another OTP secret is different", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const withSecret = (otpCode: string) => testBody([testUser(1, { otpCode })]);
  const first = inFolder(withSecret("JBSWY3DPEHPK3PXP"));
  expect((await runCli(["import", first.file], { cwd: first.cwd, env: mock.env })).exitCode).toBe(0);
  for (const [secret, different] of [
    ["JBSWY3DPEHPK3PXP", []],
    ["jbsw y3dp ehpk 3pxp", []],
    ["KRSXG5CTMVRXEZLU", [{ id: "u1", fields: ["otp"] }]],
  ] as const) {
    const { cwd, file } = inFolder(withSecret(secret));
    const { stdout, stderr } = await runCli(["verify", file, "--by", "export", "--json"], { cwd, env: mock.env });
    expect(JSON.parse(stdout).different, stderr).toMatchObject(different);
    expect(stdout + stderr).not.toContain(secret);
  }
});
