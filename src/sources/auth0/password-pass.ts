import { packBcrypt } from "../../core/join/bcrypt.ts";
import type { RowKind } from "../../core/join/password-rows.ts";
import type { RowReader } from "../../io/rows.ts";
import type { HashRule, RowFault } from "../../problem.ts";
import { EMAIL_AT, ID_AT, type MergeState } from "./merge-state.ts";
import { type PasswordReading, readPassword } from "./password.ts";

/** Reads the password file into the join, and at the end accounts for the rows that nobody took. */
export class PasswordPass {
  readonly #state: MergeState;
  /** Rows that name nobody or could not be read, by their number in the file: they are not in the join. */
  readonly #unjoined = new Set<number>();

  constructor(state: MergeState) {
    this.#state = state;
  }

  /** Puts every row into the join. Raises input.* problems. */
  async read(passwords: RowReader): Promise<void> {
    const { counts, job } = this.#state;
    for await (const block of passwords.blocks()) {
      passwords.eachRow(block, (row, start, end, line) => {
        counts.passwords.read += 1;
        const bytes = block.bytes.subarray(start, end);
        if ("fault" in row) this.#rejectUnjoined(bytes, line, [row.fault]);
        else this.#add(readPassword(row.value), bytes, line);
      });
      job.progress(passwords, counts);
    }
  }

  /** Reads the file once more if any of its rows found nobody: only then are they needed verbatim. */
  async reportLeftovers(passwords: RowReader): Promise<void> {
    const { counts, join } = this.#state;
    counts.passwords.superseded = join.superseded;
    const { read, used, superseded, rejected } = counts.passwords;
    if (read === used + superseded + rejected) return;
    const second = await passwords.again();
    let number = -1;
    let joined = -1;
    for await (const block of second.blocks()) {
      second.eachRow(block, (row, start, end, line) => {
        number += 1;
        if (this.#unjoined.has(number)) return;
        joined += 1;
        if ("value" in row) this.#leftover(joined, row.value, block.bytes.subarray(start, end), line);
      });
    }
    await second.input.close();
  }

  #add(reading: PasswordReading, bytes: Uint8Array, line: number): void {
    const { id, email, faults, dateMs } = reading;
    const { counts, join, key, hash } = this.#state;
    if (id === undefined && email === undefined) {
      this.#rejectUnjoined(bytes, line, faults);
      return;
    }
    const content = faults.length > 0 ? { kind: "rejected" as const } : this.#pack(reading.hash);
    if (content.kind === "none") counts.passwords.withoutHash += 1;
    if (content.kind === "rejected") this.#state.reject("passwords", bytes, line, faults);
    join.addPassword({ keys: key, ...this.#keysOf(reading), line, dateMs, hash, hashAt: 0, ...content });
  }

  #keysOf({ id, email }: PasswordReading): { idAt: number; emailAt: number } {
    const { keys, key } = this.#state;
    if (id !== undefined) {
      const bytes = Buffer.from(id);
      keys.databaseId(bytes, 0, bytes.length, key, ID_AT);
    }
    if (email !== undefined) keys.email(email, key, EMAIL_AT);
    return { idAt: id === undefined ? -1 : ID_AT, emailAt: email === undefined ? -1 : EMAIL_AT };
  }

  #pack(hash: unknown): { kind: RowKind; rule?: HashRule } {
    if (hash === undefined) return { kind: "none" };
    if (typeof hash !== "string") return { kind: "bad", rule: "type" };
    const bytes = Buffer.from(hash);
    const rule = packBcrypt(bytes, 0, bytes.length, this.#state.hash, 0);
    return rule === undefined ? { kind: "hash" } : { kind: "bad", rule };
  }

  #leftover(row: number, value: object, bytes: Uint8Array, line: number): void {
    const { join, counts, key } = this.#state;
    const fate = join.rows.fate(row);
    const kind = join.rows.kind(row);
    if (fate === "used" || fate === "superseded" || kind === "rejected") return;
    if (kind === "bad") {
      const rule = join.rows.rule(row);
      this.#state.reject("passwords", bytes, line, [{ code: "password.bad-hash", field: "passwordHash", rule }]);
      return;
    }
    const left = join.leftover(row, key, this.#keysOf(readPassword(value)).emailAt);
    if (left.kind === "goes-along") {
      this.#state.reject("passwords", bytes, line, [{ code: "password.user-rejected" }]);
      return;
    }
    counts.passwords.unmatched += 1;
    this.#state.keep("passwords", bytes, line, [{ code: "password.unmatched", why: left.why }]);
  }

  #rejectUnjoined(bytes: Uint8Array, line: number, faults: readonly RowFault[]): void {
    this.#unjoined.add(this.#state.counts.passwords.read - 1);
    this.#state.reject("passwords", bytes, line, faults);
  }
}
