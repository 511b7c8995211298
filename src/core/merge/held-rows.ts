import type { RowFault } from "../../problem.ts";
import type { RawRow } from "../rows/row-file.ts";
import type { UserReading } from "./reading.ts";

/** Hashes passwords, many at a time. */
export interface PasswordHasher {
  /** As many keep it busy for about a second. */
  readonly atOnce: number;
  /** The hashes, in the order of the passwords. Raises what interrupts the run. */
  hash(passwords: readonly PlainPassword[]): Promise<readonly string[]>;
}

/** A password, and the id of its user. */
export interface PlainPassword {
  readonly text: string;
  readonly userId: string;
}

/** A row that was read, or what keeps it from being read. */
export type ReadRow = { readonly row: RawRow } & ({ readonly reading: UserReading } | { readonly fault: RowFault });

/** Rows that are held back until the passwords of their users are hashed. They keep their order. */
export class HeldRows {
  readonly #hasher: PasswordHasher;
  #rows: ReadRow[] = [];
  #passwords = 0;

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher;
  }

  /** True when there is enough to be hashed. */
  get isFull(): boolean {
    return this.#passwords >= this.#hasher.atOnce;
  }

  hold(row: ReadRow): void {
    this.#rows.push(row);
    if (passwordOf(row) !== undefined) this.#passwords += 1;
  }

  /** Gives all rows back, with hashes in place of passwords. */
  async release(): Promise<readonly ReadRow[]> {
    const rows = this.#rows;
    this.#rows = [];
    this.#passwords = 0;
    const hashes = await this.#hasher.hash(rows.flatMap((row) => passwordOf(row) ?? []));
    let next = 0;
    return rows.map((row) => {
      if (passwordOf(row) === undefined || !("reading" in row) || row.reading.user === undefined) return row;
      const { plainPassword: _, ...user } = row.reading.user;
      const hash = hashes[next] as string; // as many as there are passwords
      next += 1;
      return { row: row.row, reading: { ...row.reading, user: { ...user, hash } } };
    });
  }
}

function passwordOf(row: ReadRow): PlainPassword | undefined {
  const { plainPassword: text, userId = "" } = ("reading" in row ? row.reading.user : undefined) ?? {};
  return text === undefined ? undefined : { text, userId };
}
