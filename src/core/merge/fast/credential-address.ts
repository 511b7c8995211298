import { Columns } from "../../rows/fast/columns.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import type { UserKeys } from "../join/user-keys.ts";
import type { CredentialRole, FieldTable } from "../reading.ts";
import { CredentialColumns, EMAIL_KEY, FLAGS, HAS_EMAIL } from "./credential-columns.ts";

/** The address of an ordinary row of credentials, as a key, without parsing the row: the same as that of one that is parsed. */
export class CredentialAddress {
  readonly #columns: Columns;
  readonly #start = new Uint32Array(1);
  readonly #end = new Uint32Array(1);
  /** Holds the key of the row that was read last. */
  keys: Uint32Array = new Uint32Array(0);
  /** Where in `keys` it is; -1: the row has no address. */
  keyAt = -1;

  constructor(table: FieldTable<CredentialRole>, keys: UserKeys) {
    this.#columns = new Columns(new CredentialColumns(table, keys));
  }

  /** Reads one row of a block; false: it is not ordinary. */
  read({ bytes, starts, ends }: RowBlock, at: number): boolean {
    const [start = 0, end = 0] = [starts[at], ends[at]];
    this.#end[0] = end - start;
    const row = {
      bytes: bytes.subarray(start, end),
      count: 1,
      starts: this.#start,
      ends: this.#end,
      lines: this.#start,
    };
    this.keys = this.#columns.of(row);
    const flags = this.keys[FLAGS] as number;
    this.keyAt = (flags & HAS_EMAIL) === 0 ? -1 : EMAIL_KEY;
    return flags !== 0;
  }
}
