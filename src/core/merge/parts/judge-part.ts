import { WAIT } from "../join/join-rows.ts";
import { type JoinSettings, PackedJoin } from "../join/packed-join.ts";
import type { Decisions, Leftovers } from "./decisions.ts";
import { isCredential, isShared, NUMBER, RecordReader } from "./join-record.ts";

/** One more than the rules of the join need. */
const MAX_ROUNDS = 5;

/** Takes the decisions about the rows of a part. */
export interface PartResults {
  readonly leftovers: Leftovers;
  /** Files of users, by their numbers. */
  readonly files: readonly (string | undefined)[];
  /** The decisions of a round, from 1. */
  round(number: number): Decisions;
}

/**
 * Joins the rows of one part as `PackedJoin` joins all rows: no row in it shares an id or a name with a row of another part. Returns
 * how many rows of credentials a newer one replaced.
 */
export function judgePart(rows: Uint32Array, settings: Omit<JoinSettings, "expected">, results: PartResults): number {
  const { credentials, users } = placesIn(rows);
  const expected = { users: users.length, credentials: credentials.length };
  const part = new PartJoin(rows, new PackedJoin({ ...settings, expected }), results);
  part.addCredentials(credentials);
  part.noteNames(users);
  let left: ArrayLike<number> = users;
  for (let round = 1; left.length > 0; round += 1) {
    if (round > MAX_ROUNDS) throw new Error("users that wait for each other");
    left = part.judge(left, round);
  }
  part.addLeftovers(credentials);
  return part.superseded;
}

class PartJoin {
  readonly #rows: Uint32Array;
  readonly #join: PackedJoin;
  readonly #results: PartResults;
  readonly #reader = new RecordReader();

  constructor(rows: Uint32Array, join: PackedJoin, results: PartResults) {
    this.#rows = rows;
    this.#join = join;
    this.#results = results;
  }

  get superseded(): number {
    return this.#join.superseded;
  }

  addCredentials(places: ArrayLike<number>): void {
    for (let row = 0; row < places.length; row += 1) {
      this.#join.addCredential(this.#reader.readCredential(this.#rows, places[row] as number));
    }
  }

  noteNames(places: ArrayLike<number>): void {
    for (let user = 0; user < places.length; user += 1) {
      const at = places[user] as number;
      if (!isShared(this.#rows, at)) continue;
      this.#reader.keys(this.#rows, at);
      this.#join.noteName(this.#rows, this.#reader.nameAt, this.#reader.idAt);
    }
  }

  /** Returns the places of the users that wait. */
  judge(places: ArrayLike<number>, round: number): readonly number[] {
    const decisions = this.#results.round(round);
    const waiting: number[] = [];
    for (let index = 0; index < places.length; index += 1) {
      const at = places[index] as number;
      const user = this.#reader.readUser(this.#rows, at, round, this.#results.files);
      const verdict = this.#join.judge(user);
      decisions.add(user, this.#reader.fileNumber, verdict, this.#join);
      if (verdict === WAIT) waiting.push(at);
    }
    return waiting;
  }

  addLeftovers(places: ArrayLike<number>): void {
    for (let row = 0; row < places.length; row += 1) {
      if (this.#join.isSettled(row)) continue;
      const at = places[row] as number;
      this.#reader.keys(this.#rows, at);
      const left = this.#join.leftoverOf(row, this.#rows, this.#reader.emailAt);
      this.#results.leftovers.add(this.#rows[at + NUMBER] as number, left);
    }
  }
}

/** Where the rows of each kind begin, in the order of their files. */
function placesIn(rows: Uint32Array): { readonly credentials: Float64Array; readonly users: Float64Array } {
  let credentials = 0;
  let users = 0;
  for (let at = 0; at < rows.length; at += rows[at] as number) {
    if (isCredential(rows, at)) credentials += 1;
    else users += 1;
  }
  const found = { credentials: new Float64Array(credentials), users: new Float64Array(users) };
  credentials = 0;
  users = 0;
  for (let at = 0; at < rows.length; at += rows[at] as number) {
    if (isCredential(rows, at)) found.credentials[credentials++] = at;
    else found.users[users++] = at;
  }
  return { credentials: inOrder(rows, found.credentials), users: inOrder(rows, found.users) };
}

/** Sorts if necessary: rows that came by way of their ids or groups need not be in order. */
function inOrder(rows: Uint32Array, places: Float64Array): Float64Array {
  const numberOf = (at: number): number => rows[at + NUMBER] as number;
  const isOrdered = places.every((at, index) => index === 0 || numberOf(places[index - 1] as number) < numberOf(at));
  return isOrdered ? places : places.sort((a, b) => numberOf(a) - numberOf(b));
}
