import type { Output } from "./sink.ts";

const BUFFER_BYTES = 2 ** 16;
/** Maximum of bytes per UTF-16 code unit. */
const UTF8_BYTES = 3;

/** An output that also takes text. Nothing has to be awaited before `commit`. */
export interface BufferedOutput extends Output {
  write(bytes: Uint8Array): void;
  text(text: string): void;
  /** Writes an object as one line of NDJSON. */
  line(value: object): void;
}

/** Collects small writes. Copies the bytes. A file raises its failures at once, a pipe at the commit. */
export function bufferedOutput(output: Output): BufferedOutput {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let used = 0;
  let sent: Promise<unknown> = Promise.resolve();
  const send = (bytes: Uint8Array): void => {
    const done = output.write(bytes);
    if (done === undefined) return;
    sent = Promise.all([sent, done]);
    sent.catch(() => {}); // the commit raises it
  };
  const flush = (): void => {
    const bytes = buffer.subarray(0, used);
    used = 0;
    if (bytes.length > 0) send(bytes);
  };
  const write = (bytes: Uint8Array): void => {
    if (used + bytes.length > BUFFER_BYTES) flush();
    if (bytes.length > BUFFER_BYTES) send(bytes);
    else {
      buffer.set(bytes, used);
      used += bytes.length;
    }
  };
  const text = (words: string): void => {
    const room = words.length * UTF8_BYTES;
    if (used + room > BUFFER_BYTES) flush();
    if (room > BUFFER_BYTES) send(Buffer.from(words));
    else used += buffer.write(words, used);
  };
  return {
    path: output.path,
    isRevocable: output.isRevocable,
    write,
    text,
    line: (value) => text(`${JSON.stringify(value)}\n`),
    close() {
      flush();
      output.close();
    },
    async commit(elsewhere) {
      flush();
      await sent;
      await output.commit(elsewhere);
    },
    discard() {
      used = 0;
      output.discard();
    },
  };
}
