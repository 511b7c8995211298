import type { SourceUser } from "./source-user.ts";

/** Hashes passwords with bcrypt, many at a time. */
export interface PasswordHasher {
  /** The logarithm to base 2 of bcrypt's rounds. */
  readonly cost: number;
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

/**
 * Users who are written, held back until the passwords of some of them are hashed. They keep their order. A row can be judged several
 * times and be rejected in the end: so it is judged with `standIn`, and a password is hashed once, when its user is written.
 */
export class HeldUsers {
  /** Stands for the hash of each password. */
  readonly standIn: string;
  readonly #hasher: PasswordHasher;
  #users: SourceUser[] = [];
  #passwords: PlainPassword[] = [];

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher;
    this.standIn = `$2b$${String(hasher.cost).padStart(2, "0")}$${".".repeat(53)}`;
  }

  /** True when there is enough to be hashed. */
  get isFull(): boolean {
    return this.#passwords.length >= this.#hasher.atOnce;
  }

  hold(user: SourceUser): void {
    this.#users.push(user);
    const { userId, plainPassword: text } = user;
    if (text !== undefined && this.#isStandIn(user)) this.#passwords.push({ text, userId });
  }

  /** Gives all users back, with hashes in place of passwords. */
  async release(): Promise<readonly SourceUser[]> {
    const users = this.#users;
    const passwords = this.#passwords;
    this.#users = [];
    this.#passwords = [];
    const hashes = (await this.#hasher.hash(passwords)).values();
    return users.map(({ plainPassword: _, ...user }) =>
      this.#isStandIn(user) ? { ...user, hash: hashes.next().value } : user,
    );
  }

  #isStandIn({ hash }: SourceUser): boolean {
    return hash === this.standIn;
  }
}
