import type { Verifier } from "../../contract/verifiers.ts";
import type { LeftOutReason, Remark } from "../../problem.ts";
import type { CountedBreach } from "../rules/hash-costs.ts";

/** The outcome of the rows of users: `read = written + rejected + leftOut`, `written = withHash + withoutHash`. */
class UserCounts {
  read = 0;
  written = 0;
  rejected = 0;
  /** Rows that are no person. */
  leftOut = 0;
  withHash = 0;
  withoutHash = 0;
  nameFromEmail = 0;
  /** Written with a verified address, and a hash or a link in the entry: these users get no e-mail (service behaviour 2.6). */
  silent = 0;
}

/** The outcome of the rows of credentials: `read = used + superseded + unmatched + rejected`. */
class CredentialCounts {
  read = 0;
  used = 0;
  superseded = 0;
  unmatched = 0;
  rejected = 0;
  /** Rows without a hash, with any outcome. */
  withoutHash = 0;
}

/** The account of a merge: every row read stands in exactly one number. */
export class MergeResult {
  readonly users = new UserCounts();
  readonly passwords = new CredentialCounts();
  /** How often rows were left out, by reason. */
  readonly leftOut: Partial<Record<LeftOutReason, number>> = {};
  /** Ids of the first users that the source has deleted; absent without any. */
  declare leftOutUsers?: { deleted: string[] };
  /** How many written users have a hash that this verifier of the service checks. */
  readonly hashes: Partial<Record<Verifier, number>> = {};
  /** How many hashes were not written because the target has not enabled the verifier that checks them. */
  readonly unverifiable: Partial<Record<Verifier, number>> = {};
  /** Hashes that are out of the limits of the target: written, or as `--unverifiable` says where the limits are certain. */
  readonly hashesOutOfLimits: CountedBreach[] = [];
  /** What written users lose or gain on the way. */
  readonly remarks: Partial<Record<Remark, number>> = {};
  /** Ids of the first users of each remark; absent without any. */
  declare remarkedUsers?: Partial<Record<Remark, string[]>>;
  /** User names of these users, by id. */
  declare loginNames?: Record<string, string>;
  /** What written users have at the source that is not carried over: users, by field, by identity provider, by role or group, by organization, and by key of metadata. */
  readonly leftBehind = {
    fields: noNames(),
    providers: noNames(),
    roles: noNames(),
    orgs: noNames(),
    metadata: noNames(),
  };
  /** The use of the columns of a table. */
  declare columns?: ColumnUse;
}

/** Without a prototype: the names are from outside. */
function noNames(): Record<string, number> {
  return Object.create(null);
}

/** The use of the columns of a table, for the summary. */
export interface ColumnUse {
  /** The preset by which it was read. */
  readonly preset: string | undefined;
  /** The preset was recognized by the names of the columns. */
  readonly isRecognized: boolean;
  /** Names of columns by what they were read as. */
  readonly used: Readonly<Record<string, string>>;
  /** Names of the columns that were not read. */
  readonly unused: readonly string[];
  /** Paths that were asked for, and that no row had so far. */
  readonly notFound?: readonly string[];
  /** The column that was taken for the hashes by its values. */
  readonly hashByValues?: string;
  /** Where no hash is read: columns or paths that are not read, and in which a written user has one. */
  readonly unreadHashes?: readonly string[];
  /** Columns or paths that are not read, and that say of a user who is written as open that the account is closed or deleted. */
  readonly unreadStates?: readonly UnreadState[];
}

/** A column or path with states that is not read, and the field that reads it. */
export interface UnreadState {
  readonly place: string;
  readonly field: "state" | "deleted";
}
