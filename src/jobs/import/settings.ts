import type { OrgMap } from "../../core/document/org-map.ts";
import type { Routing, Way } from "../../core/rules/route.ts";
import { exactly, type PaceRanges } from "../../core/transfer/pace.ts";
import type { Preference } from "../../core/update/plan-user.ts";

/** How an import is to be done; `import` and `copy` are told alike. */
export interface ImportSettings {
  /** The time limit of one call; undefined: the body's own, else 5m0s. */
  readonly timeout?: string;
  /** Elements of any kind in one call; "auto": as many as the service works best with. */
  readonly batchUsers: number | "auto";
  /** Of one call, of JSON. */
  readonly batchBytes: number;
  /** Calls that write, at a time; "auto": as many as the service works best with, up to `maxConcurrency`. */
  readonly concurrency: number | "auto";
  readonly maxConcurrency: number;
  /** The endpoint that makes users. */
  readonly via: Routing["via"];
  /** Nobody is to get a mail or a text message. */
  readonly noMail: boolean;
  /** Leave out users the service would refuse, in place of sending nothing. */
  readonly skipInvalid: boolean;
  /** Somebody who is there already counts as a failure. */
  readonly failOnExisting: boolean;
  /** Somebody who is there already and is not as the input says makes the run partial. */
  readonly failOnDifferent: boolean;
  /** The version an export came from; undefined: detected. */
  readonly from?: "v1" | "v2";
  /** Organizations that get another id on the target. */
  readonly orgMap: OrgMap;
  /** The folder for what does not get through; undefined: it is not kept. */
  readonly rejects?: string;
  /** Bring users who are there to what the input says; undefined: they are left as they are. */
  readonly update?: UpdateSettings;
  /** Only find out and say what would happen. */
  readonly dryRun: boolean;
  /** More people than that are not mailed: nothing is sent at all. */
  readonly maxMails?: number;
  /** Go on without asking. */
  readonly yes: boolean;
  /** Compare with the target afterwards. */
  readonly verify: boolean;
}

/** How users who are there are brought up to date. */
export interface UpdateSettings {
  /** Whose value counts where somebody else has changed it on the target. */
  readonly prefer: Preference;
  /** What becomes of users whom the source has removed; undefined: nothing. */
  readonly removals?: "delete" | "deactivate";
  /** So many of them in one organization at most; undefined: one in a hundred, and ten at least. */
  readonly maxDeletes?: number;
  /** A file that remembers how far the instances' events were read, and what they said; undefined: all of them are read. */
  readonly state?: string;
}

/** How a job keeps its journal. */
export interface JournalSettings {
  /** undefined: none is kept. */
  readonly journal: string | undefined;
  /** Go on with an unfinished run. */
  readonly resume: boolean;
  /** Throw an unfinished run away. */
  readonly restart: boolean;
  /** Where the ids of created users are written; undefined: nowhere. */
  readonly manifest: string | undefined;
}

/** The hosted service allows a call five minutes, about that many users (spec: Limits). */
const MAX_BATCH_USERS = 5_000;
/** Users of the first call, when nobody says how many: it is answered within a second or two by a slow service, too. */
const FIRST_BATCH_USERS = 10;

type Flags = Pick<ImportSettings, "batchUsers" | "concurrency" | "maxConcurrency">;

/** True where more than one call may write at a time, of which the service forgets users (service behaviour 0.41). */
export function mayWriteAtOnce(settings: Flags): boolean {
  return paceRanges(settings).import.calls.max > 1;
}

/** Between what the pace of either way may move; the users API takes one user a call. */
export function paceRanges({ batchUsers, concurrency, maxConcurrency }: Flags): Readonly<Record<Way, PaceRanges>> {
  const calls = concurrency === "auto" ? { min: 1, max: maxConcurrency } : exactly(concurrency);
  const users = batchUsers === "auto" ? { min: FIRST_BATCH_USERS, max: MAX_BATCH_USERS } : exactly(batchUsers);
  return { import: { calls, users }, users: { calls, users: exactly(1) } };
}
