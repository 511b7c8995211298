import { expect, test } from "vitest";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testUser, testUsers } from "../helpers/bodies.ts";
import { forward, serve } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";

const bodyOf = (lists: object): string =>
  JSON.stringify({ dataOrgs: { orgs: [{ orgId: "org1", org: { name: "One" }, ...lists }] }, timeout: "1m" });

test("users whose metadata alone was changed before an interruption count as updated after --resume", async () => {
  const mock = await startMock({ mimic: "v4" });
  const first = inFolder(bodyOf({ humanUsers: testUsers(4) }));
  await runCli(["import", first.file, "--yes"], { cwd: first.cwd, env: mock.env });
  const named = { profile: { firstName: "New", lastName: "Name" } };
  const humanUsers = [testUser(1), testUser(2), testUser(3, named), testUser(4)];
  const userMetadata = ["u1", "u2", "u3"].map((id) => ({ id, key: "k", value: "dg==" }));
  const { cwd, file } = inFolder(bodyOf({ humanUsers, userMetadata }));
  const controller = new AbortController();
  const url = await serve(async (request, body, response) => {
    await forward(mock.url, request, body, response, () => {
      // The answer about the first user's metadata arrives, and nothing is sent after it.
      if (request.method === "POST" && request.url === "/v2/users/u1/metadata")
        controller.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
    });
  });
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const args = [file, "--update", "--yes", "--concurrency", "1"];
  const cut = await importJson(args, { cwd, env, signal: controller.signal });
  expect(cut.report, cut.stderr).toMatchObject({ exitCode: 130 });
  const rest = await importJson([...args, "--resume"], { cwd, env });
  expect(rest.report, rest.stderr).toMatchObject({
    exitCode: 0,
    users: { updated: 3, unchanged: 1, conflict: 0 },
    update: { update: expect.arrayContaining([{ userId: "u1", fields: ["metadata.k"] }]) },
  });
});
