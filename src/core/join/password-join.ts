import type { Place, RowFault, UnmatchedReason } from "../../problem.ts";
import { KeyTable } from "./key-table.ts";
import {
  BAD_HASH,
  GOES_ALONG,
  OPEN,
  PasswordRows,
  REJECTED_ROW,
  type RowKind,
  SUPERSEDED,
  USED,
} from "./password-rows.ts";

// Words of an id's entry: its newest password row + 1, and the line of the profile that holds it.
const ROW = 0;
const CLAIM = 1;
// Words of an e-mail address's entry besides the same two: the first database profile that bears it (its id's entry + 1).
const BEARER = 2;

// Above the row number (2^28 rows are 15 GB of table).
const ROW_BITS = 0x0fff_ffff;
/** Of an id: one of its password rows was rejected. Of an address: two password rows bear it. */
const POISONED = 0x1000_0000;
const SHARED_BY_ROWS = 0x1000_0000;
const SHARED_BY_PROFILES = 0x2000_0000;
/** A database profile that bears the address was rejected, so a row of the address goes along with it. */
const BEARER_REJECTED = 0x4000_0000;
const OTHER_PROVIDER = 0x8000_0000;
/** Above the line of a claim: made by a profile whose hash is not settled yet. */
const PENDING = 0x8000_0000;
/** A bearer whose id cannot be read. */
const NO_ID = 0xffff_ffff;

/** A profile as the join sees it. Keys lie in the caller's arrays; -1 = the profile has none that can be read. */
export interface JoinProfile {
  readonly keys: Uint32Array;
  readonly idAt: number;
  readonly emailAt: number;
  /** Only a user of the provider's own database may be matched by e-mail address. */
  readonly isDatabaseUser: boolean;
  readonly line: number;
  /** false: the row is rejected for faults of its own; it claims nothing, but its password rows go along with it. */
  readonly valid: boolean;
  /** true: every profile has been seen, so an e-mail address may decide. */
  readonly settled: boolean;
}

/** A password row as the join sees it. */
export interface JoinPassword {
  readonly keys: Uint32Array;
  readonly idAt: number;
  readonly emailAt: number;
  readonly line: number;
  readonly dateMs: number;
  readonly kind: RowKind;
  /** Index in `hashRules`, of a bad hash. */
  readonly rule: number;
  readonly hash: Uint32Array;
  readonly hashAt: number;
}

/**
 * What is to be done with a profile: a row's number, 0 or more, accepts it with that password row; the others are named below.
 * A number rather than an object, since a million of them are made.
 */
export type Verdict = number;
/** Accept the user, without a password row. */
export const WITHOUT_ROW: Verdict = -1;
/** Ask again when every profile has been seen. */
export const WAIT: Verdict = -2;
/** Reject the user; `faults` tells why. */
export const REJECT: Verdict = -3;

/** What has become of a password row that nobody uses. */
export type Leftover = { readonly kind: "goes-along" } | { readonly kind: "unmatched"; readonly why: UnmatchedReason };

/**
 * The join of profiles and password rows (design: "The join"), and the one place that knows which user ids and user names are
 * taken. First every password row is added, then every profile is judged in the order of the file, then those told to wait are
 * judged once more in the same order. Pure: no I/O, no strings; the same calls give the same verdicts.
 */
export class PasswordJoin {
  readonly rows: PasswordRows;
  readonly #passwordFile: string;
  readonly #ids: KeyTable;
  readonly #emails: KeyTable;
  /** Rejected rows by the id they name: rare, so a Map. */
  readonly #poison = new Map<number, number[]>();
  #superseded = 0;
  #faults: readonly RowFault[] = NO_FAULTS;

  constructor(passwordFile: string, expected: { users: number; passwords: number }) {
    this.#passwordFile = passwordFile;
    const keys = Math.max(expected.users, expected.passwords);
    this.rows = new PasswordRows(expected.passwords);
    this.#ids = new KeyTable(3, 2, keys);
    this.#emails = new KeyTable(2, 3, keys);
  }

  /** Rows that a newer one of the same user replaced. */
  get superseded(): number {
    return this.#superseded;
  }

  /** Of two rows for one user the newer wins; of two equally new ones the later in the file. */
  addPassword(password: JoinPassword): void {
    const { keys, idAt, emailAt, kind } = password;
    const row = this.rows.add(password, idAt !== -1, password.hash, password.hashAt);
    if (idAt !== -1) {
      const id = this.#ids.findOrAdd(keys, idAt);
      if (kind === REJECTED_ROW) this.#poisonId(id, row);
      else this.#offer(id, row);
    }
    if (emailAt === -1) return;
    const email = this.#emails.findOrAdd(keys, emailAt);
    const known = this.#emails.get(email, ROW);
    this.#emails.set(email, ROW, (known & ROW_BITS) === 0 ? row + 1 : (known | SHARED_BY_ROWS) >>> 0);
  }

  #poisonId(id: number, row: number): void {
    this.#ids.set(id, ROW, (this.#ids.get(id, ROW) | POISONED) >>> 0);
    this.#poison.set(id, [...(this.#poison.get(id) ?? []), row]);
  }

  #offer(id: number, row: number): void {
    const word = this.#ids.get(id, ROW);
    const holder = (word & ROW_BITS) - 1;
    const wins = holder === -1 || this.rows.dateMs(row) >= this.rows.dateMs(holder);
    if (wins) this.#ids.set(id, ROW, ((word & ~ROW_BITS) | (row + 1)) >>> 0);
    if (holder === -1) return;
    this.rows.setFate(wins ? holder : row, SUPERSEDED);
    this.#superseded += 1;
  }

  /** What the join has against the profile it last rejected; empty when only its own faults stood against it. */
  get faults(): readonly RowFault[] {
    return this.#faults;
  }

  /** Judges a profile. Profiles must come in the order of their file. */
  judge(profile: JoinProfile): Verdict {
    const { keys, idAt, emailAt } = profile;
    const id = idAt === -1 ? -1 : this.#ids.findOrAdd(keys, idAt);
    const email = emailAt === -1 ? -1 : this.#emails.findOrAdd(keys, emailAt);
    if (!profile.settled) this.#note(profile, id, email);
    const claims = this.#claimFaults(id, email, profile);
    if (claims === "pending") return this.#wait(id, email, profile.line);
    if (!profile.valid || claims.length > 0) return this.#reject(id, email, profile, claims);
    return this.#match(id, email, profile);
  }

  /** Remembers who bears what, which the decisions by e-mail address depend on. */
  #note(profile: JoinProfile, id: number, email: number): void {
    this.#own(id);
    if (email === -1) return;
    const flags = this.#emails.get(email, ROW);
    if (!profile.isDatabaseUser) {
      this.#emails.set(email, ROW, (flags | OTHER_PROVIDER) >>> 0);
      return;
    }
    const bearer = id === -1 ? NO_ID : id + 1;
    const first = this.#emails.get(email, BEARER);
    if (first === 0) this.#emails.set(email, BEARER, bearer);
    else if (first !== bearer || bearer === NO_ID) this.#emails.set(email, ROW, (flags | SHARED_BY_PROFILES) >>> 0);
  }

  #own(id: number): void {
    if (id === -1) return;
    const newest = (this.#ids.get(id, ROW) & ROW_BITS) - 1;
    if (newest !== -1) this.rows.setOwned(newest);
    for (const row of this.#poison.get(id) ?? []) this.rows.setOwned(row);
  }

  /** The duplicates: the first of two wins. "pending" when the first one is not settled itself. */
  #claimFaults(id: number, email: number, { line, settled, valid }: JoinProfile): readonly RowFault[] | "pending" {
    const holderOfId = id === -1 ? 0 : this.#ids.get(id, CLAIM);
    const holderOfName = email === -1 ? 0 : this.#emails.get(email, CLAIM);
    if (holderOfId === 0 && holderOfName === 0) return NO_FAULTS;
    if (valid && (isPendingFor(holderOfId, line, settled) || isPendingFor(holderOfName, line, settled)))
      return "pending";
    const faults: RowFault[] = [];
    if (isFirm(holderOfId)) faults.push({ code: "user.duplicate-id", field: "user_id", firstLine: holderOfId });
    if (isFirm(holderOfName) && holderOfName !== holderOfId) {
      faults.push({ code: "user.duplicate-name", field: "email", firstLine: holderOfName });
    }
    return faults;
  }

  #match(id: number, email: number, profile: JoinProfile): Verdict {
    const { rows } = this;
    if ((this.#ids.get(id, ROW) & POISONED) !== 0) {
      const [first] = this.#poison.get(id) as [number]; // the mark is set with the list
      return this.#rejectFor("user.password-row-rejected", first, id, email, profile);
    }
    const own = (this.#ids.get(id, ROW) & ROW_BITS) - 1;
    const byEmail = profile.isDatabaseUser ? this.#rowByEmail(email) : -1;
    // A rejected row without a readable id counts against its address even if the user has a row of its own.
    const decidedByEmail =
      byEmail !== -1 && (own === -1 || (rows.kind(byEmail) === REJECTED_ROW && !rows.hasId(byEmail)));
    if (decidedByEmail && !profile.settled) return this.#wait(id, email, profile.line);
    const given = decidedByEmail && this.#mayTakeByEmail(email, byEmail) ? byEmail : own;
    if (given !== -1 && rows.kind(given) === REJECTED_ROW) {
      return this.#rejectFor("user.password-row-rejected", given, id, email, profile);
    }
    if (given !== -1 && rows.kind(given) === BAD_HASH) {
      return this.#rejectFor("user.bad-hash", given, id, email, profile);
    }
    if (given !== -1) rows.setFate(given, USED);
    this.#ids.set(id, CLAIM, profile.line);
    this.#emails.set(email, CLAIM, profile.line);
    return given;
  }

  #rowByEmail(email: number): number {
    const row = (this.#emails.get(email, ROW) & ROW_BITS) - 1;
    return row === -1 || this.rows.fate(row) === SUPERSEDED ? -1 : row;
  }

  /** One row bears the address, one database profile bears it, and no profile bears the row's id. */
  #mayTakeByEmail(email: number, row: number): boolean {
    const shared = (this.#emails.get(email, ROW) & (SHARED_BY_ROWS | SHARED_BY_PROFILES)) !== 0;
    return !shared && !this.rows.isOwned(row);
  }

  #wait(id: number, email: number, line: number): Verdict {
    if (this.#ids.get(id, CLAIM) === 0) this.#ids.set(id, CLAIM, (line | PENDING) >>> 0);
    if (this.#emails.get(email, CLAIM) === 0) this.#emails.set(email, CLAIM, (line | PENDING) >>> 0);
    return WAIT;
  }

  #rejectFor(
    code: "user.bad-hash" | "user.password-row-rejected",
    row: number,
    id: number,
    email: number,
    profile: JoinProfile,
  ): Verdict {
    const other: Place = { file: this.#passwordFile, line: this.rows.line(row) };
    return this.#reject(id, email, profile, [{ code, field: "user_id", other }]);
  }

  /** A rejected user claims nothing, and its password rows go along so that the mended user finds its hash. */
  #reject(id: number, email: number, profile: JoinProfile, faults: readonly RowFault[]): Verdict {
    const own = id === -1 ? -1 : (this.#ids.get(id, ROW) & ROW_BITS) - 1;
    if (own !== -1 && this.rows.fate(own) === OPEN) this.rows.setFate(own, GOES_ALONG);
    else if (own === -1 && email !== -1 && profile.isDatabaseUser) {
      this.#emails.set(email, ROW, (this.#emails.get(email, ROW) | BEARER_REJECTED) >>> 0);
    }
    this.#release(this.#ids, id, profile.line);
    this.#release(this.#emails, email, profile.line);
    this.#faults = faults;
    return REJECT;
  }

  #release(table: KeyTable, entry: number, line: number): void {
    if (entry !== -1 && table.get(entry, CLAIM) === (line | PENDING) >>> 0) table.set(entry, CLAIM, 0);
  }

  /** Why a row that no user uses was left over, when every profile has been judged. */
  leftover(row: number, keys: Uint32Array, emailAt: number): Leftover {
    if (this.rows.fate(row) === GOES_ALONG) return { kind: "goes-along" };
    const email = emailAt === -1 ? -1 : this.#emails.find(keys, emailAt);
    if (email === -1) return { kind: "unmatched", why: "no-profile" };
    const flags = this.#emails.get(email, ROW);
    const borne = this.#emails.get(email, BEARER) !== 0;
    if (borne && (flags & (SHARED_BY_ROWS | SHARED_BY_PROFILES)) !== 0)
      return { kind: "unmatched", why: "email-shared" };
    if (borne && (flags & BEARER_REJECTED) !== 0) return { kind: "goes-along" };
    if (borne) return { kind: "unmatched", why: "user-has-own-row" };
    return { kind: "unmatched", why: (flags & OTHER_PROVIDER) === 0 ? "no-profile" : "not-a-database-user" };
  }
}

const NO_FAULTS: readonly RowFault[] = [];

function isFirm(claim: number): boolean {
  return claim !== 0 && claim < PENDING;
}

/** In the second round a profile's own pending claim does not stand in its way. */
function isPendingFor(claim: number, line: number, settled: boolean): boolean {
  return claim >= PENDING && !(settled && claim === (line | PENDING) >>> 0);
}
