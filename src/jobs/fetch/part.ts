import { createHash } from "node:crypto";
import type { Sink } from "../../io/output/sink.ts";
import { ProblemError } from "../../problem.ts";

const NEWLINE = 0x0a;
const OBJECT = "{".charCodeAt(0);
const LINE_END = Buffer.from("\n");

/**
 * What of one file of users was written so far. A download that broke off begins anew and goes on behind what is written already, which
 * must be the same bytes: the sink may be one that takes nothing back.
 */
export class Part {
  readonly #sink: Sink;
  readonly #host: string;
  readonly #written = createHash("sha256");
  #bytes = 0;
  #lines = 0;
  #last = NEWLINE;

  /** @param host whose file it is, for what is said of it. */
  constructor(sink: Sink, host: string) {
    this.#sink = sink;
    this.#host = host;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** One a line. */
  get users(): number {
    return this.#lines;
  }

  /** Takes the file from its beginning. Raises api.download-damaged, and what the chunks and the sink raise. */
  async take(chunks: AsyncIterable<Buffer>): Promise<void> {
    const again = createHash("sha256");
    const known = this.#bytes;
    let at = 0;
    for await (const chunk of chunks) {
      const repeated = chunk.subarray(0, Math.max(0, known - at));
      at += chunk.length;
      if (repeated.length > 0) again.update(repeated);
      if (repeated.length > 0 && at >= known) this.#compare(again.digest("hex"));
      await this.#write(chunk.subarray(repeated.length));
    }
    if (at < known) throw this.#damaged("changed");
    if (this.#last !== NEWLINE) await this.#write(LINE_END);
  }

  #compare(digest: string): void {
    if (this.#written.copy().digest("hex") !== digest) throw this.#damaged("changed");
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    if (this.#bytes === 0 && bytes[0] !== OBJECT) throw this.#damaged("not-users");
    this.#written.update(bytes);
    this.#bytes += bytes.length;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) this.#lines += 1;
    this.#last = bytes.at(-1) ?? NEWLINE;
    await this.#sink.write(bytes);
  }

  #damaged(why: "changed" | "not-users"): ProblemError {
    return new ProblemError({ code: "api.download-damaged", host: this.#host, why });
  }
}
