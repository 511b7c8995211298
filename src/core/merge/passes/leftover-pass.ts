import { type RawRow, type RowFile, rowAt } from "../../rows/row-file.ts";
import { CredentialAddress } from "../fast/credential-address.ts";
import type { Leftover } from "../join/join-rows.ts";
import type { MergeState } from "../merge-state.ts";
import type { ParsedRowReaders } from "../reading.ts";

/**
 * Reads the credentials once more, if any of their rows has no user: only then are they needed, verbatim and with the reason.
 * Rows are distinguished by their number in the file, so only the needed ones are parsed.
 *
 * @param unjoined numbers of rows that are not in the join, in order.
 */
export async function reportLeftovers(state: MergeState, first: RowFile, unjoined: readonly number[]): Promise<void> {
  const { read, used, superseded, rejected } = state.counts.passwords;
  if (read === used + superseded + rejected) return;
  const second = await first.again();
  const at = new Place(unjoined);
  const fast = createFast(state);
  let readers: ParsedRowReaders | undefined; // loaded with the first row that needs it
  try {
    for await (const block of second.blocks()) {
      for (let index = 0; index < block.count; index += 1) {
        if (!first.hasSplitLines && isDone(state, at)) at.step();
        else if (!first.hasSplitLines && fast?.read(block, index) === true) {
          report(state, state.join.packed.leftoverOf(at.joined, fast.keys, fast.keyAt), rowAt(block, index));
          at.step();
        } else {
          readers ??= await state.job.readers.load(first.columns);
          const { readCredential } = readers;
          second.parse(rowAt(block, index), (parsed, row) => {
            if (!isDone(state, at) && "value" in parsed) {
              const email = readCredential?.(parsed.value).email;
              report(state, state.join.leftoverOf(at.joined, email), row);
            }
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

/** What reads the address of ordinary rows as bytes, if the provider says how. */
function createFast({ job, join }: MergeState): CredentialAddress | undefined {
  const table = job.isCareful ? undefined : job.readers.fast?.credentials;
  return table === undefined ? undefined : new CredentialAddress(table, join.keys);
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

function report(state: MergeState, left: Leftover, row: RawRow): void {
  const { counts, job } = state;
  if (left.kind === "bad-hash") {
    const { hash } = job.readers.fieldNames;
    state.reject("credentials", row, [{ code: "password.bad-hash", field: hash, rule: left.rule }]);
    return;
  }
  if (left.kind === "user-rejected") {
    state.reject("credentials", row, [{ code: "password.user-rejected" }]);
    return;
  }
  counts.passwords.unmatched += 1;
  state.keep("credentials", row, [{ code: "password.unmatched", why: left.why }]);
}
