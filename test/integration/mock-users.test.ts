import { expect, test } from "vitest";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// The answers themselves are held against recordings (test/contract/mock-replay.test.ts); here is what follows from the calls.

const HASH = "$2b$10$abcdefghijklmnopqrstuuM1NmTCB1Wc9MzZ0IYiSbJIE3Z1fsbhG";
const orgs = [{ orgId: "1", org: { name: "Acme" } }];

const ada = {
  userId: "auth0|ada",
  username: "ada",
  organization: { orgId: "1" },
  profile: { givenName: "Ada", familyName: "Lovelace" },
  email: { email: "ada@example.com", isVerified: true },
};

interface SeenEvent {
  readonly type: { readonly type: string };
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly editor: { readonly userId: string };
}

/** The events of one user, the oldest first, as `type` or `[type, payload]`. */
async function eventsOf({ post }: MockClient, userId: string): Promise<SeenEvent[]> {
  const { body } = await post("/admin/v1/events/_search", { aggregate_id: userId, asc: true, limit: 1000 });
  return [...((body as { events?: SeenEvent[] }).events ?? [])];
}

const typesOf = async (client: MockClient, userId: string) =>
  (await eventsOf(client, userId)).map(({ type }) => type.type.replace("user.human.", "").replace("user.", ""));

test("a user made by the users API is in events, exports, lists and by id, with the caller as editor", async () => {
  const client = await startMock({
    seed: { orgs, tokens: [{ token: "robots", roles: ["IAM_OWNER"], userId: "robot" }] },
  });
  const { post, send, exportOf } = client;
  const body = { ...ada, hashedPassword: { hash: HASH }, metadata: [{ key: "plan", value: "Z29sZA==" }] };
  const made = await post("/v2/users/human", body, { token: "robots" });
  expect(made).toMatchObject({ status: 200, body: { userId: "auth0|ada", details: { resourceOwner: "1" } } });
  const [added, ...others] = await eventsOf(client, "auth0|ada");
  expect(added).toMatchObject({
    type: { type: "user.human.added" },
    editor: { userId: "robot" },
    payload: {
      userName: "ada",
      email: "ada@example.com",
      firstName: "Ada",
      lastName: "Lovelace",
      displayName: "Ada Lovelace",
      preferredLanguage: "und",
      encodedHash: HASH,
    },
  });
  expect(others.map(({ type, payload }) => [type.type, payload])).toEqual([
    ["user.human.email.verified", undefined],
    ["user.metadata.set", { key: "plan", value: "Z29sZA==" }],
  ]);
  expect(await exportOf("1")).toMatchObject({
    humanUsers: [{ userId: "auth0|ada", user: { userName: "ada", hashedPassword: { value: HASH } } }],
    userMetadata: [{ id: "auth0|ada", key: "plan", value: "Z29sZA==" }],
  });
  const byId = await send("GET", `/v2/users/${encodeURIComponent("auth0|ada")}`);
  expect(byId.body).toMatchObject({ user: { state: "USER_STATE_ACTIVE", human: { email: { isVerified: true } } } });
  const queries = [{ organizationIdQuery: { organizationId: "1" } }];
  expect((await post("/v2/users", { queries })).body).toMatchObject({ result: [{ userId: "auth0|ada" }] });
});

test("a change writes an event for what is new, and nothing for what was so already", async () => {
  const client = await startMock({ seed: { orgs } });
  await client.post("/v2/users/human", ada);
  const change = {
    username: "countess",
    profile: { givenName: "Augusta Ada", familyName: "King" },
    email: { email: "countess@example.com", isVerified: true },
    password: { hashedPassword: { hash: HASH } },
  };
  for (const _twice of [1, 2]) expect((await client.send("PUT", "/v2/users/human/auth0|ada", change)).status).toBe(200);
  const events = (await eventsOf(client, "auth0|ada")).slice(2);
  expect(events.map(({ type, payload }) => [type.type, payload])).toEqual([
    ["user.username.changed", { userName: "countess" }],
    ["user.human.profile.changed", { firstName: "Augusta Ada", lastName: "King" }],
    ["user.human.email.changed", { email: "countess@example.com" }],
    ["user.human.email.verified", undefined],
    ["user.human.password.changed", expect.objectContaining({ encodedHash: HASH, changeRequired: false })],
    ["user.human.password.changed", expect.objectContaining({ encodedHash: HASH })], // a password is always set
  ]);
});

test("the call that changes a person knows no service user", async () => {
  const machineUsers = [{ userId: "robot", user: { userId: "robot", userName: "robot", name: "Robot" } }];
  const { send } = await startMock({ seed: { orgs: [{ orgId: "1", org: { name: "Acme" }, machineUsers }] } });
  const answer = await send("PUT", "/v2/users/human/robot", { profile: { givenName: "A", familyName: "B" } });
  expect(answer).toMatchObject({ status: 404, body: { message: "User could not be found (COMMAND-ugjs0upun6)" } });
});

test("states go their way and leave events; a removed user's names are free again", async () => {
  const client = await startMock({ seed: { orgs } });
  await client.post("/v2/users/human", ada);
  for (const call of ["lock", "unlock", "deactivate", "reactivate"]) {
    expect([call, (await client.post(`/v2/users/auth0|ada/${call}`, {})).status]).toEqual([call, 200]);
  }
  expect((await client.send("DELETE", "/v2/users/auth0|ada")).status).toBe(200);
  expect((await client.send("GET", "/v2/users/auth0|ada")).status).toBe(404);
  expect(await typesOf(client, "auth0|ada")).toEqual([
    ...["added", "email.verified", "locked", "unlocked", "deactivated", "reactivated", "removed"],
  ]);
  expect((await client.post("/v2/users/human", { ...ada, userId: "other" })).status).toBe(200);
});

test("metadata, links, passwords and addresses each have their events", async () => {
  const client = await startMock({ seed: { orgs, instanceIdpIds: ["google"] } });
  await client.post("/v2/users/human", ada);
  const path = "/v2/users/auth0|ada";
  await client.post(`${path}/metadata`, { metadata: [{ key: "a", value: "AA==" }] });
  await client.send("DELETE", `${path}/metadata?keys=a`);
  await client.post(`${path}/links`, { idpLink: { idpId: "google", userId: "g-1", userName: "ada" } });
  await client.post(`${path}/password`, { newPassword: { password: "Password1!" } });
  await client.post(`${path}/email`, { email: "new@example.com", isVerified: true });
  const events = (await eventsOf(client, "auth0|ada")).slice(2);
  expect(events.map(({ type, payload }) => [type.type, payload])).toEqual([
    ["user.metadata.set", { key: "a", value: "AA==" }],
    ["user.metadata.removed", { key: "a" }],
    ["user.human.externalidp.added", { displayName: "ada", idpConfigId: "google", userId: "g-1" }],
    ["user.human.password.changed", expect.objectContaining({ encodedHash: expect.stringMatching(/^\$2a\$04\$/) })],
    ["user.human.email.changed", { email: "new@example.com" }],
    ["user.human.email.verified", undefined],
  ]);
});

test("users made by either way know each other: ids, user names and identities are taken once", async () => {
  const client = await startMock({ seed: { orgs, instanceIdpIds: ["google"] } });
  const idps = [{ configId: "google", externalUserId: "g-1", displayName: "A" }];
  await client.importOrgs({ orgId: "1", humanUsers: [human("a", { userName: "ada", idps })] });
  const idpLinks = [{ idpId: "google", userId: "g-1", userName: "A" }];
  expect(await client.post("/v2/users/human", { ...ada, userId: "a" })).toMatchObject({
    status: 400,
    body: { code: 9 },
  });
  expect(await client.post("/v2/users/human", ada)).toMatchObject({ status: 409, body: { code: 6 } });
  expect(await client.post("/v2/users/human", { ...ada, username: "x", idpLinks })).toMatchObject({ status: 409 });
  await client.post("/v2/users/human", { ...ada, username: "y" });
  const again = await client.importOrgs({
    orgId: "1",
    humanUsers: [human("auth0|ada"), human("z", { userName: "Y" })],
  });
  expect(again.errors?.map(({ id, message }) => `${id} ${/ID=(\S+)/.exec(message)?.[1]}`)).toEqual([
    ...["1 ORG-lapo2n", "auth0|ada COMMAND-ziuna", "z V3-DKcYh"],
  ]);
});

test("with --data, users of the users API, their payloads and states are there again", async () => {
  const dataDir = tempDir();
  const first = await startMock({ dataDir, seed: { orgs } });
  await first.post("/v2/users/human", { ...ada, hashedPassword: { hash: HASH }, totpSecret: "JBSWY3DPEHPK3PXP" });
  await first.send("PUT", "/v2/users/human/auth0|ada", { username: "countess" });
  await first.post("/v2/users/auth0|ada/lock", {});
  const before = [await eventsOf(first, "auth0|ada"), (await first.send("GET", "/v2/users/auth0|ada")).body];
  await first.mock.close();
  const second = await startMock({ dataDir });
  expect([await eventsOf(second, "auth0|ada"), (await second.send("GET", "/v2/users/auth0|ada")).body]).toEqual(before);
  expect((await second.post("/v2/users/human", { ...ada, username: "ada", userId: "new" })).status).toBe(200);
});

test("a phone number is removed once", async () => {
  const client = await startMock({ seed: { orgs }, mimic: "v4" });
  await client.importOrgs({ orgId: "1", humanUsers: [human("ada", { phone: { phone: "+41791234567" } })] });
  const remove = (id: string) => client.send("DELETE", `/v2/users/${id}/phone`);
  expect((await remove("ada")).status).toBe(200);
  expect(await remove("ada")).toMatchObject({ status: 400, body: { message: "Phone not found (COMMAND-ieJ2e)" } });
  expect(await remove("nobody")).toMatchObject({ status: 404, body: { message: "Phone not found (COMMAND-ieJ2e)" } });
  expect((await typesOf(client, "ada")).at(-1)).toBe("phone.removed");
});

test("metadata have an older call as well, which version 2 knows alone", async () => {
  const client = await startMock({ seed: { orgs }, mimic: "v2" });
  await client.importOrgs({ orgId: "1", humanUsers: [human("ada")] });
  const path = "/management/v1/users/ada/metadata/_bulk";
  const metadata = [{ key: "plan", value: "Z29sZA==" }];
  expect((await client.post("/v2/users/ada/metadata", { metadata })).status).toBe(404);
  // The same value once more is written once more (tried on 2.62).
  for (let times = 0; times < 2; times += 1) expect((await client.post(path, { metadata })).status).toBe(200);
  expect(await client.send("DELETE", path, { keys: ["plan", "none"] })).toMatchObject({ status: 404 });
  expect((await client.send("DELETE", path, { keys: ["plan"] })).status).toBe(200);
  expect((await typesOf(client, "ada")).slice(-3)).toEqual(["metadata.set", "metadata.set", "metadata.removed"]);
});
