import { Columns } from "../../rows/fast/columns.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import type { MergeState } from "../merge-state.ts";
import type { FastFields, ParsedRowReaders, UserReading } from "../reading.ts";
import { readByRoles } from "./role-reading.ts";
import { isWhole, type RowTemplate, rowTemplate } from "./row-template.ts";
import { type UserUses, userUses } from "./row-uses.ts";
import { SHAPE, UserColumns } from "./user-columns.ts";

/** A shape whose rows take the parser path. */
const PARSED = "parsed";
/** A shape of which only rows were seen that are not whole, and so say nothing of others. */
const OPEN = "open";

/** By the numbers of shapes. */
type Templates = (RowTemplate | typeof PARSED | typeof OPEN | undefined)[];

/** The rows of users of a block, with the templates of their shapes. */
export class ShapedRows {
  readonly #state: MergeState;
  readonly #uses: UserUses;
  readonly #columns: Columns;
  /** What stands in for the provider's reader where a table says what each field is. */
  readonly #readUser: ((row: object) => UserReading) | undefined;
  /** A thread that reads ahead numbers the shapes for itself. */
  readonly #templates: Readonly<Record<"here" | "ahead", Templates>> = { here: [], ahead: [] };
  #known: Templates = this.#templates.here;
  #block: RowBlock | undefined;
  words: Uint32Array = new Uint32Array(0);
  /** How many words each row has. */
  readonly rowWords: number;

  private constructor(state: MergeState, uses: UserUses, { users }: FastFields) {
    const parser = new UserColumns(uses, state.join.keys);
    this.#state = state;
    this.#uses = uses;
    this.#columns = new Columns(parser);
    this.#readUser = users && readByRoles(users);
    this.rowWords = parser.words;
  }

  /** undefined: every row takes the parser path. */
  static of(state: MergeState): ShapedRows | undefined {
    const { isCareful, readers, credentials, passwords } = state.job;
    const uses = userUses(readers.fast ?? {});
    if (isCareful || passwords !== undefined || readers.fast === undefined || uses === undefined) return undefined;
    // Rows of credentials find a user by the address, and columns have the key of the user name alone.
    const hasAddressKey = readers.fast.users !== undefined;
    return credentials === undefined || hasAddressKey ? new ShapedRows(state, uses, readers.fast) : undefined;
  }

  get block(): RowBlock {
    return this.#block as RowBlock; // `begin` comes first
  }

  begin(block: RowBlock): void {
    this.#block = block;
    this.words = this.#columns.of(block);
    const isAhead = "columns" in block && block.columns === this.words;
    this.#known = isAhead ? this.#templates.ahead : this.#templates.here;
  }

  /** undefined: the row takes the parser path. @param readers absent until a row needed them. */
  templateAt(at: number, readers: ParsedRowReaders | undefined): RowTemplate | undefined {
    const base = at * this.rowWords;
    const shape = this.words[base + SHAPE] as number;
    if (shape === 0) return undefined;
    let known = this.#known[shape];
    if (known === undefined || known === OPEN) known = this.#learn(at, shape, readers);
    if (known === undefined || known === PARSED || known === OPEN) return undefined;
    return known.kind === "left-out" || isWhole(this, base) ? known : undefined;
  }

  #learn(at: number, shape: number, readers: ParsedRowReaders | undefined): Templates[number] {
    const readUser = this.#readUser ?? readers?.readUser;
    if (readUser === undefined) return undefined;
    const base = at * this.rowWords;
    const isSample = isWhole(this, base);
    if (this.#known[shape] === OPEN && !isSample) return OPEN;
    const { bytes, starts, ends } = this.block;
    const columns = { words: this.words, base };
    const row = bytes.subarray(0, ends[at]);
    const learned = rowTemplate(row, starts[at] as number, columns, this.#uses, readUser, this.#state);
    this.#known[shape] = learned ?? (isSample ? PARSED : OPEN);
    return this.#known[shape];
  }
}
