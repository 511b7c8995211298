import { LISTED } from "../../problem/format.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import type { ImportNumbers } from "../../ui/summary/import-summary.ts";
import { LISTS, type ReadReport, type ShardReport, TOTALS } from "./shard-report.ts";

/** The sum of all shards. */
export interface MergedReport extends Partial<Omit<ShardReport, "users">> {
  readonly shards: number;
  readonly users: ImportNumbers;
  readonly otherObjects: ShardReport["otherObjects"];
  /** Shards with another exit code than 0. */
  readonly unfinished: readonly Unfinished[];
  /** Files of each shard with details that cannot be added up. */
  readonly reports: readonly ReportOfShard[];
}

interface Unfinished {
  readonly shard: number;
  readonly exitCode: number;
  /** The command that continues the shard. */
  readonly resume?: string | undefined;
}

interface ReportOfShard {
  readonly shard: number;
  readonly path: string;
  readonly exitCode: number;
  readonly manifest?: string | undefined;
  readonly rejects?: string | undefined;
  readonly unknownFile?: string | undefined;
  readonly cannotSignInFile?: string | undefined;
}

type Counts = NonNullable<ShardReport["failureCauses"]>;
type Numbers = Readonly<Record<string, number | undefined>>;

const NO_USERS: ImportNumbers = {
  read: 0,
  sent: 0,
  created: 0,
  alreadyThere: 0,
  failed: 0,
  unknown: 0,
  notSent: 0,
  skipped: 0,
};

/** Adds up reports in the order of the shards. A list holds the first thousand entries, as in one report. A key that no shard has is absent. */
export function mergeReports(reports: readonly ReadReport[]): MergedReport {
  const sorted = [...reports].sort((a, b) => a.report.shard.index - b.report.shard.index);
  const all = sorted.map(({ report }) => report);
  return {
    shards: all.length,
    inputs: all.flatMap(({ files }) => files.map(({ path }) => path)),
    files: all.flatMap(({ files }) => files),
    target: all.find(({ target }) => target !== undefined)?.target,
    dryRun: all.find(({ dryRun }) => dryRun === true)?.dryRun,
    users: all.reduce((sum: ImportNumbers, { users }) => addUp(sum, users), NO_USERS),
    via: all.reduce((sum: Record<string, number>, { via }) => addUp(sum, via), {}),
    hashes: all.reduce((sum: ShardReport["hashes"], { hashes }) => addTo(sum, hashes), undefined),
    healed: all.reduce((sum: ShardReport["healed"], { healed }) => addTo(sum, healed), undefined),
    failureCauses: all.reduce((sum: Counts | undefined, one) => addTo(sum, one.failureCauses), undefined),
    heldBackCauses: all.reduce((sum: Counts | undefined, one) => addTo(sum, one.heldBackCauses), undefined),
    loginNames: Object.fromEntries(all.flatMap(({ loginNames = {} }) => Object.entries(loginNames))),
    objectNames: Object.fromEntries(all.flatMap(({ objectNames = {} }) => Object.entries(objectNames))),
    ...Object.fromEntries(TOTALS.map((key) => [key, totalOf(all, key)])),
    ...Object.fromEntries(LISTS.map((key) => [key, listOf(all, key)])),
    unknown: all.flatMap(({ unknown }) => unknown).slice(0, LISTED),
    unknownCount: all.reduce((sum, { unknown, unknownCount = unknown.length }) => sum + unknownCount, 0),
    otherObjects: mergeObjects(all),
    update: mergeUpdates(all),
    unfinished: all
      .filter(({ exitCode }) => exitCode !== exitCodes.done)
      .map(({ shard, exitCode, resume }) => ({ shard: shard.index, exitCode, resume })),
    reports: sorted.map(({ path, report: { shard, exitCode, manifest, rejects, unknownFile, cannotSignInFile } }) => {
      return { shard: shard.index, path, exitCode, manifest, rejects, unknownFile, cannotSignInFile };
    }),
  };
}

function totalOf(all: readonly ShardReport[], key: (typeof TOTALS)[number]): number | undefined {
  const found = all.flatMap((report) => report[key] ?? []);
  return found.length === 0 ? undefined : found.reduce((sum, number) => sum + number, 0);
}

function listOf(all: readonly ShardReport[], key: (typeof LISTS)[number]): readonly unknown[] | undefined {
  const found: readonly (readonly unknown[])[] = all.flatMap((report) =>
    report[key] === undefined ? [] : [report[key]],
  );
  return found.length === 0 ? undefined : found.flat().slice(0, LISTED);
}

function mergeObjects(all: readonly ShardReport[]): ShardReport["otherObjects"] {
  const merged: ShardReport["otherObjects"] = {};
  for (const [type, counts] of all.flatMap(({ otherObjects }) => Object.entries(otherObjects))) {
    merged[type] = addTo(merged[type], counts) ?? counts;
  }
  return merged;
}

/** Joins lists of ids, which are complete in each report. */
function mergeUpdates(all: readonly ShardReport[]): ShardReport["update"] {
  const found = all.flatMap(({ update }) => (update === undefined ? [] : [update]));
  if (found.length === 0) return undefined;
  const merged: Record<string, unknown> = {};
  for (const [key, value] of found.flatMap((update) => Object.entries(update))) {
    const before = merged[key];
    if (typeof value === "number") merged[key] = value + (typeof before === "number" ? before : 0);
    else if (Array.isArray(value)) merged[key] = [...(Array.isArray(before) ? before : []), ...value];
  }
  return merged;
}

function addTo<T extends Numbers>(sum: T | undefined, more: T | undefined): T | undefined {
  return sum === undefined ? more : addUp(sum, more);
}

function addUp<T extends object>(sum: T, more: Partial<T> = {}): T {
  const added: Record<string, number> = Object.fromEntries(Object.entries(sum));
  for (const [key, value] of Object.entries(more)) added[key] = (added[key] ?? 0) + Number(value);
  return added as T; // the keys of both
}

/**
 * From least to most urgent: some users failed (1); the shard continues when it is started again (interrupted, network); something must
 * be fixed first (usage, file, token, service); a bug.
 */
const FROM_GOOD_TO_BAD: readonly ExitCode[] = [
  exitCodes.done,
  exitCodes.partial,
  exitCodes.interrupted,
  exitCodes.terminated,
  exitCodes.network,
  exitCodes.usage,
  exitCodes.file,
  exitCodes.auth,
  exitCodes.service,
  exitCodes.bug,
];

/** The exit code of the worst shard. An unknown code counts as 1. */
export function worstExit({ unfinished }: Pick<MergedReport, "unfinished">): ExitCode {
  const known = unfinished.map(
    ({ exitCode }) => FROM_GOOD_TO_BAD.find((code) => code === exitCode) ?? exitCodes.partial,
  );
  return FROM_GOOD_TO_BAD.findLast((code) => known.includes(code)) ?? exitCodes.done;
}
