import { capabilitiesOf, isKnownVersion } from "../../contract/versions.ts";
import type { IdpMap, OrgMap } from "../../core/document/org-map.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import type { Routing, Way } from "../../core/rules/route.ts";
import { exactly, type PaceLimits } from "../../core/transfer/pace.ts";
import type { Preference } from "../../core/update/plan-user.ts";
import type { PlannedWrites } from "../../ui/summary/import-plan.ts";

/**
 * How an import is done; `import` and `copy` take the same settings. No member is optional: a flag that does not reach its setting does
 * not compile.
 */
export interface ImportSettings {
  readonly plan: PlanSettings;
  readonly calls: CallSettings;
  readonly consent: ConsentSettings;
  readonly failOn: FailureSettings;
  /** Skip users that the service would refuse, instead of sending nothing. */
  readonly skipInvalid: boolean;
  /** The folder for rejected and failed users; undefined: they are not kept. */
  readonly rejects: RejectsPlace | undefined;
  /** Only find out and say what would happen. */
  readonly dryRun: boolean;
  /** Compare with the target afterwards. */
  readonly verify: boolean;
}

/**
 * What decides which item has which index and what is sent of it. A journal belongs to one plan, so each setting has an entry in the
 * table of plan/fingerprint.ts; the compiler asks for it.
 */
export interface PlanSettings {
  /** The version that an export came from; undefined: detected. */
  readonly from: "v1" | "v2" | undefined;
  /** The endpoint that creates users. */
  readonly via: Routing["via"];
  /** Send no e-mail and no SMS. */
  readonly noMail: boolean;
  /** Organizations that get another id on the target. */
  readonly orgMap: OrgMap;
  /** Identity providers that have another id on the target. */
  readonly idpMap: IdpMap;
  /** Update existing users with what the input says; undefined: existing users stay as they are. */
  readonly update: UpdateSettings | undefined;
}

/** `import 2/8`: a shard of an import. */
export type RejectsWriter = "import" | "copy" | `import ${number}/${number}`;

/** A folder for the users that fail, and what writes it: no other one replaces its files. */
export interface RejectsPlace {
  readonly dir: string;
  readonly writer: RejectsWriter;
  /** The files of the input. */
  readonly inputs: readonly string[];
}

/** How calls are made. A resumed run may change all of it. */
export interface CallSettings {
  /** The time limit of one call; undefined: the body's own, else 5m0s. */
  readonly timeout: string | undefined;
  /** Elements of any kind in one call; "auto": so many that a call takes some seconds. */
  readonly batchUsers: number | "auto";
  /** Bytes of JSON in one call. */
  readonly batchBytes: number;
  /**
   * Concurrent calls that write; "auto": `maxConcurrency`; undefined: "auto" for new users where the target's version is safe, else 1.
   */
  readonly concurrency: number | "auto" | undefined;
  readonly maxConcurrency: number;
}

/** When an import may send e-mails and SMS, and whether it may recreate users. */
export interface ConsentSettings {
  /** Send nothing if more people than this would get an e-mail. */
  readonly maxMails: number | undefined;
  /** Go on without asking. */
  readonly yes: boolean;
  /** Delete and recreate the users of this job whose login names the service has lost. */
  readonly heal: boolean;
  /** The command line that continues without asking. */
  readonly yesCommand: string;
}

/** Which existing users end a run with 1. */
export interface FailureSettings {
  /** An existing user counts as a failure. */
  readonly existing: boolean;
  /** An existing user that differs from the input makes the run partial. */
  readonly different: boolean;
}

/** How existing users are updated. */
export interface UpdateSettings {
  /** Which value counts when a field was changed on the target by another account. */
  readonly prefer: Preference;
  /** What is done with users that the source has removed; undefined: nothing. */
  readonly removals: "delete" | "deactivate" | undefined;
  /** At most this many of them in one organization; undefined: one in a hundred, but at least ten. */
  readonly maxDeletes: number | undefined;
  /** The file that holds what earlier runs read of the instances' events; undefined: all events are read. */
  readonly state: string | undefined;
  /** The input lacks users that the files have, or that other runs send. */
  readonly isPart?: boolean;
}

/** Where the ids of created users are written. */
export interface ManifestPlace {
  readonly path: string;
  /** No flag names the place: a run that cannot write there warns, and is done. */
  readonly isOptional: boolean;
}

/** What can be done with a file after its import. */
export interface NextCommands {
  /** The command of a dry run that sends; undefined for another run, and without a file that can be read again. */
  readonly send?: string | undefined;
  /** Compares the result; undefined without a file to compare with, and when the run compares anyway. */
  readonly check?: string | undefined;
  /** Previews the e-mails to users without a password; undefined without one file to read them from. */
  readonly invite?: string | undefined;
}

/** The files that a job keeps, and the commands that go on from them. */
export interface JobFiles {
  /** undefined: the job has no journal. */
  readonly journal: string | undefined;
  /** Other runs send other files of the job. */
  readonly isShard?: boolean;
  /** Continue an unfinished run. */
  readonly resume: boolean;
  /** Discard an unfinished run. */
  readonly restart: boolean;
  /** The file for the ids of created users; undefined: they are not written. */
  readonly manifest: ManifestPlace | undefined;
  /** The command line that continues this job; undefined when it has no journal. */
  readonly resumeCommand: string | undefined;
  /** Command lines that a successful run names. */
  readonly next: NextCommands;
  /** Where faults beyond the first ones can be read: "the rejects", "the report"; undefined: nowhere. */
  readonly restOfFaults: string | undefined;
}

/** The hosted service takes about this many users in the five minutes of one call (spec: Limits). */
const MAX_BATCH_USERS = 5_000;
/** Users in the first call with "auto": a slow service answers it within two seconds, too. */
const FIRST_BATCH_USERS = 10;

/** The best size of concurrent calls: measured to the end, until all users are searchable. */
const CONCURRENT_BATCH_USERS = 250;

/** How new users are written. */
export type Writes = Omit<PlannedWrites, "isUpdate" | "isShard">;

/**
 * How new users are written. On a version that is not safe, concurrent writes also lose links of users (service
 * behaviour 9.24), which cannot be found in an organization that is too large for an export: with links, calls are sequential even with the flag.
 */
export function writesOf(
  { concurrency, maxConcurrency }: CallSettings,
  { version, scan: { counts } }: { readonly version?: string | undefined; readonly scan: Pick<BodyScan, "counts"> },
): Writes {
  const isSafeVersion = capabilitiesOf(version).concurrentWrites;
  const wanted = concurrency ?? (isSafeVersion ? "auto" : 1);
  const calls = wanted === "auto" ? maxConcurrency : wanted;
  if (calls > 1 && !isSafeVersion && counts.withLinks > 0) return { calls: 1, reason: "links", isSafeVersion };
  if (concurrency !== undefined) return { calls, reason: "flag", isSafeVersion };
  const isKnown = version !== undefined && isKnownVersion(version);
  return {
    calls,
    reason: isSafeVersion ? "safe-version" : isKnown ? "unsafe-version" : "unknown-version",
    isSafeVersion,
  };
}

/** What calls are made for: new users by each endpoint, or changes of existing users. */
export type LaneKey = Way | "changes";

/**
 * The limits of the pace of each way; the users API takes one user per call. Without a flag, existing users are changed and deleted
 * sequentially on every version: what concurrent changes do was not measured.
 */
export function paceLimits(
  { batchUsers, concurrency }: CallSettings,
  { calls }: Pick<Writes, "calls">,
): Readonly<Record<LaneKey, PaceLimits>> {
  const most = calls > 1 ? CONCURRENT_BATCH_USERS : MAX_BATCH_USERS;
  const users = batchUsers === "auto" ? { min: FIRST_BATCH_USERS, max: most } : exactly(batchUsers);
  const single = { calls, users: exactly(1) };
  return {
    import: { calls, users },
    users: single,
    changes: concurrency === undefined ? { ...single, calls: 1 } : single,
  };
}
