import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// What a role includes and what a group gives stands in the realm, not in its users: the rejects need it, too.

const realm = JSON.parse(readFileSync("fixtures/keycloak/grants/realm-export.json", "utf8"));
const flags = [
  ...["--grant", "editor=portal1:editor", "--grant", "approver=portal1:approver", "--grant", "/staff=portal1:staff"],
  ...["--grant", "shop:*=shop1:*", "--projects", "create"],
];

async function grantsOf(cwd: string, users: string, ...more: readonly string[]) {
  const args = ["migrate", "keycloak", "--users", users, "--org", "o1", "--output", `${users.length}.json`, "--force"];
  const { stderr } = await runCli([...args, ...flags, ...more], { cwd });
  const { orgs } = JSON.parse(readFileSync(join(cwd, `${users.length}.json`), "utf8")).dataOrgs;
  const grants = orgs.flatMap(({ userGrants = [] }) => userGrants) as { userId: string; projectId: string }[];
  return { grants: grants.map((grant) => JSON.stringify(grant)).sort(), stderr };
}

test("corrected rejects get the grants that they would have got at first", async () => {
  const cwd = tempDir();
  const withoutAddresses = realm.users.map(({ email: _, ...user }: { email: string }) => user);
  writeFileSync(join(cwd, "whole.json"), JSON.stringify(realm));
  writeFileSync(join(cwd, "broken.json"), JSON.stringify({ ...realm, users: withoutAddresses }));
  const whole = await grantsOf(cwd, "whole.json");
  expect(whole.grants.length).toBeGreaterThan(3);
  expect((await grantsOf(cwd, "broken.json")).grants).toEqual([]);
  const rejects = await grantsOf(cwd, "11.json.rejects/users.json", "--email-domain", "example.com");
  expect(rejects.stderr).not.toContain("lacks the roles and groups");
  expect(rejects.grants).toEqual(whole.grants);
});

test("users without the roles and groups of their realm are a warning, if roles become grants", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "acme-users-0.json"), JSON.stringify({ realm: "acme", users: realm.users }));
  const { stderr } = await grantsOf(cwd, "acme-users-0.json");
  expect(stderr).toContain("warning: the input lacks the roles and groups of the realm");
  const args = ["migrate", "keycloak", "--users", "acme-users-0.json", "--org", "o1", "--output", "plain.json"];
  const plain = await runCli(args, { cwd });
  expect(plain.stderr).not.toContain("lacks the roles and groups");
  expect(plain.stderr).toMatch(/^not granted {4}.*\/staff\/sales 1.*: --grant <name>=/m);
});
