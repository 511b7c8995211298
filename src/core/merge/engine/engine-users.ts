import type { RowBlock } from "../../rows/row-block.ts";
import { type RawRow, rowAt } from "../../rows/row-file.ts";
import type { EntryWriter } from "../entry/entry-writer.ts";
import { blankUser, NOTED, type Verdict, WITHOUT_ROW } from "../join/join-rows.ts";
import { GOOD_HASH, PREFETCHED } from "../join/person-table.ts";
import type { MergeState } from "../merge-state.ts";
import type { ParsedRowReaders } from "../reading.ts";
import type { RowPosition } from "../row-position.ts";
import type { UserTemplate } from "./row-template.ts";
import type { ShapedRows } from "./shaped-rows.ts";
import { FLAGS, ID_KEY, NAME_KEY, OWN, SPANS } from "./user-columns.ts";

/** What the fast path shares with the parser path. */
export interface UserSink {
  readonly state: MergeState;
  readonly writer: EntryWriter;
  readonly position: RowPosition;
  /** Takes a user who is not accepted. */
  readonly refuse: (verdict: Verdict, row: RawRow) => void;
}

/** Judges and writes users whose row has a template, without parsing it: the result is the same as for a parsed row. */
export class EngineUsers {
  readonly #sink: UserSink;
  readonly #rows: ShapedRows;
  readonly #user = blankUser();

  constructor(sink: UserSink, rows: ShapedRows) {
    this.#sink = sink;
    this.#rows = rows;
  }

  begin(block: RowBlock): void {
    this.#rows.begin(block);
  }

  /** Takes one row of the block; false: it takes the parser path. Rows come in order. */
  take(at: number, readers: ParsedRowReaders | undefined): boolean {
    const { block, words, rowWords } = this.#rows;
    const { state, position } = this.#sink;
    const base = at * rowWords;
    if (at % PREFETCHED === 0) {
      state.join.packed.prefetch(words, base + ID_KEY, base + NAME_KEY, rowWords, block.count - at, true);
    }
    const template = this.#rows.templateAt(at, readers);
    if (template === undefined) return false;
    position.next(block.lines[at] as number, block.file);
    if (position.round === 1) state.suspect(template.unfit);
    if (template.kind === "left-out") state.leftOut(template.reason);
    else this.#judge(template, at, base);
    return true;
  }

  #judge(template: UserTemplate, at: number, base: number): void {
    const { block, words } = this.#rows;
    const { state, position } = this.#sink;
    const user = this.#user;
    user.keys = words;
    user.idAt = base + ID_KEY;
    user.nameAt = base + NAME_KEY;
    user.emailAt = state.job.credentials === undefined ? -1 : user.nameAt;
    user.isOwn = ((words[base + FLAGS] as number) & OWN) !== 0;
    user.hasHash = template.verifier !== undefined;
    user.number = position.number;
    user.line = position.line;
    user.file = position.file;
    user.round = position.round;
    const verdict = state.join.packed.judge(user);
    if (verdict === NOTED) return;
    if (verdict < WITHOUT_ROW) this.#sink.refuse(verdict, position.rowOf(rowAt(block, at).bytes));
    else this.#write(verdict, template, block.bytes, base);
  }

  #write(verdict: Verdict, template: UserTemplate, bytes: Buffer, base: number): void {
    const { state, writer } = this.#sink;
    const { packed } = state.join;
    const { isEmailVerified, isNamedByEmail, isSilentByLink, remarks } = template;
    const isJoined = verdict !== WITHOUT_ROW && packed.kindOf(verdict) === GOOD_HASH;
    state.written(verdict, isJoined ? "bcrypt" : template.verifier, isEmailVerified, isNamedByEmail);
    if (isSilentByLink && !isJoined) state.counts.users.silent += 1;
    const entry = isJoined ? template.joined : template.alone;
    const hashAt = isJoined ? packed.hashAt(verdict) : 0;
    writer.entries.addRow(entry, bytes, this.#rows.words, base + SPANS, packed.hashes, hashAt);
    if (remarks.length > 0) state.remark(remarks);
  }
}
