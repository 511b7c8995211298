import { expect, test } from "vitest";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";

interface Found {
  readonly aggregate: { readonly id: string };
  readonly creationDate: string;
}

/** Ids of the users whose user.human.added is found, and all of what was found. */
async function search({ post }: MockClient, request: object): Promise<{ ids: string[]; events: Found[] }> {
  const { body } = await post("/admin/v1/events/_search", { event_types: ["user.human.added"], ...request });
  const { events = [] } = body as { events?: Found[] };
  return { ids: events.map(({ aggregate }) => aggregate.id), events };
}

const users = (...ids: string[]) => ({ humanUsers: ids.map((id) => human(id)) });

async function startFilled(): Promise<MockClient> {
  const client = await startMock({ now: () => new Date("2026-01-02T03:04:05.678Z") });
  await client.importOrgs(
    { orgId: "1", org: { name: "A" }, ...users("a", "b") },
    { orgId: "2", org: { name: "B" }, ...users("c") },
  );
  return client;
}

test("newest first, or oldest first with asc; a limit counts", async () => {
  const client = await startFilled();
  expect((await search(client, {})).ids).toEqual(["c", "b", "a"]);
  expect((await search(client, { asc: true })).ids).toEqual(["a", "b", "c"]);
  expect((await search(client, { asc: true, limit: 2 })).ids).toEqual(["a", "b"]);
});

test("no hits are {} without an events key", async () => {
  const { post } = await startMock();
  expect((await post("/admin/v1/events/_search", {})).body).toEqual({});
});

test.each([
  [{ resource_owner: "2" }, ["c"]],
  [{ resourceOwner: "2" }, ["c"]],
  [{ aggregate_id: "b" }, ["b"]],
  [{ aggregate_types: ["org"] }, []],
  [{ aggregate_types: ["user", "org"], event_types: ["user.human", "user.human.added"] }, ["c", "b", "a"]],
  [{ editor_user_id: "orgferry", aggregate_id: "a" }, ["a"]],
  [{ editor_user_id: "someone" }, []],
  [{ sequence: "1", asc: true }, []],
  [{ sequence: 2 }, ["c", "b", "a"]],
])("filters by %j", async (request, ids) => {
  expect((await search(await startFilled(), request)).ids).toEqual(ids);
});

test("from is later with asc and earlier without, so that a search can be paged by the last date", async () => {
  const client = await startFilled();
  const ids: string[] = [];
  for (let from: string | undefined = "2000-01-01T00:00:00Z"; from !== undefined; ) {
    const page: Awaited<ReturnType<typeof search>> = await search(client, { asc: true, limit: 1, from });
    ids.push(...page.ids);
    from = page.events.at(-1)?.creationDate;
  }
  expect(ids).toEqual(["a", "b", "c"]);
  const { events } = await search(client, { aggregate_id: "b" });
  const b = events[0]?.creationDate;
  expect((await search(client, { from: b })).ids).toEqual(["a"]);
  expect((await search(client, { from: b, asc: true })).ids).toEqual(["c"]);
  expect((await search(client, { range: { since: "2000-01-01T00:00:00Z", until: b } })).ids).toEqual(["a"]);
  expect((await search(client, { range: { since: b }, asc: true })).ids).toEqual(["c"]);
});

test("times are those of the import, in microseconds, and no two pushes share one", async () => {
  const { events } = await search(await startFilled(), {});
  const times = events.map(({ creationDate }) => creationDate);
  expect(times.every((time) => /^2026-01-02T03:04:05\.678\d{3}Z$/.test(time))).toBe(true);
  expect(new Set(times).size).toBe(3);
});

test("an answer has at most 1000 events, for any limit", async () => {
  const client = await startMock();
  const ids = Array.from({ length: 1001 }, (_, index) => `u${index}`);
  await client.importOrgs({ orgId: "1", org: { name: "A" }, ...users(...ids) });
  expect((await search(client, { limit: 5000 })).ids).toHaveLength(1000);
  expect((await search(client, { limit: 0 })).ids).toHaveLength(1000);
});

test("an answer larger than 4 MiB of protobuf is refused, smaller ones are given (service behaviour 0.19)", async () => {
  const client = await startMock();
  const long = "n".repeat(200);
  const profile = { firstName: long, lastName: long, nickName: long, displayName: long };
  const org = (from: number) => ({
    orgId: "1",
    org: { name: "A" },
    humanUsers: Array.from({ length: 500 }, (_, index) => human(`u${from + index}`, { profile })),
  });
  await client.importOrgs(org(0));
  await client.importOrgs(org(500));
  const metadata = [{ key: "k", value: Buffer.alloc(490_000).toString("base64") }];
  for (let index = 0; index < 6; index += 1) await client.post(`/v2/users/u${index}/metadata`, { metadata });
  const refused = await client.post("/admin/v1/events/_search", { event_types: ["user.metadata.set"], limit: 1000 });
  expect(refused.status).toBe(200); // 4 MB of base64 in JSON texts: under the limit still
  await client.post("/v2/users/u6/metadata", { metadata });
  expect(await client.post("/admin/v1/events/_search", { event_types: ["user.metadata.set"] })).toMatchObject({
    status: 429,
    body: {
      code: 8,
      message: expect.stringMatching(/^grpc: received message larger than max \(\d{7} vs\. 4194304\)$/),
    },
  });
  const few = await client.post("/admin/v1/events/_search", { event_types: ["user.metadata.set"], limit: 6 });
  expect(few.status).toBe(200);
});

test("a removed user leaves user.removed, and its payload is still what was added", async () => {
  const client = await startFilled();
  client.mock.removeUser("a");
  const { body } = await client.post("/admin/v1/events/_search", { aggregate_id: "a", asc: true });
  expect(body).toMatchObject({
    events: [
      { type: { type: "user.human.added" }, payload: { userName: "a@example.com", firstName: "Ada" }, sequence: "1" },
      { sequence: "2" },
      { sequence: "3" },
      { type: { type: "user.removed" }, sequence: "4" },
    ],
  });
});
