import { expect, test } from "vitest";
import { type MockClient, startMock } from "../helpers/mock-client.ts";
import { runCli } from "../helpers/run-cli.ts";

const calls = {
  users: ["POST", "/v2/users/human"],
  orgs: ["POST", "/admin/v1/orgs/_search"],
  "grpc-web": ["POST", "/zitadel.admin.v1.AdminService/ExportData"],
  sessions: ["POST", "/v2/sessions"],
  events: ["POST", "/admin/v1/events/_search"],
} as const;

const statusOf = async ({ send }: MockClient, [method, path]: readonly [string, string]) =>
  (await send(method, path, {})).status;

test.each(Object.keys(calls) as (keyof typeof calls)[])(
  "without %s, its endpoints answer as a server that has none",
  async (group) => {
    for (const [status, code] of [
      [404, 5],
      [405, 12],
      [501, 12],
    ] as const) {
      const client = await startMock({ without: { [group]: status } });
      const [method, path] = calls[group];
      expect(await client.send(method, path, {})).toMatchObject({ status, body: { code } });
      const others = (Object.keys(calls) as (keyof typeof calls)[]).filter(
        (one) => one !== group && one !== "grpc-web",
      );
      for (const other of others) expect([404, 405, 501]).not.toContain(await statusOf(client, calls[other]));
    }
  },
);

test("a server that knows the specification's endpoints alone still imports, exports and gives tokens", async () => {
  const without = { users: 404, orgs: 404, "grpc-web": 404, sessions: 404 } as const;
  const client = await startMock({ seed: { without } });
  expect(await client.importOrgs({ orgId: "1", org: { name: "Acme" } })).toMatchObject({ success: { orgs: [{}] } });
  expect(await client.exportOf("1")).toMatchObject({ orgId: "1" });
  expect((await client.post("/admin/v1/events/_search", {})).status).toBe(200);
  expect((await client.post("/oauth/v2/token", "", { token: "" })).status).toBe(400);
});

test.each([
  ["nothing", 'nknown group "nothing"; write one of users, orgs, grpc-web, sessions, events'],
  ["users=500", '"500" is not a status for users; write one of 404, 405, 501'],
])("--without %s is a usage error that says what to write", async (groups, message) => {
  const { exitCode, stderr } = await runCli(["mock", "--port", "0", "--without", groups]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
