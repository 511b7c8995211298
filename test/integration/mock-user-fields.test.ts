import { describe, expect, test } from "vitest";
import { type UserField, userFields } from "../../src/core/user-fields.ts";
import { type MockClient, startMock } from "../helpers/mock-client.ts";

// A field of the product's table that the mock drops, in an import, in the users API or in an event, fails here.

const HASH = "$2b$04$abcdefghijklmnopqrstuuM1NmTCB1Wc9MzZ0IYiSbJIE3Z1fsbhG";
const fields: readonly UserField[] = userFields;

/** A value of each form, in an entry, in the users API, and in an event. */
const values: Readonly<Record<UserField["form"], unknown>> = {
  id: "ada@example.com",
  email: "ada@example.com",
  name: "Ada",
  text: "Countess",
  secret: "JBSWY3DPEHPK3PXP",
  language: "en",
  gender: "GENDER_FEMALE",
  phone: "+41446681800",
  verified: true,
  hash: HASH,
  password: "Password1!",
  flag: true,
  links: [{ configId: "google", externalUserId: "g1", displayName: "ada" }],
  state: "USER_STATE_LOCKED",
};
const inApi: Partial<typeof values> = { links: [{ idpId: "google", userId: "g1", userName: "ada" }] };
const inEvent: Partial<typeof values> = { gender: 1 };

/** What cannot stand beside the others: the service looks at a password only without a hash, and ignores the flags beside one. */
const withoutHash = ["password", "requestsPasswordless", "isPasswordChangeRequired"];
const all = fields.filter(({ name }) => !withoutHash.includes(name));

/** Fields that an export shows in another place, or not at all: where they are found. */
const elsewhere: Readonly<Record<string, (world: MockClient) => Promise<unknown>>> = {
  idpLinks: async ({ exportOf }) => (await exportOf("1")) as { userLinks?: unknown },
};
const shownLinks = { userLinks: [{ userId: "u", idpId: "google", providedUserId: "g1", providedUserName: "ada" }] };

function objectOf(rows: readonly UserField[], place: (row: UserField) => string | undefined, given: object) {
  const built: Record<string, unknown> = {};
  for (const row of rows) {
    const path = place(row)?.split(".") ?? [];
    const last = path.pop();
    let at = built;
    for (const step of path) {
      at[step] ??= {};
      at = at[step] as Record<string, unknown>; // set just now
    }
    if (last !== undefined) at[last] = row.name === "userId" ? "u" : { ...values, ...given }[row.form];
  }
  return built;
}

function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], value);
}

async function startWorld(): Promise<MockClient> {
  const world = await startMock({ mimic: "v4", seed: { instanceIdpIds: ["google"] } });
  await world.importOrgs({ orgId: "1", org: { name: "Acme" } });
  return world;
}

async function exported(world: MockClient): Promise<unknown> {
  return ((await world.exportOf("1")) as { humanUsers?: readonly unknown[] }).humanUsers?.[0];
}

async function expectField(row: UserField, world: MockClient): Promise<void> {
  const look = elsewhere[row.name];
  if (look !== undefined) expect(await look(world)).toMatchObject(shownLinks);
  else expect(valueAt(await exported(world), row.entry)).toBe(row.name === "userId" ? "u" : values[row.form]);
}

describe("every field of a user", () => {
  test.each(all)("$name of an import is in the export", async (row) => {
    const world = await startWorld();
    expect(await world.importOrgs({ orgId: "1", humanUsers: [objectOf(all, ({ entry }) => entry, {})] })).toMatchObject(
      {
        success: { orgs: [{ humanUserIds: ["u"] }] },
      },
    );
    await expectField(row, world);
  });

  const ofApi = all.filter(({ api }) => api !== undefined);
  test.each(ofApi)("$name of the users API is in the export", async (row) => {
    const world = await startWorld();
    const request = { organization: { orgId: "1" }, ...objectOf(ofApi, ({ api }) => api, inApi) };
    expect((await world.post("/v2/users/human", request)).status).toBe(200);
    await expectField(row, world);
  });

  const ofProfile = ofApi.filter(({ api }) => api?.startsWith("profile."));
  test.each(ofProfile)("$name that the users API changes is in the export and in the event", async (row) => {
    const world = await startWorld();
    const names = { firstName: "Old", lastName: "Old" };
    const user = { userName: "old", profile: names, email: { email: "old@example.com", isEmailVerified: true } };
    await world.importOrgs({ orgId: "1", humanUsers: [{ userId: "u", user }] });
    const changed = objectOf(ofProfile, ({ api }) => api, {});
    expect((await world.send("PUT", "/v2/users/human/u", changed)).status).toBe(200);
    await expectField(row, world);
    const { body } = await world.post("/admin/v1/events/_search", { event_types: ["user.human.profile.changed"] });
    expect(valueAt(body, "events.0.payload")).toHaveProperty(row.event ?? "", inEvent[row.form] ?? values[row.form]);
  });

  const ofEvent = all.filter(({ event }) => event !== undefined);
  test.each(ofEvent)("$name is in the event of its user", async ({ event = "", form }) => {
    const world = await startWorld();
    await world.importOrgs({ orgId: "1", humanUsers: [objectOf(all, ({ entry }) => entry, {})] });
    const { body } = await world.post("/admin/v1/events/_search", {
      aggregate_id: "u",
      event_types: ["user.human.added"],
    });
    expect(valueAt(body, "events.0.payload")).toMatchObject({ [event]: inEvent[form] ?? values[form] });
  });

  // Without a hash, each shows in its own way.
  test.each([
    ["password", "hashedPassword", expect.anything()],
    ["isPasswordChangeRequired", "passwordChangeRequired", true],
  ])("%s of an import has its effect", async (name, key, shown) => {
    const world = await startWorld();
    const some = fields.filter(
      (row) => row.form !== "hash" && row.name !== "requestsPasswordless" && row.form !== "state",
    );
    expect(some.map((row) => row.name)).toContain(name);
    await world.importOrgs({ orgId: "1", humanUsers: [objectOf(some, ({ entry }) => entry, {})] });
    const { body } = await world.send("GET", "/v2/users/u");
    const user = (await exported(world)) as { user: object };
    expect({ ...user.user, ...(valueAt(body, "user.human") as object) }).toMatchObject({ [key]: shown });
  });

  test("requestsPasswordless of an import writes the event of its code", async () => {
    const world = await startWorld();
    const some = fields.filter((row) => !["hash", "password", "state"].includes(row.form));
    await world.importOrgs({ orgId: "1", humanUsers: [objectOf(some, ({ entry }) => entry, {})] });
    const types = ["user.human.passwordless.initialization.code.added"];
    const { body } = await world.post("/admin/v1/events/_search", { aggregate_id: "u", event_types: types });
    expect(valueAt(body, "events.0.type.type")).toBe(types[0]);
  });
});
