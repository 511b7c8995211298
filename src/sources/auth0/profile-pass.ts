import { EntryBuffer, type PackedHash } from "../../core/entry-buffer.ts";
import type { Verdict } from "../../core/join/password-join.ts";
import type { ParsedRow } from "../../core/rows/parse-row.ts";
import { RowSpool } from "../../io/row-spool.ts";
import type { RowReader } from "../../io/rows.ts";
import { EMAIL_AT, ID_AT, type MergeState } from "./merge-state.ts";
import { DATABASE_PREFIX, type ProfileReading, readProfile } from "./profile.ts";

/** Entries that are collected before they are written, where rows come one by one. */
const WRITE_EVERY = 1_000;

/** Reads the profile file: every row is judged by the join and becomes an entry, waits, or is rejected. */
export class ProfilePass {
  readonly #state: MergeState;
  readonly #entries = new EntryBuffer();
  readonly #waiting: RowSpool;

  constructor(state: MergeState) {
    this.#state = state;
    this.#waiting = new RowSpool(state.job.cleanUp, state.job.signal);
  }

  close(): void {
    this.#waiting.remove();
  }

  /** Judges every profile in the order of the file. Raises input.* problems. */
  async read(users: RowReader): Promise<void> {
    const { counts, job } = this.#state;
    for await (const block of users.blocks()) {
      users.eachRow(block, (row, start, end, line) => {
        counts.users.read += 1;
        this.#row(row, block.bytes, start, end, line, false);
      });
      await this.#write();
      job.progress(users, counts);
    }
  }

  /** Judges those that waited, now that every profile has been seen; in the order of the file, behind all others. */
  async settleWaiting(users: RowReader): Promise<void> {
    for await (const block of this.#waiting.blocks()) {
      users.eachRow(block, (row, start, end, line) => this.#row(row, block.bytes, start, end, line, true));
      if (this.#entries.count >= WRITE_EVERY) await this.#write();
    }
    await this.#write();
  }

  #row(row: ParsedRow, bytes: Buffer, start: number, end: number, line: number, settled: boolean): void {
    if ("fault" in row) {
      this.#state.reject("users", bytes.subarray(start, end), line, [row.fault]);
      return;
    }
    const reading = readProfile(row.value);
    const verdict = this.#judge(reading, line, settled);
    if (verdict.kind === "accept") this.#accept(reading, verdict.row);
    else if (verdict.kind === "wait") this.#waiting.add(bytes, start, end, line);
    else this.#state.reject("users", bytes.subarray(start, end), line, [...reading.faults, ...verdict.faults]);
  }

  #judge({ userId, email, user }: ProfileReading, line: number, settled: boolean): Verdict {
    const { keys, key, join } = this.#state;
    if (userId !== undefined) {
      const bytes = Buffer.from(userId);
      keys.userId(bytes, 0, bytes.length, key, ID_AT);
    }
    if (email !== undefined) keys.email(email, key, EMAIL_AT);
    return join.judge({
      keys: key,
      idAt: userId === undefined ? -1 : ID_AT,
      emailAt: email === undefined ? -1 : EMAIL_AT,
      // Nobody can tell of a profile without an id: its password row goes along with it.
      isDatabaseUser: userId?.startsWith(DATABASE_PREFIX) ?? true,
      line,
      valid: user !== undefined,
      settled,
    });
  }

  #accept({ user, nameFromEmail }: ProfileReading, row: number): void {
    if (user === undefined) throw new Error("a profile at fault was accepted");
    const { rows } = this.#state.join;
    const isEmailVerified = this.#state.job.emailVerified ?? user.isEmailVerified;
    const hash: PackedHash | undefined =
      row !== -1 && rows.kind(row) === "hash" ? { words: rows.words, at: rows.hashAt(row) } : undefined;
    this.#entries.add({ ...user, isEmailVerified }, hash);
    const { users, passwords } = this.#state.counts;
    users.written += 1;
    if (row !== -1) passwords.used += 1;
    if (hash === undefined) users.withoutHash += 1;
    else users.withHash += 1;
    if (nameFromEmail) users.nameFromEmail += 1;
    if (hash !== undefined && isEmailVerified) users.silent += 1;
  }

  async #write(): Promise<void> {
    if (this.#entries.count > 0) await this.#state.job.write(this.#entries);
    this.#entries.clear();
  }
}
