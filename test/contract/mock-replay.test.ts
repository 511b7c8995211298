import { describe, expect, test } from "vitest";
import type { Mimic } from "../../src/mock/api.ts";
import { type Recorded, recording } from "../helpers/recording.ts";
import { difference, type Replayed, replay } from "../helpers/replay.ts";
import { startMock } from "../helpers/start-mock.ts";

// Every recorded call of a real service, sent to the mock in the same order: same status, content type and body.

/** Where the mock answers otherwise on purpose: at most 5 calls in 100. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v4: { "126-path-openid-configuration": "lists only the endpoints that the mock has" },
  "v4-full": { "06-full-events-1": "has no events of projects, applications, settings and texts" },
  "v4-search": {
    "26-list-no-query": "the instance's own users were all added at one time, in any order",
    "57-root": "leads to the mock's own console",
    "60-double-slash": "is answered without a redirect",
  },
  "v2-search": {
    "57-root": "leads to the mock's own console",
    "60-double-slash": "is answered without a redirect",
  },
  v413: { "126-path-openid-configuration": "lists only the endpoints that the mock has" },
  v415: { "126-path-openid-configuration": "lists only the endpoints that the mock has" },
  v2: { "126-path-openid-configuration": "lists only the endpoints that the mock has" },
};

const client = { id: "owner2", secret: "s3cret" };
const roles = new Map([
  ["viewer", ["IAM_OWNER_VIEWER"]],
  ["orgmgr", ["IAM_ORG_MANAGER"]],
  ["usrmgr", ["IAM_USER_MANAGER"]],
]);
const names = ["viewer", "nobody", "orgmgr", "usrmgr"];

/** An instance with the service users of the recorded one. */
async function start(mimic: Mimic, seeded: readonly string[] = []) {
  const tokens = seeded.map((name, index) => ({
    token: `token-of-${name}`,
    roles: roles.get(name) ?? [],
    userId: `40000000000000000${index}`,
    userName: name,
  }));
  const clients = [{ clientId: client.id, clientSecret: client.secret, userId: "400000000000000009" }];
  const seed = { tokens, ...(seeded === names ? { clients } : {}) };
  const mock = await startMock({ mimic, token: "token-of-owner", seed });
  const of = Object.fromEntries(names.map((name) => [name, `token-of-${name}`]));
  const at: Replayed = { url: mock.url, tokens: { owner: mock.token, ...of }, client };
  const send = (path: string, body: object) =>
    replay({ name: "prepare", request: { method: "POST", path, body } }, at).then(({ text }) => JSON.parse(text));
  const how = { url: mock.url, ids: new Map<string, string>() };
  return { mock, at, send, check: async (call: Recorded) => difference(call, await replay(call, at), how) };
}

/** Bodies of megabytes are sent to two versions alone: the others answer the same, and each costs seconds. */
function isLarge({ request: { made } }: Recorded): boolean {
  return made !== undefined && ("large" in made || "spaces" in made);
}

type Started = Awaited<ReturnType<typeof start>>;
type Prepare = (call: Recorded, instance: Started) => void;

/** Replays a file; what differs and is no exception fails the test, and so does an exception that is none. */
async function replayAll(file: string, instanceFor: (call: Recorded) => Started, prepare: Prepare = () => {}) {
  const differing: Record<string, string> = {};
  const calls = recording(file).filter((call) => file === "v4" || file === "v2" || !isLarge(call));
  for (const call of calls) {
    const instance = instanceFor(call);
    prepare(call, instance);
    const wrong = await instance.check(call);
    if (wrong !== undefined) differing[call.name] = wrong;
    if (call.closed === true) await instance.mock.reset(); // the recorded instance was recreated
  }
  const allowed = Object.keys(exceptions[file] ?? {});
  expect(Object.entries(differing).filter(([name]) => !allowed.includes(name))).toEqual([]);
  expect(Object.keys(differing)).toEqual(allowed);
  expect(allowed.length).toBeLessThanOrEqual(calls.length * 0.05);
  return calls;
}

/** The versions of the service, with the beginning of the names of their recordings. */
const services = [
  ["v4", "v4"],
  ["v4.13", "v413"],
  ["v4.15", "v415"],
] as const;

describe("a real service's answers", () => {
  // As slow as the recorded ones: in 2 s the v4 made 341 users, the v2 24.
  test.each([
    ["v4", "v4", 5.86],
    ["v4.13", "v413", 5.86],
    ["v4.15", "v415", 5.86],
    ["v2", "v2", 82],
  ] as const)("%s", async (mimic, file, delay) => {
    const instance = await start(mimic, names);
    await instance.send("/admin/v1/import", {
      dataOrgs: { orgs: [{ orgId: "rec-org-1", org: { name: "Recorded Org 1" } }] },
      timeout: "1m",
    });
    await replayAll(
      file,
      () => instance,
      ({ name }, { mock }) => {
        if (/^5[67]-/.test(name)) mock.addFault({ endpoint: "import", fault: "per-user", delay, times: 1 });
      },
    );
  });

  test.each(["v4", "v2"] as const)("%s, users and searches", async (mimic) => {
    const instance = await start(mimic, ["viewer", "nobody", "usrmgr", "further1", "further2", "further3", "further4"]);
    for (const file of ["users", "users2", "search"]) await replayAll(`${mimic}-${file}`, () => instance);
  });

  test("v4, everything an organization can hold", async () => {
    const instance = await start("v4");
    await replayAll("v4-full", () => instance);
  });

  test.each(["v4", "v2"] as const)("%s, changes of users, odd addresses, trigger actions", async (mimic) => {
    const instance = await start(mimic);
    for (const file of ["changes", "addresses", "triggers"]) await replayAll(`${mimic}-${file}`, () => instance);
  });

  test.each(services)("%s, an organization that was removed", async (mimic, file) => {
    const instance = await start(mimic);
    await replayAll(`${file}-removed-org`, () => instance);
  });

  test.each(services)("%s, a copy between two instances", async (mimic, file) => {
    const [source, target] = [await start(mimic), await start(mimic)];
    const { result } = await source.send("/admin/v1/orgs/_search", {});
    const user = {
      userName: "smoke1@example.com",
      profile: { firstName: "S", lastName: "M" },
      email: { email: "smoke1@example.com" },
    };
    const orgs = [{ orgId: result[0].id, humanUsers: [{ userId: "smoke|1", user }] }];
    // The recorded instance of v4 had been used before.
    if (mimic === "v4") await source.send("/admin/v1/import", { dataOrgs: { orgs }, timeout: "1m" });
    await replayAll(`${file}-copy`, ({ name }) => (name.includes("source") ? source : target));
  });

  test.each([...services, ["v2", "v2"]] as const)("%s, calls that end the whole process", async (mimic, file) => {
    const instance = await start(mimic);
    const calls = await replayAll(`${file}-crash`, () => instance);
    const closed = calls.filter((call) => call.closed === true);
    expect(closed.length).toBeGreaterThan(3);
    expect((await fetch(`${instance.mock.url}/health`)).status).toBe(200);
  });
});
