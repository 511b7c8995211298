import type { Output } from "./sink.ts";

const BUFFER_BYTES = 2 ** 16;
/** Maximum of bytes per UTF-16 code unit. */
const UTF8_BYTES = 3;

/** An output that also takes text. */
export interface BufferedOutput extends Output {
  text(text: string): void;
}

/** Collects small writes to a file. Copies the bytes. */
export function bufferedOutput(output: Output): BufferedOutput {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let used = 0;
  const flush = (): void => {
    if (used > 0) void output.write(buffer.subarray(0, used)); // a file is written when the call returns
    used = 0;
  };
  const write = (bytes: Uint8Array): void | Promise<void> => {
    if (used + bytes.length > BUFFER_BYTES) flush();
    if (bytes.length > BUFFER_BYTES) return output.write(bytes);
    buffer.set(bytes, used);
    used += bytes.length;
  };
  return {
    path: output.path,
    isRevocable: output.isRevocable,
    write,
    text(text) {
      const room = text.length * UTF8_BYTES;
      if (room > BUFFER_BYTES) {
        void write(Buffer.from(text)); // a file, as above
        return;
      }
      if (used + room > BUFFER_BYTES) flush();
      used += buffer.write(text, used);
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
