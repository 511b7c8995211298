import { type Cipher, createCipheriv, createDecipheriv, type Decipher, randomBytes } from "node:crypto";
import { closeSync, openSync, read, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { attempt, outputProblem } from "./attempt.ts";
import type { CleanUp } from "./clean-up.ts";

const ALGORITHM = "aes-256-ctr";
const BLOCK_BYTES = 16;
const CHUNK_BYTES = 256 * 1024;
const readAsync = promisify(read);

/** The folder for temporary files, as problems name it, and what names another one. */
export function temporaryFiles(): { readonly file: string; readonly flag: string } {
  return { file: `${tmpdir()} (temporary files)`, flag: process.platform === "win32" ? "TEMP" : "TMPDIR" };
}

/**
 * A copy of what came through a pipe or over the network, to be read again. It may hold password hashes that the user took care
 * not to put on a disk (`gpg -d … | orgferry …`), so it is encrypted with a key that never leaves this process. Its file has no
 * name while it is used, so that it goes with the process however that ends; only Windows keeps the name until it is removed.
 */
export class EncryptedSpool {
  readonly #path = join(tmpdir(), `orgferry-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
  readonly #toProblem = outputProblem(temporaryFiles().file, temporaryFiles().flag);
  readonly #key = randomBytes(32);
  readonly #counter = randomBytes(BLOCK_BYTES);
  readonly #cipher: Cipher = createCipheriv(ALGORITHM, this.#key, this.#counter);
  readonly #fd: number;
  readonly #forget: () => void;
  #bytes = 0;
  #open = true;

  /** Raises output.unwritable when the folder for temporary files cannot be used. */
  constructor(cleanUp: CleanUp) {
    this.#fd = attempt(() => openSync(this.#path, "wx+", 0o600), this.#toProblem);
    this.#forget = cleanUp.add(() => this.#remove());
    if (process.platform !== "win32") rmSync(this.#path, { force: true });
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Raises output.full. */
  write(bytes: Uint8Array): void {
    const encrypted = this.#cipher.update(bytes);
    attempt(() => {
      for (let at = 0; at < encrypted.length; ) at += writeSync(this.#fd, encrypted, at);
    }, this.#toProblem);
    this.#bytes += encrypted.length;
  }

  /**
   * Reads what was written, from `position` on; several may read at a time. `read` fills the whole of `into` unless the end comes
   * before, and returns how much of it.
   */
  readFrom(position = 0): { read(into: Buffer): Promise<number> } {
    const decipher = this.#decipherAt(position);
    let at = position;
    return {
      read: async (into) => {
        let length = 0;
        for (let more = -1; more !== 0 && length < into.length; length += more) {
          more = await this.#readAt(into.subarray(length), at + length);
        }
        decipher.update(into.subarray(0, length)).copy(into);
        at += length;
        return length;
      },
    };
  }

  /** Fills `into` with what was written from `position` on, all of it before anything else happens. Raises output.unwritable. */
  readNow(position: number, into: Buffer): void {
    const decipher = this.#decipherAt(position);
    attempt(() => {
      let length = 0;
      for (let more = -1; more !== 0 && length < into.length; length += more) {
        more = readSync(this.#fd, into, length, into.length - length, position + length);
      }
    }, this.#toProblem);
    decipher.update(into).copy(into);
  }

  /** Everything that was written. A chunk holds until the next one is asked for. */
  async *chunks(): AsyncGenerator<Buffer> {
    const reader = this.readFrom();
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    for (let length = await reader.read(chunk); length > 0; length = await reader.read(chunk)) {
      yield chunk.subarray(0, length);
    }
  }

  #decipherAt(position: number): Decipher {
    const block = Math.floor(position / BLOCK_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key, counterAt(this.#counter, block));
    decipher.update(Buffer.alloc(position % BLOCK_BYTES));
    return decipher;
  }

  async #readAt(into: Buffer, position: number): Promise<number> {
    try {
      return (await readAsync(this.#fd, into, 0, into.length, position)).bytesRead;
    } catch (cause) {
      throw this.#toProblem(cause);
    }
  }

  /** Harmless twice. */
  remove(): void {
    this.#remove();
    this.#forget();
  }

  #remove(): void {
    if (this.#open) closeSync(this.#fd);
    this.#open = false;
    rmSync(this.#path, { force: true });
  }
}

/** The counter of a block: CTR adds one for each, over all of its 128 bits. */
export function counterAt(first: Buffer, block: number): Buffer {
  const counter = (BigInt(`0x${first.toString("hex")}`) + BigInt(block)) & (2n ** 128n - 1n);
  return Buffer.from(counter.toString(16).padStart(BLOCK_BYTES * 2, "0"), "hex");
}
