import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { hashSync } from "bcryptjs";
import type { PasswordHasher } from "../core/merge/held-rows.ts";

/** What the threads are told, and what they answer. */
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
  /** 2 to the power of it are bcrypt's rounds. */
  readonly cost: number;
  readonly signal: AbortSignal;
  /** How many threads; a test says it. */
  readonly threads?: number;
  /** The program of a thread; a test names the built one. */
  readonly program?: URL;
}

/** At cost 10 a hash takes about 70 ms: so many keep a thread busy for a second, and fewer than two such shares are not worth one. */
const SHARE = 16;
/** Passwords that a thread gets at a time. */
const PIECE = 4;

/**
 * Hashes passwords with bcrypt, on all processors when there are many. No password is kept or shown; whoever closes it ends its
 * threads.
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

  constructor({ cost, signal, threads = availableParallelism(), program }: HasherSettings) {
    this.cost = cost;
    this.atOnce = SHARE * threads;
    this.#signal = signal;
    this.#threads = threads;
    this.#program = program ?? new URL("./password-thread.cjs", import.meta.url);
  }

  /** How many passwords were hashed, and how long that took altogether. */
  get done(): { readonly hashed: number; readonly durationMs: number } {
    return { hashed: this.#hashed, durationMs: Math.round(this.#ms) };
  }

  async hash(passwords: readonly string[]): Promise<readonly string[]> {
    if (passwords.length === 0) return [];
    const started = performance.now();
    const isMany = this.#threads > 1 && passwords.length >= 2 * SHARE;
    const hashes = isMany ? await this.#inThreads(passwords) : await this.#here(passwords);
    this.#hashed += passwords.length;
    this.#ms += performance.now() - started;
    return hashes;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #here(passwords: readonly string[]): Promise<readonly string[]> {
    const hashes: string[] = [];
    for (const password of passwords) {
      hashes.push(hashSync(password, this.cost));
      await setImmediate(); // an interrupt is seen between any two
      this.#signal.throwIfAborted();
    }
    return hashes;
  }

  /** Each thread takes the next piece when it is done with one. */
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

  #ask(worker: Worker, task: HashTask): Promise<HashAnswer> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.off("message", answered);
        worker.off("error", failed);
        this.#signal.removeEventListener("abort", aborted);
      };
      const answered = (answer: HashAnswer): void => {
        settle();
        resolve(answer);
      };
      const failed = (error: unknown): void => {
        settle();
        reject(error);
      };
      const aborted = (): void => failed(this.#signal.reason);
      if (this.#signal.aborted) return aborted();
      worker.on("message", answered);
      worker.on("error", failed);
      this.#signal.addEventListener("abort", aborted);
      worker.postMessage(task);
    });
  }
}
