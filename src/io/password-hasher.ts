import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { hashSync } from "bcryptjs";
import type { PasswordHasher } from "../core/merge/held-rows.ts";

/** Messages to the threads, and their answers. */
export interface HashTask {
  readonly first: number;
  readonly passwords: readonly string[];
  readonly cost: number;
}
export interface HashAnswer {
  readonly first: number;
  readonly hashes: readonly string[];
}

export interface HasherSettings {
  /** The logarithm to base 2 of bcrypt's rounds. */
  readonly cost: number;
  readonly signal: AbortSignal;
  /** Number of threads; set by tests. */
  readonly threads?: number;
  /** The program of a thread; tests name the built one. */
  readonly program?: URL;
}

/** Passwords that keep a thread busy for about a second (a hash takes 70 ms at cost 10). Threads start from twice as many on. */
const SHARE = 16;
/** Passwords per message to a thread. */
const PIECE = 4;

/**
 * Hashes passwords with bcrypt, on all processors when there are many. Keeps and shows no password. `close` ends the threads.
 */
export class BcryptHasher implements PasswordHasher {
  readonly cost: number;
  readonly atOnce: number;
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

  constructor({ cost, signal, threads = availableParallelism(), program }: HasherSettings) {
    this.cost = cost;
    this.atOnce = SHARE * threads;
    this.#signal = signal;
    this.#threads = threads;
    this.#program = program ?? new URL("./password-thread.cjs", import.meta.url);
  }

  /** How many passwords were hashed, the total time, and how often the most frequent password came. */
  get done(): { readonly hashed: number; readonly durationMs: number; readonly mostEqual: number } {
    return { hashed: this.#hashed, durationMs: Math.round(this.#ms), mostEqual: this.#mostEqual };
  }

  async hash(passwords: readonly string[]): Promise<readonly string[]> {
    if (passwords.length === 0) return [];
    const started = performance.now();
    for (const password of passwords) this.#count(password);
    const isMany = this.#threads > 1 && passwords.length >= 2 * SHARE;
    const hashes = isMany ? await this.#inThreads(passwords) : await this.#here(passwords);
    this.#hashed += passwords.length;
    this.#ms += performance.now() - started;
    return hashes;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #count(password: string): void {
    const digest = createHmac("sha256", this.#key).update(password).digest("base64");
    const times = (this.#times.get(digest) ?? 0) + 1;
    this.#times.set(digest, times);
    this.#mostEqual = Math.max(this.#mostEqual, times);
  }

  async #here(passwords: readonly string[]): Promise<readonly string[]> {
    const hashes: string[] = [];
    for (const password of passwords) {
      hashes.push(hashSync(password, this.cost));
      await setImmediate(); // lets signals arrive between two passwords
      this.#signal.throwIfAborted();
    }
    return hashes;
  }

  /** Each thread gets the next passwords when it has hashed the last ones. */
  async #inThreads(passwords: readonly string[]): Promise<readonly string[]> {
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
          cost: this.cost,
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
