import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock } from "../helpers/start-mock.ts";

/** Elements that end the whole process of a real service (service behaviour 0.1; recordings v4-crash, v2-crash). */
const deadly: readonly (readonly [string, object])[] = [
  ["humanUsers", { userId: "x" }],
  ["humanUsers", { userId: "x", user: null }],
  ["machineUsers", { userId: "x" }],
  ["projects", { projectId: "p" }],
  ["oidcApps", { appId: "p" }],
  ["apiApps", { appId: "p" }],
  ["projectGrants", { grantId: "g" }],
  ["actions", { actionId: "g" }],
  ["oidcIdps", { idpId: "g" }],
  ["jwtIdps", { idpId: "g" }],
];
const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const wraps: readonly (readonly [string, (orgs: string) => string])[] = [
  ["a body", (orgs) => `{"dataOrgs":{"orgs":${orgs}},"timeout":"1m"}`],
  ["a body in snake_case", (orgs) => `{"data_orgs":{"orgs":${orgs}},"timeout":"1m"}`],
  ["a body of the first major version", (orgs) => `{"data_orgsv1":{"orgs":${orgs}},"timeout":"1m"}`],
  ["an export", (orgs) => `{"orgs":${orgs}}`],
  // Within a text there are no lines but that of the text.
  ["organizations as a text", (orgs) => `{"timeout":"1m",\n\n"data_orgsv1":${JSON.stringify(`{"orgs":${orgs}}`)}}`],
];

test.each(wraps)("nothing that ends the service's process is sent: %s", async (_, wrap) => {
  const mock = await startMock();
  for (const [list, element] of deadly) {
    for (const key of new Set([list, snake(list)])) {
      const orgs = `[{"orgId":"o",\n"${key}":[\n${JSON.stringify(element)}]}]`;
      const { cwd, file } = inFolder(wrap(orgs));
      const { report, stderr } = await importJson([file], { cwd, env: mock.env });
      expect(report.exitCode, stderr).toBe(3);
      expect(report.problems[0]).toMatchObject({ code: "element.no-content", file });
      expect(stderr).toContain(`${file}:3: `);
      expect(stderr).toContain(`the service crashes on an entry of ${list} without it`);
    }
  }
  expect(mock.requests).toEqual([]);
});

test.each(["null", '"text"', "[]", "1"])("an element that is %s is refused in every list", async (element) => {
  const mock = await startMock();
  for (const list of ["humanUsers", "projects", "userGrants", "domains", "loginTexts", "jwtIdps", "orgMembers"]) {
    const { cwd, file } = inFolder(`{"orgs":[{"orgId":"o",\n"${list}":[\n{"user":{},"project":{}},\n${element}]}]}`);
    const { report } = await importJson([file], { cwd, env: mock.env });
    expect(report.exitCode).toBe(3);
    expect(report.problems).toContainEqual(expect.objectContaining({ code: "element.not-object", line: 4 }));
  }
  expect(mock.requests).toEqual([]);
});

test("of two role grants of a user in a project, the service would keep one: the second is refused, if its roles differ", async () => {
  const mock = await startMock();
  const grant = (roleKeys: readonly string[], more: object = {}) =>
    JSON.stringify({ userId: "u1", projectId: "p", roleKeys, ...more });
  const runOrgs = async (orgs: string) => {
    const { cwd, file } = inFolder(`{"orgs":[${orgs}]}`);
    return (await importJson([file, "--dry-run"], { cwd, env: mock.env })).report;
  };
  const org = (orgId: string, ...grants: readonly string[]) =>
    `{"orgId":"${orgId}",\n"userGrants":[\n${grants.join(",\n")}]}`;
  const run = (...grants: readonly string[]) => runOrgs(org("o", ...grants));
  const refused = await run(grant(["a", "b"]), grant(["b", "a", "a"]), grant(["a"]));
  expect(refused).toMatchObject({ exitCode: 3 });
  expect(refused.problems).toEqual([
    expect.objectContaining({ code: "element.second-grant", field: "roleKeys", line: 5, id: "p_u1" }),
    expect.objectContaining({ code: "input.invalid-entries" }),
  ]);
  expect(mock.requests).toEqual([]);
  const fine = await run(grant(["a"]), grant(["b"], { userId: "u2" }), grant(["b"], { projectGrantId: "g" }));
  expect(fine.problems.map(({ code }) => code)).not.toContain("element.second-grant");
  // The same organization may stand in several entries.
  const other = await runOrgs([org("o", grant(["a"])), org("o2", grant(["b"])), org("o", grant(["b"]))].join(",\n"));
  expect(other.problems).toContainEqual(expect.objectContaining({ code: "element.second-grant", line: 9, id: "p_u1" }));
  expect(other.problems.filter(({ code }) => code === "element.second-grant")).toHaveLength(1);
});

test("of two values of a user's metadata in one or several files, the second is refused: an update would change from one to the other", async () => {
  const mock = await startMock();
  const entry = (value: string, id = "u1") => JSON.stringify({ id, key: "k", value });
  const body = (...entries: readonly string[]) =>
    `{"orgs":[{"orgId":"o","humanUsers":[${JSON.stringify(testUser(1))}],\n"userMetadata":[\n${entries.join(",\n")}]}]}`;
  const { cwd, file } = inFolder(body(entry("YQ=="), entry("YQ=="), entry("Yg==", "u2"), entry("Yg==")));
  const run = async (...args: readonly string[]) =>
    (await importJson([...args, "--dry-run"], { cwd, env: mock.env })).report.problems;
  const second = { code: "element.second-metadata", field: "value", id: "u1_k" };
  expect(await run(file)).toContainEqual(expect.objectContaining({ ...second, line: 6 }));
  // A user who was taken out of a file by hand, and whose metadata was left.
  writeFileSync(join(cwd, "left.json"), `{"orgs":[{"orgId":"o",\n"userMetadata":[${entry("bmV3")}]}]}`);
  writeFileSync(join(cwd, file), body(entry("YQ==")));
  const left = await run(file, "left.json", "--update");
  expect(left).toContainEqual(expect.objectContaining({ ...second, file: "left.json" }));
});

test("of two memberships of a user in one place, the second is refused, if its roles differ", async () => {
  const mock = await startMock();
  const places = {
    orgMembers: {},
    projectMembers: { projectId: "p" },
    projectGrantMembers: { projectId: "p", grantId: "g" },
  };
  for (const [list, place] of Object.entries(places)) {
    const member = (userId: string, ...roles: readonly string[]) => JSON.stringify({ ...place, userId, roles });
    const rows = [member("u1", "A", "B"), member("u1", "B", "A"), member("u2", "B"), member("u1", "A")];
    const { cwd, file } = inFolder(`{"orgs":[{"orgId":"o",\n"${list}":[\n${rows.join(",\n")}]}]}`);
    const { report, stderr } = await importJson([file, "--dry-run"], { cwd, env: mock.env });
    expect(report.problems, stderr).toEqual([
      expect.objectContaining({ code: "element.second-membership", field: "roles", line: 6 }),
      expect.objectContaining({ code: "input.invalid-entries" }),
    ]);
    expect(stderr).toContain("the membership at line 3 is of the same user and place with other roles");
  }
  expect(mock.requests).toEqual([]);
});

test("--skip-invalid leaves out such users, and nothing else", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const body = (more: object) =>
    JSON.stringify({
      dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [{ userId: "x" }, testUser(1), null], ...more }] },
      timeout: "1m",
    });
  const users = inFolder(body({}));
  const { report } = await importJson([users.file, "--skip-invalid"], { cwd: users.cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 1, users: { read: 3, created: 1, skipped: 2 } });
  const sent = mock.requests.length;
  const { cwd, file } = inFolder(body({ projects: [{ projectId: "p" }] }));
  const refused = await importJson([file, "--skip-invalid"], { cwd, env: mock.env });
  expect(refused.report).toMatchObject({ exitCode: 3, users: { sent: 0 } });
  expect(refused.report.problems.at(-1)).toMatchObject({ code: "input.invalid-entries" });
  expect(mock.requests).toHaveLength(sent);
});
