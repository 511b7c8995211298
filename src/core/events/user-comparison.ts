import { randomFillSync } from "node:crypto";
import { comparedFields, type UserView } from "../compared-fields.ts";
import { Fingerprints } from "../tables/fingerprint.ts";
import { RecordTable } from "../tables/record-table.ts";
import type { ComparedField } from "../user-fields.ts";
import type { UserChange } from "./user-change.ts";

/** What became of one expected user. */
export interface UserVerdict {
  readonly isThere: boolean;
  /** Fields that are not, and never were, as they should be. */
  readonly different: readonly ComparedField[];
  /** Fields that were as they should be and have been changed since, by the user or by an administrator. */
  readonly changedSince: readonly ComparedField[];
  /** The user has no password at all, though one was given; of the field `hash`. */
  readonly lacksHash: boolean;
}

const FIELDS = comparedFields.length;
/** Words of a record: a digest a field; then masks of the fields that are compared, that are equal now, that ever were; then marks. */
const COMPARED = FIELDS;
const EQUAL = FIELDS + 1;
const EVER_EQUAL = FIELDS + 2;
const MARKS = FIELDS + 3;
const STRIDE = FIELDS + 4;

const IS_THERE = 1;
const HAS_HASH = 2;
const TOLD = 4;
const MAILED = 8;

/**
 * Users as they should be, compared with what the event log says of them, in any number: it keeps digests instead of texts, about 100
 * bytes a user, so that a hash or an address is in memory only while it is read. Two values of a field share a digest with
 * a chance of one in four thousand million, with seeds that are random in each run.
 */
export class UserComparison {
  readonly #records: RecordTable;
  readonly #digests = new Fingerprints(randomFillSync(new Uint32Array(3)));
  readonly #removedOrgs = new Set<string>();
  #mailed = 0;
  #text = Buffer.allocUnsafe(1024);
  readonly #key = new Uint32Array(3);

  /** @param expected how many users there will be, about. */
  constructor(expected: number) {
    this.#records = new RecordTable(STRIDE, { expected });
  }

  /** How many users are expected. */
  get size(): number {
    return this.#records.size;
  }

  /** How many of them were sent a mail. */
  get mailed(): number {
    return this.#mailed;
  }

  /** A user as it should be. Of two with one id in one organization the first counts, as it does for the service. */
  expect(orgId: string, userId: string, view: UserView): void {
    const key = keyOf(orgId, userId);
    if (this.#records.find(key) !== undefined) return;
    const base = this.#records.placeOf(key);
    for (const [index, field] of comparedFields.entries()) {
      const value = view[field];
      if (value === undefined) continue;
      this.#records.set(base + index, this.#digest(value));
      this.#records.mark(base + COMPARED, 1 << index);
    }
  }

  /** True when the user is expected. */
  isExpected(orgId: string, userId: string): boolean {
    return this.#records.find(keyOf(orgId, userId)) !== undefined;
  }

  /** What the event log says next of a user; of one that is not expected, nothing is kept. */
  apply(orgId: string, userId: string, change: UserChange): void {
    const base = this.#records.find(keyOf(orgId, userId));
    if (base === undefined) return;
    switch (change.kind) {
      case "added":
        // Whoever came back is another user: nothing of the former one counts.
        this.#records.clear(base + EQUAL, base + MARKS);
        this.#records.unmark(base + MARKS, HAS_HASH);
        this.#records.mark(base + MARKS, IS_THERE);
        this.#compare(base, change.view);
        return;
      case "changed":
        this.#compare(base, change.view);
        return;
      case "removed":
        this.#records.unmark(base + MARKS, IS_THERE);
        return;
      case "mailed":
        if ((this.#records.word(base + MARKS) & MAILED) === 0) this.#mailed += 1;
        this.#records.mark(base + MARKS, MAILED);
        return;
      default:
        change satisfies never;
    }
  }

  /** No verdict is wanted of this user, whatever comes of it. */
  leaveOut(orgId: string, userId: string): void {
    const base = this.#records.find(keyOf(orgId, userId));
    if (base !== undefined) this.#records.mark(base + MARKS, TOLD);
  }

  /** An organization is gone, and its users with it, without events of their own (service behaviour 2.3). */
  removeOrg(orgId: string): void {
    this.#removedOrgs.add(orgId);
  }

  /** What became of a user; undefined for one that is not expected, and for one that was asked for before. */
  takeVerdict(orgId: string, userId: string): UserVerdict | undefined {
    const base = this.#records.find(keyOf(orgId, userId));
    if (base === undefined) return undefined;
    const marks = this.#records.word(base + MARKS);
    if ((marks & TOLD) !== 0) return undefined;
    this.#records.mark(base + MARKS, TOLD);
    const isThere = (marks & IS_THERE) !== 0 && !this.#removedOrgs.has(orgId);
    const wrong = isThere ? this.#records.word(base + COMPARED) & ~this.#records.word(base + EQUAL) : 0;
    const ever = this.#records.word(base + EVER_EQUAL);
    return {
      isThere,
      different: fieldsOf(wrong & ~ever),
      changedSince: fieldsOf(wrong & ever),
      lacksHash: (marks & HAS_HASH) === 0,
    };
  }

  #compare(base: number, view: UserView): void {
    for (const [index, field] of comparedFields.entries()) {
      const value = view[field];
      if (value === undefined) continue;
      const bit = 1 << index;
      if (field === "hash") this.#records.unmark(base + MARKS, HAS_HASH);
      if (field === "hash" && value !== "") this.#records.mark(base + MARKS, HAS_HASH);
      if ((this.#records.word(base + COMPARED) & bit) === 0) continue;
      if (this.#records.word(base + index) === this.#digest(value)) {
        this.#records.mark(base + EQUAL, bit);
        this.#records.mark(base + EVER_EQUAL, bit);
      } else this.#records.unmark(base + EQUAL, bit);
    }
  }

  #digest(value: string): number {
    const room = value.length * 3;
    if (room > this.#text.length) this.#text = Buffer.allocUnsafe(room * 2);
    const view = new DataView(this.#text.buffer, this.#text.byteOffset, this.#text.length);
    this.#digests.id(view, 0, this.#text.write(value), this.#key, 0);
    return this.#key[0] as number;
  }
}

function fieldsOf(mask: number): ComparedField[] {
  return comparedFields.filter((_, index) => (mask & (1 << index)) !== 0);
}

/** No id holds a NUL: the service refuses it. */
function keyOf(orgId: string, userId: string): string {
  return `${orgId}\u0000${userId}`;
}
