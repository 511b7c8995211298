import type { RowBlock } from "../../rows/row-block.ts";
import type { MergeState, RemarkedUser } from "../merge-state.ts";
import type { UserNotes } from "../reading.ts";

/** What the users of a shape lose, and how many of the block are written. */
interface Counted {
  readonly notes: UserNotes;
  users: number;
}

/** What written users lose, by the shapes of their rows: the rows of a shape have the same notes, so that one of them is parsed. */
export class ShapeNotes {
  readonly #state: MergeState;
  /** A reading thread numbers the shapes separately. */
  readonly #all: Readonly<Record<"here" | "ahead", (Counted | undefined)[]>> = { here: [], ahead: [] };
  #known = this.#all.here;
  #block: RowBlock | undefined;

  constructor(state: MergeState) {
    this.#state = state;
  }

  begin(block: RowBlock, isAhead: boolean): void {
    this.#block = block;
    this.#known = isAhead ? this.#all.ahead : this.#all.here;
  }

  /** Counts and names a written user. @param at the row in the block. */
  count(shape: number, at: number, user: () => RemarkedUser): void {
    if (shape === 0) return;
    const counted = this.#known[shape] ?? this.#learn(shape, at);
    counted.users += 1;
    this.#state.name(counted.notes.remarks, user);
  }

  /** Adds the users of the block to the account. */
  end(): void {
    for (const counted of this.#known) {
      if (counted === undefined || counted.users === 0) continue;
      this.#state.note(counted.notes, counted.users);
      counted.users = 0;
    }
  }

  #learn(shape: number, at: number): Counted {
    const { bytes, starts, ends } = this.#block as RowBlock; // `begin` comes first
    const { notesOf } = this.#state.job.readers;
    if (notesOf === undefined) throw new Error("numbered shapes of a provider without notes");
    const counted = { notes: notesOf(JSON.parse(bytes.toString("utf8", starts[at], ends[at])) as object), users: 0 }; // its shape is an object's
    this.#known[shape] = counted;
    return counted;
  }
}
