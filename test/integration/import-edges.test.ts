import { expect, test } from "vitest";
import { inFolder, testBody, testUser, testUsers } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock } from "../helpers/start-mock.ts";

const org = { orgId: "org1", org: { name: "One" } };

test("what the answer to a body sent as it is says is told, not taken for a request handed over", async () => {
  const mock = await startMock({ seed: { orgs: [org] } });
  await importJson([inFolder(testBody(testUsers(1))).file], { ...inFolder(testBody(testUsers(1))), env: mock.env });
  const users = [testUser(1), testUser(2, { userName: "user1@example.com", otpCode: "ABC" }), testUser(3)];
  const orgs = [{ orgId: "org1", humanUsers: users }];
  const { cwd, file } = inFolder(JSON.stringify({ data_orgsv1: JSON.stringify({ orgs }), timeout: "5m0s" }));
  const { report, stderr } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({
    exitCode: 1,
    outcome: "known",
    failures: [{ type: "human_user", id: "u2", cause: "user-name-taken" }],
    otherObjects: { org: { alreadyThere: 1 }, human_user: { created: 1, alreadyThere: 1, failed: 1 } },
  });
  expect(report.failures).toHaveLength(1);
  expect(stderr).not.toContain("took the request over");
});
