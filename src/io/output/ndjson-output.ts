import type { Output } from "./sink.ts";

/** Objects into an output, one a line. */
export interface NdjsonOutput {
  /** Returns before the line is written. Raises what an earlier one has failed with. */
  write(value: object): void;
  commit(): Promise<void>;
  /** Harmless after `commit`. */
  discard(): void;
}

const WRITE_CHARACTERS = 2 ** 15;

/**
 * Takes over the output: commits or discards it. Lines are written many at a time: a stream that turns each into a write of its own takes
 * an import of many users longer than making up what to say about them.
 */
export function ndjsonOutput(output: Output): NdjsonOutput {
  let lines = "";
  let written = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;
  let isDiscarded = false;
  const take = async (bytes: Buffer): Promise<void> => {
    // What was on its way must not reach an output that is closed.
    if (!isDiscarded && failure === undefined) await output.write(bytes);
  };
  const flush = (): void => {
    const bytes = Buffer.from(lines);
    lines = "";
    written = written
      .then(() => take(bytes))
      .catch((error: unknown) => {
        failure = { error };
      });
  };
  const check = (): void => {
    if (failure !== undefined) throw failure.error;
  };
  return {
    write(value) {
      check();
      lines += `${JSON.stringify(value)}\n`;
      if (lines.length >= WRITE_CHARACTERS) flush();
    },
    async commit() {
      flush();
      await written;
      check();
      await output.commit();
    },
    discard() {
      isDiscarded = true;
      output.discard();
    },
  };
}
