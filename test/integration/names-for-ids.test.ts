import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** What `migrate` warns of. */
async function warnings(...flags: readonly string[]): Promise<readonly string[]> {
  const cwd = tempDir();
  const identities = [{ provider: "github", user_id: "9", connection: "github" }];
  const user = { user_id: "auth0|1", email: "ann@example.com", email_verified: true, name: "Ann", identities };
  writeFileSync(join(cwd, "users.json"), `${JSON.stringify(user)}\n`);
  writeFileSync(join(cwd, "roles.csv"), "user_id,role\nauth0|1,admin\n");
  const args = ["migrate", "auth0", "--users", "users.json", "--quiet", "--roles-by", "roles.csv", ...flags];
  const { exitCode, stderr } = await runCli(args, { cwd });
  expect(exitCode, stderr).toBe(0);
  return stderr.split("\n").filter((line) => line.startsWith("warning:"));
}

test("a name in place of an id is a warning that says where the id is, since ids can be custom", async () => {
  expect(await warnings("--org", "Acme")).toEqual([
    "warning: --org: is Acme a name? It must be an id, usually a long number: orgferry doctor lists the organizations of the target with their ids.",
  ]);
  expect(await warnings("--org", "1", "--grant", "admin=Portal:admin")).toEqual([
    "warning: --grant: is Portal a name? It must be an id, usually a long number: the console shows the id on the page of the project, and an id that --projects gave is right.",
  ]);
  expect(await warnings("--org", "1", "--idp", "github=GitHub")).toEqual([
    expect.stringContaining("--idp: is GitHub a name?"),
  ]);
});

test("ids of digits, and the id of a project that the body creates, are no warning", async () => {
  expect(await warnings("--org", "1", "--grant", "admin=portal:admin", "--projects", "create")).toEqual([]);
  expect(await warnings("--org", "1", "--grant", "admin=2:admin", "--idp", "github=3")).toEqual([]);
});

test("roles for users of several organizations are a warning, unless the body grants the project", async () => {
  const flags = ["--org-by", "connection", "--org", "1", "--org-map", "github=2", "--grant", "admin=3:admin"];
  expect(await warnings(...flags)).toEqual([
    "warning: --grant: a project belongs to one organization. Users of others get roles in it only if it is granted to their organization: --projects <id>=<name> does that, or do it on the target before the import (3).",
  ]);
  expect(await warnings(...flags, "--projects", "3=Portal")).toEqual([]);
});

test("roles of a table and groups of the metadata are both granted", async () => {
  const cwd = tempDir();
  const user = { user_id: "auth0|1", email: "ann@example.com", email_verified: true, name: "Ann" };
  const metadata = { app_metadata: { groups: ["staff", "admin"] } };
  writeFileSync(join(cwd, "users.json"), `${JSON.stringify({ ...user, ...metadata })}\n`);
  writeFileSync(join(cwd, "roles.csv"), "user_id,role\nauth0|1,admin\n");
  const roles = ["--roles-by", "roles.csv", "--roles-by", "app_metadata.groups", "--grant", "*=3:*"];
  const { stderr } = await runCli(["migrate", "auth0", "--users", "users.json", "--org", "1", ...roles], { cwd });
  const body = JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8"));
  expect(body.dataOrgs.orgs[0].userGrants, stderr).toEqual([
    { userId: "auth0|1", projectId: "3", roleKeys: ["admin", "staff"] },
  ]);
});
