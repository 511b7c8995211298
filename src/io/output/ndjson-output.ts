import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "ndjson";
import type { Output } from "./sink.ts";

/** Writes objects to an output, one per line. */
export interface NdjsonOutput {
  /** Returns before the line is written. Raises the failure of an earlier line. */
  write(value: object): void;
  commit(): Promise<void>;
  /** Harmless after `commit`. */
  discard(): void;
}

/** Bytes that are collected during a write. */
const WRITE_BYTES = 2 ** 15;

/**
 * Takes over the output: commits or discards it. Lines that arrive during a write go into one later write: a write per line would take
 * longer than producing the lines.
 */
export function ndjsonOutput(output: Output): NdjsonOutput {
  const lines = stringify();
  let failure: { readonly error: unknown } | undefined;
  let isDiscarded = false;
  const take = async (bytes: Buffer): Promise<void> => {
    // Waiting lines must not reach a closed output.
    if (!isDiscarded) await output.write(bytes);
  };
  const target = new Writable({
    highWaterMark: WRITE_BYTES,
    write(chunk: Buffer, _encoding, done) {
      take(chunk).then(() => done(), done);
    },
    writev(chunks, done) {
      take(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer))).then(() => done(), done); // strings are converted to buffers before
    },
  });
  const written = pipeline(lines, target).catch((error: unknown) => {
    failure = { error };
  });
  const check = (): void => {
    if (failure !== undefined) throw failure.error;
  };
  return {
    write(value) {
      check();
      lines.write(value);
    },
    async commit() {
      lines.end();
      await written;
      check();
      await output.commit();
    },
    discard() {
      isDiscarded = true;
      lines.destroy();
      output.discard();
    },
  };
}
