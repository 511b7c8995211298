import { Columns } from "../../rows/fast/columns.ts";
import { SHAPE_SHIFT } from "../../rows/fast/field-row.ts";
import type { RowBlock } from "../../rows/row-block.ts";
import { type RawRow, rowAt } from "../../rows/row-file.ts";
import { bcryptBreachesOf } from "../../rules/hash-costs.ts";
import { NO_PACKED_HASH } from "../entry/entry-buffer.ts";
import type { EntryWriter } from "../entry/entry-writer.ts";
import { packedCost } from "../join/bcrypt.ts";
import { blankUser, NOTED, type Verdict, WITHOUT_ROW } from "../join/join-rows.ts";
import { GOOD_HASH, PREFETCHED } from "../join/person-table.ts";
import type { MergeState, RemarkedUser } from "../merge-state.ts";
import type { FieldTable, UserRole } from "../reading.ts";
import type { RowPosition } from "../row-position.ts";
import { ShapeNotes } from "./shape-notes.ts";
import { EMAIL_KEY, FLAGS, ID_KEY, OWN, RANGES, USER_WORDS, UserColumns, VERIFIED } from "./user-columns.ts";

/** What ordinary rows share with all others. */
export interface UserSink {
  readonly state: MergeState;
  readonly writer: EntryWriter;
  readonly place: RowPosition;
  /** Called for a user who is not accepted. @param isProved true: the user's address is verified, and the user is open. */
  readonly refuse: (verdict: Verdict, row: RawRow, user: () => RemarkedUser, isProved: boolean) => void;
}

/** Judges and writes ordinary users without parsing them: the same as is done with those that are parsed. */
export class FastUsers {
  readonly #sink: UserSink;
  readonly #columns: Columns;
  readonly #user = blankUser();
  readonly #shapes: ShapeNotes;
  #block: RowBlock | undefined;
  #words: Uint32Array = new Uint32Array(0);

  constructor(sink: UserSink, table: FieldTable<UserRole>) {
    this.#sink = sink;
    this.#columns = new Columns(new UserColumns(table, sink.state.join.keys));
    this.#shapes = new ShapeNotes(sink.state);
  }

  /** Begins with the rows of a block. */
  begin(block: RowBlock): void {
    this.#block = block;
    this.#words = this.#columns.of(block);
    this.#shapes.begin(block, "columns" in block && block.columns === this.#words);
  }

  /** Counts what the users of the block lose. */
  end(): void {
    this.#shapes.end();
  }

  /** Takes one row of the block; false: it is not ordinary. Rows come in order. */
  take(at: number): boolean {
    const block = this.#block as RowBlock; // `begin` comes first
    const words = this.#words;
    const base = at * USER_WORDS;
    const { state, place } = this.#sink;
    const { packed } = state.join;
    if (at % PREFETCHED === 0) {
      packed.prefetch(words, base + ID_KEY, base + EMAIL_KEY, USER_WORDS, block.count - at, true);
    }
    const flags = words[base + FLAGS] as number;
    if (flags === 0) return false;
    place.next(block.lines[at] as number, block.file);
    const user = this.#user;
    user.keys = words;
    user.idAt = base + ID_KEY;
    user.emailAt = base + EMAIL_KEY;
    user.nameAt = base + EMAIL_KEY;
    user.isOwn = (flags & OWN) !== 0;
    user.number = place.number;
    user.line = place.line;
    user.file = place.file;
    user.round = place.round;
    const verdict = packed.judge(user);
    if (verdict === NOTED) return true;
    const named = (): RemarkedUser => ({
      userId: this.#text(block.bytes, base + RANGES),
      userName: this.#text(block.bytes, base + RANGES + 2),
    });
    const isVerified = state.job.isEmailVerified ?? (flags & VERIFIED) !== 0;
    if (verdict < WITHOUT_ROW) this.#sink.refuse(verdict, place.rowOf(rowAt(block, at).bytes), named, isVerified);
    else {
      // A row that says more of the user's state has fields that are not read here.
      if (!isVerified) state.notProved.add(place.number);
      this.#write(verdict, block.bytes, base, isVerified);
      this.#shapes.count(flags >>> SHAPE_SHIFT, at, named);
      if (verdict !== WITHOUT_ROW && packed.wasDropped(verdict)) state.remark("hash-dropped", named);
    }
    return true;
  }

  /** @param at of the ends of the text, without its quotes. */
  #text(bytes: Buffer, at: number): string {
    return JSON.parse(`"${bytes.toString("utf8", this.#words[at], this.#words[at + 1])}"`) as string;
  }

  #write(verdict: Verdict, bytes: Buffer, base: number, isEmailVerified: boolean): void {
    const { state, writer } = this.#sink;
    const words = this.#words;
    const { packed } = state.join;
    const isNameless =
      words[base + RANGES + 4] === words[base + RANGES + 5] && words[base + RANGES + 6] === words[base + RANGES + 7];
    const hasHash = verdict !== WITHOUT_ROW && packed.kindOf(verdict) === GOOD_HASH;
    const hashAt = hasHash ? packed.hashAt(verdict) : NO_PACKED_HASH;
    // Where limits are enforced, the parser path has judged the hash.
    const { limits, enforcesLimits } = state.job.hashes;
    const isLimited = hasHash && limits !== undefined && enforcesLimits !== true;
    const breaches = isLimited ? bcryptBreachesOf(packedCost(packed.hashes, hashAt)) : undefined;
    state.written(verdict, hasHash ? "bcrypt" : undefined, isEmailVerified, isNameless, breaches);
    writer.entries.addPlain(bytes, words, base + RANGES, isEmailVerified, packed.hashes, hashAt);
  }
}
