import { ProblemError, type RowFault } from "../../../problem.ts";
import { type Leftover, NOTED, type PackedCredential, type PackedUser, type Verdict } from "../join/join-rows.ts";
import type { JoinSettings } from "../join/packed-join.ts";
import type { CredentialKind } from "../join/person-table.ts";
import type { RowJoin } from "../join/row-join.ts";
import { Decisions, Leftovers } from "./decisions.ts";
import { judgePart } from "./judge-part.ts";
import { NameParts } from "./name-parts.ts";
import type { PartSettings } from "./part-store.ts";
import { PeopleParts } from "./people-parts.ts";

/**
 * The join of users and credentials that do not all fit into memory. It first takes all rows, then decides part by part what
 * `PackedJoin` would decide, and then returns these results when the same users are judged again in the same order.
 */
export class PartedJoin implements RowJoin {
  readonly #join: Omit<JoinSettings, "expected">;
  readonly #usersFile: string;
  readonly #settings: PartSettings;
  readonly #people: PeopleParts;
  readonly #names: NameParts;
  /** By rounds; that of round 1 is the first. */
  readonly #rounds: Decisions[] = [];
  readonly #files: (string | undefined)[] = [undefined];
  #leftovers: Leftovers | undefined;
  #isDecided = false;
  #asked: Decisions | undefined;
  #credentials = 0;
  /** Number of the last user in the first reading, and of the last one in the second. */
  #users = 0;
  #read = 0;
  #superseded = 0;
  #hasTextHashes = false;

  /** @param usersFile as problems name it. */
  constructor(join: Omit<JoinSettings, "expected">, usersFile: string, settings: PartSettings) {
    this.#join = join;
    this.#usersFile = usersFile;
    this.#settings = settings;
    this.#people = new PeopleParts(settings);
    this.#names = new NameParts(settings);
  }

  get superseded(): number {
    return this.#superseded;
  }

  get faults(): readonly RowFault[] {
    return this.#last.faults;
  }

  get nameHolder(): number {
    return this.#last.nameHolder;
  }

  get hasTextHashes(): boolean {
    return this.#hasTextHashes;
  }

  get hashes(): Uint32Array {
    return this.#last.hashes;
  }

  addCredential(row: PackedCredential): void {
    if (row.text !== undefined) this.#hasTextHashes = true;
    this.#people.addCredential(this.#credentials, row);
    this.#credentials += 1;
  }

  noteName(keys: Uint32Array, at: number): void {
    this.#names.add(keys, at);
  }

  /** Call it after the last name. */
  async closeNames(): Promise<void> {
    await this.#names.close();
  }

  isSharedName(keys: Uint32Array, at: number): boolean {
    return this.#names.isShared(keys, at);
  }

  judge(user: PackedUser): Verdict {
    if (!this.#isDecided) return this.#note(user);
    const decisions = this.#decisionsOf(user.round);
    const verdict = decisions.find(user.number);
    if (verdict === undefined || !decisions.isAbout(user)) throw this.#changed(user.file);
    if (user.round === 1) this.#read = user.number;
    this.#asked = decisions;
    return verdict;
  }

  /**
   * Decides about all users. From now on `judge` returns what was decided, and raises input.changed for a user that the first
   * reading did not have.
   */
  async decide(): Promise<void> {
    const leftovers = new Leftovers(this.#settings, this.#credentials);
    this.#leftovers = leftovers;
    const results = { leftovers, files: this.#files, round: (round: number) => this.#decisionsOf(round) };
    await this.#people.close();
    for await (const rows of this.#people.parts()) {
      this.#superseded += judgePart(rows, this.#join, results);
    }
    this.#people.remove();
    this.#isDecided = true;
  }

  /** Call it at the end of the second reading. Raises input.changed when users are missing. */
  closeUsers(): void {
    if (this.#read !== this.#users) throw this.#changed(undefined);
  }

  /** Nothing to do: decisions are read in order. */
  prefetch(): void {}

  lineOf(number: number, round: number): number {
    const decisions = this.#decisionsOf(round);
    decisions.find(number);
    return decisions.line;
  }

  fileOf(number: number, round: number): string | undefined {
    const decisions = this.#decisionsOf(round);
    decisions.find(number);
    return this.#files[decisions.file];
  }

  kindOf(): CredentialKind {
    return this.#last.kind;
  }

  wasDropped(): boolean {
    return this.#last.wasDropped;
  }

  hashAt(): number {
    return this.#last.hashAt;
  }

  textHashOf(): string | undefined {
    return this.#last.textHash;
  }

  isSettled(row: number): boolean {
    return this.#leftovers?.find(row) === undefined;
  }

  leftoverOf(row: number): Leftover {
    const left = this.#leftovers?.find(row);
    if (left === undefined) throw new Error("a row of credentials that is settled is left over");
    return left;
  }

  /** Harmless twice. */
  remove(): void {
    this.#people.remove();
    this.#names.remove();
    this.#leftovers?.remove();
    for (const decisions of this.#rounds) decisions.remove();
  }

  #changed(file: string | undefined): ProblemError {
    return new ProblemError({ code: "input.changed", file: file ?? this.#usersFile });
  }

  /** The decision about the user that was judged last. */
  get #last(): Decisions {
    if (this.#asked === undefined) throw new Error("no user was judged");
    return this.#asked;
  }

  #decisionsOf(round: number): Decisions {
    while (this.#rounds.length < round) this.#rounds.push(new Decisions(this.#settings, this.#users));
    return this.#rounds[round - 1] as Decisions; // the loop has added it
  }

  #note(user: PackedUser): Verdict {
    this.#users = user.number; // they come in order
    if (user.file !== this.#files.at(-1)) this.#files.push(user.file);
    const { keys, idAt, nameAt } = user;
    const isShared = idAt !== -1 && nameAt !== -1 && this.#names.isShared(keys, nameAt);
    this.#people.addUser(user, this.#files.length - 1, isShared);
    return NOTED;
  }
}
