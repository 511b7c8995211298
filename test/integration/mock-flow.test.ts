import { expect, onTestFinished, test } from "vitest";
import { createMockServer, type MockOptions } from "../../src/mock/server.ts";

async function startMock(options: MockOptions = {}) {
  const mock = await createMockServer(options);
  onTestFinished(() => mock.close());
  const post = async (path: string, body: unknown, token = mock.token) => {
    const response = await fetch(`${mock.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { mock, post };
}

const ada = {
  userId: "auth0|1",
  user: {
    userName: "ada@example.com",
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "ada@example.com", isEmailVerified: true },
    hashedPassword: { value: "$2b$10$abc" },
  },
};

test("a user import into a new organization answers its ids and gives user.human.added", async () => {
  const { post } = await startMock();
  const dataOrgs = { orgs: [{ orgId: "1", org: { name: "Acme" }, humanUsers: [ada] }] };
  const imported = await post("/admin/v1/import", { dataOrgs, timeout: "30s" });
  expect(imported).toEqual({ status: 200, body: { success: { orgs: [{ orgId: "1", humanUserIds: ["auth0|1"] }] } } });
  const found = await post("/admin/v1/events/_search", { event_types: ["user.human.added"] });
  expect(found.body).toMatchObject({
    events: [{ aggregate: { id: "auth0|1", resourceOwner: "1" }, sequence: "1", type: { type: "user.human.added" } }],
  });
});

test("a value that the mock does not know is an error, and not ignored", async () => {
  const { mock } = await startMock();
  const wrong = { mimic: "v9" } as unknown as MockOptions; // a caller without types
  await expect(createMockServer(wrong)).rejects.toThrow(
    'mimic: "v9" is none of specification, v2, v4, v4.13, v4.15, latest',
  );
  expect(() => mock.removeUser("u404")).toThrow('the mock has no user with the id "u404"');
  expect(() => mock.removeOrg("none")).toThrow('the mock has no organization with the id "none"');
  expect(() => mock.addToken("t", {} as never)).toThrow("addToken: the second argument");
  for (const path of ["users/u404", "orgs/none"]) {
    const answer = await fetch(`${mock.url}/_mock/${path}`, { method: "DELETE" });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("the mock has no")]);
  }
});

test.each([
  [{ mimik: "v4" }, 'the options: there is no "mimik" here'],
  [{ without: ["users"] }, "without: write an object"],
  [{ without: { user: 404 } }, 'without: there is no "user" here'],
  [{ verifiers: ["argon"] }, "verifiers[0]: write one of bcrypt, argon2"],
  [{ limits: { FOO: 1 } }, 'limits: there is no "FOO" here'],
  [{ port: "abc" }, "port: write a number"],
  [{ onRequest: 1 }, "onRequest: write a function"],
])("an option that the mock does not know is an error: %j", async (options, words) => {
  await expect(createMockServer(options as MockOptions)).rejects.toThrow(`createMockServer: ${words}`);
});

test("an export holds hashes only when they are asked for", async () => {
  const { post } = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "Acme" }, humanUsers: [ada] }] } });
  const { hashedPassword: _hash, ...withoutHash } = ada.user;
  const org = { orgId: "1", org: { name: "Acme" } };
  // What the service makes of a user besides (recording 127).
  const profile = { ...(ada.user["profile"] as object), displayName: "Ada Lovelace", preferredLanguage: "und" };
  const shown = (user: object) => ({ ...org, humanUsers: [{ ...ada, user: { ...user, profile } }] });
  expect((await post("/admin/v1/export", { with_passwords: true })).body).toMatchObject({ orgs: [shown(ada.user)] });
  const without = (await post("/admin/v1/export", {})).body;
  expect(without).toMatchObject({ orgs: [shown(withoutHash)] });
  expect(JSON.stringify(without)).not.toContain("hashedPassword");
});

test("the request log holds the requests, without secrets", async () => {
  const { mock, post } = await startMock();
  await post("/admin/v1/export?token=secret", {});
  expect(mock.requests).toEqual([
    expect.objectContaining({
      method: "POST",
      path: "/admin/v1/export",
      status: 200,
      requestBytes: 2,
      responseBytes: 2,
    }),
  ]);
  expect(JSON.stringify(mock.requests)).not.toContain("secret");
});
