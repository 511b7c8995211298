import type { HashRule, UnmatchedReason } from "../../../problem.ts";
import { type CredentialKind, NO_HASH } from "./person-table.ts";

/** A user as the packed join sees it. Keys lie in the caller's arrays; -1 = the row has none that can be read. */
export interface PackedUser {
  readonly keys: Uint32Array;
  readonly idAt: number;
  readonly emailAt: number;
  /** The same as `emailAt` where the user name is the address. */
  readonly nameAt: number;
  /** Only a user who signs in at the provider itself may be matched by e-mail address. */
  readonly isOwn: boolean;
  /** Which row of the file it is, from 1: several may stand on one line. */
  readonly number: number;
  readonly line: number;
  /** undefined: the input is one file. */
  readonly file: string | undefined;
  /** true: it waits in the first round in any case. */
  readonly mustWait: boolean;
  /** true: it is judged behind all others, whose user name it does not take. */
  readonly isLast: boolean;
  /** true: the user's own row holds a hash. */
  readonly hasHash: boolean;
  /** false: the row is rejected for its own faults; it claims nothing, and its password rows are rejected with it. */
  readonly valid: boolean;
  /** From 2 on every user has been seen, so an e-mail address may decide. */
  readonly round: number;
}

/** A row of credentials as the packed join sees it. */
export interface PackedCredential {
  readonly keys: Uint32Array;
  readonly idAt: number;
  readonly emailAt: number;
  readonly line: number;
  readonly dateMs: number;
  readonly kind: CredentialKind;
  /** Index in `hashRules`, of a bad hash; `DROPPED_HASH` of none where it was dropped. */
  readonly rule: number;
  /** A good hash that is not bcrypt; undefined: `hash` holds it, packed. */
  readonly text: string | undefined;
  readonly hash: Uint32Array;
  readonly hashAt: number;
}

/** A row object that is filled again for each row of a file. The join does not keep it. */
export type Reused<Row> = { -readonly [Key in keyof Row]: Row[Key] };

const NO_WORDS = new Uint32Array(0);

/** A user to be filled in. */
export function blankUser(): Reused<PackedUser> {
  return {
    keys: NO_WORDS,
    idAt: -1,
    emailAt: -1,
    nameAt: -1,
    isOwn: true,
    number: 0,
    line: 0,
    file: undefined,
    mustWait: false,
    isLast: false,
    hasHash: false,
    valid: true,
    round: 1,
  };
}

/** A row of credentials to be filled in. */
export function blankCredential(): Reused<PackedCredential> {
  return {
    keys: NO_WORDS,
    idAt: -1,
    emailAt: -1,
    line: 0,
    dateMs: 0,
    kind: NO_HASH,
    rule: 0,
    text: undefined,
    hash: NO_WORDS,
    hashAt: 0,
  };
}

/**
 * What is to be done with a profile: a row's number, 0 or more, accepts it with that password row; the others are named below.
 * A number rather than an object, since there are a million of them.
 */
export type Verdict = number;
/** Accept the user, without a password row. */
export const WITHOUT_ROW: Verdict = -1;
/** Ask again in the next round, when every user has been seen. */
export const WAIT: Verdict = -2;
/** Reject the user; `faults` has the reasons. */
export const REJECT: Verdict = -3;
/** No verdict yet: the user is judged when all users have been seen. Only a join in parts does that. */
export const NOTED: Verdict = -4;

/** What has become of a password row that no user got. */
export type Leftover =
  | { readonly kind: "bad-hash"; readonly rule: HashRule }
  | { readonly kind: "user-rejected" }
  | { readonly kind: "unmatched"; readonly why: UnmatchedReason };
