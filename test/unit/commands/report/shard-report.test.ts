import { expect, test } from "vitest";
import { mergeReports, worstExit } from "../../../../src/commands/report/merge-reports.ts";
import { findShardFault, type ReadReport, ShardReport } from "../../../../src/commands/report/shard-report.ts";
import { LISTED } from "../../../../src/problem/format.ts";

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
      version: "0.1.0",
      problems: [],
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

test("those who cannot sign in are all named, and where their ids are", () => {
  const forgot = {
    exitCode: 1,
    cannotSignIn: ["u1"],
    cannotSignInCount: 2,
    cannotSignInFile: "a.cannot-sign-in.ndjson",
  };
  const merged = mergeReports([
    reportOf(1, ["a.json"], forgot),
    reportOf(2, ["b.json"], { ...forgot, cannotSignIn: ["u2"] }),
  ]);
  expect(merged).toMatchObject({ cannotSignIn: ["u1", "u2"], cannotSignInCount: 4 });
  expect(merged.reports[0]).toMatchObject({ cannotSignInFile: "a.cannot-sign-in.ndjson" });
});

test("a shard that failed is named, with the command that continues it and the place of its report", () => {
  const stopped = { exitCode: 6, resume: "orgferry import …", manifest: "m.ndjson", rejects: "r", unknownFile: "r/u" };
  const { unfinished, reports } = mergeReports([reportOf(1, ["a.json"], stopped), second]);
  expect(unfinished).toEqual([{ shard: 1, exitCode: 6, resume: "orgferry import …" }]);
  expect(reports).toEqual([
    { shard: 1, path: "1.report.json", exitCode: 6, manifest: "m.ndjson", rejects: "r", unknownFile: "r/u" },
    { shard: 2, path: "2.report.json", exitCode: 0 },
  ]);
});

test("what --update did adds up; what no shard reports is not in the merged report", () => {
  const users = { ...first.report.users, updated: 2, unchanged: 3, conflict: 1 };
  const done = { update: { create: ["a"], unchanged: 3, conflict: [{ userId: "c", fields: ["email"] }] } };
  const one = reportOf(1, ["a.json", "c.json"], { users, ...done, conflicts: 1, mails: 4, hashes: { bcrypt: 5 } });
  const two = reportOf(2, ["b.json"], { users, ...done, conflicts: 1, mails: 1, hashes: { bcrypt: 1, md5: 2 } });
  const merged = mergeReports([one, two]);
  expect(merged).toMatchObject({
    users: { updated: 4, unchanged: 6, conflict: 2 },
    update: { create: ["a", "a"], unchanged: 6, conflict: [{ userId: "c" }, { userId: "c" }] },
    conflicts: 2,
    mails: 5,
    hashes: { bcrypt: 6, md5: 2 },
  });
  expect(mergeReports([first, second])).toMatchObject({ mails: undefined, update: undefined, different: undefined });
  expect(mergeReports([first, second]).users).not.toHaveProperty("updated");
});

test("lists hold the first thousand, and the ids whose outcome is open are counted beyond that", () => {
  const ids = (shard: number): string[] => Array.from({ length: 800 }, (_, at) => `${shard}-${at}`);
  const different = ids(1).map((userId) => ({ userId, fields: [] }));
  const more = { alreadyThereDifferent: different, alreadyThereDifferentCount: 5_000 };
  const merged = mergeReports([
    reportOf(1, ["a.json", "c.json"], { unknown: ids(1), unknownCount: 3_000, ...more }),
    // Of a version that did not count them.
    reportOf(2, ["b.json"], { unknown: ids(2), ...more }),
  ]);
  expect(merged.unknown).toEqual([...ids(1), ...ids(2)].slice(0, LISTED));
  expect(merged).toMatchObject({ unknownCount: 3_800, alreadyThereDifferentCount: 10_000 });
  expect(merged.alreadyThereDifferent).toHaveLength(LISTED);
});

test.each([
  [[], 0],
  [[1], 1],
  [[1, 6, 1], 6],
  [[6, 130], 6],
  [[6, 4, 1], 4],
  [[5, 2], 5],
  [[3, 70, 143], 70],
  [[143, 1], 143],
  [[99], 1],
  [[99, 6], 6],
])("shards that ended with %j end with %i together", (codes, together) => {
  for (const order of [codes, [...codes].reverse()]) {
    expect(worstExit({ unfinished: order.map((exitCode, shard) => ({ shard, exitCode })) })).toBe(together);
  }
});

test("a dry run of all shards is one, and the dry run of one is no share of a job", () => {
  const tried = { dryRun: true, users: { ...first.report.users, sent: 0, created: 0, notSent: 10 } };
  const trials = [reportOf(1, ["a.json", "c.json"], tried), reportOf(2, ["b.json"], tried)];
  expect(findShardFault(trials)).toBeUndefined();
  expect(mergeReports(trials)).toMatchObject({ dryRun: true });
  expect(mergeReports([first, second])).toMatchObject({ dryRun: undefined });
});

test.each([
  ["a report is missing", [first], { code: "shards.missing", shards: [2], files: [] }],
  ["no report is there", [], { code: "shards.missing", shards: [1], files: [] }],
  [
    "a file was sent by no shard",
    [reportOf(1, ["a.json"]), second],
    { code: "shards.missing", shards: [], files: ["c.json"] },
  ],
  [
    "a report is there twice",
    [first, second, { ...second, path: "copy" }],
    { code: "shards.overlap", files: ["2.report.json", "copy"] },
  ],
  [
    "a part was sent by two, under two names",
    [first, reportOf(2, ["b.json"], { files: [{ path: "b.json", bytes: 1, sha256: "c.json" }] })],
    { code: "shards.overlap", files: ["1.report.json", "2.report.json"] },
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
    "one of them was a dry run",
    [reportOf(1, ["a.json", "c.json"], { dryRun: true }), second],
    { code: "shards.differ", what: "dry-run", files: ["1.report.json", "2.report.json"] },
  ],
  [
    "the targets differ",
    [first, reportOf(2, ["b.json"], { target: "other" })],
    { code: "shards.differ", what: "target" },
  ],
])("it is a fault when %s", (_, reports, fault) => {
  expect(findShardFault(reports)).toMatchObject(fault);
});
