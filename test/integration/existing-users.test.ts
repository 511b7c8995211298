import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// Without --update, an import changes no existing user: the service itself would take metadata and links of the input.

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const OTHERS = "of-others";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const entry = (id: string, key: string, value: string) => ({ id, key, value: base64(value) });
const bodyOf = (lists: object): string =>
  JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", ...lists }] }, timeout: "1m" });

async function call(mock: TestMock, path: string, body: object, token = mock.token): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${mock.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status, path).toBeLessThan(300);
  return answer.json();
}

/** The metadata of an organization's users: `u1 plan=gold`. */
async function metadataOf(mock: TestMock): Promise<readonly string[]> {
  const exported = (await call(mock, "/admin/v1/export", { org_ids: ["org1"], timeout: "1m" })) as {
    orgs: readonly { userMetadata?: readonly { id: string; key: string; value: string }[] }[];
  };
  const entries = exported.orgs.flatMap(({ userMetadata = [] }) => userMetadata);
  return entries.map(({ id, key, value }) => `${id} ${key}=${Buffer.from(value, "base64")}`).sort();
}

/** An instance with the user u1 of another account, who has metadata. */
async function instance(): Promise<TestMock> {
  const mock = await startMock({ mimic: "v4", seed });
  mock.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  const lists = { humanUsers: [testUser(1), testUser(9)], userMetadata: [entry("u1", "plan", "gold")] };
  await call(mock, "/admin/v1/import", JSON.parse(bodyOf(lists)), OTHERS);
  return mock;
}

test("metadata of users of another account is not changed, whether the input has the user or not", async () => {
  const mock = await instance();
  const userMetadata = [
    entry("u1", "plan", "free"),
    entry("u1", "new", "n"),
    entry("u9", "new", "n"),
    entry("u2", "plan", "free"),
  ];
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(1), testUser(2)], userMetadata }));
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 0,
    users: { created: 1, alreadyThere: 1 },
    otherObjects: { user_metadata: { created: 1, alreadyThere: 3, failed: 0 } },
  });
  expect(stderr).toContain("3 entries of metadata and links of existing users not sent: without --update");
  expect(await metadataOf(mock)).toEqual(["u1 plan=gold", "u2 plan=free"]);
});

test("a link is not given to a user of another account", async () => {
  const mock = await instance();
  const userLinks = [{ userId: "u1", idpId: "1", providedUserId: "g-1", providedUserName: "ann" }];
  const { cwd, file } = inFolder(bodyOf({ humanUsers: [testUser(1)], userLinks }));
  const { stdout, stderr } = await runCli(["import", file, "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 0, otherObjects: { user_link: { alreadyThere: 1 } } });
});

test("what an earlier run of the same account left out is sent; what the user has stays", async () => {
  const mock = await instance();
  const first = inFolder(bodyOf({ humanUsers: [testUser(2)], userMetadata: [entry("u2", "plan", "free")] }));
  expect((await runCli(["import", first.file], { cwd: first.cwd, env: mock.env })).exitCode).toBe(0);
  await call(mock, "/v2/users/u2/metadata", { metadata: [{ key: "plan", value: base64("gold") }] }, OTHERS);
  const userMetadata = [entry("u2", "plan", "free"), entry("u2", "team", "red")];
  const cwd = tempDir();
  writeFileSync(join(cwd, "b.json"), bodyOf({ humanUsers: [testUser(2)], userMetadata }));
  const { stdout, stderr } = await runCli(["import", "b.json", "--json"], { cwd, env: mock.env });
  expect(JSON.parse(stdout), stderr).toMatchObject({
    exitCode: 0,
    otherObjects: { user_metadata: { created: 1, alreadyThere: 1 } },
  });
  expect(await metadataOf(mock)).toEqual(["u1 plan=gold", "u2 plan=gold", "u2 team=red"]);
});

test("a copy without --update overwrites no metadata either", async () => {
  const source = await startMock({ mimic: "v4", seed });
  const target = await startMock({ mimic: "v4" });
  target.addToken(OTHERS, { userId: "others", roles: ["IAM_OWNER"] });
  const lists = { humanUsers: [testUser(1)], userMetadata: [entry("u1", "plan", "gold")] };
  await call(source, "/admin/v1/import", JSON.parse(bodyOf(lists)));
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = () =>
    runCli(["copy", "--org-id", "org1", "--with-passwords", "--yes", "--json"], { cwd: tempDir(), env });
  const first = await copy();
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ exitCode: 0, users: { created: 1 } });
  await call(target, "/v2/users/u1/metadata", { metadata: [{ key: "plan", value: base64("silver") }] }, OTHERS);
  const second = await copy();
  expect(JSON.parse(second.stdout), second.stderr).toMatchObject({ exitCode: 0, users: { alreadyThere: 1 } });
  expect(await metadataOf(target)).toEqual(["u1 plan=silver"]);
});
