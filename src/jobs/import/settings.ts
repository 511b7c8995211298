import type { OrgMap } from "../../core/document/org-map.ts";
import type { Routing, Way } from "../../core/rules/route.ts";
import { exactly, type PaceRanges } from "../../core/transfer/pace.ts";
import type { Preference } from "../../core/update/plan-user.ts";

/** How an import is done; `import` and `copy` take the same settings. */
export interface ImportSettings {
  readonly plan: PlanSettings;
  readonly calls: CallSettings;
  readonly consent: ConsentSettings;
  readonly failOn: FailureSettings;
  /** Skip users that the service would refuse, instead of sending nothing. */
  readonly skipInvalid: boolean;
  /** The folder for rejected and failed users; undefined: they are not kept. */
  readonly rejects?: string;
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
  readonly from?: "v1" | "v2";
  /** The endpoint that creates users. */
  readonly via: Routing["via"];
  /** Send no e-mail and no SMS. */
  readonly noMail: boolean;
  /** Organizations that get another id on the target. */
  readonly orgMap: OrgMap;
  /** Update existing users with what the input says; undefined: existing users stay as they are. */
  readonly update?: UpdateSettings;
}

/** How calls are made. A resumed run may change all of it. */
export interface CallSettings {
  /** The time limit of one call; undefined: the body's own, else 5m0s. */
  readonly timeout?: string;
  /** Elements of any kind in one call; "auto": the size at which the service is fastest. */
  readonly batchUsers: number | "auto";
  /** Bytes of JSON in one call. */
  readonly batchBytes: number;
  /** Concurrent calls that write; "auto": the number at which the service is fastest, up to `maxConcurrency`. */
  readonly concurrency: number | "auto";
  readonly maxConcurrency: number;
}

/** When an import may send e-mails and SMS. */
export interface ConsentSettings {
  /** Send nothing if more people than this would get an e-mail. */
  readonly maxMails?: number;
  /** Go on without asking. */
  readonly yes: boolean;
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
  readonly removals?: "delete" | "deactivate";
  /** At most this many of them in one organization; undefined: one in a hundred, but at least ten. */
  readonly maxDeletes?: number;
  /** The file that holds what earlier runs read of the instances' events; undefined: all events are read. */
  readonly state?: string;
}

/** The files that a job keeps, and the commands that go on from them. */
export interface JobFiles {
  /** undefined: the job has no journal. */
  readonly journal: string | undefined;
  /** Continue an unfinished run. */
  readonly resume: boolean;
  /** Discard an unfinished run. */
  readonly restart: boolean;
  /** The file for the ids of created users; undefined: they are not written. */
  readonly manifest: string | undefined;
  /** The command line that continues this job; undefined when it has no journal. */
  readonly resumeCommand: string | undefined;
  /** The command line that compares the result; undefined without a file to compare with, and when the run compares anyway. */
  readonly checkCommand: string | undefined;
  /** Where faults beyond the first ones can be read: "the rejects", "the report"; undefined: nowhere. */
  readonly restOfFaults: string | undefined;
}

/** The hosted service takes about this many users in the five minutes of one call (spec: Limits). */
const MAX_BATCH_USERS = 5_000;
/** Users in the first call with "auto": a slow service answers it within two seconds, too. */
const FIRST_BATCH_USERS = 10;

/** True when calls may write concurrently, which leaves some users without a login name (service behaviour 0.41). */
export function writesConcurrently(settings: CallSettings): boolean {
  return paceRanges(settings).import.calls.max > 1;
}

/** The ranges in which the pace of each way may move; the users API takes one user per call. */
export function paceRanges({
  batchUsers,
  concurrency,
  maxConcurrency,
}: CallSettings): Readonly<Record<Way, PaceRanges>> {
  const calls = concurrency === "auto" ? { min: 1, max: maxConcurrency } : exactly(concurrency);
  const users = batchUsers === "auto" ? { min: FIRST_BATCH_USERS, max: MAX_BATCH_USERS } : exactly(batchUsers);
  return { import: { calls, users }, users: { calls, users: exactly(1) } };
}
