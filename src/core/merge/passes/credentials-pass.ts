import type { RowFault } from "../../../problem.ts";
import { type RawRow, type RowFile, rowAt } from "../../rows/row-file.ts";
import { FastCredentials } from "../fast/fast-credentials.ts";
import type { MergeState } from "../merge-state.ts";
import type { CredentialReading, ParsedRowReaders } from "../reading.ts";

/** Puts every row of credentials into the join. */
export class CredentialsPass {
  readonly #state: MergeState;
  readonly #fast: FastCredentials | undefined;
  /** Loaded with the first row that needs it. */
  #readers: ParsedRowReaders | undefined;
  /** Rows that name no user or could not be read, by their number in the file: they are not in the join. */
  readonly #unjoined: number[] = [];

  constructor(state: MergeState) {
    const { isCareful, readers, hashes } = state.job;
    this.#state = state;
    this.#fast =
      isCareful ||
      hashes.enforcesLimits === true ||
      !hashes.verifiers.has("bcrypt") ||
      readers.fast?.credentials === undefined
        ? undefined
        : new FastCredentials(state, readers.fast.credentials);
  }

  /** Returns the numbers of the rows that are not in the join, in order. Raises input.* problems. */
  async read(file: RowFile): Promise<readonly number[]> {
    const { counts, job } = this.#state;
    for await (const block of file.blocks()) {
      this.#fast?.begin(block);
      let rows = 0;
      for (let at = 0; at < block.count; at += 1) {
        if (this.#fast?.take(at) === true) rows += 1;
        else {
          this.#readers ??= await job.readers.load(file.columns);
          rows += this.#parsed(file, rowAt(block, at), this.#readers);
        }
      }
      file.counted(rows);
      job.progress("credentials", counts);
    }
    return this.#unjoined;
  }

  #parsed(file: RowFile, row: RawRow, { readCredential }: ParsedRowReaders): number {
    if (readCredential === undefined) throw new Error("a file of credentials, and nothing that reads it");
    return file.parse(row, (parsed, part) => {
      this.#state.counts.passwords.read += 1;
      if ("fault" in parsed) this.#rejectUnjoined(part, [parsed.fault]);
      else this.#add(readCredential(parsed.value), part);
    });
  }

  #add({ ownId, email, faults, dateMs, hash: given }: CredentialReading, row: RawRow): void {
    if (ownId === undefined && email === undefined) {
      this.#rejectUnjoined(row, faults);
      return;
    }
    const userId = ownId === undefined ? undefined : this.#state.job.readers.ownIdPrefix + ownId;
    if (faults.length > 0) {
      this.#state.reject("credentials", row, faults, userId === undefined ? undefined : { userId, userName: email });
    }
    const hash = faults.length > 0 ? "rejected" : this.#state.judgeHash(given);
    if (hash !== "rejected") this.#state.judged(hash);
    if (hash !== "rejected" && hash.kind === "none") this.#state.counts.passwords.withoutHash += 1;
    this.#state.join.addCredential({ userId, email, line: row.line, dateMs, hash });
  }

  #rejectUnjoined(row: RawRow, faults: readonly RowFault[]): void {
    this.#unjoined.push(this.#state.counts.passwords.read - 1);
    this.#state.reject("credentials", row, faults);
  }
}
