import { Columns } from "../../rows/fast/columns.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import { rowAt } from "../../rows/row-file.ts";
import { blankUser, NOTED, WITHOUT_ROW } from "../join/join-rows.ts";
import { PREFETCHED } from "../join/person-table.ts";
import type { MergeState, RemarkedUser } from "../merge-state.ts";
import type { NestedTable, ParsedRowReaders } from "../reading.ts";
import { type EntryTemplate, type RowTemplate, templateOf } from "./entry-template.ts";
import type { UserSink } from "./fast-users.ts";
import { ID_KEY, NAME_KEY, NESTED_WORDS, NestedColumns, SHAPE, SPANS, WANTED, WHOLE } from "./nested-columns.ts";

/** By the numbers of shapes; null: rows of this shape take the parser path. */
type Templates = (RowTemplate | null | undefined)[];

/** The rows of users of a block whose shape gives their result. */
export class NestedRows {
  readonly #state: MergeState;
  readonly #columns: Columns;
  /** A reading thread counts the shapes separately. */
  readonly #templates: Readonly<Record<"here" | "ahead", Templates>> = { here: [], ahead: [] };
  #known: Templates = this.#templates.here;
  #block: RowBlock | undefined;
  words: Uint32Array = new Uint32Array(0);

  constructor(state: MergeState, table: NestedTable) {
    this.#state = state;
    this.#columns = new Columns(new NestedColumns(table, state.join.keys));
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
    const base = at * NESTED_WORDS;
    const shape = this.words[base + SHAPE] as number;
    if (shape === 0) return undefined;
    let template = this.#known[shape];
    if (template === undefined && readers !== undefined) {
      const { bytes, starts, ends } = this.block;
      const row = bytes.subarray(0, ends[at]);
      template = templateOf(row, starts[at] as number, this.words, base, readers.readUser, this.#state) ?? null;
      this.#known[shape] = template;
    }
    if (template?.kind === "entry" && this.words[base + WHOLE] === 0) return undefined;
    return template ?? undefined;
  }
}

/** Judges and writes users whose row has a known shape, without parsing it: the same as is done with those that are parsed. */
export class NestedUsers {
  readonly #sink: UserSink;
  readonly #rows: NestedRows;
  readonly #user = blankUser();

  constructor(sink: UserSink, table: NestedTable) {
    this.#sink = sink;
    this.#rows = new NestedRows(sink.state, table);
  }

  /** Begins with the rows of a block. */
  begin(block: RowBlock): void {
    this.#rows.begin(block);
  }

  /** Nothing is left to do at the end of a block. */
  end(): void {}

  /** Takes one row of the block; false: it takes the parser path. Rows come in order. */
  take(at: number, readers: ParsedRowReaders | undefined): boolean {
    const { block, words } = this.#rows;
    const { state, place } = this.#sink;
    const base = at * NESTED_WORDS;
    if (at % PREFETCHED === 0) {
      state.join.packed.prefetch(words, base + ID_KEY, base + NAME_KEY, NESTED_WORDS, block.count - at, true);
    }
    const template = this.#rows.templateAt(at, readers);
    if (template === undefined) return false;
    place.next(block.lines[at] as number, block.file);
    if (place.round === 1) state.suspect(template.unfit);
    if (template.kind === "left-out") state.leftOut(template.reason);
    else this.#judge(template, at, base);
    return true;
  }

  #judge(template: EntryTemplate, at: number, base: number): void {
    const { block, words } = this.#rows;
    const { state, place } = this.#sink;
    const user = this.#user;
    user.keys = words;
    user.idAt = base + ID_KEY;
    user.nameAt = base + NAME_KEY;
    user.hasHash = template.verifier !== undefined;
    user.number = place.number;
    user.line = place.line;
    user.file = place.file;
    user.round = place.round;
    const verdict = state.join.packed.judge(user);
    if (verdict === NOTED) return;
    const named = (): RemarkedUser => ({
      userId: this.#text(block.bytes, base, "userId"),
      userName: this.#text(block.bytes, base, "userName"),
    });
    const { isProved } = template;
    if (verdict < WITHOUT_ROW) this.#sink.refuse(verdict, place.rowOf(rowAt(block, at).bytes), named, isProved);
    else this.#write(template, block.bytes, base, named);
  }

  #write(template: EntryTemplate, bytes: Buffer, base: number, named: () => RemarkedUser): void {
    const { state, writer } = this.#sink;
    const { verifier, breaches, isEmailVerified, isNamedByEmail, isSilentByLink, notes, pieces } = template;
    state.written(WITHOUT_ROW, verifier, isEmailVerified, isNamedByEmail, breaches);
    if (!template.isProved) state.notProved.add(this.#sink.place.number);
    if (isSilentByLink) state.counts.users.silent += 1;
    writer.entries.addPieces(pieces, bytes, this.#rows.words, base + SPANS);
    state.note(notes);
    state.name(notes.remarks, named);
  }

  /** A row of a known shape has an id and a user name, texts without their quotes. */
  #text(bytes: Buffer, base: number, field: (typeof WANTED)[number]): string {
    const at = base + SPANS + 2 * WANTED.indexOf(field);
    return JSON.parse(`"${bytes.toString("utf8", this.#rows.words[at], this.#rows.words[at + 1])}"`) as string;
  }
}

/** Tells the join of users' names without parsing their rows. */
export class NestedNames {
  readonly #state: MergeState;
  readonly #rows: NestedRows;

  constructor(state: MergeState, table: NestedTable) {
    this.#state = state;
    this.#rows = new NestedRows(state, table);
  }

  begin(block: RowBlock): void {
    this.#rows.begin(block);
  }

  /** False: the row takes the parser path. */
  take(at: number, readers: ParsedRowReaders): boolean {
    const template = this.#rows.templateAt(at, readers);
    if (template === undefined) return false;
    const base = at * NESTED_WORDS;
    if (template.kind === "entry") {
      this.#state.join.packed.noteName(this.#rows.words, base + NAME_KEY, base + ID_KEY);
    }
    return true;
  }
}
