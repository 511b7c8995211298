import { expect, test } from "vitest";
import { planParts } from "../../../../../src/core/document/parts.ts";
import { fold, JobState } from "../../../../../src/core/transfer/job-state.ts";
import { JOURNAL_VERSION } from "../../../../../src/core/transfer/journal-entries.ts";
import { Ledger } from "../../../../../src/jobs/import/ledger.ts";
import { Provenance } from "../../../../../src/jobs/import/provenance/provenance.ts";
import { testUser } from "../../../../helpers/bodies.ts";
import { startFrontApi } from "../../../../helpers/front-api.ts";
import { scanOf } from "../../../../helpers/send-job.ts";

const MARK = "2026-01-01T00:00:00.5Z";
const done = {
  kind: "done",
  from: 0,
  to: 9,
  way: "import",
  created: 0,
  alreadyThere: 0,
  failed: 0,
  untold: 0,
} as const;
const lists = {
  made: [],
  carried: [],
  failures: [],
  others: { project: { created: 0, alreadyThere: 0, failed: 0, unknown: 2 } },
};

function openState(by: { readonly by?: string[] } = { by: [] }) {
  const state = new JobState();
  fold(state, {
    kind: "job",
    schemaVersion: JOURNAL_VERSION,
    id: "",
    input: "",
    target: "",
    container: "",
    routing: "",
    mark: MARK,
    ...by,
  });
  const open = ["p1", "p2"].map((id, item) => ({ type: "project", id, orgId: "o", item, line: 1 }));
  fold(state, { ...done, ...lists, users: 4, unknown: ["made", "before", "gone", "without-events"], open });
  return state;
}

/** One event for each object: its type and its time. */
const events: Readonly<Record<string, readonly [type: string, creationDate: string]>> = {
  made: ["user.human.added", "2026-01-01T00:00:01Z"],
  before: ["user.human.added", "2026-01-01T00:00:00.49Z"],
  gone: ["user.removed", "2026-01-01T00:00:02Z"],
  p1: ["project.added", "2026-01-01T00:00:01Z"],
};

/** The events of identity providers, which belong to the organization, as 4.13.1 lists them. */
const providerEvents = [
  ["org.idp.config.added", "old", "2025-12-31T23:00:00Z"],
  ["org.idp.config.added", "new", "2026-01-01T00:00:01Z"],
  ["org.idp.config.added", "away", "2025-12-31T23:00:00Z"],
  ["org.idp.config.removed", "away", "2026-01-01T00:00:02Z"],
].map(([type = "", idpConfigId = "", creationDate = ""], at) => ({
  aggregate: { id: "o", resourceOwner: "o" },
  sequence: String(at),
  type: { type },
  editor: { userId: "copier" },
  creationDate,
  payload: { idpConfigId },
}));

/** An instance with these events, which the user "copier" caused; `self` has the token. */
const apiOf = (self: string, payload?: object) =>
  startFrontApi({
    events({ aggregate_id: id = "", event_types: types = [] }) {
      if (types.includes("org.idp.config.added")) return { events: providerEvents };
      const [type, creationDate] = events[id] ?? [];
      if (type === undefined || creationDate === undefined) return { events: [] };
      const aggregate = { id, resourceOwner: "o" };
      return {
        events: [{ aggregate, sequence: "1", type: { type }, editor: { userId: "copier" }, creationDate, payload }],
      };
    },
    userinfo: () => ({ sub: self }),
  });

const bodyOf = (orgId: string, ids: readonly string[] = []) => {
  const humanUsers = ids.map((id, at) => ({ ...testUser(at), userId: id }));
  return { dataOrgs: { orgs: [{ orgId, humanUsers }] }, timeout: "1m" };
};

async function resolve(
  state: ReturnType<typeof openState>,
  document: object,
  self = "copier",
  payload?: object,
): Promise<void> {
  // The journal has the account of the run.
  if (state.job?.by !== undefined) state.job.by = [self];
  const scan = scanOf(document);
  const bytes = Buffer.from(JSON.stringify(document));
  const retry = { sleep: async () => {}, random: () => 0, onPause() {} };
  const asking = { api: await apiOf(self, payload), retry, signal: new AbortController().signal };
  const plan = {
    scan,
    parts: planParts(scan),
    async *read({ start, end }: { start: number; end: number }) {
      yield bytes.subarray(start, end);
    },
    timeout: { text: "1m", ms: 60_000 },
    sha256: "",
    fingerprint: "",
  };
  const ledger = new Ledger(state, plan.parts, { failOnExisting: false, onFailures() {} });
  await new Provenance(asking, plan, ledger).resolveOpenItems();
}

test("what no answer mentions is settled by the events of the target", async () => {
  const state = openState();
  await resolve(state, bodyOf("o"));
  expect(state.users).toMatchObject({ settled: 4, created: 1, alreadyThere: 1, failed: 2 });
  expect(state.unknown).toEqual([]);
  expect(state.open).toEqual([]);
  expect(state.others.get("project")).toEqual({ created: 1, alreadyThere: 0, failed: 1 });
  expect(state.failures.map(({ id, cause }) => `${id} ${cause}`)).toEqual([
    "gone not-made",
    "without-events not-made",
    "p2 not-made",
  ]);
});

test("a user whose creation has another content than the input was created by another job", async () => {
  for (const [userName, created] of [
    ["user0@example.com", 1],
    ["other@example.com", 0],
  ] as const) {
    const state = openState();
    await resolve(state, bodyOf("o", ["made"]), "copier", { userName });
    expect(state.users).toMatchObject({ created, alreadyThere: 2 - created });
  }
});

test("objects of an instance import may have no events: without any they stay open", async () => {
  const state = openState();
  await resolve(state, { orgs: [{ orgId: "o" }] });
  expect(state.users).toMatchObject({ created: 1, alreadyThere: 1, failed: 1 });
  expect(state.unknown).toEqual(["without-events"]);
  expect(state.open.map(({ id }) => id)).toEqual(["p2"]);
});

// service behaviour 9.10
test("a JWT identity provider that no answer mentions is looked up by its id", async () => {
  const state = openState();
  const before = { created: 0, alreadyThere: 0, failed: 0, unknown: 4 };
  const open = ["old", "new", "away", "never"].map((id, item) => ({ type: "jwt_idp", id, orgId: "o", item, line: 1 }));
  fold(state, { ...done, ...lists, users: 0, unknown: [], open, others: { jwt_idp: before } });
  await resolve(state, bodyOf("o"));
  expect(state.others.get("jwt_idp")).toEqual({ created: 1, alreadyThere: 1, failed: 2 });
  expect(state.open).toEqual([]);
});

test("what another account created since the job began, or in another organization, is not this job's", async () => {
  const byOthers = openState();
  await resolve(byOthers, bodyOf("o"), "another-account");
  expect(byOthers.users).toMatchObject({ created: 0, alreadyThere: 2 });
  const inOther = openState();
  await resolve(inOther, bodyOf("other"));
  expect(inOther.users).toMatchObject({ created: 0, alreadyThere: 2 });
  expect(inOther.madeIds).toEqual([]);
});

test("if the account of an earlier run is unknown, another account's creations since the job began may be this job's", async () => {
  const state = openState({});
  await resolve(state, bodyOf("o"), "another-account");
  expect(state.users).toMatchObject({ created: 0, alreadyThere: 1, failed: 2 });
  expect(state.unknown).toEqual(["made"]);
});
