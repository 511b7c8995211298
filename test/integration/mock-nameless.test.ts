import { expect, test } from "vitest";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";

// Concurrent writes leave users without a login name, permanently (service behaviour 0.41). What is expected here
// was read from running services (v4 and v2) whose login names of these users had been taken away.

const org = (orgId: string, ...ids: string[]) => ({
  orgId,
  org: { name: `Org ${orgId}` },
  humanUsers: ids.map((id) => human(id)),
});
const nameless = { endpoint: "users", fault: "nameless", users: 2 } as const;

interface Listed {
  readonly details: { readonly totalResult?: string };
  readonly result?: readonly { readonly userId: string; readonly loginNames?: string[] }[];
}

async function listed({ post }: MockClient, ...queries: object[]): Promise<Listed> {
  const { status, body } = await post("/v2/users", { query: { offset: "0", limit: 1000 }, queries });
  expect(status).toBe(200);
  return body as Listed;
}

const idsOf = ({ result = [] }: Listed): string[] => result.map(({ userId }) => userId);

const inOrg = (organizationId: string) => ({ organizationIdQuery: { organizationId } });
const called = (loginName: string, method: string) => ({
  loginNameQuery: { loginName, method: `TEXT_QUERY_METHOD_${method}` },
});
const or = (...queries: object[]) => ({ orQuery: { queries } });
const and = (...queries: object[]) => ({ andQuery: { queries } });
const not = (query: object) => ({ notQuery: { query } });

/** All users with a login name: it has one of these characters. */
const anyName = or(
  ..."@abcdefghijklmnopqrstuvwxyz0123456789.-_".split("").map((one) => called(one, "CONTAINS_IGNORE_CASE")),
);

test("the first users that were made are shown without a login name, by id and in lists", async () => {
  const client = await startMock({ faults: [nameless] });
  await client.importOrgs(org("1", "a", "b", "c"));
  const shown = async (id: string) => (await client.send("GET", `/v2/users/${id}`)).body;
  for (const id of ["a", "b"]) {
    expect(await shown(id)).toMatchObject({ user: { userId: id, username: `${id}@example.com` } });
    expect(Object.keys(((await shown(id)) as { user: object }).user)).toEqual([
      ...["userId", "details", "state", "username", "human"],
    ]);
  }
  const names = { loginNames: ["c@example.com"], preferredLoginName: "c@example.com" };
  expect(await shown("c")).toMatchObject({ user: names });
  const { result = [] } = await listed(client);
  expect(result.map(({ userId, loginNames }) => [userId, loginNames])).toEqual([
    ["c", ["c@example.com"]],
    ["b", undefined],
    ["a", undefined],
  ]);
  expect(result[2]).not.toHaveProperty("preferredLoginName");
});

test("no search by login name finds them, however it is nested", async () => {
  const client = await startMock({ faults: [nameless] });
  await client.importOrgs(org("1", "a", "b", "c"));
  const [mine, other] = [called("a@example.com", "EQUALS"), called("c@example.com", "EQUALS")];
  expect((await listed(client, mine)).details).not.toHaveProperty("totalResult");
  expect(idsOf(await listed(client, or(mine, other)))).toEqual(["c"]);
  expect(idsOf(await listed(client, and(mine, inOrg("1"))))).toEqual([]);
  expect(idsOf(await listed(client, not(mine)))).toEqual(["c", "b", "a"]);
  expect(idsOf(await listed(client, { userNameQuery: { userName: "a@example.com" } }))).toEqual(["a"]);
});

test("those without any login name are found in the organizations that are asked for", async () => {
  const client = await startMock({ faults: [{ ...nameless, users: 3 }] });
  await client.importOrgs(org("1", "a", "b"), org("2", "c", "d"), org("3", "e"));
  const found = (...ids: string[]) => listed(client, or(...ids.map(inOrg)), not(anyName));
  expect(idsOf(await found("1", "2", "3"))).toEqual(["c", "b", "a"]);
  expect((await found("1", "2", "3")).details.totalResult).toBe("3");
  expect(idsOf(await found("2"))).toEqual(["c"]);
  const none = await found("3", "elsewhere");
  expect([Object.keys(none), Object.keys(none.details)]).toEqual([["details"], ["timestamp"]]);
  client.mock.clearFaults();
  expect(idsOf(await found("1", "2", "3"))).toEqual([]);
});

test("the human users of an organization are counted with or without login names, and machine users are not", async () => {
  const client = await startMock({ faults: [nameless] });
  const machineUsers = [{ userId: "m", user: { userName: "robot", name: "Robot" } }];
  await client.importOrgs({ ...org("1", "a", "b", "c"), machineUsers });
  const count = async (id: string) => {
    const queries = [inOrg(id), { typeQuery: { type: "TYPE_HUMAN" } }];
    const { body } = await client.post("/v2/users", { query: { offset: "0", limit: 1 }, queries });
    return [(body as Listed).details.totalResult, (body as Listed).result?.length];
  };
  expect(await count("1")).toEqual(["3", 1]);
  expect(await count("elsewhere")).toEqual([undefined, undefined]);
});

test("they cannot sign in by name, and can by id", async () => {
  const client = await startMock({ faults: [{ ...nameless, endpoint: "sessions" }] });
  await client.importOrgs(org("1", "a", "b", "c"));
  const signIn = (user: object) => client.post("/v2/sessions", { checks: { user } });
  expect(await signIn({ loginName: "a@example.com" })).toMatchObject({
    status: 404,
    body: { code: 5, message: "User could not be found (QUERY-Dfbg2)" },
  });
  expect((await signIn({ userId: "a" })).status).toBe(201);
  expect((await signIn({ loginName: "c@example.com" })).status).toBe(201);
});

test("a list can skip a user until the user is deleted", async () => {
  const client = await startMock();
  await client.importOrgs(org("1", "a", "b", "c"));
  client.mock.skipUser("a", "login names");
  client.mock.skipUser("b", "users");
  expect(idsOf(await listed(client, inOrg("1")))).toEqual(["c", "a"]);
  expect(idsOf(await listed(client, not(anyName)))).toEqual(["a"]);
  for (const id of ["a", "b"]) expect((await client.send("DELETE", `/v2/users/${id}`)).status).toBe(200);
  await client.importOrgs({ ...org("1", "a", "b"), org: { name: "Org 1" } });
  expect(idsOf(await listed(client, inOrg("1")))).toEqual(["c", "b", "a"]);
  expect(idsOf(await listed(client, not(anyName)))).toEqual([]);
});

test("a recreated user has a login name, and no other user loses one", async () => {
  const client = await startMock({ faults: [nameless] });
  await client.importOrgs(org("1", "a", "b", "c"));
  const found = async () => idsOf(await listed(client, not(anyName)));
  expect((await client.send("DELETE", "/v2/users/a")).status).toBe(200);
  expect(await found()).toEqual(["b"]);
  await client.importOrgs({ ...org("1", "a"), org: { name: "Org 1" } });
  expect(idsOf(await listed(client))).toEqual(["c", "b", "a"]);
  expect(await found()).toEqual(["b"]);
});

test("an export and the event log have them as they were written", async () => {
  const client = await startMock({ faults: [{ ...nameless, endpoint: "any" }] });
  await client.importOrgs(org("1", "a", "b"));
  expect(await client.exportOf("1")).toMatchObject({
    humanUsers: [{ user: { userName: "a@example.com" } }, { user: { userName: "b@example.com" } }],
  });
  const { body } = await client.post("/admin/v1/events/_search", { event_types: ["user.human.added"] });
  expect((body as { events: unknown[] }).events).toHaveLength(2);
});
