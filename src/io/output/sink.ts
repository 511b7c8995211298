/** Takes bytes. The caller waits for a returned promise before the next call. */
export interface Sink {
  write(bytes: Uint8Array): void | Promise<void>;
}

/** An output that becomes visible at its goal complete or not at all. */
export interface Output extends Sink {
  /** The path as the user named it; "-" for stdout. */
  readonly path: string;
  /** false: written bytes cannot be discarded (stdout, a device, a FIFO). */
  readonly isRevocable: boolean;
  /** Ends writing and closes the file. Harmless twice. */
  close(): void;
  /** Makes the written bytes visible at the goal; a file that replaces its goal, also at the path `elsewhere`. */
  commit(elsewhere?: string): void | Promise<void>;
  /** Deletes the written bytes and leaves the goal unchanged. Harmless after `commit`. */
  discard(): void;
}
