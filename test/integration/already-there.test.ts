import { expect, test } from "vitest";
import { parseAddress } from "../../src/admin/address.ts";
import { createClient } from "../../src/admin/client.ts";
import { createRedactor, Secret } from "../../src/admin/secret.ts";
import { createCleanUp } from "../../src/io/clean-up.ts";
import { openDocument } from "../../src/io/input/document.ts";
import { scanInput } from "../../src/jobs/shared/scan-input.ts";
import { compareAlreadyThere } from "../../src/jobs/verify/already-there.ts";
import type { Comparison } from "../../src/jobs/verify/by-events.ts";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { startFront } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const OTHER_HASH = "$2b$10$zyxwvutsrqponmlkjihgfeABCDEFGHIJKLMNOPQRSTUVWXYZ01234";

test("an import names existing users that differ, and --fail-on-different makes them a failure", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const before = inFolder(testBody([testUser(1), testUser(2)]));
  await runCli(["import", before.file], { cwd: before.cwd, env: mock.env });
  const { cwd, file } = inFolder(
    testBody([testUser(1), testUser(2, { hashedPassword: { value: OTHER_HASH } }), testUser(3)]),
  );
  const first = await importJson([file], { cwd, env: mock.env });
  expect(first.report).toMatchObject({
    exitCode: 0,
    users: { created: 1, alreadyThere: 2 },
    alreadyThereDifferent: [{ userId: "u2", fields: ["hash"] }],
    alreadyThereDifferentCount: 1,
  });
  expect(first.stderr).toContain("u2 (user2@example.com): hash");
  expect(JSON.stringify(first.report) + first.stderr).not.toContain(OTHER_HASH);
  const strict = await importJson([file, "--fail-on-different"], { cwd, env: mock.env });
  expect(strict.report).toMatchObject({ exitCode: 1, users: { alreadyThere: 3 }, alreadyThereDifferentCount: 1 });
});

test("without --update, role grants with other roles on the target are named by the run and the dry run, as with it", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [] } });
  const grant = (userId: string, ...roleKeys: readonly string[]) => ({ userId, projectId: "p1", roleKeys });
  const body = (...userGrants: readonly object[]): string => {
    const projectRoles = ["admin", "buyer"].map((roleKey) => ({ projectId: "p1", roleKey, displayName: roleKey }));
    const lists = { projects: [{ projectId: "p1", project: { name: "Shop" } }], projectRoles, userGrants };
    const org = { orgId: "org1", org: { name: "One" }, humanUsers: [1, 2, 3, 4].map((one) => testUser(one)), ...lists };
    return JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: "1m" });
  };
  const before = inFolder(body(grant("u1", "buyer"), grant("u2", "buyer", "admin"), grant("u3", "admin", "buyer")));
  const fresh = await importJson([before.file], { cwd: before.cwd, env: mock.env });
  expect(fresh.report, fresh.stderr).not.toHaveProperty("otherDifferences");
  const grants = [grant("u1", "admin", "buyer"), grant("u2"), grant("u3", "buyer", "admin"), grant("u4", "admin")];
  const { cwd, file } = inFolder(body(...grants));
  const place = { type: "userGrants", orgId: "org1", fields: ["roleKeys"] };
  for (const flags of [["--dry-run"], [], ["--update", "--dry-run"], ["--update"]]) {
    const { report, stderr } = await importJson([file, ...flags], { cwd, env: mock.env });
    expect(report, stderr).toMatchObject({
      ...{ exitCode: 0, otherDifferencesCount: 2 },
      otherDifferences: [
        { ...place, id: "p1_u1", userId: "u1", roleKeys: ["admin", "buyer"] },
        { ...place, id: "p1_u2", userId: "u2", roleKeys: [] },
      ],
    });
    expect(stderr).toContain("2 other objects are different on the target, and not changed");
    expect(stderr).toContain(
      "role grant in project p1 (Shop) of user u1 (user1@example.com) of organization org1 (One): roles (in the input: roles admin, buyer)",
    );
  }
});

test("if the changes of role grants cannot be read at the end, a warning says that their roles are not compared", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const lists = {
    ...{ projects: [{ projectId: "p1", project: { name: "Shop" } }], humanUsers: [testUser(1)] },
    userGrants: [{ userId: "u1", projectId: "p1", roleKeys: [] }],
  };
  const { cwd, file } = inFolder(JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", ...lists }] }, timeout: "1m" }));
  await importJson([file], { cwd, env: mock.env });
  const url = await startFront(mock, (path, text) =>
    path.includes("/events/_search") && text.includes('["user.grant.changed","user.grant.cascade.changed"')
      ? { status: 403, body: { code: 7 } }
      : undefined,
  );
  const { report, stderr } = await importJson([file], { cwd, env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url } });
  expect(report, stderr).toMatchObject({ exitCode: 0, otherObjects: { user_grant: { alreadyThere: 1 } } });
  expect(stderr).toContain("the roles of existing grants could not be compared with the input: ");
});

test("an import that creates all users compares none, and an equal user is no failure", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  const first = await importJson([file, "--fail-on-different"], { cwd, env: mock.env });
  expect(first.report).toMatchObject({ exitCode: 0 });
  expect(first.report).not.toHaveProperty("alreadyThereDifferent");
  const again = await importJson([file, "--fail-on-different"], { cwd, env: mock.env });
  expect(again.report).toMatchObject({ exitCode: 0, alreadyThereDifferent: [] });
});

test("if events cannot be read, --fail-on-different ends with 5 before anything is sent", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  await importJson([file], { cwd, env: mock.env });
  mock.addFault({ endpoint: "events", fault: "not-json" });
  expect((await importJson([file], { cwd, env: mock.env })).report).toMatchObject({ exitCode: 0 });
  const strict = await importJson([file, "--fail-on-different"], { cwd, env: mock.env });
  expect(strict.report).toMatchObject({ exitCode: 5, problems: [{ code: "api.flag-impossible" }] });
});

test("users that exist and differ are named; users that the import created are not", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const before = inFolder(testBody([testUser(1), testUser(2)]));
  await runCli(["import", before.file], { cwd: before.cwd, env: mock.env });
  const signal = new AbortController().signal;
  const api = createClient({
    address: parseAddress(mock.url, "target", false),
    credentials: { kind: "token", token: new Secret(mock.token) },
    redactor: createRedactor(),
    env: {},
    now: () => new Date(),
    log: () => {},
  });
  // As the file has them now: u1 is the same, u2 has moved, u3 was made by the import, otherwise.
  const moved = testUser(2, { email: { email: "moved@example.com", isEmailVerified: true } });
  const now = inFolder(testBody([testUser(1), moved, testUser(3)]));
  const other = inFolder(testBody([testUser(3, { userName: "three" })]));
  await runCli(["import", other.file], { cwd: other.cwd, env: mock.env });
  const said: string[] = [];
  const ui = {
    warn: (...lines: readonly string[]) => said.push(...lines),
    say() {},
    progress: () => ({ update() {}, stop() {} }),
  };
  const context = { cwd: now.cwd, signal, cleanUp: createCleanUp(), stdin: process.stdin };
  const input = await openDocument(now.file, context);
  const run = { api, input, ui, context } as unknown as Comparison; // what a comparison uses of them
  const { scan } = await scanInput(input, { onFault() {} }, run.ui, signal);
  const compare = (isUpdate: boolean) => compareAlreadyThere(run, scan, (id) => id !== "u3", isUpdate);
  expect(await compare(true)).toEqual({
    users: [{ userId: "u2", fields: ["email"] }],
    count: 1,
  });
  expect(said.join("\n")).toContain("u2 (user2@example.com): email");
  expect(said.splice(0).at(-1)).toMatch(/says, run again\.$/);
  await compare(false);
  expect(said.at(-1)).toMatch(/says, use --update\.$/);
  await input.close();
  await api.close();
});

test("another run creates a user while this one is under way: the reason is that, and not that the name is taken", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  // The service refuses the second of two calls at the same time for the name, which it looks at last.
  const error = { type: "human_user", id: "u1", message: "ID=V3-DKcYh Message=Errors.User.AlreadyExists" };
  const url = await startFront(mock, async (path) => {
    if (path !== "/admin/v1/import") return undefined;
    const headers = { authorization: `Bearer ${mock.token}` };
    await fetch(`${mock.url}${path}`, { method: "POST", headers, body: testBody([testUser(1)]) });
    return { status: 200, body: { errors: [error], success: { orgs: [{ orgId: "org1" }] } } };
  });
  const { cwd, file } = inFolder(testBody([testUser(1)]));
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 1,
    failureCauses: { "made-meanwhile": 1 },
    failures: [{ id: "u1", cause: "made-meanwhile" }],
  });
  expect(stderr.replace(/\s+/g, " ")).toContain("Run again: the next run compares the user.");
});
