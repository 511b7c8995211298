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
});
const Counts = z.record(z.string(), z.number());

/** What is read of the report of an import with --shard (design: The report). */
export const ShardReport = z.object({
  schemaVersion: z.literal(1),
  command: z.literal("import"),
  exitCode: z.number(),
  startedAt: z.string(),
  durationMs: z.number(),
  shard: z.object({ index: z.number(), of: z.number(), files: z.array(z.string()) }),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })).default([]),
  target: z.string().optional(),
  users: Users.optional(),
  via: Counts.default({}),
  calls: z.number().default(0),
  unknown: z.array(z.string()).default([]),
  failures: z.array(z.looseObject({ cause: z.string() })).default([]),
  otherObjects: z.record(z.string(), Counts).default({}),
});
export type ShardReport = z.infer<typeof ShardReport>;

/** A report and the file that it is in. */
export interface ReadReport {
  readonly path: string;
  readonly report: ShardReport;
}

/** What all shards came to. */
export interface MergedReport {
  readonly shards: number;
  readonly files: ShardReport["files"];
  readonly target: string | undefined;
  readonly users: z.infer<typeof Users>;
  readonly via: Readonly<Record<string, number>>;
  readonly calls: number;
  readonly unknown: readonly string[];
  readonly failures: ShardReport["failures"];
  readonly otherObjects: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Shards that did not end with 0, and with what. */
  readonly unfinished: readonly { readonly shard: number; readonly exitCode: number }[];
}

type Fault = Extract<ProblemError["problem"], { code: `shards.${string}` }>;
const LISTED = 1_000;

/** Why these are not the reports of all shards of one job, each once; undefined when they are. */
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
  return findOverlap(reports) ?? findMissing(reports, first.report.shard);
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
  // What belongs to a shard without a report is missing with it.
  const lost = shards.length > 0 ? [] : files.filter((file) => !sent.has(file));
  return shards.length + lost.length === 0 ? undefined : { code: "shards.missing", shards, files: lost };
}

/** Adds up. Lists hold the first thousand, as those of one report do. */
export function mergeReports(reports: readonly ReadReport[]): MergedReport {
  const all = reports.map(({ report }) => report).sort((a, b) => a.shard.index - b.shard.index);
  const none = { read: 0, sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0, notSent: 0, skipped: 0 };
  const otherObjects: Record<string, Record<string, number>> = {};
  for (const report of all) {
    for (const [type, counts] of Object.entries(report.otherObjects)) {
      otherObjects[type] = addUp(otherObjects[type] ?? {}, counts);
    }
  }
  return {
    shards: all.length,
    files: all.flatMap(({ files }) => files),
    target: all.find(({ target }) => target !== undefined)?.target,
    users: all.reduce((sum, { users = none }) => addUp(sum, users), none),
    via: all.reduce((sum, { via }) => addUp(sum, via), {}),
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    unknown: all.flatMap(({ unknown }) => unknown),
    failures: all.flatMap(({ failures }) => failures).slice(0, LISTED),
    otherObjects,
    unfinished: all
      .filter(({ exitCode }) => exitCode !== 0)
      .map(({ shard, exitCode }) => ({ shard: shard.index, exitCode })),
  };
}

function addUp<T extends Readonly<Record<string, number>>>(sum: T, more: Readonly<Record<string, number>>): T {
  const added: Record<string, number> = { ...sum };
  for (const [key, value] of Object.entries(more)) added[key] = (added[key] ?? 0) + value;
  return added as T; // the keys of `sum`, and perhaps more
}
