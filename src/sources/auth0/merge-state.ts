import { randomFillSync } from "node:crypto";
import { noPasswords, noUsers } from "../../core/merge/counts.ts";
import { HASH_WORDS } from "../../core/merge/join/bcrypt.ts";
import { type Verdict, WITHOUT_ROW } from "../../core/merge/join/join-rows.ts";
import { PasswordJoin } from "../../core/merge/join/password-join.ts";
import { GOOD_HASH } from "../../core/merge/join/person-table.ts";
import { Fingerprints } from "../../core/tables/fingerprint.ts";
import { expectedBytes } from "../../io/input.ts";
import type { RowReader } from "../../io/rows.ts";
import type { RowFault } from "../../problem.ts";
import type { MergeJob, MergeResult } from "../source.ts";
import { Auth0Keys } from "./keys.ts";

/** Usual lengths of a row: only a guess of how many there will be. Too few rows cost a copy, too many slots cost memory. */
const PROFILE_BYTES = 240;
const PASSWORD_BYTES = 300;
/** Where the keys of a row lie in the scratch array: three words of id, two of e-mail address. */
export const ID_AT = 0;
export const EMAIL_AT = 3;

/** What the passes of one merge share. */
export class MergeState {
  readonly job: MergeJob;
  readonly counts: MergeResult = { users: noUsers(), passwords: noPasswords() };
  /** Of the keys; a reading thread makes the same ones. */
  readonly seeds = randomFillSync(new Uint32Array(3));
  readonly join: PasswordJoin;
  readonly keys: Auth0Keys;
  /** Scratch of the row at hand. */
  readonly key = new Uint32Array(5);
  readonly hash = new Uint32Array(HASH_WORDS);
  /** Password rows that name nobody or could not be read, by their number in the file, in order: they are not in the join. */
  readonly unjoined: number[] = [];

  constructor(job: MergeJob) {
    this.job = job;
    this.keys = new Auth0Keys(new Fingerprints(this.seeds));
    this.join = new PasswordJoin(job.passwords?.input.file ?? "", {
      users: expectedRows(job.users, PROFILE_BYTES),
      passwords: job.passwords === undefined ? 0 : expectedRows(job.passwords, PASSWORD_BYTES),
    });
  }

  /** Counts an accepted user; tells whether its password row has a hash. */
  accept(row: Verdict, isEmailVerified: boolean, nameFromEmail: boolean): boolean {
    const { users, passwords } = this.counts;
    users.written += 1;
    if (nameFromEmail) users.nameFromEmail += 1;
    if (row !== WITHOUT_ROW) passwords.used += 1;
    const hasHash = row !== WITHOUT_ROW && this.join.people.kind(row) === GOOD_HASH;
    if (hasHash) users.withHash += 1;
    else users.withoutHash += 1;
    if (hasHash && isEmailVerified) users.silent += 1;
    return hasHash;
  }

  /** Counts a rejected row, keeps it verbatim and tells every fault of it. */
  reject(file: "users" | "passwords", bytes: Uint8Array, line: number, faults: readonly RowFault[]): void {
    this.counts[file].rejected += 1;
    this.keep(file, bytes, line, faults);
  }

  /** Keeps a row verbatim, with the reasons. */
  keep(file: "users" | "passwords", bytes: Uint8Array, line: number, faults: readonly RowFault[]): void {
    this.job.rejects.row(file, bytes);
    const name = this.job[file]?.input.file ?? "";
    for (const fault of faults) this.job.rejects.reason(fault, name, line);
  }
}

/** 0 for a pipe, whose tables grow as it goes. */
function expectedRows({ input }: RowReader, bytesEach: number): number {
  return Math.ceil(expectedBytes(input) / bytesEach);
}
