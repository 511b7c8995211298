import { Columns } from "../../rows/fast/columns.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import { blankCredential } from "../join/join-rows.ts";
import { GOOD_HASH, NO_HASH, PREFETCHED } from "../join/person-table.ts";
import type { MergeState } from "../merge-state.ts";
import type { CredentialRole, FieldTable } from "../reading.ts";
import {
  CREDENTIAL_WORDS,
  CredentialColumns,
  DATE,
  EMAIL_KEY,
  FLAGS,
  HAS_EMAIL,
  HAS_HASH,
  HAS_ID,
  HASH,
  ID_KEY,
} from "./credential-columns.ts";

/** Puts ordinary rows of credentials into the join without parsing them: the same as is done with those that are parsed. */
export class FastCredentials {
  readonly #state: MergeState;
  readonly #columns: Columns;
  readonly #row = blankCredential();
  #block: RowBlock | undefined;
  #words: Uint32Array = new Uint32Array(0);
  #dates: Float64Array = new Float64Array(0);

  constructor(state: MergeState, table: FieldTable<CredentialRole>) {
    this.#state = state;
    this.#columns = new Columns(new CredentialColumns(table, state.join.keys));
  }

  /** Begins with the rows of a block. */
  begin(block: RowBlock): void {
    this.#block = block;
    this.#words = this.#columns.of(block);
    this.#dates = new Float64Array(this.#words.buffer, this.#words.byteOffset, this.#words.length >>> 1);
  }

  /** Takes one row of the block; false: it is not ordinary. Rows come in order. */
  take(at: number): boolean {
    const block = this.#block as RowBlock; // `begin` comes first
    const words = this.#words;
    const base = at * CREDENTIAL_WORDS;
    const { packed } = this.#state.join;
    if (at % PREFETCHED === 0) {
      packed.prefetch(words, base + ID_KEY, base + EMAIL_KEY, CREDENTIAL_WORDS, block.count - at, false);
    }
    const flags = words[base + FLAGS] as number;
    if (flags === 0) return false;
    const row = this.#row;
    row.keys = words;
    row.idAt = (flags & HAS_ID) === 0 ? -1 : base + ID_KEY;
    row.emailAt = (flags & HAS_EMAIL) === 0 ? -1 : base + EMAIL_KEY;
    row.line = block.lines[at] as number;
    row.dateMs = this.#dates[(base + DATE) >>> 1] as number;
    row.kind = (flags & HAS_HASH) === 0 ? NO_HASH : GOOD_HASH;
    row.hash = words;
    row.hashAt = base + HASH;
    const { passwords } = this.#state.counts;
    passwords.read += 1;
    if (row.kind === NO_HASH) passwords.withoutHash += 1;
    packed.addCredential(row);
    return true;
  }
}
