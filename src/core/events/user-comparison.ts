import { comparedFields, type UserView } from "../compared-fields.ts";
import { TextFingerprints } from "../tables/fingerprint.ts";
import { RecordTable } from "../tables/record-table.ts";
import type { ComparedField } from "../user-fields.ts";
import type { UserChange } from "./user-change.ts";
import { userKey } from "./user-life.ts";

/** The result for one expected user. */
export interface UserResult {
  readonly isThere: boolean;
  /** Fields whose values differ, and always did or since the account of the import changed them. */
  readonly different: readonly ComparedField[];
  /** Fields whose values were as expected and have been changed since by another account: the user or an administrator. */
  readonly changedSince: readonly ComparedField[];
  /** The user has no password at all. */
  readonly lacksHash: boolean;
  /**
   * The user has a password and the verified address of the input, and never finished registration: the login page asks for the code of the
   * first e-mail (service behaviour 9.45).
   */
  readonly isUnfinished: boolean;
}

const FIELDS = comparedFields.length;
const HASH = 1 << comparedFields.indexOf("hash");
const VERIFIED = comparedFields.indexOf("isEmailVerified");
/**
 * Words of a record: one digest per field, masks of the fields that are compared, that are equal now, and that ever were, marks, and a digest of the
 * account that created the user.
 */
const COMPARED = FIELDS;
const EQUAL = FIELDS + 1;
const EVER_EQUAL = FIELDS + 2;
const MARKS = FIELDS + 3;
const CREATOR = FIELDS + 4;
const STRIDE = FIELDS + 5;

const OTHER_CODES = "other";
const IS_THERE = 1;
const HAS_HASH = 2;
const IS_TAKEN = 4;
const MAILED = 8;
/** The input lacks a hash, which does not say that the user has none. */
const MAY_HAVE_HASH = 16;
const IS_INITIAL = 32;

/**
 * Expected users, compared with the event log, in any number: it keeps digests instead of texts, about 100 bytes per user, so that a hash
 * or an address is in memory only while it is read. Two values of a field share a digest with a chance of one in four thousand million;
 * the seeds are random in each run.
 */
export class UserComparison {
  readonly #records: RecordTable;
  readonly #digests = new TextFingerprints();
  #mailed = 0;

  /** @param expected about how many users to expect. */
  constructor(expected: number) {
    this.#records = new RecordTable(STRIDE, { expected });
  }

  /** The number of expected users. */
  get size(): number {
    return this.#records.size;
  }

  /** Of the users whose result was taken: how many exist and got an e-mail from the service. */
  get mailed(): number {
    return this.#mailed;
  }

  /**
   * Adds an expected user. Of two with one id in one organization the first counts, as it does for the service.
   *
   * @param isWhole false for a body: a user without a hash in it may have a password, for example of an earlier import.
   */
  expect(orgId: string, userId: string, view: UserView, isWhole = true): void {
    const key = userKey(orgId, userId);
    if (this.#records.find(key) !== undefined) return;
    const base = this.#records.placeOf(key);
    if (!isWhole && view.hash === "") this.#records.mark(base + MARKS, MAY_HAVE_HASH);
    for (const [index, field] of comparedFields.entries()) {
      const value = view[field];
      if (value === undefined) continue;
      this.#records.set(base + index, this.#digests.wordOf(value));
      this.#records.mark(base + COMPARED, 1 << index);
    }
  }

  /** True when the user is expected. */
  isExpected(orgId: string, userId: string): boolean {
    return this.#records.find(userKey(orgId, userId)) !== undefined;
  }

  /** True for an expected user who exists by the events so far. */
  isThere(orgId: string, userId: string): boolean {
    const base = this.#records.find(userKey(orgId, userId));
    return base !== undefined && this.#records.has(base + MARKS, IS_THERE);
  }

  /**
   * Takes the next event of a user; users that are not expected are ignored. "initial": the registration begins; a change of the state ends
   * it. `isOwn`: the account of the import made the change: a value that it replaced itself was never changed on the target by others. `by`: the
   * account that made it. One-time codes that neither it nor the creator of the user has set up count as changed since: events do not show the
   * secret.
   */
  apply(
    orgId: string,
    userId: string,
    change: UserChange | "initial",
    { isOwn = false, by = "" }: { readonly isOwn?: boolean; readonly by?: string } = {},
  ): void {
    const base = this.#records.find(userKey(orgId, userId));
    if (base === undefined) return;
    if (change === "initial") {
      this.#records.mark(base + MARKS, IS_INITIAL);
      return;
    }
    switch (change.kind) {
      case "added":
        // A recreated user is another one: the former values do not count.
        this.#records.clear(base + EQUAL, base + MARKS);
        this.#records.unmark(base + MARKS, HAS_HASH | IS_INITIAL);
        this.#records.mark(base + MARKS, IS_THERE);
        this.#records.set(base + CREATOR, this.#digests.wordOf(by));
        this.#compare(base, change.view);
        return;
      case "changed":
        this.#compare(base, isOwn ? change.view : this.#withOrigin(base, change.view, by), isOwn, true);
        return;
      case "rehashed":
        this.#rehash(base, change.hash);
        return;
      case "removed":
        // E-mails to a former user of the id do not count.
        this.#records.unmark(base + MARKS, IS_THERE | MAILED);
        return;
      case "mailed":
        this.#records.mark(base + MARKS, MAILED);
        return;
      default:
        change satisfies never;
    }
  }

  /** The result for a user; undefined for one that is not expected, and at the second call for the same one. */
  takeVerdict(orgId: string, userId: string): UserResult | undefined {
    const base = this.#records.find(userKey(orgId, userId));
    if (base === undefined) return undefined;
    const marks = this.#records.word(base + MARKS);
    if ((marks & IS_TAKEN) !== 0) return undefined;
    this.#records.mark(base + MARKS, IS_TAKEN);
    const isThere = (marks & IS_THERE) !== 0;
    if (isThere && (marks & MAILED) !== 0) this.#mailed += 1;
    const wrong = isThere ? this.#records.word(base + COMPARED) & ~this.#records.word(base + EQUAL) : 0;
    const ever = this.#records.word(base + EVER_EQUAL);
    const accepted = (marks & MAY_HAVE_HASH) === 0 ? 0 : HASH;
    return {
      isThere,
      different: fieldsOf(wrong & ~ever & ~accepted),
      changedSince: fieldsOf(wrong & ever),
      lacksHash: (marks & HAS_HASH) === 0,
      isUnfinished: isThere && (marks & IS_INITIAL) !== 0 && (marks & HAS_HASH) !== 0 && this.#isVerified(base),
    };
  }

  /** The address is to be verified, and is. */
  #isVerified(base: number): boolean {
    const isEqual = this.#records.has(base + EQUAL, 1 << VERIFIED);
    return isEqual && this.#records.word(base + VERIFIED) === this.#digests.wordOf("true");
  }

  #withOrigin(base: number, view: UserView, by: string): UserView {
    const isByCreator = this.#records.word(base + CREATOR) === this.#digests.wordOf(by);
    return view.otp === "true" && !isByCreator ? { ...view, otp: OTHER_CODES } : view;
  }

  /** Another hash of the same password: the expected one may be either. */
  #rehash(base: number, hash: string): void {
    const index = comparedFields.indexOf("hash");
    const isCompared = this.#records.has(base + COMPARED, 1 << index);
    if (!isCompared || this.#records.word(base + index) !== this.#digests.wordOf(hash)) return;
    this.#records.mark(base + EQUAL, 1 << index);
    this.#records.mark(base + EVER_EQUAL, 1 << index);
  }

  #compare(base: number, view: UserView, isOwn = false, isChange = false): void {
    for (const [index, field] of comparedFields.entries()) {
      const value = view[field];
      if (value === undefined) continue;
      const bit = 1 << index;
      if (field === "state") this.#records.unmark(base + MARKS, IS_INITIAL);
      if (field === "hash") this.#records.unmark(base + MARKS, HAS_HASH);
      if (field === "hash" && value !== "") this.#records.mark(base + MARKS, HAS_HASH);
      if ((this.#records.word(base + COMPARED) & bit) === 0) continue;
      if (this.#records.word(base + index) === this.#digests.wordOf(value)) {
        this.#records.mark(base + EQUAL, bit);
        this.#records.mark(base + EVER_EQUAL, bit);
        continue;
      }
      this.#records.unmark(base + EQUAL, bit);
      if (isOwn) this.#records.unmark(base + EVER_EQUAL, bit);
      // Another password has been set, so the former one need not be changed any more.
      else if ((isChange && field === "passwordChangeRequired") || (field === "otp" && value === OTHER_CODES))
        this.#records.mark(base + EVER_EQUAL, bit);
    }
  }
}

function fieldsOf(mask: number): ComparedField[] {
  return comparedFields.filter((_, index) => (mask & (1 << index)) !== 0);
}
