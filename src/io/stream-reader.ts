import type { Readable } from "node:stream";
import { ProblemError } from "../problem.ts";

/** Reads a stream by filling buffers of the caller, as a file is read. */
export class StreamReader {
  readonly #file: string;
  readonly #stream: Readable;
  readonly #signal: AbortSignal;
  readonly #iterator: AsyncIterator<Buffer | string>;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;
  readonly #onAbort = (): void => {
    this.#stream.destroy();
  };

  constructor(file: string, stream: Readable, signal: AbortSignal) {
    this.#file = file;
    this.#stream = stream;
    this.#signal = signal;
    this.#iterator = stream[Symbol.asyncIterator]();
    // A reader that waits for a silent pipe must wake up when the run is interrupted.
    signal.addEventListener("abort", this.#onAbort);
  }

  /** Bytes the stream has delivered. */
  get takenBytes(): number {
    return this.#taken;
  }

  /** Fills the beginning of `into`, as far as the next chunk reaches; 0 at the end. Raises input.gzip, input.unreadable. */
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

  /** Fills the whole of `into` unless the stream ends before, and returns how much of it. */
  async fill(into: Buffer): Promise<number> {
    let length = 0;
    while (length < into.length) {
      const more = await this.read(into.subarray(length));
      if (more === 0) break;
      length += more;
    }
    return length;
  }

  /** Bytes that the next `read` returns again. */
  putBack(bytes: Buffer): void {
    this.#rest = Buffer.concat([bytes, this.#rest]);
  }

  /** The rest of the stream, chunk by chunk. */
  async *chunks(): AsyncGenerator<Buffer> {
    if (this.#rest.length > 0) yield this.#rest;
    for (let next = await this.#next(); next !== undefined; next = await this.#next()) yield next;
  }

  async close(): Promise<void> {
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
      throw this.#problem(cause);
    }
  }

  #problem(cause: unknown): Error {
    if (cause instanceof ProblemError) return cause;
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    if (code.startsWith("Z_")) {
      // Z_BUF_ERROR is zlib's "unexpected end of file".
      return new ProblemError({ code: "input.gzip", file: this.#file, truncated: code === "Z_BUF_ERROR" }, { cause });
    }
    return new ProblemError({ code: "input.unreadable", file: this.#file, reason: code }, { cause });
  }
}
