import { expect, test } from "vitest";
import {
  findShardFault,
  mergeReports,
  type ReadReport,
  ShardReport,
} from "../../../../src/commands/report/shard-report.ts";

const all = ["a.json", "b.json", "c.json"];

function reportOf(index: number, files: readonly string[], more: Readonly<Record<string, unknown>> = {}): ReadReport {
  const users = { read: 10, sent: 9, created: 7, alreadyThere: 1, failed: 1, unknown: 0, notSent: 1, skipped: 0 };
  return {
    path: `${index}.report.json`,
    report: ShardReport.parse({
      schemaVersion: 1,
      command: "import",
      exitCode: 0,
      startedAt: "2026-01-01T00:00:00Z",
      durationMs: 5,
      target: "example.com",
      shard: { index, of: 2, files: all },
      files: files.map((path) => ({ path, bytes: 1, sha256: path })),
      users,
      via: { import: 9, users: 0 },
      calls: 3,
      unknown: [`u${index}`],
      failures: [{ type: "human_user", id: `f${index}`, message: "no", cause: "name-taken" }],
      otherObjects: { org: { created: 0, alreadyThere: 1, failed: 0 } },
      ...more,
    }),
  };
}

const first = reportOf(1, ["a.json", "c.json"]);
const second = reportOf(2, ["b.json"]);

test("reports of all shards add up, in the order of the shards", () => {
  expect(findShardFault([second, first])).toBeUndefined();
  expect(mergeReports([second, first])).toMatchObject({
    shards: 2,
    files: [{ path: "a.json" }, { path: "c.json" }, { path: "b.json" }],
    users: { read: 20, sent: 18, created: 14, alreadyThere: 2, failed: 2, unknown: 0, notSent: 2, skipped: 0 },
    via: { import: 18, users: 0 },
    calls: 6,
    unknown: ["u1", "u2"],
    failures: [{ id: "f1" }, { id: "f2" }],
    otherObjects: { org: { created: 0, alreadyThere: 2, failed: 0 } },
    unfinished: [],
  });
});

test("a shard that did not end well is named", () => {
  expect(mergeReports([reportOf(1, ["a.json"], { exitCode: 6 }), second]).unfinished).toEqual([
    { shard: 1, exitCode: 6 },
  ]);
});

test.each([
  ["a report is missing", [first], { code: "shards.missing", shards: [2], files: [] }],
  ["no report is there", [], { code: "shards.missing", shards: [1], files: [] }],
  [
    "a file was sent by nobody",
    [reportOf(1, ["a.json"]), second],
    { code: "shards.missing", shards: [], files: ["c.json"] },
  ],
  [
    "a report is there twice",
    [first, second, { ...second, path: "copy" }],
    { code: "shards.overlap", files: ["2.report.json", "copy"] },
  ],
  ["a file was sent by two", [first, reportOf(2, ["b.json", "c.json"])], { code: "shards.overlap" }],
  [
    "the shards knew of different files",
    [first, reportOf(2, ["b.json"], { shard: { index: 2, of: 2, files: ["b.json"] } })],
    { code: "shards.differ", what: "files" },
  ],
  [
    "there were different numbers of shards",
    [first, reportOf(2, ["b.json"], { shard: { index: 2, of: 3, files: all } })],
    { code: "shards.differ", what: "number" },
  ],
  [
    "they went to different targets",
    [first, reportOf(2, ["b.json"], { target: "other" })],
    { code: "shards.differ", what: "target" },
  ],
])("it is a fault when %s", (_, reports, fault) => {
  expect(findShardFault(reports)).toMatchObject(fault);
});
