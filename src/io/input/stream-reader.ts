import type { Readable } from "node:stream";
import { inputProblem, type ToProblem } from "../attempt.ts";

/** Reads a stream into the caller's buffers, like a file. */
export class StreamReader {
  readonly file: string;
  readonly #stream: Readable;
  readonly #signal: AbortSignal;
  readonly #toProblem: ToProblem;
  readonly #iterator: AsyncIterator<Buffer | string>;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;
  readonly #onAbort = (): void => {
    this.#stream.destroy();
  };

  constructor(file: string, stream: Readable, signal: AbortSignal) {
    this.file = file;
    this.#stream = stream;
    this.#signal = signal;
    this.#toProblem = inputProblem(file);
    this.#iterator = stream[Symbol.asyncIterator]();
    // The next read raises an error; without a listener, an earlier error would end the process.
    stream.on("error", () => {});
    // Ends the wait for a silent pipe when the run is interrupted.
    signal.addEventListener("abort", this.#onAbort);
  }

  /** How many bytes the stream has delivered. */
  get takenBytes(): number {
    return this.#taken;
  }

  /** Copies the next chunk, or the part that fits, to `into`; returns 0 at the end. Raises input.gzip, input.unreadable. */
  async read(into: Buffer): Promise<number> {
    while (this.#rest.length === 0) {
      const next = await this.#next();
      if (next === undefined) return 0;
      this.#rest = next;
    }
    const length = Math.min(into.length, this.#rest.length);
    this.#rest.copy(into, 0, 0, length);
    this.#rest = this.#rest.subarray(length);
    return length;
  }

  /** The next bytes without consuming them; fewer than `length` only at the end of the stream. */
  async peek(length: number): Promise<Buffer> {
    while (this.#rest.length < length) {
      const next = await this.#next();
      if (next === undefined) break;
      this.#rest = Buffer.concat([this.#rest, next]);
    }
    return this.#rest.subarray(0, length);
  }

  /** Skips bytes that `peek` has returned. */
  skip(length: number): void {
    this.#rest = this.#rest.subarray(length);
  }

  /** The rest of the stream, chunk by chunk. */
  async *chunks(): AsyncGenerator<Buffer> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) yield rest;
    for (let next = await this.#next(); next !== undefined; next = await this.#next()) yield next;
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#stream.destroy();
  }

  async #next(): Promise<Buffer | undefined> {
    this.#signal.throwIfAborted();
    try {
      const { done, value } = await this.#iterator.next();
      this.#signal.throwIfAborted();
      if (done) return undefined;
      const chunk = Buffer.isBuffer(value) ? value : Buffer.from(value);
      this.#taken += chunk.length;
      return chunk;
    } catch (cause) {
      this.#signal.throwIfAborted();
      throw this.#toProblem(cause);
    }
  }
}
