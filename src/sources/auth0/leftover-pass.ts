import { BAD_HASH, REJECTED_ROW, SUPERSEDED, USED } from "../../core/join/person-table.ts";
import type { RowBlock } from "../../core/rows/row-block.ts";
import type { RowReader } from "../../io/rows.ts";
import { EMAIL_AT, ID_AT, type MergeState } from "./merge-state.ts";

/**
 * Reads the password file once more, if any of its rows found nobody: only then are they needed, verbatim and with the reason.
 * Rows are told apart by their number in the file, so only those that are needed are parsed.
 */
export async function reportLeftovers(state: MergeState, passwords: RowReader): Promise<void> {
  const { read, used, superseded, rejected } = state.counts.passwords;
  if (read === used + superseded + rejected) return;
  const { readPassword } = await import("./password.ts");
  const second = await passwords.again();
  let number = 0;
  let joined = 0;
  const visit = (value: object, bytes: Uint8Array, line: number): void => {
    const { id, email } = readPassword(value);
    const { emailAt } = state.keys.ofPassword({ id, email }, state.key, ID_AT, EMAIL_AT);
    report(state, joined, emailAt, bytes, line);
  };
  const block = ({ bytes, count, starts, ends, lines }: RowBlock): void => {
    for (let row = 0; row < count; row += 1) {
      if (!passwords.hasSplitLines && isDone(state, number, joined)) {
        if (!state.unjoined.has(number)) joined += 1;
        number += 1;
        continue;
      }
      const line = lines[row] as number;
      second.parse(bytes, starts[row] as number, ends[row] as number, line, (parsed, start, end) => {
        if (!isDone(state, number, joined) && "value" in parsed) visit(parsed.value, bytes.subarray(start, end), line);
        if (!state.unjoined.has(number)) joined += 1;
        number += 1;
      });
    }
    second.counted(count);
  };
  for await (const next of second.blocks()) block(next);
  await second.input.close();
}

/** True when the row has been accounted for already. */
function isDone({ unjoined, join: { people } }: MergeState, number: number, row: number): boolean {
  if (unjoined.has(number)) return true;
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
  const left = join.leftover(row, key, emailAt);
  if (left.kind === "goes-along") {
    state.reject("passwords", bytes, line, [{ code: "password.user-rejected" }]);
    return;
  }
  counts.passwords.unmatched += 1;
  state.keep("passwords", bytes, line, [{ code: "password.unmatched", why: left.why }]);
}
