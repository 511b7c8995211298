import type { RowBlock } from "../../rows/row-block.ts";
import type { MergeState } from "../merge-state.ts";
import type { ParsedRowReaders } from "../reading.ts";
import type { ShapedRows } from "./shaped-rows.ts";
import { ID_KEY, NAME_KEY } from "./user-columns.ts";

/** Adds users' names to the join without parsing their rows. */
export class EngineNames {
  readonly #state: MergeState;
  readonly #rows: ShapedRows;

  constructor(state: MergeState, rows: ShapedRows) {
    this.#state = state;
    this.#rows = rows;
  }

  begin(block: RowBlock): void {
    this.#rows.begin(block);
  }

  /** Takes one row of the block; false: it takes the parser path. */
  take(at: number, readers: ParsedRowReaders | undefined): boolean {
    const template = this.#rows.templateAt(at, readers);
    if (template === undefined) return false;
    const base = at * this.#rows.rowWords;
    if (template.kind === "user") {
      this.#state.join.packed.noteName(this.#rows.words, base + NAME_KEY, base + ID_KEY);
    }
    return true;
  }
}
