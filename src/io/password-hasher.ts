import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { encodeBase64, hashSync } from "bcryptjs";
import type { PasswordHasher, PlainPassword } from "../core/merge/held-users.ts";

/** Messages to the threads, and their answers. */
export interface HashTask {
  readonly first: number;
  readonly passwords: readonly Salted[];
}

/** A password with the salt of its user, in the form of bcrypt, cost included. */
interface Salted {
  readonly text: string;
  readonly salt: string;
}

export interface HashAnswer {
  readonly first: number;
  readonly hashes: readonly string[];
}

export interface HasherSettings {
  /** The logarithm to base 2 of bcrypt's rounds. */
  readonly cost: number;
  /** What the users belong to: users of two organizations have two salts, also with one id. */
  readonly scope: string;
  readonly signal: AbortSignal;
  /** Number of threads; set by tests. */
  readonly threads?: number;
  /** The program of a thread; tests name the built one. */
  readonly program?: URL;
}

/** Passwords that keep a thread busy for about a second (a hash takes 70 ms at cost 10). Threads start from twice as many on. */
const SHARE = 16;
/** Of a salt of bcrypt. */
const SALT_BYTES = 16;
/** Passwords per message to a thread. */
const PIECE = 4;

/**
 * Hashes passwords with bcrypt, on all processors when there are many. Keeps and shows no password. `close` ends the threads.
 * The salt is made of the user's id and the scope: each user has another one, and the same input gives the same hashes. With new salts in
 * each run, an update would change all passwords, and the service would tell all users.
 */
export class BcryptHasher implements PasswordHasher {
  readonly cost: number;
  readonly atOnce: number;
  readonly #scope: string;
  readonly #signal: AbortSignal;
  readonly #program: URL;
  readonly #threads: number;
  readonly #workers: Worker[] = [];
  #hashed = 0;
  #ms = 0;
  /** How often each password came, by a digest that tells nothing without this run's key. */
  readonly #times = new Map<string, number>();
  readonly #key = randomBytes(32);
  #mostEqual = 0;

  constructor({ cost, scope, signal, threads = availableParallelism(), program }: HasherSettings) {
    this.cost = cost;
    this.atOnce = SHARE * threads;
    this.#scope = scope;
    this.#signal = signal;
    this.#threads = threads;
    this.#program = program ?? new URL("./password-thread.cjs", import.meta.url);
  }

  /** How many passwords were hashed, the total time, and how often the most frequent password came. */
  get done(): { readonly hashed: number; readonly durationMs: number; readonly mostEqual: number } {
    return { hashed: this.#hashed, durationMs: Math.round(this.#ms), mostEqual: this.#mostEqual };
  }

  async hash(given: readonly PlainPassword[]): Promise<readonly string[]> {
    if (given.length === 0) return [];
    const passwords = given.map(({ text, userId }): Salted => ({ text, salt: this.#saltOf(userId) }));
    const started = performance.now();
    for (const { text } of passwords) this.#count(text);
    const isMany = this.#threads > 1 && passwords.length >= 2 * SHARE;
    const hashes = isMany ? await this.#inThreads(passwords) : await this.#here(passwords);
    this.#hashed += passwords.length;
    this.#ms += performance.now() - started;
    return hashes;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #saltOf(userId: string): string {
    const bytes = createHash("sha256")
      .update(JSON.stringify(["orgferry", this.#scope, userId]))
      .digest();
    return `$2b$${String(this.cost).padStart(2, "0")}$${encodeBase64(bytes, SALT_BYTES)}`;
  }

  #count(password: string): void {
    const digest = createHmac("sha256", this.#key).update(password).digest("base64");
    const times = (this.#times.get(digest) ?? 0) + 1;
    this.#times.set(digest, times);
    this.#mostEqual = Math.max(this.#mostEqual, times);
  }

  async #here(passwords: readonly Salted[]): Promise<readonly string[]> {
    const hashes: string[] = [];
    for (const { text, salt } of passwords) {
      hashes.push(hashSync(text, salt));
      await setImmediate(); // lets signals arrive between two passwords
      this.#signal.throwIfAborted();
    }
    return hashes;
  }

  /** Each thread gets the next passwords when it has hashed the last ones. */
  async #inThreads(passwords: readonly Salted[]): Promise<readonly string[]> {
    while (this.#workers.length < this.#threads) this.#workers.push(new Worker(this.#program));
    const hashes = new Array<string>(passwords.length);
    let next = 0;
    const work = async (worker: Worker): Promise<void> => {
      while (next < passwords.length) {
        const first = next;
        next += PIECE;
        const { hashes: piece } = await this.#ask(worker, {
          first,
          passwords: passwords.slice(first, first + PIECE),
        });
        for (const [at, hash] of piece.entries()) hashes[first + at] = hash;
      }
    };
    await Promise.all(this.#workers.map(work));
    return hashes;
  }

  async #ask(worker: Worker, task: HashTask): Promise<HashAnswer> {
    this.#signal.throwIfAborted();
    worker.postMessage(task);
    try {
      const [answer] = await once(worker, "message", { signal: this.#signal });
      return answer as HashAnswer; // its program sends no others
    } catch (error) {
      this.#signal.throwIfAborted(); // the reason of the interruption, not that the wait ended
      throw error;
    }
  }
}
