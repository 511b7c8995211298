import { expect, test } from "vitest";
import { ProblemError } from "../../src/problem.ts";
import { inFolder, testUser } from "../helpers/bodies.ts";
import { forward, serve } from "../helpers/front.ts";
import { importJson } from "../helpers/import-json.ts";
import { startMock, type TestMock } from "../helpers/start-mock.ts";

// Between the creation of a user and the call with the metadata, another account may set or remove entries: a program that reacts to new
// users, for example. They are not overwritten, and not set again.

const org = { orgId: "org1", org: { name: "One" } };
const ids = ["u1", "u2", "u3"];
const userMetadata = ids.map((id) => ({ id, key: "plan", value: "Z29sZA==" }));
const humanUsers = [1, 2, 3].map((number) => testUser(number));
const body = JSON.stringify({ dataOrgs: { orgs: [{ ...org, humanUsers, userMetadata }] } });

async function asOther({ url }: TestMock, method: string, path: string, sent?: object): Promise<void> {
  const headers = { authorization: "Bearer other", "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(sent ? { body: JSON.stringify(sent) } : {}) });
  expect(answer.status).toBe(200);
}

/** Another account sets the entry of u1, and sets and removes that of u2. */
async function others(mock: TestMock): Promise<void> {
  const metadata = [{ key: "plan", value: "c2lsdmVy" }];
  await asOther(mock, "POST", "/v2/users/u1/metadata", { metadata });
  await asOther(mock, "POST", "/v2/users/u2/metadata", { metadata });
  await asOther(mock, "DELETE", "/v2/users/u2/metadata?keys=plan");
}

/** What the users have, by a search in the event log. */
async function entriesOf({ url, token }: TestMock): Promise<readonly (string | undefined)[]> {
  const answer = await fetch(`${url}/admin/v1/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ org_ids: ["org1"], timeout: "1m" }),
  });
  const { orgs } = (await answer.json()) as { orgs: { userMetadata: { id: string; value: string }[] }[] };
  return ids.map((id) => orgs[0]?.userMetadata.find((entry) => entry.id === id)?.value);
}

const KEPT = ["c2lsdmVy", undefined, "Z29sZA=="];

/** A target on which the other account acts when the first call with metadata arrives; `answer` is given in place of its answer. */
async function target(
  when: "after users" | "at metadata" | "after metadata",
  onMetadata: () => "forward" | "lose" | number,
) {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
  let isFirst = true;
  const url = await serve(async (request, sent, response) => {
    const isImport = request.url === "/admin/v1/import";
    if (isImport && sent.includes('"humanUsers"') && when === "after users")
      return forward(mock.url, request, sent, response, () => others(mock));
    if (!isImport || !sent.includes('"userMetadata"') || !isFirst) return forward(mock.url, request, sent, response);
    isFirst = false;
    if (when === "at metadata") await others(mock);
    const what = onMetadata();
    if (what === "forward") return forward(mock.url, request, sent, response);
    if (typeof what === "number") {
      response.writeHead(what, { "content-type": "application/json" }).end('{"code":8,"message":"limit"}');
      return;
    }
    if (when === "after metadata") {
      await fetch(`${mock.url}/admin/v1/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${mock.token}` },
        body: new Uint8Array(sent),
      });
      await others(mock);
    }
    response.destroy();
  });
  return { mock, env: { ...mock.env, ZITADEL_IMPORT_DOMAIN: url } };
}

test.each<Parameters<typeof target>>([
  ["after users", () => "forward"],
  ["at metadata", () => 429],
  ["after metadata", () => "lose"],
])("metadata that another account set or removed %s stay as they are", async (when, onMetadata) => {
  const { mock, env } = await target(when, onMetadata);
  const { cwd, file } = inFolder(body);
  const { report, stderr } = await importJson([file], { cwd, env });
  expect(report, stderr).toMatchObject({
    exitCode: 0,
    users: { created: 3 },
    otherObjects: { user_metadata: { heldBack: 2 } },
    heldBackCauses: { "changed-in-run": 1, "taken-away": 1 },
  });
  expect(await entriesOf(mock)).toEqual(KEPT);
});

test("a run that continues leaves them as they are, too", async () => {
  const interrupt = new AbortController();
  const { mock, env } = await target("at metadata", () => {
    interrupt.abort(new ProblemError({ code: "run.aborted", signal: "SIGINT" }));
    return "lose";
  });
  const { cwd, file } = inFolder(body);
  expect((await importJson([file], { cwd, env, signal: interrupt.signal })).exitCode).toBe(130);
  const { report, stderr } = await importJson([file, "--resume"], { cwd, env });
  expect(report, stderr).toMatchObject({ exitCode: 0, users: { created: 3 } });
  expect(await entriesOf(mock)).toEqual(KEPT);
});

test("a user who is replaced while lost entries are looked for is a failure", async () => {
  const mock = await startMock({ mimic: "v4.15", seed: { orgs: [org] } });
  mock.addToken("other", { userId: "admin", roles: ["IAM_OWNER"] });
  const url = await serve((request, sent, response) =>
    forward(mock.url, request, sent, response, async () => {
      if (request.url?.includes("ExportData") || request.url?.includes("/export")) mock.removeUser("u1");
    }),
  );
  const { cwd, file } = inFolder(body);
  const env = { ...mock.env, ZITADEL_IMPORT_DOMAIN: url };
  const { report, stderr } = await importJson([file, "--concurrency", "8"], { cwd, env });
  expect(report, stderr).toMatchObject({ exitCode: 1, failures: [{ id: "u1", cause: "taken-over" }] });
});
