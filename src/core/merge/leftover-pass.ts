import { type RawRow, type RowFile, rowAt } from "../rows/row-file.ts";
import type { MergeState } from "./merge-state.ts";

/**
 * Reads the credentials once more, if any of their rows found nobody: only then are they needed, verbatim and with the reason.
 * Rows are told apart by their number in the file, so only those that are needed are parsed.
 *
 * @param unjoined numbers of rows that are not in the join, in order.
 */
export async function reportLeftovers(state: MergeState, first: RowFile, unjoined: readonly number[]): Promise<void> {
  const { read, used, superseded, rejected } = state.counts.passwords;
  if (read === used + superseded + rejected) return;
  const { readCredential } = await state.job.readers.load(first.columns);
  const second = await first.again();
  const at = new Place(unjoined);
  try {
    for await (const block of second.blocks()) {
      for (let index = 0; index < block.count; index += 1) {
        if (!first.hasSplitLines && isDone(state, at)) at.step();
        else {
          second.parse(rowAt(block, index), (parsed, row) => {
            if (!isDone(state, at) && "value" in parsed)
              report(state, at.joined, readCredential?.(parsed.value).email, row);
            at.step();
          });
        }
      }
      second.counted(block.count);
    }
  } finally {
    await second.close();
  }
}

/** Which row it is. */
class Place {
  /** Its number in the join, unless it is not there. */
  joined = 0;
  readonly #unjoined: readonly number[];
  #number = 0;
  #passed = 0;

  constructor(unjoined: readonly number[]) {
    this.#unjoined = unjoined;
  }

  get isJoined(): boolean {
    return this.#unjoined[this.#passed] !== this.#number;
  }

  /** Goes to the next row. */
  step(): void {
    if (this.isJoined) this.joined += 1;
    else this.#passed += 1;
    this.#number += 1;
  }
}

/** True when the row has been accounted for already. */
function isDone({ join }: MergeState, { isJoined, joined: row }: Place): boolean {
  if (!isJoined) return true;
  return join.packed.isSettled(row);
}

function report(state: MergeState, number: number, email: string | undefined, row: RawRow): void {
  const { join, counts, job } = state;
  const left = join.leftoverOf(number, email);
  if (left.kind === "bad-hash") {
    const { hash } = job.readers.fieldNames;
    state.reject("credentials", row, [{ code: "password.bad-hash", field: hash, rule: left.rule }]);
    return;
  }
  if (left.kind === "goes-along") {
    state.reject("credentials", row, [{ code: "password.user-rejected" }]);
    return;
  }
  counts.passwords.unmatched += 1;
  state.keep("credentials", row, [{ code: "password.unmatched", why: left.why }]);
}
