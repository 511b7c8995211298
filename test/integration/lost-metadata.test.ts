import { expect, test } from "vitest";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { forward, serve } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// service behaviour 0.41: concurrent writes make the service's list of metadata lose entries, on versions that are not safe.

const org = { orgId: "org1", org: { name: "One" } };
const userMetadata = [1, 2, 3].map((number) => ({ id: `u${number}`, key: "plan", value: "Z29sZA==" }));
const body = JSON.stringify({
  dataOrgs: { orgs: [{ orgId: "org1", humanUsers: [1, 2, 3].map((number) => testUser(number)), userMetadata }] },
  timeout: "5m0s",
});

/** A target that loses the metadata of u2 when they are sent. */
async function losing(mimic: "v4" | "v4.13", before: (mock: TestMock) => Promise<void> = async () => {}) {
  const mock = await startMock({ mimic, seed: { orgs: [org] } });
  const url = await serve(async (request, sent, response) => {
    const isMetadata = request.url === "/admin/v1/import" && sent.includes("userMetadata");
    await forward(mock.url, request, sent, response, async () => {
      if (!isMetadata) return;
      await before(mock);
      mock.skipUser("u2", "metadata");
    });
  });
  return { mock, env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url } };
}

async function exported(url: string, token: string): Promise<readonly { id: string }[]> {
  const answer = await fetch(`${url}/admin/v1/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ org_ids: ["org1"], timeout: "1m" }),
  });
  return ((await answer.json()) as { orgs: { userMetadata: { id: string }[] }[] }).orgs[0]?.userMetadata ?? [];
}

test("metadata that concurrent writes lose are set again in the same run", async () => {
  const { mock, env } = await losing("v4");
  const { cwd, file } = inFolder(body);
  const { report, stderr } = await importJson([file, "--concurrency", "8"], { cwd, env });
  expect(report, stderr).toMatchObject({ exitCode: 0, healed: { users: 0, metadata: 1 }, failures: [] });
  expect(stderr).toContain("1 entry of metadata, lost by the service's list to concurrent writes, was set again.");
  expect((await exported(mock.url, mock.token)).map(({ id }) => id).sort()).toEqual(["u1", "u2", "u3"]);
});

test("with --no-heal they are failures, and nothing is sent", async () => {
  const { mock, env } = await losing("v4");
  const { cwd, file } = inFolder(body);
  const { report } = await importJson([file, "--concurrency", "8", "--no-heal"], { cwd, env });
  expect(report).toMatchObject({
    exitCode: 1,
    otherObjects: { user_metadata: { created: 2, failed: 1 } },
    failures: [{ type: "user_metadata", id: "u2_plan", cause: "not-made" }],
  });
  expect(await exported(mock.url, mock.token)).toHaveLength(2);
});

test("what another account has set since is not set back", async () => {
  const { mock, env } = await losing("v4", async (target) => {
    target.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
    await fetch(`${target.url}/v2/users/u2/metadata`, {
      method: "POST",
      headers: { authorization: "Bearer other" },
      body: JSON.stringify({ metadata: [{ key: "plan", value: "c2lsdmVy" }] }),
    });
  });
  const { cwd, file } = inFolder(body);
  await importJson([file, "--concurrency", "8"], { cwd, env });
  const writes = mock.requests.filter(
    ({ method, path }) => path.startsWith("/v2/users/u2/metadata") && method !== "GET",
  );
  expect(writes).toHaveLength(1);
});

test("after sequential writes, and on a version that is safe, they are not looked for", async () => {
  for (const [mimic, flags] of [
    ["v4", []],
    ["v4.13", ["--concurrency", "8"]],
  ] as const) {
    const { mock, env } = await losing(mimic);
    const { cwd, file } = inFolder(body);
    await importJson([file, ...flags], { cwd, env });
    expect(mock.requests.filter(({ path }) => /ExportData|\/export$/.test(path))).toEqual([]);
  }
});
