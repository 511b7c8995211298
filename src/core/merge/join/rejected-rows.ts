import { type PersonTable, POISONED, POISONED_EMAIL } from "./person-table.ts";

const NONE: readonly number[] = [];

/**
 * The password rows that were rejected, by the record of what they name: a user may get no other hash while one of these could
 * have been the newest. They are rare, so they are in Maps, and the records carry marks that say whether to look.
 */
export class RejectedRows {
  readonly #people: PersonTable;
  readonly #ofId = new Map<number, number[]>();
  /** The first one alone: any other says the same. */
  readonly #ofEmail = new Map<number, number>();

  constructor(people: PersonTable) {
    this.#people = people;
  }

  addToId(id: number, row: number): void {
    this.#people.mark(id, POISONED);
    const rows = this.#ofId.get(id);
    if (rows === undefined) this.#ofId.set(id, [row]);
    else rows.push(row);
  }

  addToEmail(email: number, row: number): void {
    this.#people.mark(email, POISONED_EMAIL);
    if (!this.#ofEmail.has(email)) this.#ofEmail.set(email, row);
  }

  /** Moves an id's rejected rows to another record. */
  moveId(from: number, to: number): void {
    const rows = this.#ofId.get(from);
    if (rows === undefined) return;
    this.#ofId.delete(from);
    this.#ofId.set(to, rows);
    this.#people.mark(to, POISONED);
  }

  /** Those that name the id; none when there is no id, -1. */
  ofId(id: number): readonly number[] {
    return id !== -1 && this.#people.has(id, POISONED) ? (this.#ofId.get(id) ?? NONE) : NONE;
  }

  /** One that has the address, and no id that could be read. */
  ofEmail(email: number): number | undefined {
    return this.#people.has(email, POISONED_EMAIL) ? this.#ofEmail.get(email) : undefined;
  }
}
