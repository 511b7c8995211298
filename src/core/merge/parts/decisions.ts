import type { RowFault } from "../../../problem.ts";
import { grown } from "../../json/words.ts";
import { finish } from "../../tables/fingerprint.ts";
import { HASH_WORDS } from "../join/bcrypt.ts";
import { type Leftover, type PackedUser, REJECT, type Verdict, WAIT, WITHOUT_ROW } from "../join/join-rows.ts";
import { type CredentialKind, GOOD_HASH, NO_HASH } from "../join/person-table.ts";
import type { RowJoin } from "../join/row-join.ts";
import { textAt, textWords } from "./join-record.ts";
import { NumberedRecords } from "./numbered-records.ts";
import type { PartSettings } from "./part-store.ts";

// Words of a decision: how many there are, the user's number, its line, its file's number, some bits of its keys, the verdict, then hash, text or
// faults.
const LINE = 2;
const FILE = 3;
const WHO = 4;
const WHAT = 5;
const MORE = 6;

const HAS_WAIT = 0;
const HAS_REJECT = 1;
const HAS_NO_ROW = 2;
/** A row of credentials, and with it its hash: packed, as a text, or none. */
const HAS_PACKED = 3;
const HAS_TEXT = 4;
const HAS_ROW = 5;
/** Its hash was dropped. */
const HAS_DROPPED = 6;

/** What was decided in one round, by the numbers of users. */
export class Decisions {
  readonly #records: NumberedRecords;
  #words = new Uint32Array(MORE + HASH_WORDS);
  /** Where the decision begins that was looked for last. */
  #at = -1;

  /** @param users how many there are. */
  constructor(settings: PartSettings, users: number) {
    this.#records = new NumberedRecords(settings, users);
  }

  /** Adds a join's verdict on a user. @param file number of the user's file. */
  add(user: PackedUser, file: number, verdict: Verdict, join: RowJoin): void {
    this.#words[1] = user.number;
    this.#words[LINE] = user.line;
    this.#words[FILE] = file;
    this.#words[WHO] = whoIs(user);
    const more = this.#put(verdict, join);
    this.#words[0] = MORE + more;
    this.#records.add(this.#words, MORE + more);
  }

  /** The verdict on a user, whose decision the other members then describe; undefined: there is none. */
  find(number: number): Verdict | undefined {
    this.#at = this.#records.find(number);
    if (this.#at === -1) return undefined;
    switch (this.#word(WHAT)) {
      case HAS_WAIT:
        return WAIT;
      case HAS_REJECT:
        return REJECT;
      case HAS_NO_ROW:
        return WITHOUT_ROW;
      default:
        return 0;
    }
  }

  /** True when the found decision is about this user. It is not if the input has changed. */
  isAbout(user: PackedUser): boolean {
    return this.#word(WHO) === whoIs(user);
  }

  get line(): number {
    return this.#word(LINE);
  }

  /** Number of the user's file. */
  get file(): number {
    return this.#word(FILE);
  }

  get faults(): readonly RowFault[] {
    return this.#refusal.faults;
  }

  get nameHolder(): number {
    return this.#refusal.nameHolder;
  }

  get #refusal(): Pick<RowJoin, "faults" | "nameHolder"> {
    if (this.#word(WHAT) !== HAS_REJECT) return { faults: [], nameHolder: 0 };
    return JSON.parse(textAt(this.#records.words, this.#at + MORE)); // as `#put` wrote it
  }

  /** What the row of credentials holds. */
  get kind(): CredentialKind {
    return this.#word(WHAT) === HAS_ROW || this.wasDropped ? NO_HASH : GOOD_HASH;
  }

  get wasDropped(): boolean {
    return this.#word(WHAT) === HAS_DROPPED;
  }

  get hashes(): Uint32Array {
    return this.#records.words;
  }

  get hashAt(): number {
    return this.#at + MORE;
  }

  get textHash(): string | undefined {
    return this.#word(WHAT) === HAS_TEXT ? textAt(this.#records.words, this.#at + MORE) : undefined;
  }

  remove(): void {
    this.#records.remove();
  }

  #word(place: number): number {
    return this.#records.words[this.#at + place] as number;
  }

  /** Returns how many words follow. */
  #put(verdict: Verdict, join: RowJoin): number {
    if (verdict === WAIT) return this.#is(HAS_WAIT);
    if (verdict === WITHOUT_ROW) return this.#is(HAS_NO_ROW);
    if (verdict === REJECT) {
      const { faults, nameHolder } = join;
      return this.#is(HAS_REJECT, JSON.stringify({ faults, nameHolder }));
    }
    if (join.wasDropped(verdict)) return this.#is(HAS_DROPPED);
    if (join.kindOf(verdict) !== GOOD_HASH) return this.#is(HAS_ROW);
    const text = join.textHashOf(verdict);
    if (text !== undefined) return this.#is(HAS_TEXT, text);
    const from = join.hashAt(verdict);
    for (let word = 0; word < HASH_WORDS; word += 1) this.#words[MORE + word] = join.hashes[from + word] as number;
    this.#is(HAS_PACKED);
    return HASH_WORDS;
  }

  #is(what: number, text?: string): number {
    this.#words[WHAT] = what;
    if (text === undefined) return 0;
    const more = textWords(text);
    if (MORE + more.length > this.#words.length) this.#words = grown(this.#words, MORE + more.length);
    this.#words.set(more, MORE);
    return more.length;
  }
}

/** Some bits of the user's keys. */
function whoIs({ keys, idAt, nameAt }: PackedUser): number {
  const id = idAt === -1 ? 0 : (keys[idAt] as number) ^ (keys[idAt + 1] as number) ^ (keys[idAt + 2] as number);
  return finish(id, nameAt === -1 ? 0 : (keys[nameAt] as number)) >>> 0;
}

/** The outcome of rows of credentials that remain when every user is judged, by their numbers. */
export class Leftovers {
  readonly #records: NumberedRecords;

  constructor(settings: PartSettings, rows: number) {
    this.#records = new NumberedRecords(settings, rows);
  }

  add(row: number, leftover: Leftover): void {
    const text = textWords(JSON.stringify(leftover));
    const words = Uint32Array.of(2 + text.length, row, ...text);
    this.#records.add(words, words.length);
  }

  /** undefined: the row is settled. */
  find(row: number): Leftover | undefined {
    const at = this.#records.find(row);
    return at === -1 ? undefined : (JSON.parse(textAt(this.#records.words, at + 2)) as Leftover); // as `add` wrote it
  }

  remove(): void {
    this.#records.remove();
  }
}
