import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { human, startMock } from "../helpers/mock-client.ts";

const AUDIENCE = "openid profile urn:zitadel:iam:org:project:id:zitadel:aud";
const clients = [{ clientId: "robot:1", clientSecret: "s&cret" }];

test("client credentials give a token that the administration API takes, by Basic or by form", async () => {
  const { post } = await startMock({ seed: { clients } });
  const form = { grant_type: "client_credentials", scope: AUDIENCE };
  const basic = Buffer.from(`${encodeURIComponent("robot:1")}:${encodeURIComponent("s&cret")}`).toString("base64");
  const byBasic = await post("/oauth/v2/token", new URLSearchParams(form).toString(), {
    token: "",
    headers: { authorization: `Basic ${basic}` },
  });
  expect(byBasic).toMatchObject({ status: 200, body: { token_type: "Bearer", expires_in: 43_199 } });
  const fields = { ...form, client_id: "robot:1", client_secret: "s&cret" };
  const byForm = await post("/oauth/v2/token", new URLSearchParams(fields).toString(), { token: "" });
  for (const { body } of [byBasic, byForm]) {
    const { access_token: token } = body as { access_token: string };
    expect((await post("/admin/v1/export", {}, { token })).status).toBe(200);
  }
});

test("a token issued without the audience scope is refused by the administration API", async () => {
  const { post } = await startMock({ seed: { clients } });
  const fields = { grant_type: "client_credentials", client_id: "robot:1", client_secret: "s&cret", scope: "openid" };
  const { body } = await post("/oauth/v2/token", new URLSearchParams(fields).toString(), { token: "" });
  const { access_token: token } = body as { access_token: string };
  expect((await post("/admin/v1/export", {}, { token })).status).toBe(401);
});

// Always 400, also where OAuth would have 401 (recordings 108–113).
test.each([
  [{}, "invalid_request"],
  [{ grant_type: "password" }, "unsupported_grant_type"],
  [{ grant_type: "client_credentials" }, "invalid_request"],
  [{ grant_type: "client_credentials", client_id: "robot:1", client_secret: "no", scope: "openid" }, "invalid_request"],
  [{ grant_type: "client_credentials", client_id: "robot:2", client_secret: "no", scope: "openid" }, "invalid_client"],
])("the token endpoint refuses %j in OAuth's shape", async (fields, error) => {
  const { post } = await startMock({ seed: { clients } });
  const form = new URLSearchParams(fields as Record<string, string>).toString();
  expect(await post("/oauth/v2/token", form, { token: "" })).toMatchObject({ status: 400, body: { error } });
});

test("seeded tokens have their roles, and end when they expire", async () => {
  let now = new Date("2026-01-01T00:00:00Z");
  const tokens = [{ token: "t", roles: ["IAM_OWNER_VIEWER"], expiresAt: "2026-01-02T00:00:00Z" }];
  const { post } = await startMock({ now: () => now, seed: { tokens } });
  expect((await post("/admin/v1/export", {}, { token: "t" })).status).toBe(200);
  expect((await post("/admin/v1/import", {}, { token: "t" })).status).toBe(403);
  now = new Date("2026-01-02T00:00:00Z");
  expect((await post("/admin/v1/export", {}, { token: "t" })).status).toBe(401);
});

test("an export takes organizations by id, and leaves excluded ones out", async () => {
  const org = (id: string) => ({ orgId: id, org: { name: `Org ${id}` } });
  const { post } = await startMock({ seed: { orgs: ["1", "2", "3"].map(org) } });
  const ids = async (request: object) =>
    ((await post("/admin/v1/export", request)).body as { orgs?: { orgId: string }[] }).orgs?.map(({ orgId }) => orgId);
  expect(await ids({})).toEqual(["1", "2", "3"]);
  expect(await ids({ org_ids: ["3", "1", "none"] })).toEqual(["1", "3"]); // as they were made (probed on v4)
  expect(await ids({ orgIds: [], excludedOrgIds: ["2"] })).toEqual(["1", "3"]);
  expect(await ids({ org_ids: ["2"], excluded_org_ids: ["2"] })).toBeUndefined();
});

test("hashes and OTP secrets are exported each only when asked for", async () => {
  const secrets = { hashedPassword: { value: "HASH" }, otpCode: "OTP" };
  const { post } = await startMock({
    seed: { orgs: [{ orgId: "1", org: { name: "A" }, humanUsers: [human("a", secrets)] }] },
  });
  const shown = async (request: object) => {
    const { text } = await post("/admin/v1/export", request);
    return [text.includes("HASH"), text.includes("OTP")];
  };
  expect(await shown({})).toEqual([false, false]);
  expect(await shown({ with_passwords: true })).toEqual([true, false]);
  expect(await shown({ with_otp: true })).toEqual([false, true]);
  expect(await shown({ withPasswords: true, withOtp: true })).toEqual([true, true]);
});

test("the source provider's bulk export: a job, its status, a gzipped NDJSON with the fields asked for", async () => {
  const sourceUsers = [
    { user_id: "auth0|1", email: "ada@example.com", name: "Ada", picture: "x" },
    { user_id: "auth0|2", email: "bob@example.com" },
  ];
  const { mock, post } = await startMock({ seed: { sourceUsers } });
  const fields = [{ name: "user_id" }, { name: "email" }, { name: "name" }];
  const started = await post("/api/v2/jobs/users-exports", {
    connection_id: "con_0000000000000001",
    format: "json",
    fields,
  });
  const { id } = started.body as { id: string };
  expect(started.body).toMatchObject({
    type: "users_export",
    status: "pending",
    connection_id: "con_0000000000000001",
  });
  const poll = async () => {
    const headers = { authorization: `Bearer ${mock.token}` };
    const response = await fetch(`${mock.url}/api/v2/jobs/${id}`, { headers });
    return (await response.json()) as { status: string; location?: string };
  };
  expect(await poll()).not.toHaveProperty("location");
  expect(await poll()).toMatchObject({ status: "processing", percentage_done: 50 });
  const { status, location = "" } = await poll();
  expect(status).toBe("completed");
  const file = Buffer.from(await (await fetch(location)).arrayBuffer());
  expect(gunzipSync(file).toString()).toBe(
    '{"user_id":"auth0|1","email":"ada@example.com","name":"Ada"}\n{"user_id":"auth0|2","email":"bob@example.com"}\n',
  );
});

test.each([
  ["POST", "/api/v2/jobs/users-exports", "wrong", 401],
  ["GET", "/api/v2/jobs/none", "", 404],
  ["GET", "/_mock/downloads/none.json.gz", "", 404],
])("the source provider refuses in its own shape: %s %s", async (method, path, token, statusCode) => {
  const { mock } = await startMock();
  const headers = { authorization: `Bearer ${token || mock.token}` };
  const response = await fetch(mock.url + path, { method, headers });
  expect([response.status, await response.json()]).toEqual([statusCode, expect.objectContaining({ statusCode })]);
});
