import { ProblemError, type RowFault } from "../../../problem.ts";
import { type Leftover, NOTED, type PackedCredential, type PackedUser, type Verdict } from "../join/join-rows.ts";
import type { JoinSettings } from "../join/packed-join.ts";
import type { RowKind } from "../join/person-table.ts";
import type { RowJoin } from "../join/row-join.ts";
import { Decisions, Leftovers } from "./decisions.ts";
import { judgePart } from "./judge-part.ts";
import { NameParts } from "./name-parts.ts";
import type { PartSettings } from "./part-store.ts";
import { PeopleParts } from "./people-parts.ts";

/**
 * The join of users and credentials where not all of them fit into memory: it is told of everybody first, part by part decides what
 * `PackedJoin` would have decided, and then says so when it is asked about the same users once more, in the same order.
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
  /** Number of the last user who was told of, and of the last one who was asked about. */
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

  /** All names have been told. */
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
   * Everybody has been told: decides about all of them. Whoever is judged from now on is told what was decided; raises input.changed
   * when it is somebody else than was told of.
   */
  async decide(): Promise<void> {
    const leftovers = new Leftovers(this.#settings, this.#credentials);
    this.#leftovers = leftovers;
    const verdicts = { leftovers, files: this.#files, round: (round: number) => this.#decisionsOf(round) };
    await this.#people.close();
    for await (const rows of this.#people.parts()) {
      this.#superseded += judgePart(rows, this.#join, verdicts);
    }
    this.#people.remove();
    this.#isDecided = true;
  }

  /** The users were read once more, to their end. Raises input.changed when somebody is no longer there. */
  closeUsers(): void {
    if (this.#read !== this.#users) throw this.#changed(undefined);
  }

  /** Nothing needs to be read ahead: what is asked comes in order. */
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

  kindOf(): RowKind {
    return this.#last.kind;
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

  /** What was decided about the user who was asked about last. */
  get #last(): Decisions {
    if (this.#asked === undefined) throw new Error("nobody was asked about");
    return this.#asked;
  }

  #decisionsOf(round: number): Decisions {
    while (this.#rounds.length < round) this.#rounds.push(new Decisions(this.#settings, this.#users));
    return this.#rounds[round - 1] as Decisions; // made right now, if it was not there
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
