import { viewOf } from "../../core/json/words.ts";
import { EntryBuffer, NO_PACKED_HASH } from "../../core/merge/entry-buffer.ts";
import { type JoinProfile, REJECT, type Verdict, WAIT, WITHOUT_ROW } from "../../core/merge/join/join-rows.ts";
import { PREFETCHED } from "../../core/merge/join/person-table.ts";
import type { SourceUser } from "../../core/merge/source-user.ts";
import { RowSpool } from "../../io/row-spool.ts";
import type { RowReader } from "../../io/rows.ts";
import type { RowFault } from "../../problem.ts";
import { type ParsedBlock, parsedBlocks } from "./bytes/parsed-block.ts";
import {
  DATABASE,
  EMAIL_KEY,
  FLAGS,
  ID_KEY,
  PROFILE_WORDS,
  ProfileParser,
  RANGES,
  VERIFIED,
} from "./bytes/profile-columns.ts";
import { DATABASE_PREFIX } from "./keys.ts";
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
  /** Filled while the other one is written. */
  #entries = new EntryBuffer();
  #handedOver = new EntryBuffer();
  #written: Promise<void> = Promise.resolve();
  readonly #waiting: RowSpool;
  readonly #parser: ProfileParser;
  /** Loaded with the first row that needs it. */
  #readProfile: ((row: object) => ProfileReading) | undefined;
  /** The row at hand as the join sees it. */
  readonly #candidate: { -readonly [Key in keyof JoinProfile]: JoinProfile[Key] };

  constructor(state: MergeState) {
    this.#state = state;
    this.#parser = new ProfileParser(state.keys);
    this.#waiting = new RowSpool(state.job.cleanUp, state.job.signal);
    this.#candidate = {
      keys: state.key,
      idAt: -1,
      emailAt: -1,
      isDatabaseUser: false,
      number: 0,
      line: 0,
      valid: false,
      settled: false,
    };
  }

  /** Harmless at any time: nothing is being written afterwards. */
  async close(): Promise<void> {
    this.#waiting.remove();
    await this.#written.catch(() => {}); // whoever hands over more, or ends, is told
  }

  /** Judges every profile in the order of the file. Raises input.* problems. */
  async read(users: RowReader): Promise<void> {
    const { counts, job } = this.#state;
    for await (const block of parsedBlocks(users.blocks(), this.#parser, job.reading === "careful")) {
      counts.users.read += await this.#block(users, block);
      await this.#write();
      job.progress(users, counts);
    }
  }

  /** Judges those that waited, now that every profile has been seen; in the order of the file, behind all others. */
  async settleWaiting(users: RowReader): Promise<void> {
    this.#candidate.settled = true;
    for await (const block of parsedBlocks(
      this.#waiting.blocks(),
      this.#parser,
      this.#state.job.reading === "careful",
    )) {
      await this.#block(users, block);
      if (this.#entries.count >= WRITE_EVERY) await this.#write();
    }
    await this.#write();
    await this.#written;
  }

  /** Judges the rows of a block and returns how many there were. */
  async #block(users: RowReader, block: ParsedBlock): Promise<number> {
    const { bytes, count, starts, ends, lines, columns } = block;
    const { people } = this.#state.join;
    let rows = 0;
    for (let row = 0, base = 0; row < count; row += 1, base += PROFILE_WORDS) {
      if (row % PREFETCHED === 0) {
        people.prefetch(columns, base + ID_KEY, base + EMAIL_KEY, PROFILE_WORDS, count - row, true);
      }
      const start = starts[row] as number;
      const end = ends[row] as number;
      const line = lines[row] as number;
      if (columns[base + FLAGS] !== 0) {
        rows += 1;
        this.#next(line);
        this.#plainRow(block, base, start, end);
        continue;
      }
      this.#readProfile ??= (await import("./profile.ts")).readProfile;
      rows += this.#unusualRow(users, this.#readProfile, bytes, start, end, line);
    }
    users.counted(rows);
    return rows;
  }

  /**
   * The next row is at hand: sets its number and line. A row that waited carries its number where others carry their line, since
   * that tells it from every other.
   */
  #next(lineOrNumber: number): void {
    const candidate = this.#candidate;
    candidate.number = candidate.settled ? lineOrNumber : candidate.number + 1;
    candidate.line = candidate.settled ? this.#state.join.lineOf(lineOrNumber) : lineOrNumber;
  }

  #plainRow({ bytes, columns }: ParsedBlock, base: number, start: number, end: number): void {
    const flags = columns[base + FLAGS] as number;
    const candidate = this.#candidate;
    candidate.keys = columns;
    candidate.idAt = base + ID_KEY;
    candidate.emailAt = base + EMAIL_KEY;
    candidate.isDatabaseUser = (flags & DATABASE) !== 0;
    candidate.valid = true;
    const verdict = this.#state.join.judge(candidate);
    if (verdict < WITHOUT_ROW) {
      this.#refuse(verdict, [], bytes, start, end);
      return;
    }
    const isEmailVerified = this.#state.job.emailVerified ?? (flags & VERIFIED) !== 0;
    const isNameless = columns[base + RANGES + 4] === columns[base + RANGES + 5];
    const { people } = this.#state.join;
    const hashAt = this.#state.accept(verdict, isEmailVerified, isNameless) ? people.hashAt(verdict) : NO_PACKED_HASH;
    this.#entries.addBytes(bytes, columns, base + RANGES, isEmailVerified, people.hashes, hashAt);
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
      this.#next(line);
      if ("fault" in row) {
        this.#state.reject("users", bytes.subarray(start, end), line, [row.fault]);
        return;
      }
      const reading = readProfile(row.value);
      const verdict = this.#judge(reading);
      if (verdict >= WITHOUT_ROW && reading.user !== undefined)
        this.#accept(verdict, reading.user, reading.nameFromEmail);
      else this.#refuse(verdict, reading.faults, bytes, start, end);
    });
  }

  #accept(verdict: Verdict, user: SourceUser, nameFromEmail: boolean): void {
    const { people } = this.#state.join;
    const isEmailVerified = this.#state.job.emailVerified ?? user.isEmailVerified;
    const hashAt = this.#state.accept(verdict, isEmailVerified, nameFromEmail)
      ? people.hashAt(verdict)
      : NO_PACKED_HASH;
    this.#entries.add({ ...user, isEmailVerified }, people.hashes, hashAt);
  }

  #judge({ userId, email, user }: ProfileReading): Verdict {
    const { keys, key, join } = this.#state;
    if (userId !== undefined) {
      const view = viewOf(Buffer.from(userId));
      keys.userId(view, 0, view.byteLength, key, ID_AT);
    }
    if (email !== undefined) keys.email(email, key, EMAIL_AT);
    const candidate = this.#candidate;
    candidate.keys = key;
    candidate.idAt = userId === undefined ? -1 : ID_AT;
    candidate.emailAt = email === undefined ? -1 : EMAIL_AT;
    // Nobody can tell of a profile without an id: its password row goes along with it.
    candidate.isDatabaseUser = userId?.startsWith(DATABASE_PREFIX) ?? true;
    candidate.valid = user !== undefined;
    return join.judge(candidate);
  }

  #refuse(verdict: Verdict, faults: readonly RowFault[], bytes: Buffer, start: number, end: number): void {
    const { number, line } = this.#candidate;
    if (verdict === WAIT) this.#waiting.add(bytes, start, end, number);
    else if (verdict === REJECT) {
      this.#state.reject("users", bytes.subarray(start, end), line, [...faults, ...this.#state.join.faults]);
    } else throw new Error("a profile at fault was accepted");
  }

  /** Hands the entries over, and goes on while they are written. Raises what was raised by those before. */
  async #write(): Promise<void> {
    if (this.#entries.count === 0) return;
    await this.#written;
    [this.#entries, this.#handedOver] = [this.#handedOver, this.#entries];
    this.#entries.clear();
    this.#written = this.#state.job.write(this.#handedOver);
    this.#written.catch(() => {}); // raised where it is awaited
  }
}
