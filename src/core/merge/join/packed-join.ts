import type { Place, RowFault } from "../../../problem.ts";
import type { FieldNames } from "../reading.ts";
import { isFirm, isPendingFor, pendingClaim } from "./claims.ts";
import { type Leftover, type PackedCredential, type PackedUser, REJECT, type Verdict, WAIT } from "./join-rows.ts";
import { leftoverOf } from "./leftover.ts";
import {
  ADDRESS_OWNER,
  BAD_HASH,
  type CredentialKind,
  HAS_ID,
  HAS_NAME_KEY,
  ID_CLAIM,
  IS_ROW,
  NAME_CLAIM,
  NAME_OF_ROW,
  NAME_SEEN,
  NAME_SHARED,
  NO_HASH,
  OPEN,
  OTHER_PROVIDER,
  OWNED,
  OWNER_REJECTED,
  PersonTable,
  REJECTED_ROW,
  REJECTED_WITH_USER,
  SHARED_BY_PROFILES,
  SHARED_BY_ROWS,
  SUPERSEDED,
  USED,
} from "./person-table.ts";
import { PlaceOfRow } from "./place-of-row.ts";
import { RejectedRows } from "./rejected-rows.ts";
import type { RowJoin } from "./row-join.ts";

/** What a packed join needs to know besides its rows. */
export interface JoinSettings {
  /** As problems name it; "" when there are none. */
  readonly credentialsFile: string;
  readonly fieldNames: FieldNames;
  readonly sameName: SameName;
  /** How many rows there will be, about: more only cost a copy. */
  readonly expected: { readonly users: number; readonly credentials: number };
}

/**
 * The rule for several users with one name. "first": the first of the file is written. "password": a user with a hash
 * comes before users without one, in any order of the file, if `noteName` added their names or rows of credentials name their address.
 * "link": the same without exception, and the others' accounts at identity providers become links of the written user. "reject": none
 * of them is written.
 */
export type SameName = "first" | "password" | "link" | "reject";

/** The round from which on users without a hash no longer wait for others of the same name; behind it come those that are the last ones. */
const LAST_ROUND = 3;

/** An owner whose id cannot be read. */
const NO_ID = 0xffff_ffff;

/**
 * The join of users and credentials (design: "The join"), and the one place that knows which user ids and user names are in use.
 * First every row of credentials is added, then every user is judged in the order of the file, then the users that wait are judged
 * again in the same order. Pure: no I/O, and keys in place of strings; the same calls give the same verdicts.
 */
export class PackedJoin implements RowJoin {
  readonly #people: PersonTable;
  /** Hashes that are not bcrypt. */
  readonly #texts: string[] = [];
  readonly #credentialsFile: string;
  readonly #fieldNames: FieldNames;
  readonly #sameName: SameName;
  readonly #places = new PlaceOfRow();
  readonly #rejected: RejectedRows;
  #superseded = 0;
  #faults: readonly RowFault[] = NO_FAULTS;
  #nameHolder = 0;

  constructor({ credentialsFile, fieldNames, sameName, expected }: JoinSettings) {
    this.#sameName = sameName;
    this.#credentialsFile = credentialsFile;
    this.#fieldNames = fieldNames;
    this.#people = new PersonTable(expected);
    this.#rejected = new RejectedRows(this.#people);
  }

  get hasTextHashes(): boolean {
    return this.#texts.length > 0;
  }

  get hashes(): Uint32Array {
    return this.#people.hashes;
  }

  get superseded(): number {
    return this.#superseded;
  }

  /** Of two rows for one user the newer wins; of two equally new ones the later in the file. */
  addCredential({ keys, idAt, emailAt, line, dateMs, kind, rule, text, hash, hashAt }: PackedCredential): void {
    const people = this.#people;
    const row =
      text === undefined
        ? people.addRow(line, dateMs, kind, rule, hash, hashAt)
        : people.addText(line, dateMs, this.#texts.push(text) - 1);
    if (idAt !== -1) this.#offer(row, kind, keys, idAt);
    if (emailAt === -1) return;
    const known = people.findName(keys, emailAt);
    if (known === -1) {
      people.putName(row, keys, emailAt);
      people.mark(row, NAME_OF_ROW);
    } else people.mark(known, SHARED_BY_ROWS);
    // It may be the newest row of the user that has the address.
    if (kind === REJECTED_ROW && idAt === -1) this.#rejected.addToEmail(known === -1 ? row : known, row);
  }

  #offer(row: number, kind: CredentialKind, keys: Uint32Array, idAt: number): void {
    const people = this.#people;
    people.mark(row, HAS_ID);
    const holder = people.findId(keys, idAt);
    if (holder === -1) people.putId(row, keys, idAt);
    if (kind === REJECTED_ROW) this.#rejected.addToId(holder === -1 ? row : holder, row);
    else if (holder !== -1) this.#contest(holder, row, keys, idAt);
  }

  /** Two rows for one id: the newer becomes the one that the id finds. */
  #contest(holder: number, row: number, keys: Uint32Array, idAt: number): void {
    const people = this.#people;
    const isRejected = people.kind(holder) === REJECTED_ROW;
    const wins = isRejected || people.dateMs(row) >= people.dateMs(holder);
    if (!isRejected) {
      people.setFate(wins ? holder : row, SUPERSEDED);
      this.#superseded += 1;
    }
    if (!wins) return;
    people.putId(row, keys, idAt);
    this.#rejected.moveId(holder, row);
  }

  lineOf(number: number): number {
    return this.#places.lineOf(number);
  }

  fileOf(number: number): string | undefined {
    return this.#places.fileOf(number);
  }

  get faults(): readonly RowFault[] {
    return this.#faults;
  }

  get nameHolder(): number {
    return this.#nameHolder;
  }

  noteName(keys: Uint32Array, at: number, idAt: number): void {
    const people = this.#people;
    const record = this.#recordOfName(keys, at, this.#recordOfId(keys, idAt));
    people.mark(record, people.has(record, NAME_SEEN) ? NAME_SHARED : NAME_SEEN);
  }

  isSharedName(keys: Uint32Array, at: number): boolean {
    const record = this.#people.findName(keys, at);
    return record !== -1 && this.#people.has(record, NAME_SHARED);
  }

  /** Judges a profile. Profiles must come in the order of their file. */
  judge(profile: PackedUser): Verdict {
    const { keys, idAt, emailAt, nameAt } = profile;
    const id = idAt === -1 ? -1 : this.#recordOfId(keys, idAt);
    const email = emailAt === -1 ? -1 : this.#recordOfName(keys, emailAt, id);
    const name = nameAt === emailAt ? email : nameAt === -1 ? -1 : this.#recordOfName(keys, nameAt, id);
    if (profile.round === 1) {
      this.#places.add(profile.number, profile.line, profile.file);
      this.#note(profile, id, email);
    }
    const isEarly = (profile.mustWait && profile.round === 1) || (profile.isLast && profile.round <= LAST_ROUND);
    if (isEarly) return this.#wait(id, -1, profile.number);
    const claims = this.#claimFaults(id, name, profile);
    if (claims === "pending") return this.#wait(id, name, profile.number);
    if (!profile.valid || claims.length > 0) return this.#reject(id, email, name, profile, claims);
    return this.#match(id, email, name, profile);
  }

  prefetch(keys: Uint32Array, idAt: number, nameAt: number, step: number, rows: number, deep: boolean): void {
    this.#people.prefetch(keys, idAt, nameAt, step, rows, deep);
  }

  kindOf(row: Verdict): CredentialKind {
    return this.#people.kind(row);
  }

  wasDropped(row: Verdict): boolean {
    return this.#people.wasDropped(row);
  }

  hashAt(row: Verdict): number {
    return this.#people.hashAt(row);
  }

  textHashOf(row: Verdict): string | undefined {
    return this.#people.isTextHash(row) ? this.#texts[this.hashes[this.hashAt(row)] as number] : undefined;
  }

  isSettled(row: number): boolean {
    const fate = this.#people.fate(row);
    return fate === USED || fate === SUPERSEDED || this.#people.kind(row) === REJECTED_ROW;
  }

  leftoverOf(row: number, keys: Uint32Array, emailAt: number): Leftover {
    return leftoverOf(this.#people, row, keys, emailAt);
  }

  #recordOfId(keys: Uint32Array, at: number): number {
    const people = this.#people;
    const known = people.findId(keys, at);
    if (known !== -1) return known;
    const added = people.addPerson();
    people.putId(added, keys, at);
    return added;
  }

  /** The record of an address or user name; that of a new one is the id's own if there is room. */
  #recordOfName(keys: Uint32Array, at: number, id: number): number {
    const people = this.#people;
    const known = people.findName(keys, at);
    if (known !== -1) return known;
    const record = id === -1 || people.has(id, HAS_NAME_KEY) ? people.addPerson() : id;
    people.putName(record, keys, at);
    return record;
  }

  /** The row that has the id itself, or -1. */
  #rowOfId(id: number): number {
    if (id === -1 || !this.#people.has(id, IS_ROW)) return -1;
    return this.#people.kind(id) === REJECTED_ROW ? -1 : id;
  }

  /** Remembers which user has which id and address, which the decisions by e-mail address depend on. */
  #note(profile: PackedUser, id: number, email: number): void {
    const people = this.#people;
    if (id !== -1) people.mark(id, OWNED);
    for (const row of this.#rejected.ofId(id)) people.mark(row, OWNED);
    if (email === -1) return;
    if (!profile.isOwn) {
      people.mark(email, OTHER_PROVIDER);
      return;
    }
    const owner = id === -1 ? NO_ID : id + 1;
    const first = people.get(email, ADDRESS_OWNER);
    if (first === 0) people.set(email, ADDRESS_OWNER, owner);
    else if (first !== owner || owner === NO_ID) people.mark(email, SHARED_BY_PROFILES);
  }

  /** The duplicates: the first of two wins. "pending" when the first one is not settled itself. */
  #claimFaults(
    id: number,
    name: number,
    { number, round, valid, isLast }: PackedUser,
  ): readonly RowFault[] | "pending" {
    const holderOfId = id === -1 ? 0 : this.#people.get(id, ID_CLAIM);
    const holderOfName = name === -1 ? 0 : this.#people.get(name, NAME_CLAIM);
    this.#nameHolder = isFirm(holderOfName) ? holderOfName : 0;
    if (holderOfId === 0 && holderOfName === 0) return NO_FAULTS;
    if (valid && (isPendingFor(holderOfId, number, round) || isPendingFor(holderOfName, number, round)))
      return "pending";
    const { userId, userName } = this.#fieldNames;
    const faults: RowFault[] = [];
    if (isFirm(holderOfId)) faults.push({ code: "user.duplicate-id", field: userId, ...this.#firstPlace(holderOfId) });
    if (isFirm(holderOfName) && holderOfName !== holderOfId) {
      // Later in the file: it was preferred because it has a password.
      const code = holderOfName < number ? "user.duplicate-name" : "user.passed-over";
      faults.push({ code: isLast ? "user.gone-too" : code, field: userName, ...this.#firstPlace(holderOfName) });
    }
    return faults;
  }

  #firstPlace(number: number): { readonly firstLine: number; readonly firstFile?: string } {
    const firstFile = this.fileOf(number);
    return { firstLine: this.lineOf(number), ...(firstFile === undefined ? {} : { firstFile }) };
  }

  #match(id: number, email: number, name: number, profile: PackedUser): Verdict {
    const people = this.#people;
    const rejected = this.#rejected.ofId(id)[0] ?? (profile.isOwn ? this.#rejected.ofEmail(email) : undefined);
    if (rejected !== undefined) {
      return this.#rejectFor("user.password-row-rejected", rejected, id, email, name, profile);
    }
    const own = this.#rowOfId(id);
    const byEmail = profile.isOwn && email !== -1 ? this.#rowByEmail(email) : -1;
    const decidedByEmail = own === -1 && byEmail !== -1;
    if (decidedByEmail && profile.round === 1) return this.#wait(id, name, profile.number);
    const given = decidedByEmail && this.#mayTakeByEmail(email, byEmail) ? byEmail : own;
    if (given !== -1 && people.kind(given) === REJECTED_ROW) {
      return this.#rejectFor("user.password-row-rejected", given, id, email, name, profile);
    }
    if (given !== -1 && people.kind(given) === BAD_HASH) {
      return this.#rejectFor("user.bad-hash", given, id, email, name, profile);
    }
    if (this.#givesWay(email, name, own, given, profile)) return this.#wait(id, -1, profile.number, name);
    if (given !== -1) people.setFate(given, USED);
    people.set(id, ID_CLAIM, profile.number);
    people.set(name, NAME_CLAIM, profile.number);
    return given;
  }

  #rowByEmail(email: number): number {
    return this.#people.has(email, NAME_OF_ROW) && this.#people.fate(email) !== SUPERSEDED ? email : -1;
  }

  /** One row has the address, one user of the provider itself has it, and no user has the row's id. */
  #mayTakeByEmail(email: number, row: number): boolean {
    return !this.#people.has(email, SHARED_BY_ROWS | SHARED_BY_PROFILES) && !this.#people.has(row, OWNED);
  }

  /**
   * True for a user without a hash if other users are known to have the name, or if a row of credentials with the user's address
   * belongs to another user: one of them may have a password.
   */
  #givesWay(email: number, name: number, own: number, given: number, { round, hasHash }: PackedUser): boolean {
    if (this.#sameName === "first" || round >= LAST_ROUND || hasHash) return false;
    const people = this.#people;
    if (given !== -1 && people.kind(given) !== NO_HASH) return false;
    if (people.has(name, NAME_SHARED)) return true;
    if (this.#sameName === "link" || email === -1) return false;
    return people.has(email, SHARED_BY_ROWS) || (people.has(email, NAME_OF_ROW) && email !== own);
  }

  /** @param name -1: the user does not claim the name. @param released a name that the user claimed before and gives up. */
  #wait(id: number, name: number, number: number, released = -1): Verdict {
    if (this.#people.get(id, ID_CLAIM) === 0) this.#people.set(id, ID_CLAIM, pendingClaim(number));
    if (name !== -1 && this.#people.get(name, NAME_CLAIM) === 0) {
      this.#people.set(name, NAME_CLAIM, pendingClaim(number));
    }
    this.#release(released, NAME_CLAIM, number);
    return WAIT;
  }

  #rejectFor(
    code: "user.bad-hash" | "user.password-row-rejected",
    row: number,
    id: number,
    email: number,
    name: number,
    profile: PackedUser,
  ): Verdict {
    const other: Place = { file: this.#credentialsFile, line: this.#people.line(row) };
    const facts = { field: this.#fieldNames.userId, other };
    const fault = code === "user.bad-hash" ? { code, ...facts, rule: this.#people.rule(row) } : { code, ...facts };
    return this.#reject(id, email, name, profile, [fault]);
  }

  /** A rejected user claims nothing. Its credentials are rejected with it, so that the fixed user finds its hash. */
  #reject(id: number, email: number, name: number, profile: PackedUser, faults: readonly RowFault[]): Verdict {
    const people = this.#people;
    const own = this.#rowOfId(id);
    if (own !== -1 && people.fate(own) === OPEN) people.setFate(own, REJECTED_WITH_USER);
    else if (own === -1 && email !== -1 && profile.isOwn) people.mark(email, OWNER_REJECTED);
    this.#release(id, ID_CLAIM, profile.number);
    this.#release(name, NAME_CLAIM, profile.number);
    this.#faults = faults;
    return REJECT;
  }

  #release(record: number, claim: typeof ID_CLAIM | typeof NAME_CLAIM, number: number): void {
    if (record !== -1 && this.#people.get(record, claim) === pendingClaim(number)) this.#people.set(record, claim, 0);
  }
}

const NO_FAULTS: readonly RowFault[] = [];
