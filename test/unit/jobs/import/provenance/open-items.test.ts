import { expect, test } from "vitest";
import { createJobState, fold } from "../../../../../src/core/transfer/job-state.ts";
import { JOURNAL_VERSION } from "../../../../../src/core/transfer/journal-entries.ts";
import { resolveOpenOnes } from "../../../../../src/jobs/import/provenance/open-items.ts";
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

function openState() {
  const state = createJobState();
  fold(state, {
    kind: "job",
    schemaVersion: JOURNAL_VERSION,
    id: "",
    input: "",
    target: "",
    container: "",
    routing: "",
    mark: MARK,
  });
  const open = ["p1", "p2"].map((id, item) => ({ type: "project", id, orgId: "o", item, line: 1 }));
  fold(state, { ...done, ...lists, users: 4, unknown: ["made", "before", "gone", "nobody"], open });
  return state;
}

/** Tells of one event a thing. */
function telling(events: Readonly<Record<string, readonly [type: string, creationDate: string]>>) {
  return {
    searchEvents: async ({ aggregate_id: id = "" }: { aggregate_id?: string }) => {
      const [type, creationDate] = events[id] ?? [];
      if (type === undefined || creationDate === undefined) return { events: [] };
      const event = {
        aggregate: { id, resourceOwner: "o" },
        sequence: "1",
        type: { type },
        editor: { userId: "copier" },
      };
      return { events: [{ ...event, creationDate }] };
    },
  };
}

const context = (scan: ReturnType<typeof scanOf>, api: ReturnType<typeof telling>, self?: string) =>
  ({
    api,
    scan,
    parts: [],
    read: async function* () {},
    retry: { sleep: async () => {}, random: () => 0, onPause() {} },
    signal: new AbortController().signal,
    self: async () => self,
  }) as unknown as Parameters<typeof resolveOpenOnes>[0]; // of the instance, only its events are asked for

const progressOf = (state: ReturnType<typeof openState>, places?: ReadonlyMap<string, readonly number[]>) => ({
  state,
  repeated: { given: new Map<string, number>(), ...(places === undefined ? {} : { places }) },
});

const api = telling({
  made: ["user.human.added", "2026-01-01T00:00:01Z"],
  before: ["user.human.added", "2026-01-01T00:00:00.49Z"],
  gone: ["user.removed", "2026-01-01T00:00:02Z"],
  p1: ["project.added", "2026-01-01T00:00:01Z"],
});

test("what no answer mentions is settled by the events of the target", async () => {
  const state = openState();
  await resolveOpenOnes(
    context(scanOf({ dataOrgs: { orgs: [{ orgId: "o" }] }, timeout: "1m" }), api),
    progressOf(state),
  );
  expect(state.users).toMatchObject({ settled: 4, created: 1, alreadyThere: 1, failed: 2 });
  expect(state.unknown).toEqual([]);
  expect(state.open).toEqual([]);
  expect(state.others.get("project")).toEqual({ created: 1, alreadyThere: 0, failed: 1 });
  expect(state.failures.map(({ id, cause }) => `${id} ${cause}`)).toEqual([
    "gone not-made",
    "nobody not-made",
    "p2 not-made",
  ]);
});

test("objects of an instance import need not have events: without any they stay open", async () => {
  const state = openState();
  await resolveOpenOnes(context(scanOf({ orgs: [{ orgId: "o" }] }), api), progressOf(state));
  expect(state.users).toMatchObject({ created: 1, alreadyThere: 1, failed: 1 });
  expect(state.unknown).toEqual(["nobody"]);
  expect(state.open.map(({ id }) => id)).toEqual(["p2"]);
});

test("an id that stands several times is created once, whichever of its places made the user", async () => {
  const body = scanOf({ dataOrgs: { orgs: [{ orgId: "o" }] }, timeout: "1m" });
  const twice = openState();
  twice.unknown.push("made");
  await resolveOpenOnes(context(body, api), progressOf(twice));
  expect(twice.users).toMatchObject({ created: 1, alreadyThere: 2 });
  expect(twice.madeIds).toEqual(["made"]);
  const elsewhere = openState();
  elsewhere.made.add(20, 20);
  await resolveOpenOnes(context(body, api), progressOf(elsewhere, new Map([["made", [3, 20]]])));
  expect(elsewhere.users).toMatchObject({ created: 0, alreadyThere: 2 });
  expect(elsewhere.madeIds).toEqual([]);
});

test("what somebody else made since the job began, or in another organization, is not this job's", async () => {
  const byOthers = openState();
  const body = scanOf({ dataOrgs: { orgs: [{ orgId: "o" }] }, timeout: "1m" });
  await resolveOpenOnes(context(body, api, "somebody"), progressOf(byOthers));
  expect(byOthers.users).toMatchObject({ created: 0, alreadyThere: 2 });
  const elsewhere = openState();
  const other = scanOf({ dataOrgs: { orgs: [{ orgId: "other" }] }, timeout: "1m" });
  await resolveOpenOnes(context(other, api, "copier"), progressOf(elsewhere));
  expect(elsewhere.users).toMatchObject({ created: 0, alreadyThere: 2 });
  expect(elsewhere.madeIds).toEqual([]);
});
