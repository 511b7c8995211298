import { expect, test } from "vitest";
import { inFolder } from "../helpers/bodies.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock } from "../helpers/start-mock.ts";

const seed = { orgs: [{ orgId: "org1", org: { name: "One" } }] };
const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;

test.each([
  ["a body sent as it is", `{"data_orgs_gcs":${deep}}`],
  [
    "an element",
    `{"dataOrgs":{"orgs":[{"orgId":"org1","machineUsers":[{"userId":"m","user":{"userName":"m"},"x":${deep}}]}]}}`,
  ],
  ["a member of an organization", `{"dataOrgs":{"orgs":[{"orgId":"org1","org":${deep}}]}}`],
])("%s that is nested without end is exit 3, and nothing is sent", async (_, content) => {
  const mock = await startMock({ seed });
  const { cwd, file } = inFolder(content);
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 3, problems: [{ code: "input.too-deep", file, line: 1 }] });
  expect(mock.requests.some(({ path }) => path.endsWith("/import"))).toBe(false);
});

test("a body sent as it is may begin with a byte order mark", async () => {
  const mock = await startMock({ seed });
  const { cwd, file } = inFolder(`\ufeff{"data_orgsv1":${JSON.stringify('{"orgs":[{"orgId":"org1"}]}')}}`);
  const { report } = await importJson([file], { cwd, env: mock.env });
  expect(report).toMatchObject({ exitCode: 0, calls: 1 });
});
