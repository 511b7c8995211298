import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// Small ids occur in many directories. An account that the same service user created for a person of another directory is not the person of
// the source, although the ids are equal.

const org = { orgId: "org1", org: { name: "One" } };
const HASHES = [
  "9999999999999999999999.TW7xCKKFKBSF.C7E0xiUwumqIDqWUX",
  "abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE",
];
function person(id: string, name: string, hash = 0) {
  const { user } = testUser(1);
  const email = { email: `${name}@example.com`, isEmailVerified: true };
  return { userId: id, user: { ...user, userName: name, email, hashedPassword: { value: `$2b$10$${HASHES[hash]}` } } };
}
const bodyOf = (...humanUsers: readonly object[]) => ({
  timeout: "5m0s",
  dataOrgs: { orgs: [{ ...org, humanUsers }] },
});

async function send({ url, token }: TestMock, method: string, path: string, body: object = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(method === "POST" || method === "PUT" ? { body: JSON.stringify(body) } : {}),
  });
  expect(answer.status, `${method} ${path}`).toBeLessThan(300);
  return answer.json();
}

/** A source with the users 5 and 6, and a target to which an import of another directory has brought two people with these ids. */
async function twoDirectories() {
  const source = await startMock({ mimic: "v4", seed: { orgs: [org] } });
  const target = await startMock({ mimic: "v4", seed: { orgs: [org] } });
  const users = [person("5", "nina"), person("6", "nils"), person("7", "nora")];
  await send(source, "POST", "/admin/v1/import", bodyOf(...users));
  const other = inFolder(JSON.stringify(bodyOf(person("5", "paul", 1), person("6", "pia", 1))));
  expect((await runCli(["import", other.file], { cwd: other.cwd, env: target.env })).exitCode).toBe(0);
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const copy = async (...flags: readonly string[]) => {
    const argv = ["copy", "--org-id", "org1", "--with-passwords", "--json", "--yes", ...flags];
    const { stdout, stderr } = await runCli(argv, { cwd: tempDir(), env });
    return { report: JSON.parse(stdout), stderr };
  };
  return { source, target, copy };
}

async function namesOf(target: TestMock): Promise<readonly string[]> {
  const answer = (await send(target, "POST", "/v2/users", {})) as {
    result: readonly { userId: string; username: string }[];
  };
  const users = answer.result.map(({ userId, username }) => `${userId} ${username}`);
  return users.filter((user) => /^\d /.test(user)).sort();
}

test("a copy deletes and changes no account of another directory with the id of a user of the source", async () => {
  const { source, target, copy } = await twoDirectories();
  await copy();
  await send(source, "DELETE", "/v2/users/5");
  for (const flags of [["--update"], ["--update", "--delete"]]) {
    const { report, stderr } = await copy(...flags);
    expect(report, stderr).toMatchObject({ exitCode: 1, users: { conflict: 1 } });
    expect(report.update.conflict).toMatchObject([{ userId: "6", reason: "other-person" }]);
    if (flags.length > 1) expect(report.update.notOurs).toEqual(["5"]);
  }
  expect(await namesOf(target)).toEqual(["5 paul", "6 pia", "7 nora"]);
});

test("a user whose names and password were all changed at the source is still the same person", async () => {
  const { source, target, copy } = await twoDirectories();
  await copy();
  await send(source, "PUT", "/v2/users/human/7", {
    username: "nora.new",
    email: { email: "nora.new@example.com", isVerified: true },
    password: { hashedPassword: { hash: `$2b$10$${HASHES[1]}` } },
  });
  await copy("--update");
  expect(await namesOf(target)).toContain("7 nora.new");
  await send(source, "DELETE", "/v2/users/7");
  const { report, stderr } = await copy("--update", "--delete");
  expect(report.update.delete, stderr).toEqual(["7"]);
  expect(await namesOf(target)).toEqual(["5 paul", "6 pia"]);
});

const robot = (id: string, userName: string) => ({ userId: id, user: { userId: id, userName, name: "Robot" } });

// Each of these begins with a copied user of the source, whose id gets another account on the target.
test.each([
  { what: "another account deletes the user, and the own one imports another person", by: "other", as: "person" },
  { what: "the own account deletes the user and imports another person", by: "own", as: "person" },
  { what: "another account imports a service user with the id", by: "other", as: "service user" },
  { what: "the own account imports a service user with the id", by: "own", as: "service user" },
])("an account that takes the place of a copied user is neither changed nor deleted: $what", async ({ by, as }) => {
  const { source, target, copy } = await twoDirectories();
  target.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
  await copy();
  const account = by === "other" ? { ...target, token: "other" } : target;
  if (as === "person") {
    await send(account as TestMock, "DELETE", "/v2/users/7");
    const other = inFolder(JSON.stringify(bodyOf(person("7", "zoe", 1))));
    expect((await runCli(["import", other.file], { cwd: other.cwd, env: target.env })).exitCode).toBe(0);
  } else {
    const machines = { timeout: "5m0s", dataOrgs: { orgs: [{ ...org, machineUsers: [robot("7", "bot")] }] } };
    await send(account as TestMock, "POST", "/admin/v1/import", machines);
  }
  const before = await namesOf(target);
  expect(before).toContain(as === "person" ? "7 zoe" : "7 bot");
  await send(source, "PUT", "/v2/users/human/7", { username: "nora.new" });
  const updated = await copy("--update", "--delete");
  expect(updated.report.update, updated.stderr).toMatchObject({ update: [], delete: [] });
  expect(updated.report.exitCode).toBe(1);
  if (as === "person")
    expect(updated.report.update.conflict).toContainEqual(
      expect.objectContaining({ userId: "7", reason: "other-person" }),
    );
  else expect(updated.report.failures).toMatchObject([{ id: "7", cause: "id-of-other-kind" }]);
  await send(source, "DELETE", "/v2/users/7");
  const deleted = await copy("--update", "--delete");
  expect(deleted.report.update.delete, deleted.stderr).toEqual([]);
  expect(await namesOf(target)).toEqual(before);
});
