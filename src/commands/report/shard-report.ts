import * as z from "zod";
import type { ProblemError } from "../../problem.ts";

const Users = z.object({
  read: z.number(),
  sent: z.number(),
  created: z.number(),
  alreadyThere: z.number(),
  failed: z.number(),
  unknown: z.number(),
  notSent: z.number(),
  skipped: z.number(),
  updated: z.number().exactOptional(),
  unchanged: z.number().exactOptional(),
  conflict: z.number().exactOptional(),
});
const Counts = z.record(z.string(), z.number());
const ObjectCounts = z.object({
  created: z.number(),
  alreadyThere: z.number(),
  failed: z.number(),
  leftOut: z.number().exactOptional(),
  unknown: z.number().exactOptional(),
});
const listed = z.array(z.unknown()).optional();
const total = z.number().optional();

/** Numbers that are added up over all shards. A number is absent when the run did not check it. */
const totals = {
  calls: total,
  mails: total,
  sms: total,
  deleted: total,
  deactivated: total,
  conflicts: total,
  alreadyThereDifferentCount: total,
  otherDifferencesCount: total,
  expected: total,
  found: total,
  differentCount: total,
  changedSinceCount: total,
  notCheckable: total,
  cannotSignInCount: total,
  mailed: total,
};
/** Lists of the first thousand entries. `unexpected` is no part of them: the file of another shard has these users. */
const lists = {
  failures: listed,
  alreadyThereDifferent: listed,
  otherDifferences: listed,
  missing: listed,
  cannotSignIn: listed,
  different: listed,
  changedSince: listed,
};

/** The keys that are read of the report of an import with --shard (design: The report). */
export const ShardReport = z.object({
  schemaVersion: z.literal(1),
  command: z.literal("import"),
  exitCode: z.number(),
  shard: z.object({ index: z.number(), of: z.number(), files: z.array(z.string()) }),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })).default([]),
  target: z.string().optional(),
  dryRun: z.literal(true).optional(),
  users: Users.optional(),
  via: Counts.default({}),
  hashes: Counts.optional(),
  unknown: z.array(z.string()).default([]),
  unknownCount: z.number().optional(),
  otherObjects: z.record(z.string(), ObjectCounts).default({}),
  /** The changes of --update, or its plan: complete lists of ids, and a number. */
  update: z.record(z.string(), z.union([z.number(), z.array(z.unknown())])).optional(),
  resume: z.string().optional(),
  manifest: z.string().optional(),
  rejects: z.string().optional(),
  unknownFile: z.string().optional(),
  cannotSignInFile: z.string().optional(),
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
