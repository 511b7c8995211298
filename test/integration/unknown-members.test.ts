import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
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
  expect(stderr).toContain("members that orgferry does not know: user_metdata, userGrant.");
  const sent = requests.filter(({ path }) => path === "/admin/v1/import").map(({ body: text }) => String(text));
  expect(sent.join("")).toContain('"user_metdata":[{"id":"u1"}]');
});

test("known members in both spellings are not named", async () => {
  const { env } = await startMock();
  const org = { org_id: "a", org: { name: "A" }, human_users: [testUser(1)], user_metadata: [] };
  const cwd = tempDir();
  writeFileSync(join(cwd, "importBody.json"), JSON.stringify({ data_orgs: { orgs: [org] }, timeout: "1m" }));
  const { stdout } = await runCli(["import", "importBody.json", "--json"], { cwd, env });
  expect(JSON.parse(stdout)).not.toHaveProperty("unknownMembers");
});
