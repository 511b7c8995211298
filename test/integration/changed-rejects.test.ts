import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder, testBody, testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const GOOD = '{"user_id":"a","email":"a@example.com"}\n';
const BAD = '{"user_id":"b","email":"b@exa_mple.com"}\n';
const migrate = ["migrate", "auth0", "--org", "1", "--users", "users.json"];

test.each([
  ["replaced", `${GOOD}${BAD}`, 1],
  ["deleted", GOOD, 0],
])("corrections in the rejects folder of a migration are not %s by the next run", async (_, rows, expected) => {
  const { cwd } = inFolder(`${GOOD}${BAD}`, "users.json");
  const folder = join(cwd, "importBody.json.rejects");
  expect((await runCli(migrate, { cwd })).exitCode).toBe(1);
  const corrected = BAD.replace("exa_mple", "example");
  writeFileSync(join(folder, "users.ndjson"), corrected);
  writeFileSync(join(cwd, "users.json"), rows);
  const { exitCode, stderr } = await runCli(migrate, { cwd });
  expect(exitCode).toBe(expected);
  expect(stderr).toContain(
    "importBody.json.rejects has files that were changed since orgferry wrote them, and keeps them",
  );
  expect(readFileSync(join(folder, "users.ndjson"), "utf8")).toBe(corrected);
  expect(existsSync(`${folder}-2`)).toBe(expected === 1);
});

test("unchanged rejects are replaced, and deleted by a run without rejects", async () => {
  const { cwd } = inFolder(`${GOOD}${BAD}`, "users.json");
  const folder = join(cwd, "importBody.json.rejects");
  for (const rows of [`${GOOD}${BAD}`, `${BAD}${GOOD}`, GOOD]) {
    writeFileSync(join(cwd, "users.json"), rows);
    expect((await runCli(migrate, { cwd })).stderr).not.toContain("were changed");
  }
  expect(readdirSync(cwd).filter((name) => name.includes("rejects"))).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

test("a corrected body of failed users is not replaced by the next import", async () => {
  const mock = await startMock({ seed: { orgs: [{ orgId: "org1", org: { name: "One" } }] } });
  const users = [testUser(1), testUser(2, { phone: { phone: "+x", isPhoneVerified: true } })];
  const { cwd, file } = inFolder(testBody(users));
  const send = (): ReturnType<typeof runCli> => runCli(["import", file, "--rejects", "failed"], { cwd, env: mock.env });
  expect((await send()).exitCode).toBe(1);
  writeFileSync(join(cwd, "failed/body.json"), testBody([testUser(2)]));
  const { stderr } = await send();
  expect(stderr).toContain("rejected items go to failed-2");
  expect(readFileSync(join(cwd, "failed/body.json"), "utf8")).toBe(testBody([testUser(2)]));
  expect(readdirSync(join(cwd, "failed-2"))).toContain("body.json");
});
