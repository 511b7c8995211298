import type * as z from "zod";
import type { ProblemError } from "../../problem.ts";
import { ImportReport } from "../../ui/machine/report-schema.ts";

const { shape } = ImportReport;

/**
 * What a merged report has of each key of a shard's report: a sum of numbers, the first thousand entries of all lists, something of its own
 * (merge-reports.ts), or nothing. A key without an entry does not compile.
 */
const MERGING = {
  // A number is absent when the run did not check it.
  calls: "sum",
  mails: "sum",
  notSelected: "sum",
  sms: "sum",
  deleted: "sum",
  deactivated: "sum",
  conflicts: "sum",
  alreadyThereDifferentCount: "sum",
  otherDifferencesCount: "sum",
  onlyOnTargetCount: "sum",
  expected: "sum",
  found: "sum",
  identical: "sum",
  differentCount: "sum",
  changedSinceCount: "sum",
  keptVerifiedCount: "sum",
  notInFileCount: "sum",
  notCheckable: "sum",
  notExpected: "sum",
  metadataCompared: "sum",
  cannotSignInCount: "sum",
  withoutPassword: "sum",
  stateInitial: "sum",
  recoveryCodesDropped: "sum",
  unknownFieldsDropped: "sum",
  mailed: "sum",
  recipients: "list",
  recoveryCodesDroppedUsers: "list",
  unknownFieldsDroppedUsers: "list",
  unknownStateUsers: "list",
  stateInitialUsers: "list",
  closedNow: "list",
  heldBack: "list",
  failures: "list",
  alreadyThereDifferent: "list",
  otherDifferences: "list",
  onlyOnTarget: "list",
  missing: "list",
  cannotSignIn: "list",
  different: "list",
  changedSince: "list",
  keptVerified: "list",
  notInFile: "list",
  inputs: "own",
  organizations: "nothing",
  target: "own",
  dryRun: "own",
  users: "own",
  via: "own",
  failureCauses: "own",
  heldBackCauses: "own",
  loginNames: "own",
  objectNames: "own",
  hashes: "own",
  hashesOutOfLimits: "nothing",
  unknownMembers: "nothing",
  unknownEventTypes: "nothing",
  unknownStates: "nothing",
  targetVersion: "nothing",
  unknown: "own",
  unknownCount: "own",
  unknownChanges: "list",
  otherObjects: "own",
  update: "own",
  files: "own",
  shard: "own",
  exitCode: "own",
  resume: "own",
  manifest: "own",
  rejects: "own",
  unknownFile: "own",
  cannotSignInFile: "own",
  unexpected: "nothing", // the file of another shard has these users
  by: "nothing",
  variant: "nothing",
  healed: "own",
  pace: "nothing",
  writes: "nothing",
  outcome: "nothing",
  renamedOrgs: "nothing",
  foreseen: "nothing",
  noMailProvider: "nothing",
  missingObjects: "nothing",
  state: "nothing",
  killedRun: "nothing",
  notCarried: "nothing",
  timeline: "nothing",
  bug: "nothing",
  problems: "nothing",
  warnings: "nothing",
  schemaVersion: "nothing",
  command: "nothing",
  version: "nothing",
  startedAt: "nothing",
  durationMs: "nothing",
} as const satisfies Readonly<Record<keyof typeof shape, "sum" | "list" | "own" | "nothing">>;

type KeyMergedAs<How> = {
  [Key in keyof typeof MERGING]: (typeof MERGING)[Key] extends How ? Key : never;
}[keyof typeof MERGING];

function keysMergedAs<How extends "sum" | "list">(how: How): readonly KeyMergedAs<How>[] {
  return Object.entries(MERGING).flatMap(([key, one]) => (one === how ? [key as KeyMergedAs<How>] : []));
}

export const TOTALS = keysMergedAs("sum");
export const LISTS = keysMergedAs("list");

/** The report of an import with --shard (design: The report). */
export const ShardReport = ImportReport.extend({
  shard: shape.shard.unwrap(),
  files: shape.files.unwrap().default([]),
  via: shape.via.unwrap().default({}),
  unknown: shape.unknown.unwrap().default([]),
  otherObjects: shape.otherObjects.unwrap().default({}),
});
export type ShardReport = z.infer<typeof ShardReport>;

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
    // A part under another name is the same part: its users would be counted twice.
    const parts = report.files.flatMap((file) => [`file ${file.path}`, `content ${file.sha256}`]);
    for (const mine of new Set([`shard ${report.shard.index}`, ...parts])) {
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
