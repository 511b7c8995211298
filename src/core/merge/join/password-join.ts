import type { Place, RowFault } from "../../../problem.ts";
import { isFirm, isPendingFor, pendingClaim } from "./claims.ts";
import { type JoinPassword, type JoinProfile, REJECT, type Verdict, WAIT } from "./join-rows.ts";
import { LineOfRow } from "./line-of-row.ts";
import {
  ADDRESS_OWNER,
  BAD_HASH,
  EMAIL_OF_ROW,
  GOES_ALONG,
  HAS_EMAIL_KEY,
  HAS_ID,
  ID_CLAIM,
  IS_ROW,
  NAME_CLAIM,
  OPEN,
  OTHER_PROVIDER,
  OWNED,
  OWNER_REJECTED,
  PersonTable,
  REJECTED_ROW,
  type RowKind,
  SHARED_BY_PROFILES,
  SHARED_BY_ROWS,
  SUPERSEDED,
  USED,
} from "./person-table.ts";
import { RejectedRows } from "./rejected-rows.ts";

/** An owner whose id cannot be read. */
const NO_ID = 0xffff_ffff;

/**
 * The join of profiles and password rows (design: "The join"), and the one place that knows which user ids and user names are
 * taken. First every password row is added, then every profile is judged in the order of the file, then those told to wait are
 * judged once more in the same order. Pure: no I/O, no strings; the same calls give the same verdicts.
 */
export class PasswordJoin {
  readonly people: PersonTable;
  readonly #passwordFile: string;
  readonly #lines = new LineOfRow();
  readonly #rejected: RejectedRows;
  #superseded = 0;
  #faults: readonly RowFault[] = NO_FAULTS;

  constructor(passwordFile: string, expected: { readonly users: number; readonly passwords: number }) {
    this.#passwordFile = passwordFile;
    this.people = new PersonTable(expected);
    this.#rejected = new RejectedRows(this.people);
  }

  /** Rows that a newer one of the same user replaced. */
  get superseded(): number {
    return this.#superseded;
  }

  /** Of two rows for one user the newer wins; of two equally new ones the later in the file. */
  addPassword({ keys, idAt, emailAt, line, dateMs, kind, rule, hash, hashAt }: JoinPassword): void {
    const { people } = this;
    const row = people.addRow(line, dateMs, kind, rule, hash, hashAt);
    if (idAt !== -1) this.#offer(row, kind, keys, idAt);
    if (emailAt === -1) return;
    const known = people.findEmail(keys, emailAt);
    if (known === -1) {
      people.putEmail(row, keys, emailAt);
      people.mark(row, EMAIL_OF_ROW);
    } else people.mark(known, SHARED_BY_ROWS);
    // It may be the newest row of whoever has the address, whatever other rows there are.
    if (kind === REJECTED_ROW && idAt === -1) this.#rejected.addToEmail(known === -1 ? row : known, row);
  }

  #offer(row: number, kind: RowKind, keys: Uint32Array, idAt: number): void {
    const { people } = this;
    people.mark(row, HAS_ID);
    const holder = people.findId(keys, idAt);
    if (holder === -1) people.putId(row, keys, idAt);
    if (kind === REJECTED_ROW) this.#rejected.addToId(holder === -1 ? row : holder, row);
    else if (holder !== -1) this.#contest(holder, row, keys, idAt);
  }

  /** Two rows for one id: the newer becomes the one that the id finds. */
  #contest(holder: number, row: number, keys: Uint32Array, idAt: number): void {
    const { people } = this;
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

  /** The line of a profile that was judged, by its number. */
  lineOf(number: number): number {
    return this.#lines.lineOf(number);
  }

  /** What the join has against the profile it last rejected; empty when only its own faults stood against it. */
  get faults(): readonly RowFault[] {
    return this.#faults;
  }

  /** Judges a profile. Profiles must come in the order of their file. */
  judge(profile: JoinProfile): Verdict {
    const { keys, idAt, emailAt } = profile;
    const id = idAt === -1 ? -1 : this.#recordOfId(keys, idAt);
    const email = emailAt === -1 ? -1 : this.#recordOfEmail(keys, emailAt, id);
    if (!profile.settled) {
      this.#lines.add(profile.number, profile.line);
      this.#note(profile, id, email);
    }
    const claims = this.#claimFaults(id, email, profile);
    if (claims === "pending") return this.#wait(id, email, profile.number);
    if (!profile.valid || claims.length > 0) return this.#reject(id, email, profile, claims);
    return this.#match(id, email, profile);
  }

  #recordOfId(keys: Uint32Array, at: number): number {
    const { people } = this;
    const known = people.findId(keys, at);
    if (known !== -1) return known;
    const added = people.addPerson();
    people.putId(added, keys, at);
    return added;
  }

  /** The address's record; a new address goes into the id's own if there is room. */
  #recordOfEmail(keys: Uint32Array, at: number, id: number): number {
    const { people } = this;
    const known = people.findEmail(keys, at);
    if (known !== -1) return known;
    const record = id === -1 || people.has(id, HAS_EMAIL_KEY) ? people.addPerson() : id;
    people.putEmail(record, keys, at);
    return record;
  }

  /** The password row that has the id itself, or -1. */
  #rowOfId(id: number): number {
    if (id === -1 || !this.people.has(id, IS_ROW)) return -1;
    return this.people.kind(id) === REJECTED_ROW ? -1 : id;
  }

  /** Remembers who has what, which the decisions by e-mail address depend on. */
  #note(profile: JoinProfile, id: number, email: number): void {
    const { people } = this;
    if (id !== -1) people.mark(id, OWNED);
    for (const row of this.#rejected.ofId(id)) people.mark(row, OWNED);
    if (email === -1) return;
    if (!profile.isDatabaseUser) {
      people.mark(email, OTHER_PROVIDER);
      return;
    }
    const owner = id === -1 ? NO_ID : id + 1;
    const first = people.get(email, ADDRESS_OWNER);
    if (first === 0) people.set(email, ADDRESS_OWNER, owner);
    else if (first !== owner || owner === NO_ID) people.mark(email, SHARED_BY_PROFILES);
  }

  /** The duplicates: the first of two wins. "pending" when the first one is not settled itself. */
  #claimFaults(id: number, email: number, { number, settled, valid }: JoinProfile): readonly RowFault[] | "pending" {
    const holderOfId = id === -1 ? 0 : this.people.get(id, ID_CLAIM);
    const holderOfName = email === -1 ? 0 : this.people.get(email, NAME_CLAIM);
    if (holderOfId === 0 && holderOfName === 0) return NO_FAULTS;
    if (valid && (isPendingFor(holderOfId, number, settled) || isPendingFor(holderOfName, number, settled)))
      return "pending";
    const faults: RowFault[] = [];
    if (isFirm(holderOfId))
      faults.push({ code: "user.duplicate-id", field: "user_id", firstLine: this.#lines.lineOf(holderOfId) });
    if (isFirm(holderOfName) && holderOfName !== holderOfId) {
      faults.push({ code: "user.duplicate-name", field: "email", firstLine: this.#lines.lineOf(holderOfName) });
    }
    return faults;
  }

  #match(id: number, email: number, profile: JoinProfile): Verdict {
    const { people } = this;
    const rejected = this.#rejected.ofId(id)[0] ?? (profile.isDatabaseUser ? this.#rejected.ofEmail(email) : undefined);
    if (rejected !== undefined) return this.#rejectFor("user.password-row-rejected", rejected, id, email, profile);
    const own = this.#rowOfId(id);
    const byEmail = profile.isDatabaseUser ? this.#rowByEmail(email) : -1;
    const decidedByEmail = own === -1 && byEmail !== -1;
    if (decidedByEmail && !profile.settled) return this.#wait(id, email, profile.number);
    const given = decidedByEmail && this.#mayTakeByEmail(email, byEmail) ? byEmail : own;
    if (given !== -1 && people.kind(given) === REJECTED_ROW) {
      return this.#rejectFor("user.password-row-rejected", given, id, email, profile);
    }
    if (given !== -1 && people.kind(given) === BAD_HASH) {
      return this.#rejectFor("user.bad-hash", given, id, email, profile);
    }
    if (given !== -1) people.setFate(given, USED);
    this.people.set(id, ID_CLAIM, profile.number);
    this.people.set(email, NAME_CLAIM, profile.number);
    return given;
  }

  #rowByEmail(email: number): number {
    return this.people.has(email, EMAIL_OF_ROW) && this.people.fate(email) !== SUPERSEDED ? email : -1;
  }

  /** One row bears the address, one database profile bears it, and no profile has the row's id. */
  #mayTakeByEmail(email: number, row: number): boolean {
    return !this.people.has(email, SHARED_BY_ROWS | SHARED_BY_PROFILES) && !this.people.has(row, OWNED);
  }

  #wait(id: number, email: number, number: number): Verdict {
    if (this.people.get(id, ID_CLAIM) === 0) this.people.set(id, ID_CLAIM, pendingClaim(number));
    if (this.people.get(email, NAME_CLAIM) === 0) this.people.set(email, NAME_CLAIM, pendingClaim(number));
    return WAIT;
  }

  #rejectFor(
    code: "user.bad-hash" | "user.password-row-rejected",
    row: number,
    id: number,
    email: number,
    profile: JoinProfile,
  ): Verdict {
    const other: Place = { file: this.#passwordFile, line: this.people.line(row) };
    return this.#reject(id, email, profile, [{ code, field: "user_id", other }]);
  }

  /** A rejected user claims nothing, and its password rows go along so that the fixed user finds its hash. */
  #reject(id: number, email: number, profile: JoinProfile, faults: readonly RowFault[]): Verdict {
    const { people } = this;
    const own = this.#rowOfId(id);
    if (own !== -1 && people.fate(own) === OPEN) people.setFate(own, GOES_ALONG);
    else if (own === -1 && email !== -1 && profile.isDatabaseUser) people.mark(email, OWNER_REJECTED);
    this.#release(id, ID_CLAIM, profile.number);
    this.#release(email, NAME_CLAIM, profile.number);
    this.#faults = faults;
    return REJECT;
  }

  #release(record: number, claim: typeof ID_CLAIM | typeof NAME_CLAIM, number: number): void {
    if (record !== -1 && this.people.get(record, claim) === pendingClaim(number)) this.people.set(record, claim, 0);
  }
}

const NO_FAULTS: readonly RowFault[] = [];
