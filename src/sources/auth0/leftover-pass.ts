import { isUtf8 } from "node:buffer";
import { viewOf } from "../../core/json/words.ts";
import { leftoverOf } from "../../core/merge/join/leftover.ts";
import { BAD_HASH, REJECTED_ROW, SUPERSEDED, USED } from "../../core/merge/join/person-table.ts";
import type { RowBlock } from "../../core/rows/row-block.ts";
import type { RowReader } from "../../io/rows.ts";
import { PasswordBytes } from "./bytes/password-bytes.ts";
import { EMAIL_AT, ID_AT, type MergeState } from "./merge-state.ts";
import type { PasswordReading } from "./password.ts";

/**
 * Reads the password file once more, if any of its rows found nobody: only then are they needed, verbatim and with the reason.
 * Rows are told apart by their number in the file, so only those that are needed are parsed.
 */
export async function reportLeftovers(state: MergeState, passwords: RowReader): Promise<void> {
  const { read, used, superseded, rejected } = state.counts.passwords;
  if (read === used + superseded + rejected) return;
  const row = new PasswordBytes();
  let readPassword: ((value: object) => PasswordReading) | undefined;
  const second = await passwords.again();
  const at = new Place(state.unjoined);
  const block = async ({ bytes, count, starts, ends, lines }: RowBlock): Promise<void> => {
    const view = viewOf(bytes);
    for (let index = 0; index < count; index += 1) {
      if (!passwords.hasSplitLines && isDone(state, at)) {
        at.step();
        continue;
      }
      const [start, end, line] = [starts[index] as number, ends[index] as number, lines[index] as number];
      const raw = bytes.subarray(start, end);
      if (state.job.reading !== "careful" && isUtf8(raw) && row.read(view, start, end)) {
        if (!isDone(state, at)) report(state, at.joined, emailOf(state, row, view), raw, line);
        at.step();
        continue;
      }
      readPassword ??= (await import("./password.ts")).readPassword;
      const read = readPassword;
      second.parse(bytes, start, end, line, (parsed, from, to) => {
        if (!isDone(state, at) && "value" in parsed) {
          const { emailAt } = state.keys.ofPassword(read(parsed.value), state.key, ID_AT, EMAIL_AT);
          report(state, at.joined, emailAt, bytes.subarray(from, to), line);
        }
        at.step();
      });
    }
    second.counted(count);
  };
  for await (const next of second.blocks()) await block(next);
  await second.input.close();
}

/** Puts the address's key into the scratch; -1 when the row has none. */
function emailOf({ keys, key }: MergeState, { emailStart, emailEnd }: PasswordBytes, view: DataView): number {
  if (emailEnd === emailStart) return -1;
  keys.asciiEmail(view, emailStart, emailEnd, key, EMAIL_AT);
  return EMAIL_AT;
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
function isDone({ join: { people } }: MergeState, { isJoined, joined: row }: Place): boolean {
  if (!isJoined) return true;
  const fate = people.fate(row);
  return fate === USED || fate === SUPERSEDED || people.kind(row) === REJECTED_ROW;
}

function report(state: MergeState, row: number, emailAt: number, bytes: Uint8Array, line: number): void {
  const { join, counts, key } = state;
  if (join.people.kind(row) === BAD_HASH) {
    const rule = join.people.rule(row);
    state.reject("passwords", bytes, line, [{ code: "password.bad-hash", field: "passwordHash", rule }]);
    return;
  }
  const left = leftoverOf(join.people, row, key, emailAt);
  if (left.kind === "goes-along") {
    state.reject("passwords", bytes, line, [{ code: "password.user-rejected" }]);
    return;
  }
  counts.passwords.unmatched += 1;
  state.keep("passwords", bytes, line, [{ code: "password.unmatched", why: left.why }]);
}
