import { viewOf } from "../../core/json/words.ts";
import { packBcrypt } from "../../core/merge/join/bcrypt.ts";
import type { JoinPassword } from "../../core/merge/join/join-rows.ts";
import {
  BAD_HASH,
  GOOD_HASH,
  hashRules,
  NO_HASH,
  PREFETCHED,
  REJECTED_ROW,
  type RowKind,
} from "../../core/merge/join/person-table.ts";
import type { RowReader } from "../../io/rows.ts";
import type { RowFault } from "../../problem.ts";
import { type ParsedBlock, parsedBlocks } from "./bytes/parsed-block.ts";
import {
  DATE,
  EMAIL_KEY,
  FLAGS,
  HAS_EMAIL,
  HAS_ID,
  HASH,
  ID_KEY,
  KIND_SHIFT,
  PASSWORD_WORDS,
  PasswordParser,
  RULE_SHIFT,
} from "./bytes/password-columns.ts";
import { EMAIL_AT, ID_AT, type MergeState } from "./merge-state.ts";
import type { PasswordReading } from "./password.ts";

/**
 * Reads the password file into the join. An ordinary row is read as bytes; `readPassword` reads any other, and is all there is
 * to understand: both give the same.
 */
export class PasswordPass {
  readonly #state: MergeState;
  readonly #parser: PasswordParser;
  /** Loaded with the first row that needs it. */
  #readPassword: ((row: object) => PasswordReading) | undefined;
  /** The row at hand as the join sees it. */
  readonly #row: { -readonly [Key in keyof JoinPassword]: JoinPassword[Key] };

  constructor(state: MergeState) {
    this.#state = state;
    const { key, hash } = state;
    this.#row = {
      keys: key,
      idAt: -1,
      emailAt: -1,
      line: 0,
      dateMs: 0,
      kind: NO_HASH,
      rule: 0,
      hash,
      hashAt: 0,
    };
    this.#parser = new PasswordParser(state.keys);
  }

  /** Puts every row into the join. Raises input.* problems. */
  async read(passwords: RowReader): Promise<void> {
    const { counts, job } = this.#state;
    for await (const block of parsedBlocks(passwords.blocks(), this.#parser, job.reading === "careful")) {
      await this.#block(passwords, block);
      job.progress(passwords, counts);
    }
    counts.passwords.superseded = this.#state.join.superseded;
  }

  async #block(passwords: RowReader, block: ParsedBlock): Promise<void> {
    const { bytes, count, starts, ends, lines, columns } = block;
    const dates = new Float64Array(columns.buffer, columns.byteOffset, columns.length >>> 1);
    const { people } = this.#state.join;
    let rows = 0;
    for (let row = 0, base = 0; row < count; row += 1, base += PASSWORD_WORDS) {
      if (row % PREFETCHED === 0) {
        people.prefetch(columns, base + ID_KEY, base + EMAIL_KEY, PASSWORD_WORDS, count - row, false);
      }
      const line = lines[row] as number;
      if (columns[base + FLAGS] !== 0) {
        rows += 1;
        this.#addPlain(columns, base, dates[(base + DATE) >>> 1] as number, line);
        continue;
      }
      this.#readPassword ??= (await import("./password.ts")).readPassword;
      const [start, end] = [starts[row] as number, ends[row] as number];
      rows += this.#unusualRow(passwords, this.#readPassword, bytes, start, end, line);
    }
    passwords.counted(rows);
  }

  #addPlain(columns: Uint32Array, base: number, dateMs: number, line: number): void {
    const flags = columns[base + FLAGS] as number;
    const row = this.#row;
    row.keys = columns;
    row.idAt = (flags & HAS_ID) === 0 ? -1 : base + ID_KEY;
    row.emailAt = (flags & HAS_EMAIL) === 0 ? -1 : base + EMAIL_KEY;
    row.line = line;
    row.dateMs = dateMs;
    row.kind = ((flags >>> KIND_SHIFT) & 3) as RowKind;
    row.rule = flags >>> RULE_SHIFT;
    row.hash = columns;
    row.hashAt = base + HASH;
    const { passwords } = this.#state.counts;
    passwords.read += 1;
    if (row.kind === NO_HASH) passwords.withoutHash += 1;
    this.#state.join.addPassword(row);
  }

  #unusualRow(
    passwords: RowReader,
    readPassword: (row: object) => PasswordReading,
    bytes: Buffer,
    from: number,
    to: number,
    line: number,
  ): number {
    return passwords.parse(bytes, from, to, line, (row, start, end) => {
      this.#state.counts.passwords.read += 1;
      const raw = bytes.subarray(start, end);
      if ("fault" in row) this.#rejectUnjoined(raw, line, [row.fault]);
      else this.#add(readPassword(row.value), raw, line);
    });
  }

  #add(reading: PasswordReading, bytes: Uint8Array, line: number): void {
    const { faults } = reading;
    const { join, keys, key } = this.#state;
    if (reading.id === undefined && reading.email === undefined) {
      this.#rejectUnjoined(bytes, line, faults);
      return;
    }
    const row = this.#row;
    Object.assign(row, keys.ofPassword(reading, key, ID_AT, EMAIL_AT));
    row.keys = key;
    row.hash = this.#state.hash;
    row.hashAt = 0;
    row.line = line;
    row.dateMs = reading.dateMs;
    if (faults.length > 0) {
      row.kind = REJECTED_ROW;
      this.#state.reject("passwords", bytes, line, faults);
    } else this.#judgeHash(reading.hash);
    join.addPassword(row);
  }

  #judgeHash(hash: unknown): void {
    const row = this.#row;
    if (hash === undefined) {
      row.kind = NO_HASH;
      this.#state.counts.passwords.withoutHash += 1;
      return;
    }
    const view = typeof hash === "string" ? viewOf(Buffer.from(hash)) : undefined;
    const rule = view === undefined ? "type" : packBcrypt(view, 0, view.byteLength, this.#state.hash, 0);
    row.kind = rule === undefined ? GOOD_HASH : BAD_HASH;
    if (rule !== undefined) row.rule = hashRules.indexOf(rule);
  }

  #rejectUnjoined(bytes: Uint8Array, line: number, faults: readonly RowFault[]): void {
    this.#state.unjoined.push(this.#state.counts.passwords.read - 1);
    this.#state.reject("passwords", bytes, line, faults);
  }
}
