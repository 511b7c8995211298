import type { Output } from "./output.ts";

const BUFFER_BYTES = 2 ** 16;

/** Collects small writes into large ones, for a file that is written row by row. The bytes are copied. */
export function bufferedOutput(output: Output): Output {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let used = 0;
  const flush = (): void => {
    if (used > 0) void output.write(buffer.subarray(0, used)); // a file: written when the call returns
    used = 0;
  };
  return {
    path: output.path,
    isRevocable: output.isRevocable,
    write(bytes) {
      if (used + bytes.length > BUFFER_BYTES) flush();
      if (bytes.length > BUFFER_BYTES) return output.write(bytes);
      buffer.set(bytes, used);
      used += bytes.length;
    },
    close() {
      flush();
      output.close();
    },
    async commit() {
      flush();
      await output.commit();
    },
    discard() {
      used = 0;
      output.discard();
    },
  };
}
