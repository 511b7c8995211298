import type { CleanUp } from "../../../io/clean-up.ts";
import { Spool } from "../../../io/spool.ts";

/** The elements of a JSON list that is written later, in a temporary file if they are many. */
export class SpooledList {
  readonly #spool: Spool;

  constructor(cleanUp: CleanUp) {
    this.#spool = new Spool(cleanUp);
  }

  get isEmpty(): boolean {
    return this.#spool.bytes === 0;
  }

  /** Raises output.unwritable, output.full. */
  add(entry: object): void {
    this.#spool.append(Buffer.from(`${this.isEmpty ? "" : ","}${JSON.stringify(entry)}`));
  }

  /** The elements, separated by commas; a chunk is valid until the next one is requested. */
  chunks(): AsyncGenerator<Buffer> {
    return this.#spool.chunks();
  }

  remove(): void {
    this.#spool.remove();
  }
}
