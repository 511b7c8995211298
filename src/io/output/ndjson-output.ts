import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "ndjson";
import type { Output } from "./sink.ts";

/** Objects into an output, one a line, for what is written now and then; what is written row by row takes `bufferedOutput`. */
export interface NdjsonOutput {
  /** Returns before the line is written. Raises what an earlier one has failed with. */
  write(value: object): void;
  commit(): Promise<void>;
  /** Harmless after `commit`. */
  discard(): void;
}

/** Takes over the output: commits or discards it. */
export function ndjsonOutput(output: Output): NdjsonOutput {
  const lines = stringify();
  let failure: { readonly error: unknown } | undefined;
  let isDiscarded = false;
  const target = new Writable({
    write(chunk: Buffer, _encoding, done) {
      take(chunk).then(() => done(), done);
    },
  });
  const take = async (chunk: Buffer): Promise<void> => {
    // What was on its way must not reach an output that is closed.
    if (!isDiscarded) await output.write(chunk);
  };
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
