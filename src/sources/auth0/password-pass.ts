import { packBcrypt } from "../../core/join/bcrypt.ts";
import type { RowKind } from "../../core/join/password-rows.ts";
import { isUtf8Block } from "../../core/rows/parse-row.ts";
import type { RowBlock } from "../../core/rows/row-block.ts";
import type { RowReader } from "../../io/rows.ts";
import type { HashRule, RowFault } from "../../problem.ts";
import { PasswordBytes } from "./bytes/password-bytes.ts";
import { EMAIL_AT, ID_AT, type MergeState } from "./merge-state.ts";
import type { PasswordReading } from "./password.ts";

/**
 * Reads the password file into the join. An ordinary row is read as bytes; `readPassword` reads any other, and is all there is
 * to understand: both give the same.
 */
export class PasswordPass {
  readonly #state: MergeState;
  readonly #plain = new PasswordBytes();
  /** Loaded with the first row that needs it. */
  #readPassword: ((row: object) => PasswordReading) | undefined;
  /** The row at hand as the join sees it. */
  readonly #row: {
    keys: Uint32Array;
    idAt: number;
    emailAt: number;
    line: number;
    dateMs: number;
    kind: RowKind;
    rule: HashRule | undefined;
    hash: Uint32Array;
    hashAt: number;
  };

  constructor(state: MergeState) {
    this.#state = state;
    const { key, hash } = state;
    this.#row = {
      keys: key,
      idAt: -1,
      emailAt: -1,
      line: 0,
      dateMs: 0,
      kind: "none",
      rule: undefined,
      hash,
      hashAt: 0,
    };
  }

  /** Puts every row into the join. Raises input.* problems. */
  async read(passwords: RowReader): Promise<void> {
    const { counts, job } = this.#state;
    for await (const block of passwords.blocks()) {
      await this.#block(passwords, block);
      job.progress(passwords, counts);
    }
    counts.passwords.superseded = this.#state.join.superseded;
  }

  async #block(passwords: RowReader, block: RowBlock): Promise<void> {
    const { counts, job } = this.#state;
    const { bytes, count, starts, ends, lines } = block;
    const mayBePlain = !job.carefully && isUtf8Block(block);
    let rows = 0;
    for (let row = 0; row < count; row += 1) {
      const start = starts[row] as number;
      const end = ends[row] as number;
      if (mayBePlain && this.#plain.read(bytes, start, end)) {
        rows += 1;
        counts.passwords.read += 1;
        this.#addPlain(bytes, lines[row] as number);
        continue;
      }
      this.#readPassword ??= (await import("./password.ts")).readPassword;
      rows += this.#unusualRow(passwords, this.#readPassword, bytes, start, end, lines[row] as number);
    }
    passwords.counted(rows);
  }

  #addPlain(bytes: Buffer, line: number): void {
    const { keys, key } = this.#state;
    const plain = this.#plain;
    const row = this.#row;
    row.idAt = plain.idEnd > plain.idStart ? ID_AT : -1;
    row.emailAt = plain.emailEnd > plain.emailStart ? EMAIL_AT : -1;
    if (row.idAt !== -1) keys.databaseId(bytes, plain.idStart, plain.idEnd, key, ID_AT);
    if (row.emailAt !== -1) keys.asciiEmail(bytes, plain.emailStart, plain.emailEnd, key, EMAIL_AT);
    row.line = line;
    row.dateMs = plain.dateMs;
    if (plain.hasHash) this.#pack(bytes, plain.hashStart, plain.hashEnd);
    else this.#none();
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
    row.line = line;
    row.dateMs = reading.dateMs;
    if (faults.length > 0) {
      row.kind = "rejected";
      this.#state.reject("passwords", bytes, line, faults);
    } else this.#judgeHash(reading.hash);
    join.addPassword(row);
  }

  #judgeHash(hash: unknown): void {
    if (hash === undefined) this.#none();
    else if (typeof hash === "string") this.#pack(Buffer.from(hash), 0, Buffer.byteLength(hash));
    else {
      this.#row.kind = "bad";
      this.#row.rule = "type";
    }
  }

  #none(): void {
    this.#row.kind = "none";
    this.#state.counts.passwords.withoutHash += 1;
  }

  #pack(bytes: Uint8Array, start: number, end: number): void {
    const rule = packBcrypt(bytes, start, end, this.#state.hash, 0);
    this.#row.kind = rule === undefined ? "hash" : "bad";
    this.#row.rule = rule;
  }

  #rejectUnjoined(bytes: Uint8Array, line: number, faults: readonly RowFault[]): void {
    this.#state.unjoined.add(this.#state.counts.passwords.read - 1);
    this.#state.reject("passwords", bytes, line, faults);
  }
}
