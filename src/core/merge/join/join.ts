import { viewOf } from "../../json/words.ts";
import { Fingerprints } from "../../tables/fingerprint.ts";
import type { JudgedHash } from "../hashes.ts";
import { HASH_WORDS, packBcrypt, unpackBcrypt } from "./bcrypt.ts";
import { blankCredential, blankUser, type Leftover, type Verdict } from "./join-rows.ts";
import { BAD_HASH, GOOD_HASH, hashRules, NO_HASH, REJECTED_ROW, type RowKind } from "./person-table.ts";
import type { RowJoin } from "./row-join.ts";
import { UserKeys } from "./user-keys.ts";

/** A row of credentials, of which at least one of id and address could be read. */
export interface CredentialRow {
  /** The whole id of the user it belongs to. */
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly line: number;
  readonly dateMs: number;
  /** "rejected": the row has a fault, whatever hash it holds. */
  readonly hash: JudgedHash | "rejected";
}

/** A user to be judged. */
export interface UserRow {
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly userName: string | undefined;
  readonly place: UserPlace;
  /** false: the row is rejected for faults of its own; it claims nothing, but its credentials go along with it. */
  readonly valid: boolean;
  /** true: whatever it finds, it waits in the first round. */
  readonly mustWait?: boolean;
  /** true: the row itself holds a hash. */
  readonly hasHash?: boolean;
}

/** Where in the users' input a row is. */
export interface UserPlace {
  /** Which row of the input it is, from 1: several may stand on one line. */
  readonly number: number;
  readonly line: number;
  /** undefined: the input is one file. */
  readonly file: string | undefined;
  /** From 2 on every user has been seen, so an e-mail address may decide. */
  readonly round: number;
}

/** Where the keys of the row at hand lie in the scratch array: three words of id, two each of address and user name. */
const ID_AT = 0;
const EMAIL_AT = 3;
const NAME_AT = 5;

/**
 * The join in texts (design: "The join"): which user gets which hash, and which ids and user names are taken. What it remembers is
 * packed (`packed`), so that a million people take 100 MB; whoever reads rows as bytes gives it packed rows as well.
 */
export class Join {
  readonly packed: RowJoin;
  readonly keys: UserKeys;
  readonly #ownIdPrefix: string;
  readonly #key = new Uint32Array(7);
  readonly #hash = new Uint32Array(HASH_WORDS);
  readonly #user = blankUser();
  readonly #credential = blankCredential();

  /** @param seeds three random words, the keys' own in each run. */
  constructor(packed: RowJoin, ownIdPrefix: string, seeds: Uint32Array) {
    this.packed = packed;
    this.#ownIdPrefix = ownIdPrefix;
    this.keys = new UserKeys(new Fingerprints(seeds), ownIdPrefix);
    this.#user.keys = this.#key;
    this.#credential.keys = this.#key;
    this.#credential.hash = this.#hash;
  }

  /** Adds a row of credentials. All of them come before the first user. */
  addCredential({ userId, email, line, dateMs, hash }: CredentialRow): void {
    const row = this.#credential;
    row.idAt = this.#idKey(userId);
    row.emailAt = this.#nameKey(email, EMAIL_AT);
    row.line = line;
    row.dateMs = dateMs;
    row.kind = this.#pack(hash);
    this.packed.addCredential(row);
  }

  /** Tells of a user's name before anybody is judged. */
  noteName(userName: string, userId: string): void {
    this.packed.noteName(this.#key, this.#nameKey(userName, NAME_AT), this.#idKey(userId));
  }

  /** True when several users were told of that have the name. */
  isSharedName(userName: string): boolean {
    return this.packed.isSharedName(this.#key, this.#nameKey(userName, NAME_AT));
  }

  /** Judges a user. Users come in the order of their input. */
  judge({ userId, email, userName, place, valid, mustWait = false, hasHash = false }: UserRow): Verdict {
    const row = this.#user;
    row.idAt = this.#idKey(userId);
    row.emailAt = this.#nameKey(email, EMAIL_AT);
    row.nameAt = userName === email ? row.emailAt : this.#nameKey(userName, NAME_AT);
    // Nobody can tell of a user without an id: its credentials go along with it.
    row.isOwn = userId?.startsWith(this.#ownIdPrefix) ?? true;
    row.number = place.number;
    row.line = place.line;
    row.file = place.file;
    row.round = place.round;
    row.valid = valid;
    row.mustWait = mustWait;
    row.hasHash = hasHash;
    return this.packed.judge(row);
  }

  /** The hash of a row of credentials that a verdict named; undefined when the row holds none. */
  hashOf(row: number): string | undefined {
    const { packed } = this;
    if (packed.kindOf(row) !== GOOD_HASH) return undefined;
    const text = packed.textHashOf(row);
    if (text !== undefined) return text;
    const bytes = Buffer.alloc(64);
    return bytes.toString("latin1", 0, unpackBcrypt(packed.hashes, packed.hashAt(row), viewOf(bytes), 0));
  }

  /** What has become of a row of credentials that is not settled, once every user has been judged. */
  leftoverOf(row: number, email: string | undefined): Leftover {
    return this.packed.leftoverOf(row, this.#key, this.#nameKey(email, EMAIL_AT));
  }

  #idKey(userId: string | undefined): number {
    if (userId === undefined) return -1;
    this.keys.ofId(userId, this.#key, ID_AT);
    return ID_AT;
  }

  #nameKey(name: string | undefined, at: number): number {
    if (name === undefined) return -1;
    this.keys.ofName(name, this.#key, at);
    return at;
  }

  #pack(hash: JudgedHash | "rejected"): RowKind {
    this.#credential.text = undefined;
    if (hash === "rejected") return REJECTED_ROW;
    if (hash.kind === "none") return NO_HASH;
    if (hash.kind === "bad") {
      this.#credential.rule = hashRules.indexOf(hash.rule);
      return BAD_HASH;
    }
    if (hash.verifier === "bcrypt") {
      const view = viewOf(Buffer.from(hash.text));
      packBcrypt(view, 0, view.byteLength, this.#hash, 0);
    } else this.#credential.text = hash.text;
    return GOOD_HASH;
  }
}
