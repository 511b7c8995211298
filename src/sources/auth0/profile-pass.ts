import { EntryBuffer } from "../../core/entry-buffer.ts";
import type { Verdict } from "../../core/join/password-join.ts";
import { isUtf8Block } from "../../core/rows/parse-row.ts";
import type { RowBlock } from "../../core/rows/row-block.ts";
import { RowSpool } from "../../io/row-spool.ts";
import type { RowReader } from "../../io/rows.ts";
import type { RowFault } from "../../problem.ts";
import { ProfileBytes } from "./bytes/profile-bytes.ts";
import { DATABASE_PREFIX, startsWithPrefix } from "./keys.ts";
import { EMAIL_AT, ID_AT, type MergeState } from "./merge-state.ts";
import type { ProfileReading } from "./profile.ts";

/** Entries that are collected before they are written, where rows come one by one. */
const WRITE_EVERY = 1_000;

/**
 * Reads the profile file: every row is judged by the join and becomes an entry, waits, or is rejected. An ordinary row is read
 * as bytes; `readProfile` reads any other, and is all there is to understand: both give the same.
 */
export class ProfilePass {
  readonly #state: MergeState;
  readonly #entries = new EntryBuffer();
  readonly #waiting: RowSpool;
  readonly #plain = new ProfileBytes();
  /** Loaded with the first row that needs it. */
  #readProfile: ((row: object) => ProfileReading) | undefined;
  /** The row at hand as the join sees it. */
  readonly #candidate: {
    -readonly [K in keyof Parameters<MergeState["join"]["judge"]>[0]]: Parameters<MergeState["join"]["judge"]>[0][K];
  };

  constructor(state: MergeState) {
    this.#state = state;
    this.#waiting = new RowSpool(state.job.cleanUp, state.job.signal);
    this.#candidate = {
      keys: state.key,
      idAt: -1,
      emailAt: -1,
      isDatabaseUser: false,
      line: 0,
      valid: false,
      settled: false,
    };
  }

  close(): void {
    this.#waiting.remove();
  }

  /** Judges every profile in the order of the file. Raises input.* problems. */
  async read(users: RowReader): Promise<void> {
    const { counts, job } = this.#state;
    for await (const block of users.blocks()) {
      counts.users.read += await this.#block(users, block);
      await this.#write();
      job.progress(users, counts);
    }
  }

  /** Judges those that waited, now that every profile has been seen; in the order of the file, behind all others. */
  async settleWaiting(users: RowReader): Promise<void> {
    this.#candidate.settled = true;
    for await (const block of this.#waiting.blocks()) {
      await this.#block(users, block);
      if (this.#entries.count >= WRITE_EVERY) await this.#write();
    }
    await this.#write();
  }

  /** Judges the rows of a block and returns how many there were. */
  async #block(users: RowReader, block: RowBlock): Promise<number> {
    const { bytes, count, starts, ends, lines } = block;
    const mayBePlain = !this.#state.job.carefully && isUtf8Block(block);
    let rows = 0;
    for (let row = 0; row < count; row += 1) {
      const start = starts[row] as number;
      const end = ends[row] as number;
      if (mayBePlain && this.#plain.read(bytes, start, end)) {
        rows += 1;
        this.#plainRow(bytes, start, end, lines[row] as number);
        continue;
      }
      this.#readProfile ??= (await import("./profile.ts")).readProfile;
      rows += this.#unusualRow(users, this.#readProfile, bytes, start, end, lines[row] as number);
    }
    users.counted(rows);
    return rows;
  }

  #plainRow(bytes: Buffer, start: number, end: number, line: number): void {
    const { keys, key, join } = this.#state;
    const plain = this.#plain;
    keys.userId(bytes, plain.idStart, plain.idEnd, key, ID_AT);
    keys.asciiEmail(bytes, plain.emailStart, plain.emailEnd, key, EMAIL_AT);
    const candidate = this.#candidate;
    candidate.idAt = ID_AT;
    candidate.emailAt = EMAIL_AT;
    candidate.isDatabaseUser = startsWithPrefix(bytes, plain.idStart);
    candidate.line = line;
    candidate.valid = true;
    const verdict = join.judge(candidate);
    if (verdict.kind !== "accept") {
      this.#refuse(verdict, [], bytes, start, end, line);
      return;
    }
    const isEmailVerified = this.#state.job.emailVerified ?? plain.isEmailVerified;
    const hash = this.#state.acceptRow(verdict.row, isEmailVerified, plain.nameEnd === plain.nameStart);
    this.#entries.addBytes(bytes, plain, isEmailVerified, hash);
  }

  #unusualRow(
    users: RowReader,
    readProfile: (row: object) => ProfileReading,
    bytes: Buffer,
    from: number,
    to: number,
    line: number,
  ): number {
    return users.parse(bytes, from, to, line, (row, start, end) => {
      if ("fault" in row) {
        this.#state.reject("users", bytes.subarray(start, end), line, [row.fault]);
        return;
      }
      const reading = readProfile(row.value);
      const verdict = this.#judge(reading, line);
      if (verdict.kind === "accept" && reading.user !== undefined) {
        const isEmailVerified = this.#state.job.emailVerified ?? reading.user.isEmailVerified;
        const hash = this.#state.acceptRow(verdict.row, isEmailVerified, reading.nameFromEmail);
        this.#entries.add({ ...reading.user, isEmailVerified }, hash);
      } else this.#refuse(verdict, reading.faults, bytes, start, end, line);
    });
  }

  #judge({ userId, email, user }: ProfileReading, line: number): Verdict {
    const { keys, key, join } = this.#state;
    if (userId !== undefined) {
      const bytes = Buffer.from(userId);
      keys.userId(bytes, 0, bytes.length, key, ID_AT);
    }
    if (email !== undefined) keys.email(email, key, EMAIL_AT);
    const candidate = this.#candidate;
    candidate.idAt = userId === undefined ? -1 : ID_AT;
    candidate.emailAt = email === undefined ? -1 : EMAIL_AT;
    // Nobody can tell of a profile without an id: its password row goes along with it.
    candidate.isDatabaseUser = userId?.startsWith(DATABASE_PREFIX) ?? true;
    candidate.line = line;
    candidate.valid = user !== undefined;
    return join.judge(candidate);
  }

  #refuse(
    verdict: Verdict,
    faults: readonly RowFault[],
    bytes: Buffer,
    start: number,
    end: number,
    line: number,
  ): void {
    if (verdict.kind === "wait") this.#waiting.add(bytes, start, end, line);
    else if (verdict.kind === "reject") {
      this.#state.reject("users", bytes.subarray(start, end), line, [...faults, ...verdict.faults]);
    } else throw new Error("a profile at fault was accepted");
  }

  async #write(): Promise<void> {
    if (this.#entries.count > 0) await this.#state.job.write(this.#entries);
    this.#entries.clear();
  }
}
