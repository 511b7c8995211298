/** Somewhere bytes go. A call that returns a promise asks the caller to wait for it before the next one. */
export interface Sink {
  write(bytes: Uint8Array): void | Promise<void>;
}

/** An output that shows up at its goal whole or not at all. */
export interface Output extends Sink {
  /** The path as the user named it; "-" for stdout. */
  readonly path: string;
  /** false: what was written cannot be taken back (stdout, a device, a FIFO). */
  readonly isRevocable: boolean;
  /** Nothing more will be written; frees what keeps the output open. Harmless twice. */
  close(): void;
  /** Makes everything written visible at the goal. */
  commit(): void | Promise<void>;
  /** Leaves the goal as it was and nothing behind. Harmless after `commit`. */
  discard(): void;
}
