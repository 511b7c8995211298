import type { RowFault } from "../../../problem.ts";
import type { Leftover, PackedCredential, PackedUser, Verdict } from "./join-rows.ts";
import type { CredentialKind } from "./person-table.ts";

/**
 * What the passes ask of a join: all rows of credentials first, then the users in the order of their input, then the users that wait,
 * in the same order, round by round. `PackedJoin` keeps all rows in memory, `PartedJoin` on disk.
 */
export interface RowJoin {
  /** Rows of credentials that a newer one of the same user replaced. */
  readonly superseded: number;
  /** Why the join rejected the last user; empty when only the row's own faults did. */
  readonly faults: readonly RowFault[];
  /** Number of the user who keeps the name that the last rejected user has, too; 0: none, or a user who waits. */
  readonly nameHolder: number;
  /** true: a row of credentials holds a good hash that is not bcrypt. */
  readonly hasTextHashes: boolean;
  /** The words that hold packed hashes, each from `hashAt` on. */
  readonly hashes: Uint32Array;
  addCredential(row: PackedCredential): void;
  /** Adds a user's name (two words of key) before any user is judged, with the id, so that both get one record. */
  noteName(keys: Uint32Array, at: number, idAt: number): void;
  /** True when several users have the name, among those that `noteName` added. */
  isSharedName(keys: Uint32Array, at: number): boolean;
  /** Users come in the order of their input. NOTED: judge the user again when all users have been seen. */
  judge(user: PackedUser): Verdict;
  /** See `PersonTable.prefetch`. */
  prefetch(keys: Uint32Array, idAt: number, nameAt: number, step: number, rows: number, deep: boolean): void;
  /** The line of a user that waits for the round, by its number. */
  lineOf(number: number, round: number): number;
  /** The file of such a user; undefined where the input is one file. */
  fileOf(number: number, round: number): string | undefined;
  /** What the row of credentials holds that the last verdict named. */
  kindOf(row: Verdict): CredentialKind;
  /** True when it holds a hash that was dropped. */
  wasDropped(row: Verdict): boolean;
  /** Where its packed hash begins. */
  hashAt(row: Verdict): number;
  /** Its hash, where that is not bcrypt. */
  textHashOf(row: Verdict): string | undefined;
  /** True when a row of credentials, by its number, is in a count already. Rows are asked for in order, once every user is judged. */
  isSettled(row: number): boolean;
  /** What has become of a row that is not settled. @param emailAt where in `keys` the key of its e-mail address is; -1 = it has none. */
  leftoverOf(row: number, keys: Uint32Array, emailAt: number): Leftover;
}
