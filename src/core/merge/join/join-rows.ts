import type { HashRule, UnmatchedReason } from "../../../problem.ts";
import { NO_HASH, type RowKind } from "./person-table.ts";

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
  /** true: whatever it finds, it waits in the first round. */
  readonly mustWait: boolean;
  /** true: the user's own row holds a hash. */
  readonly hasHash: boolean;
  /** false: the row is rejected for faults of its own; it claims nothing, but its password rows go along with it. */
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
  readonly kind: RowKind;
  /** Index in `hashRules`, of a bad hash. */
  readonly rule: number;
  /** A good hash that is not bcrypt; undefined: `hash` holds it, packed. */
  readonly text: string | undefined;
  readonly hash: Uint32Array;
  readonly hashAt: number;
}

/** A row that its maker fills in anew for each row of a file: a million of them are told to the join, and none is kept. */
export type Reused<Row> = { -readonly [Key in keyof Row]: Row[Key] };

const NO_WORDS = new Uint32Array(0);

/** A user of whom nothing is said yet. */
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
    hasHash: false,
    valid: true,
    round: 1,
  };
}

/** A row of credentials of which nothing is said yet. */
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
 * A number rather than an object, since a million of them are made.
 */
export type Verdict = number;
/** Accept the user, without a password row. */
export const WITHOUT_ROW: Verdict = -1;
/** Ask again in the next round, when every user has been seen. */
export const WAIT: Verdict = -2;
/** Reject the user; `faults` tells why. */
export const REJECT: Verdict = -3;
/** Nothing is said yet: whoever is told here is judged when everybody has been. Only a join in parts does that. */
export const NOTED: Verdict = -4;

/** What has become of a password row that nobody uses. */
export type Leftover =
  | { readonly kind: "bad-hash"; readonly rule: HashRule }
  | { readonly kind: "goes-along" }
  | { readonly kind: "unmatched"; readonly why: UnmatchedReason };
