import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "ndjson";
import type { Output } from "./sink.ts";

/** Objects into an output, one a line. */
export interface NdjsonOutput {
  /** Returns before the line is written. Raises what an earlier one has failed with. */
  write(value: object): void;
  commit(): Promise<void>;
  /** Harmless after `commit`. */
  discard(): void;
}

/** Bytes that are collected while others are written. */
const WRITE_BYTES = 2 ** 15;

/**
 * Takes over the output: commits or discards it. Whatever lines there are while earlier ones are written go into one write: with a write
 * for each, an import of many users takes longer to tell what it did than to make up what to say.
 */
export function ndjsonOutput(output: Output): NdjsonOutput {
  const lines = stringify();
  let failure: { readonly error: unknown } | undefined;
  let isDiscarded = false;
  const take = async (bytes: Buffer): Promise<void> => {
    // What was on its way must not reach an output that is closed.
    if (!isDiscarded) await output.write(bytes);
  };
  const target = new Writable({
    highWaterMark: WRITE_BYTES,
    write(chunk: Buffer, _encoding, done) {
      take(chunk).then(() => done(), done);
    },
    writev(chunks, done) {
      take(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer))).then(() => done(), done); // no objects, and texts are decoded
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
