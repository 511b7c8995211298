import { type Cipher, createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { closeSync, createReadStream, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { ProblemError } from "../problem.ts";
import type { CleanUp } from "./clean-up.ts";

/**
 * A copy of what came through a pipe, to be read once more. It may hold password hashes that the user took care not to put on
 * a disk (`gpg -d … | orgferry …`), so it is encrypted with a key that never leaves this process, and gone with it.
 */
export class EncryptedSpool {
  readonly #path = join(tmpdir(), `orgferry-${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
  readonly #key = randomBytes(32);
  readonly #iv = randomBytes(16);
  readonly #cipher: Cipher = createCipheriv("aes-256-ctr", this.#key, this.#iv);
  readonly #fd: number;
  readonly #forget: () => void;
  #open = true;

  /** Raises output.unwritable when the folder for temporary files cannot be used. */
  constructor(cleanUp: CleanUp) {
    this.#fd = attempt(() => openSync(this.#path, "wx", 0o600));
    this.#forget = cleanUp.add(() => this.#remove());
  }

  /** Raises output.full. */
  write(bytes: Uint8Array): void {
    const encrypted = this.#cipher.update(bytes);
    attempt(() => {
      for (let at = 0; at < encrypted.length; ) at += writeSync(this.#fd, encrypted, at);
    });
  }

  /** Everything written, from the start. Nothing may be written after it. */
  read(): Readable {
    return pipeline(createReadStream(this.#path), createDecipheriv("aes-256-ctr", this.#key, this.#iv), () => {});
  }

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

function attempt<T>(operation: () => T): T {
  try {
    return operation();
  } catch (cause) {
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    const file = `${tmpdir()} (temporary files)`;
    if (code === "ENOSPC" || code === "EDQUOT") throw new ProblemError({ code: "output.full", file }, { cause });
    throw new ProblemError({ code: "output.unwritable", file, reason: code }, { cause });
  }
}
