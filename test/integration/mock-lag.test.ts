import { expect, test } from "vitest";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";

// What the service reads lags behind what was written, and nothing in an answer says so (service behaviour 0.15, 0.26).

const users = (count: number) => ["a", "b", "c", "d", "e"].slice(0, count).map((id) => human(id));
const orgs = [{ orgId: "1", org: { name: "Acme" } }];

async function exported({ post }: MockClient): Promise<string[]> {
  const { body } = await post("/admin/v1/export", {});
  const [org] = (body as { orgs: { humanUsers?: { userId: string }[] }[] }).orgs;
  return (org?.humanUsers ?? []).map(({ userId }) => userId);
}

test("an export lacks the newest users for the given number of calls", async () => {
  const client = await startMock({ faults: [{ endpoint: "export", fault: "lag", users: 2, times: 2 }] });
  const userMetadata = [{ id: "e", key: "k", value: "AA==" }];
  await client.importOrgs({ ...orgs[0], humanUsers: users(5), userMetadata });
  expect(await exported(client)).toEqual(["a", "b", "c"]);
  expect(await client.exportOf("1")).not.toHaveProperty("userMetadata"); // nor what is about them
  expect(await exported(client)).toEqual(["a", "b", "c", "d", "e"]);
});

test("the event log does not lag, so that a client can find missing users", async () => {
  const client = await startMock({ faults: [{ endpoint: "export", fault: "lag", users: 4 }] });
  await client.importOrgs({ ...orgs[0], humanUsers: users(5) });
  expect(await exported(client)).toEqual(["a"]);
  const { body } = await client.post("/admin/v1/events/_search", { event_types: ["user.human.added"] });
  expect((body as { events: unknown[] }).events).toHaveLength(5);
});

test("a user is not seen right after it was made: not by id, not in lists, not at sign-in", async () => {
  const once = (endpoint: "users" | "sessions", skip = 0) =>
    ({ endpoint, fault: "lag", users: 1, times: 1, skip }) as const;
  const client = await startMock({ seed: { orgs }, faults: [once("users", 1), once("users", 3), once("sessions")] });
  const body = {
    userId: "a",
    organization: { orgId: "1" },
    profile: { givenName: "A", familyName: "B" },
    email: { email: "a@example.com", isVerified: true },
  };
  expect((await client.post("/v2/users/human", body)).status).toBe(200);
  const status = async () => (await client.send("GET", "/v2/users/a")).status;
  expect([await status(), await status()]).toEqual([404, 200]);
  const listed = async () => (await client.post("/v2/users", {})).body;
  const [behind, whole] = [await listed(), await listed()] as { details: { timestamp: string }; result?: unknown[] }[];
  expect([behind?.result, whole?.result?.length]).toEqual([undefined, 1]);
  expect(Date.parse(behind?.details.timestamp ?? "")).toBeLessThan(Date.parse(whole?.details.timestamp ?? ""));
  const signIn = () => client.post("/v2/sessions", { checks: { user: { userId: "a" } } });
  expect(await signIn()).toMatchObject({ status: 404, body: { message: expect.stringContaining("QUERY-Dfbg2") } });
  expect((await signIn()).status).toBe(201);
});

test("a search for organizations answers the time up to which it is complete", async () => {
  const client = await startMock({ faults: [{ endpoint: "orgs", fault: "lag", users: 1, times: 1 }] });
  await client.importOrgs({ ...orgs[0], humanUsers: users(1) });
  const search = async () => {
    const { body } = await client.post("/admin/v1/orgs/_search", {});
    return Date.parse((body as { details: { viewTimestamp: string } }).details.viewTimestamp);
  };
  expect(await search()).toBeLessThan(await search());
});
