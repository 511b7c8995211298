import type { RowFault } from "../../../problem.ts";
import type { Leftover, PackedCredential, PackedUser, Verdict } from "./join-rows.ts";
import type { RowKind } from "./person-table.ts";

/**
 * What the passes ask of a join: all rows of credentials first, then the users in the order of their input, then those who were told
 * to wait, in the same order, round by round. `PackedJoin` keeps everybody in memory, `PartedJoin` on disk.
 */
export interface RowJoin {
  /** Rows of credentials that a newer one of the same user replaced. */
  readonly superseded: number;
  /** What the join has against the user it last rejected; empty when only the row's own faults stood against it. */
  readonly faults: readonly RowFault[];
  /** true: a row of credentials holds a good hash that is not bcrypt. */
  readonly hasTextHashes: boolean;
  /** The words that hold packed hashes; `hashAt` tells where. */
  readonly hashes: Uint32Array;
  addCredential(row: PackedCredential): void;
  /** Tells of a user's name (two words of key) before anybody is judged, and of the id, so that both get one record. */
  noteName(keys: Uint32Array, at: number, idAt: number): void;
  /** True when several users were told of that have the name. */
  isSharedName(keys: Uint32Array, at: number): boolean;
  /** Users come in the order of their input. NOTED: to be asked again when all users were told of. */
  judge(user: PackedUser): Verdict;
  /** Reads what some rows will need into the processor's caches; see `PersonTable.prefetch`. */
  prefetch(keys: Uint32Array, idAt: number, nameAt: number, step: number, rows: number, deep: boolean): void;
  /** The line of a user who was told to wait for the round, by its number. */
  lineOf(number: number, round: number): number;
  /** The file of such a user; undefined where the input is one file. */
  fileOf(number: number, round: number): string | undefined;
  /** What the row of credentials holds that the last verdict named. */
  kindOf(row: Verdict): RowKind;
  /** Where its packed hash begins. */
  hashAt(row: Verdict): number;
  /** Its hash, where that is not bcrypt. */
  textHashOf(row: Verdict): string | undefined;
  /** True when a row of credentials, by its number, has been accounted for. Asked in the order of the rows, once everybody is judged. */
  isSettled(row: number): boolean;
  /** What has become of one that has not. @param emailAt where in `keys` the key of its e-mail address is; -1 = it has none. */
  leftoverOf(row: number, keys: Uint32Array, emailAt: number): Leftover;
}
