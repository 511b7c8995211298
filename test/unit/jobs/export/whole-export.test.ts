import { expect, test } from "vitest";
import type { AdminApi } from "../../../../src/admin/client.ts";
import { createCleanUp } from "../../../../src/io/clean-up.ts";
import { exportWhole } from "../../../../src/jobs/export/whole-export.ts";
import { type Problem, ProblemError } from "../../../../src/problem.ts";
import type { Ui } from "../../../../src/ui/ui.ts";
import { startFrontApi } from "../../../helpers/front-api.ts";

interface Log {
  readonly type: string;
  readonly id: string;
  readonly orgId: string;
  /** Seconds since the beginning of the log. */
  readonly at: number;
  /** Of a metadata entry. */
  readonly key?: string;
}

const timeOf = (at: number): string => new Date(Date.parse("2026-01-02T00:00:00Z") + at * 1000).toISOString();
const added = (id: string, at: number, orgId = "a", type = "user.human.added"): Log => ({ type, id, orgId, at });
const removed = (id: string, at: number, orgId = "a"): Log => ({ type: "user.removed", id, orgId, at });
const metadata = (id: string, key: string, at: number, what = "set"): Log => {
  return { type: `user.metadata.${what}`, id, orgId: "a", at, key };
};
const orgAdded = (orgId: string, at: number): Log => ({ type: "org.added", id: orgId, orgId, at });

/** Who is in an export, by organization; machine users begin with "m"; a metadata entry is "<user>:<key>". */
type Holding = Readonly<Record<string, readonly string[]>>;

/** An instance with these exports in order, the last one repeated, and with a log that may grow with each export. */
async function instance(exports: readonly Holding[], log: Log[], onExport: (time: number) => void = () => {}) {
  const asked: string[][] = [];
  const api = await startFrontApi({
    export({ org_ids }) {
      const holding = exports[Math.min(asked.length, exports.length - 1)] ?? {};
      asked.push(org_ids);
      onExport(asked.length);
      const orgs = Object.entries(holding)
        .filter(([orgId]) => org_ids.length === 0 || org_ids.includes(orgId))
        .map(([orgId, ids]) => ({
          orgId,
          ...section("humanUsers", ids, false),
          ...section("machineUsers", ids, true),
          userMetadata: ids.flatMap((text) => {
            const [id, key] = text.split(":");
            return key === undefined ? [] : [{ id, key, value: "eA==" }];
          }),
        }));
      return orgs.length === 0 ? {} : { orgs };
    },
    events({ asc, from, event_types, resource_owner, limit = 1_000 }) {
      const found = log.filter(
        ({ type, orgId, at }) =>
          (event_types?.includes(type) ?? true) &&
          (resource_owner === undefined || orgId === resource_owner) &&
          (from === undefined || timeOf(at) > from),
      );
      if (asc !== true) found.reverse();
      const events = found.slice(0, limit).map(({ type, id, orgId, at, key }) => ({
        aggregate: { id, resourceOwner: orgId },
        sequence: String(at),
        creationDate: timeOf(at),
        type: { type },
        payload: { key },
      }));
      return { events };
    },
    // An instance that does not say how far its lists are.
    views: () => ({}),
    orgs: () => ({ result: [...new Set(log.map(({ orgId }) => orgId))].map((id) => ({ id, state: "" })) }),
  });
  return { api, asked };
}

function section(key: string, ids: readonly string[], machine: boolean): object {
  const users = ids.filter((id) => !id.includes(":") && id.startsWith("m") === machine).map((userId) => ({ userId }));
  return users.length === 0 ? {} : { [key]: users };
}

const flags = {
  orgId: [] as readonly string[],
  excludeOrgId: [] as readonly string[],
  withPasswords: false,
  withOtp: false,
  timeout: "5m0s",
  transport: "auto",
  settleMs: 60_000,
} as const;

async function run(api: AdminApi, some: Partial<{ orgId: string[]; excludeOrgId: string[]; settleMs: number }> = {}) {
  const said: string[] = [];
  const waits: number[] = [];
  const ui = {
    say: (line: string) => said.push(line),
    warn: (line: string) => said.push(line),
    detail: () => {},
    problem: (_: Problem) => {},
    progress: () => ({ update() {}, stop() {} }),
  } as unknown as Ui; // paint is not used
  const context = {
    signal: new AbortController().signal,
    now: () => new Date(0),
    sleep: async (ms: number) => void waits.push(ms),
    cleanUp: createCleanUp(),
  } as unknown as Parameters<typeof exportWhole>[0]["context"]; // what an export uses of it
  const sinks: { kept: boolean }[] = [];
  const createSink = () => {
    const sink = { kept: true };
    sinks.push(sink);
    const discard = (): void => {
      sink.kept = false;
    };
    return { write() {}, discard };
  };
  const work = exportWhole({ api, ui, context }, { ...flags, ...some }, createSink);
  const result = await work.then(
    (whole) => ({ lacking: whole.lacking, problem: undefined }),
    (error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      return { lacking: undefined, problem: error.problem };
    },
  );
  return { ...result, said: said.join("\n"), waits, kept: sinks.map(({ kept }) => kept) };
}

const LOG = [orgAdded("a", 0), added("u1", 1), added("u2", 2), added("m1", 3, "a", "user.machine.added")];
const ALL: Holding = { a: ["u1", "u2", "m1"] };

test("a complete export is accepted at once", async () => {
  const { api, asked } = await instance([ALL], LOG);
  expect(await run(api)).toMatchObject({ lacking: { users: 0, orgs: [] }, waits: [], kept: [true] });
  expect(asked).toEqual([[]]);
});

test.each([
  ["human users", { a: ["u1", "m1"] }],
  ["a machine user", { a: ["u1", "u2"] }],
  ["almost all users", { a: [] }],
  ["a whole organization", {}],
])("an export that lacks %s is fetched again until it does not", async (_, short) => {
  const { api } = await instance([short, short, ALL], LOG);
  const { lacking, waits, kept, said } = await run(api);
  expect(lacking).toEqual({
    users: 0,
    namedUsers: [],
    metadata: [],
    orgs: [],
    partOrgs: [],
    deleted: [],
    removedOrgs: [],
  });
  expect(waits).toEqual([1_000, 2_000]);
  expect(kept).toEqual([false, false, true]);
  expect(said).toMatch(/the export lacks \d of 3 users/);
});

const WITH_METADATA = [...LOG, metadata("u1", "plan", 4), metadata("m1", "team", 5)];

test("an export that lacks metadata is fetched again until it does not", async () => {
  const { api } = await instance(
    [{ a: ["u1", "u2", "m1", "m1:team"] }, { a: ["u1", "u2", "m1", "m1:team", "u1:plan"] }],
    WITH_METADATA,
  );
  const { lacking, waits, said } = await run(api);
  expect(lacking).toMatchObject({ users: 0, metadata: [] });
  expect(waits).toEqual([1_000]);
  expect(said).toContain("the export lacks 1 metadata entry that the event log knows.");
});

test("metadata that stay missing are named, and their organization is incomplete", async () => {
  const { api } = await instance([{ a: ["u1", "u2", "m1"] }], WITH_METADATA);
  const { lacking } = await run(api, { settleMs: 1_000 });
  expect(lacking).toEqual({
    users: 0,
    namedUsers: [],
    metadata: [
      { orgId: "a", userId: "u1", key: "plan" },
      { orgId: "a", userId: "m1", key: "team" },
    ],
    orgs: [],
    partOrgs: ["a"],
    removedOrgs: [],
    deleted: [],
  });
});

test.each([
  ["a removed entry", [metadata("u1", "plan", 6, "removed"), metadata("m1", "team", 7, "removed")]],
  ["entries removed with all others", [metadata("u1", "", 6, "removed.all"), metadata("m1", "", 7, "removed.all")]],
  [
    "entries of former users",
    [removed("u1", 6), added("u1", 7), removed("m1", 8), added("m1", 9, "a", "user.machine.added")],
  ],
])("%s is not missing", async (_, later) => {
  const { api } = await instance([{ a: ["u1", "u2", "m1"] }], [...WITH_METADATA, ...later]);
  expect(await run(api)).toMatchObject({ lacking: { users: 0, metadata: [] }, waits: [] });
});

const missing = (id: string, type: string) => ({ type, id, orgId: "a", userName: "" });

test("an export that stays incomplete is returned with what it lacks, after the time to settle", async () => {
  const { api } = await instance([{ a: ["u1"] }], [...LOG, orgAdded("b", 4)]);
  const { lacking, waits, kept } = await run(api, { settleMs: 10_000 });
  expect(lacking).toEqual({
    users: 2,
    namedUsers: [missing("u2", "human_user"), missing("m1", "machine_user")],
    metadata: [],
    orgs: ["b"],
    partOrgs: ["a"],
    removedOrgs: [],
    deleted: [],
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 3_000]);
  expect(kept).toEqual([false, false, false, false, true]);
});

test.each([
  ["removed before the export", [...LOG, removed("u2", 10)], { users: 0, orgs: [] }],
  ["removed and come back", [...LOG, removed("u2", 10), added("u2", 11)], { users: 1, orgs: [] }],
  [
    "removed, come back and removed again",
    [...LOG, removed("u2", 10), added("u2", 11), removed("u2", 12)],
    { users: 0, orgs: [] },
  ],
  [
    "of an organization that was removed",
    [...LOG, { type: "org.removed", id: "b", orgId: "b", at: 20 }, orgAdded("b", 5), added("x", 6, "b")].toSorted(
      (a, b) => a.at - b.at,
    ),
    { users: 1, orgs: [] },
  ],
  [
    "imported into an organization that had been removed",
    [
      ...LOG,
      removed("u2", 10),
      orgAdded("b", 11),
      { type: "org.removed", id: "b", orgId: "b", at: 12 },
      added("x", 13, "b"),
    ],
    { users: 0, orgs: [] },
  ],
  ["registered by itself", [...LOG, added("u3", 9, "a", "user.human.selfregistered")], { users: 2, orgs: [] }],
  ["recorded by the first major version", [...LOG, added("u3", 9, "a", "user.added")], { users: 2, orgs: [] }],
])("a user %s is missing only while the log has it", async (_, log, lacking) => {
  const { api } = await instance([{ a: ["u1", "m1"] }], log);
  expect((await run(api, { settleMs: 0 })).lacking).toMatchObject(lacking);
});

test("a user who is deleted while the export settles is not missing", async () => {
  const log = [...LOG];
  const { api } = await instance([{ a: ["u1", "m1"] }], log, (time) => {
    if (time === 2) log.push(removed("u2", 30));
  });
  expect(await run(api)).toMatchObject({ lacking: { users: 0 }, waits: [1_000] });
});

test("a user who is created after the start may be missing", async () => {
  const log = [...LOG];
  const { api } = await instance([ALL], log, () => log.push(added("late", 100)));
  expect(await run(api)).toMatchObject({ lacking: { users: 0 }, waits: [] });
});

test("users of organizations that were not requested do not count", async () => {
  const log = [...LOG, orgAdded("b", 5), added("x", 6, "b")];
  const { api, asked } = await instance([{ ...ALL, b: [] }], log);
  expect(await run(api, { orgId: ["a"] })).toMatchObject({ lacking: { users: 0, orgs: [] }, waits: [] });
  expect(await run(api, { excludeOrgId: ["b"] })).toMatchObject({ lacking: { users: 0, orgs: [] }, waits: [] });
  expect(asked).toEqual([["a"], ["a"]]);
});

test("an export that exceeds the documented call while it settles uses gRPC-Web from then on", async () => {
  const { api } = await instance([{ a: ["u1", "m1"] }, { a: ["u2", "m1"] }, ALL], LOG);
  const over: string[] = [];
  const growing = {
    ...api,
    exportData: async (...args: Parameters<AdminApi["exportData"]>) => {
      over.push("rest");
      if (over.length > 1) throw new ProblemError({ code: "api.too-large", host: "h", sentBytes: 1 });
      return api.exportData(...args);
    },
    exportOverGrpcWeb: async (
      ...[body, , signal]: Parameters<AdminApi["exportOverGrpcWeb"]>
    ): ReturnType<AdminApi["exportOverGrpcWeb"]> => {
      over.push("grpc-web");
      return api.exportData(body, signal);
    },
  };
  expect(await run(growing)).toMatchObject({ lacking: { users: 0 }, kept: [false, false, true] });
  expect(over).toEqual(["rest", "rest", "grpc-web", "grpc-web"]);
});

test("a missing organization is a problem: at once if the log does not have it, else after the time to settle", async () => {
  const { api } = await instance([{ b: [] }], LOG);
  const unknown = await run(api, { orgId: ["nosuch", "a", "nosuch"] });
  expect(unknown).toMatchObject({
    problem: { code: "api.org-missing", orgIds: ["nosuch", "a"] },
    waits: [],
    kept: [false],
  });
  const lagging = await run(api, { orgId: ["a"], settleMs: 3_000 });
  expect(lagging).toMatchObject({ problem: { code: "api.org-missing", orgIds: ["a"] }, waits: [1_000, 2_000] });
});

test("a log without events of an export is not compared", async () => {
  const { api } = await instance([{ a: ["u1"] }], LOG);
  const silent: typeof api = {
    ...api,
    searchEvents: async (request, signal) => (request.limit === 1 ? api.searchEvents(request, signal) : { events: [] }),
  };
  const { lacking, said, problem } = await run(silent);
  expect({ lacking, problem }).toEqual({ lacking: undefined, problem: undefined });
  expect(said).toContain("could not be compared with the event log");
});

test("an export without organizations is a problem, even if all are excluded", async () => {
  const { api } = await instance([{}], []);
  expect((await run(api)).problem).toMatchObject({ code: "api.no-orgs" });
  const { api: other, asked } = await instance([ALL], LOG);
  expect((await run(other, { excludeOrgId: ["a"] })).problem).toMatchObject({ code: "api.no-orgs" });
  expect(asked).toEqual([]);
});

test.each([
  ["auth.forbidden", { code: "auth.forbidden", host: "h", role: "r", message: "" }],
  ["404", { code: "api.not-an-instance", host: "h" }],
  ["501", { code: "api.rejected", host: "h", status: 501, message: "" }],
  ["nonsense", { code: "api.unexpected", host: "h", what: "" }],
] as const)("where events cannot be read (%s) the export is taken, and that is said", async (_, problem) => {
  const { api } = await instance([{ a: ["u1"] }], LOG);
  const refusing = {
    ...api,
    searchEvents: async () => {
      throw new ProblemError(problem);
    },
  };
  const { lacking, said, problem: none } = await run(refusing);
  expect(none).toBeUndefined();
  expect(lacking).toBeUndefined();
  expect(said).toContain("events cannot be read");
  expect((await run(refusing, { orgId: ["b"] })).problem).toMatchObject({ code: "api.org-missing" });
});

test("a refused token is not mistaken for unreadable events", async () => {
  const { api } = await instance([ALL], LOG);
  const refusing = {
    ...api,
    searchEvents: async () => {
      throw new ProblemError({ code: "auth.refused", host: "h", message: "" });
    },
  };
  expect((await run(refusing)).problem).toMatchObject({ code: "auth.refused" });
});

test("if organizations cannot be listed, none is excluded by the request", async () => {
  const { api, asked } = await instance([ALL], LOG);
  const refusing = {
    ...api,
    searchOrgs: async () => {
      throw new ProblemError({ code: "api.not-an-instance", host: "h" });
    },
  };
  expect((await run(refusing, { excludeOrgId: ["b"] })).problem).toMatchObject({ code: "api.cannot-exclude" });
  expect(asked).toEqual([]);
});
