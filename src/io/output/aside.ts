import type { CleanUp } from "../clean-up.ts";
import { EncryptedSpool } from "../encrypted-spool.ts";

/** As much stays in memory; what is more goes to an encrypted file. */
const MAX_BYTES_IN_MEMORY = 2 ** 20;

/** Bytes that are to be written later, in the order they came. */
export class Aside {
  readonly #cleanUp: CleanUp;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #spool: EncryptedSpool | undefined;

  constructor(cleanUp: CleanUp) {
    this.#cleanUp = cleanUp;
  }

  /** Copies the bytes. Raises output.full. */
  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(Uint8Array.from(bytes));
    this.#bytes += bytes.length;
    if (this.#bytes <= MAX_BYTES_IN_MEMORY) return;
    this.#spool ??= new EncryptedSpool(this.#cleanUp);
    for (const chunk of this.#chunks) this.#spool.write(chunk);
    this.#chunks = [];
    this.#bytes = 0;
  }

  /** Everything that was added; a chunk holds until the next one is asked for. Nothing may be added any more. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    if (this.#spool !== undefined) yield* this.#spool.chunks();
    yield* this.#chunks;
  }

  /** Harmless twice. */
  remove(): void {
    this.#spool?.remove();
    this.#spool = undefined;
  }
}
