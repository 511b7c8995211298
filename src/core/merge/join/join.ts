import { viewOf } from "../../json/words.ts";
import { Fingerprints } from "../../tables/fingerprint.ts";
import type { JudgedHash } from "../hashes.ts";
import { HASH_WORDS, packBcrypt, unpackBcrypt } from "./bcrypt.ts";
import { blankCredential, blankUser, type Leftover, type PackedUser, type Verdict } from "./join-rows.ts";
import {
  BAD_HASH,
  type CredentialKind,
  DROPPED_HASH,
  GOOD_HASH,
  hashRules,
  NO_HASH,
  REJECTED_ROW,
} from "./person-table.ts";
import type { RowJoin } from "./row-join.ts";
import { UserKeys } from "./user-keys.ts";

/** A row of credentials, of which at least one of id and address could be read. */
export interface CredentialRow {
  /** The whole id of the user it belongs to. */
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly line: number;
  readonly dateMs: number;
  /** "rejected": the row has a fault; its hash does not matter. */
  readonly hash: JudgedHash | "rejected";
}

/** A user to be judged. */
export interface UserRow
  extends Pick<PackedUser, "valid">,
    Partial<Pick<PackedUser, "mustWait" | "isLast" | "hasHash">> {
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly userName: string | undefined;
  readonly position: UserPosition;
}

/** Where in the users' input a row is. */
export type UserPosition = Pick<PackedUser, "number" | "line" | "file" | "round">;

/** Where the keys of the current row lie in the scratch array: three words of id, two each of address and user name. */
const ID_AT = 0;
const EMAIL_AT = 3;
const NAME_AT = 5;

/**
 * The join in texts (design: "The join"): which user gets which hash, and which ids and user names are in use. What it remembers is
 * packed (`packed`), so that a million people take 100 MB; the fast path gives `packed` its rows directly.
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

  /** Adds a user's name before any user is judged. */
  noteName(userName: string, userId: string): void {
    this.packed.noteName(this.#key, this.#nameKey(userName, NAME_AT), this.#idKey(userId));
  }

  /** True when several users have the name, among those that `noteName` added. */
  isSharedName(userName: string): boolean {
    return this.packed.isSharedName(this.#key, this.#nameKey(userName, NAME_AT));
  }

  /** Judges a user. Users come in the order of their input. */
  judge({ userId, email, userName, position, valid, ...more }: UserRow): Verdict {
    const row = this.#user;
    row.idAt = this.#idKey(userId);
    row.emailAt = this.#nameKey(email, EMAIL_AT);
    row.nameAt = userName === email ? row.emailAt : this.#nameKey(userName, NAME_AT);
    // A user without an id may be one of the provider's own: its credentials are rejected with it.
    row.isOwn = userId?.startsWith(this.#ownIdPrefix) ?? true;
    row.number = position.number;
    row.line = position.line;
    row.file = position.file;
    row.round = position.round;
    row.valid = valid;
    row.mustWait = more.mustWait ?? false;
    row.isLast = more.isLast ?? false;
    row.hasHash = more.hasHash ?? false;
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

  #pack(hash: JudgedHash | "rejected"): CredentialKind {
    this.#credential.text = undefined;
    if (hash === "rejected") return REJECTED_ROW;
    if (hash.kind === "none") {
      this.#credential.rule = hash.dropped === undefined ? 0 : DROPPED_HASH;
      return NO_HASH;
    }
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
