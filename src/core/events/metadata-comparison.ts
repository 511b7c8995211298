import { randomBytes } from "node:crypto";
import type { ServiceEvent } from "../../contract/events.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { RecordTable } from "../tables/record-table.ts";
import { createDigester } from "./digest.ts";
import { ALL_METADATA_REMOVED, METADATA_REMOVED, METADATA_SET } from "./instance-log.ts";
import { isCreation, USER_REMOVED } from "./user-life.ts";

/** The result for one expected entry: "changed" if the user had the value and another account changed or removed it since. */
export type EntryResult = "same" | "different" | "changed";

const FIRST = 0;
const SECOND = 1;
const MARKS = 2;
/** The life of the user in which the marks were set. */
const LIFE = 3;
const STRIDE = 4;

const IS_EQUAL = 1;
const EVER_EQUAL = 2;
const IS_TAKEN = 4;

/**
 * Expected metadata, compared with the event log, as digests: some 30 bytes per entry. A user who is deleted and recreated has none of the
 * former entries, also if the service answered that they were set (service behaviour 9.9).
 */
export class MetadataComparison {
  readonly #digest = createDigester(randomBytes(16).toString("hex"));
  readonly #entries = new RecordTable(STRIDE);
  /** How often the metadata of a user was deleted as a whole. */
  readonly #lives = new RecordTable(1);

  /** Adds an expected entry, with its value in base64. Of two with one key, the later counts, as it does for the service. */
  expect(orgId: string, userId: string, key: string, value: string): void {
    const base = this.#entries.placeOf(keyOf(orgId, userId, key));
    const [first, second] = this.#digest("metadata", value);
    this.#entries.set(base + FIRST, first);
    this.#entries.set(base + SECOND, second);
    this.#lives.placeOf(keyOf(orgId, userId));
  }

  /** Takes the next event of the log; events that are not about expected entries are ignored. @param isOwn the account of the import made the change. */
  apply(event: ServiceEvent, isOwn = false): void {
    const { aggregate, type, payload } = event;
    const { id, resourceOwner: orgId } = aggregate;
    const user = this.#lives.find(keyOf(orgId, id));
    if (user === undefined) return;
    if (isCreation(event) || type.type === USER_REMOVED || type.type === ALL_METADATA_REMOVED) {
      this.#lives.set(user, this.#lives.word(user) + 1);
      return;
    }
    if (type.type !== METADATA_SET && type.type !== METADATA_REMOVED) return;
    const fields = fieldsOf(payload);
    const base = this.#entries.find(keyOf(orgId, id, textMember(fields, "key")));
    if (base === undefined) return;
    const before = this.#marksOf(base, this.#lives.word(user));
    const isEqual = type.type === METADATA_SET && this.#isEqual(base, textMember(fields, "value"));
    this.#entries.set(base + LIFE, this.#lives.word(user));
    this.#entries.set(base + MARKS, isEqual ? IS_EQUAL | EVER_EQUAL : isOwn ? 0 : before & EVER_EQUAL);
  }

  /** The result for an entry; undefined for one that is not expected, and at the second call for the same one. */
  takeResult(orgId: string, userId: string, key: string): EntryResult | undefined {
    const base = this.#entries.find(keyOf(orgId, userId, key));
    const user = this.#lives.find(keyOf(orgId, userId));
    if (base === undefined || user === undefined || this.#entries.has(base + MARKS, IS_TAKEN)) return undefined;
    const marks = this.#marksOf(base, this.#lives.word(user));
    this.#entries.mark(base + MARKS, IS_TAKEN);
    if ((marks & IS_EQUAL) !== 0) return "same";
    return (marks & EVER_EQUAL) === 0 ? "different" : "changed";
  }

  #marksOf(base: number, life: number): number {
    return this.#entries.word(base + LIFE) === life ? this.#entries.word(base + MARKS) : 0;
  }

  #isEqual(base: number, value: string): boolean {
    const [first, second] = this.#digest("metadata", value);
    return this.#entries.word(base + FIRST) === first && this.#entries.word(base + SECOND) === second;
  }
}

/** No id and no key holds a NUL: the service refuses it. */
function keyOf(...parts: readonly string[]): string {
  return parts.join("\u0000");
}
