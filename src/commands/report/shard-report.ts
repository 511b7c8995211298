import type * as z from "zod";
import type { ProblemError } from "../../problem.ts";
import { ImportReport } from "../../ui/machine/report-schema.ts";

const { shape } = ImportReport;

/** Numbers that are added up over all shards. A number is absent when the run did not check it. */
const totals = {
  calls: shape.calls,
  mails: shape.mails,
  sms: shape.sms,
  deleted: shape.deleted,
  deactivated: shape.deactivated,
  conflicts: shape.conflicts,
  alreadyThereDifferentCount: shape.alreadyThereDifferentCount,
  otherDifferencesCount: shape.otherDifferencesCount,
  expected: shape.expected,
  found: shape.found,
  differentCount: shape.differentCount,
  changedSinceCount: shape.changedSinceCount,
  notCheckable: shape.notCheckable,
  cannotSignInCount: shape.cannotSignInCount,
  mailed: shape.mailed,
};
/** Lists of the first thousand entries. `unexpected` is no part of them: the file of another shard has these users. */
const lists = {
  failures: shape.failures,
  alreadyThereDifferent: shape.alreadyThereDifferent,
  otherDifferences: shape.otherDifferences,
  missing: shape.missing,
  cannotSignIn: shape.cannotSignIn,
  different: shape.different,
  changedSince: shape.changedSince,
};

/** The keys that are read of the report of an import with --shard (design: The report). */
export const ShardReport = ImportReport.pick({
  schemaVersion: true,
  command: true,
  exitCode: true,
  target: true,
  dryRun: true,
  users: true,
  hashes: true,
  unknownCount: true,
  update: true,
  resume: true,
  manifest: true,
  rejects: true,
  unknownFile: true,
  cannotSignInFile: true,
}).extend({
  shard: shape.shard.unwrap(),
  files: shape.files.unwrap().default([]),
  via: shape.via.unwrap().default({}),
  unknown: shape.unknown.unwrap().default([]),
  otherObjects: shape.otherObjects.unwrap().default({}),
  ...totals,
  ...lists,
});
export type ShardReport = z.infer<typeof ShardReport>;
export const TOTALS = Object.keys(totals) as readonly (keyof typeof totals)[]; // the keys of `totals`
export const LISTS = Object.keys(lists) as readonly (keyof typeof lists)[]; // the keys of `lists`

/** A report and its file. */
export interface ReadReport {
  readonly path: string;
  readonly report: ShardReport;
}

type Fault = Extract<ProblemError["problem"], { code: `shards.${string}` }>;

/** The reason why these are not the reports of all shards of one job, each once; undefined: they are. */
export function findShardFault(reports: readonly ReadReport[]): Fault | undefined {
  const [first] = reports;
  if (first === undefined) return { code: "shards.missing", shards: [1], files: [] };
  for (const other of reports) {
    const files = [first.path, other.path] as const;
    const [a, b] = [first.report, other.report];
    if (a.shard.of !== b.shard.of) return { code: "shards.differ", files, what: "number" };
    if (a.shard.files.join("\n") !== b.shard.files.join("\n")) return { code: "shards.differ", files, what: "files" };
    const isElsewhere = a.target !== undefined && b.target !== undefined && a.target !== b.target;
    if (isElsewhere) return { code: "shards.differ", files, what: "target" };
  }
  return findOverlap(reports) ?? findMissing(reports, first.report.shard) ?? findTrial(reports);
}

function findOverlap(reports: readonly ReadReport[]): Fault | undefined {
  const owners = new Map<string, string>();
  for (const { path, report } of reports) {
    for (const mine of [`shard ${report.shard.index}`, ...report.files.map((file) => `file ${file.path}`)]) {
      const owner = owners.get(mine);
      if (owner !== undefined) return { code: "shards.overlap", files: [owner, path] };
      owners.set(mine, path);
    }
  }
  return undefined;
}

function findMissing(reports: readonly ReadReport[], { of, files }: ShardReport["shard"]): Fault | undefined {
  const there = new Set(reports.map(({ report }) => report.shard.index));
  const sent = new Set(reports.flatMap(({ report }) => report.files.map(({ path }) => path)));
  const shards = Array.from({ length: of }, (_, at) => at + 1).filter((index) => !there.has(index));
  // The files of a shard without a report are missing with it.
  const lost = shards.length > 0 ? [] : files.filter((file) => !sent.has(file));
  return shards.length + lost.length === 0 ? undefined : { code: "shards.missing", shards, files: lost };
}

/** Refuses dry runs beside real runs. A shard that sent nothing may stand beside both. */
function findTrial(reports: readonly ReadReport[]): Fault | undefined {
  const trial = reports.find(({ report }) => report.dryRun === true);
  const real = reports.find(({ report }) => report.dryRun !== true && (report.users?.sent ?? 0) > 0);
  if (trial === undefined || real === undefined) return undefined;
  return { code: "shards.differ", files: [trial.path, real.path], what: "dry-run" };
}
