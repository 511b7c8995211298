import { type Cipher, createCipheriv, createDecipheriv, type Decipher, randomBytes } from "node:crypto";
import { closeSync, openSync, read, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ByteStore } from "../core/transfer/buffer-pool.ts";
import { attempt, outputProblem } from "./attempt.ts";
import type { CleanUp } from "./clean-up.ts";

const ALGORITHM = "aes-256-ctr";
const BLOCK_BYTES = 16;
const CHUNK_BYTES = 256 * 2 ** 10;
/** Appended bytes that wait in memory; a spool that is not larger has no file. Larger blocks leave the processor's cache before they are written. */
const MEMORY_BYTES = 2 ** 18;
const readAsync = promisify(read);

/** The folder for temporary files, as problems name it, and the environment variable that selects another one. */
export function temporaryFiles(): { readonly file: string; readonly flag: string } {
  return { file: `${tmpdir()} (temporary files)`, flag: process.platform === "win32" ? "TEMP" : "TMPDIR" };
}

/**
 * Bytes that are read again later: in memory, and beyond 256 KiB in a temporary file. They may hold password hashes that the user took
 * care not to put on a disk (`gpg -d … | orgferry …`), so the file is encrypted with a key that never leaves this process. The file
 * has no name while it is used, so it disappears with the process however that ends; only Windows keeps the name until `remove`.
 */
export class Spool {
  readonly #cleanUp: CleanUp;
  readonly #toProblem = outputProblem(temporaryFiles().file, temporaryFiles().flag);
  #file: EncryptedFile | undefined;
  /** The bytes after those in the file. */
  #memory = new ByteStore(0);

  constructor(cleanUp: CleanUp) {
    this.#cleanUp = cleanUp;
  }

  /** How many bytes were appended. */
  get bytes(): number {
    return this.#inFile + this.#memory.length;
  }

  /** Copies the bytes. Raises output.unwritable, output.full. */
  append(bytes: Uint8Array): void {
    if (this.#memory.length + bytes.length > MEMORY_BYTES) {
      this.#write(this.#memory.view());
      this.#memory.clear();
    }
    if (bytes.length > MEMORY_BYTES) this.#write(bytes);
    else this.#memory.append(bytes);
  }

  /** Fills `into` with the bytes from `position` on; returns how many there were. Raises output.unwritable. */
  readAt(position: number, into: Buffer): number {
    const length = Math.max(0, Math.min(into.length, this.bytes - position));
    const stored = Math.max(0, Math.min(length, this.#inFile - position));
    if (stored > 0) attempt(() => this.#file?.readAt(position, into.subarray(0, stored)), this.#toProblem);
    if (stored < length) this.#memory.view().copy(into, stored, position + stored - this.#inFile);
    return length;
  }

  /**
   * The bytes [start, end). Other threads read the file: a slow disk must not hold up calls. A chunk is valid until the next one is
   * requested. Raises output.unwritable.
   */
  async *chunks(start = 0, end = this.bytes): AsyncGenerator<Buffer> {
    const chunk = Buffer.allocUnsafeSlow(Math.max(0, Math.min(CHUNK_BYTES, end - start)));
    const fileEnd = Math.min(end, this.#inFile);
    for (let at = start; at < fileEnd; at += chunk.length) {
      const part = chunk.subarray(0, Math.min(chunk.length, fileEnd - at));
      await this.#file?.read(at, part).catch((cause: unknown) => {
        throw this.#toProblem(cause);
      });
      yield part;
    }
    const from = Math.max(0, start - this.#inFile);
    const to = Math.max(from, end - this.#inFile);
    if (to > from) yield this.#memory.view(from, to);
  }

  /** Frees the memory and the file. Harmless twice. */
  remove(): void {
    this.#file?.remove();
    this.#file = undefined;
    this.#memory = new ByteStore(0);
  }

  get #inFile(): number {
    return this.#file?.bytes ?? 0;
  }

  #write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    attempt(() => {
      this.#file ??= new EncryptedFile(this.#cleanUp);
      this.#file.append(bytes);
    }, this.#toProblem);
  }
}

/** A temporary file without a name, encrypted. Failures of the file system are raised as they are. */
class EncryptedFile {
  readonly #path = join(tmpdir(), `orgferry-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
  readonly #key = randomBytes(32);
  readonly #counter = randomBytes(BLOCK_BYTES);
  readonly #cipher: Cipher = createCipheriv(ALGORITHM, this.#key, this.#counter);
  readonly #fd: number;
  readonly #forget: () => void;
  #bytes = 0;
  #isOpen = true;

  constructor(cleanUp: CleanUp) {
    this.#fd = openSync(this.#path, "wx+", 0o600);
    this.#forget = cleanUp.add(() => this.#close());
    if (process.platform !== "win32") rmSync(this.#path, { force: true });
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(bytes: Uint8Array): void {
    const encrypted = this.#cipher.update(bytes);
    for (let at = 0; at < encrypted.length; ) at += writeSync(this.#fd, encrypted, at);
    this.#bytes += encrypted.length;
  }

  readAt(position: number, into: Buffer): void {
    for (let at = 0; at < into.length; ) at += checked(readSync(this.#fd, into, at, into.length - at, position + at));
    this.#decrypt(position, into);
  }

  async read(position: number, into: Buffer): Promise<void> {
    for (let at = 0; at < into.length; ) {
      at += checked((await readAsync(this.#fd, into, at, into.length - at, position + at)).bytesRead);
    }
    this.#decrypt(position, into);
  }

  remove(): void {
    this.#close();
    this.#forget();
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
    rmSync(this.#path, { force: true });
  }

  #decrypt(position: number, bytes: Buffer): void {
    const block = Math.floor(position / BLOCK_BYTES);
    const decipher: Decipher = createDecipheriv(ALGORITHM, this.#key, counterAt(this.#counter, block));
    decipher.update(Buffer.alloc(position % BLOCK_BYTES));
    decipher.update(bytes).copy(bytes);
  }
}

/** Bytes that were read; none means that the file is shorter than what was written to it. */
function checked(length: number): number {
  if (length === 0) throw Object.assign(new Error("the temporary file was cut off"), { code: "EIO" });
  return length;
}

/** The counter of a block: CTR adds one for each, over all of its 128 bits. */
export function counterAt(first: Buffer, block: number): Buffer {
  const counter = (BigInt(`0x${first.toString("hex")}`) + BigInt(block)) & (2n ** 128n - 1n);
  return Buffer.from(counter.toString(16).padStart(BLOCK_BYTES * 2, "0"), "hex");
}
