import { pipeline, Readable, type TransformOptions } from "node:stream";
import type { ZlibOptions } from "node:zlib";
import { StreamReader } from "./stream-reader.ts";

const CHUNK_BYTES = 256 * 1024;
/** Decompressed bytes that wait for the reader. With fewer, decompression and reader wait for each other. */
const AHEAD_BYTES = 4 * CHUNK_BYTES;

/** True if a file that begins with `head` is gzip. */
export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Length of the byte order mark at the beginning of a file, 0 without one. */
export function markLength(head: Buffer): number {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
}

/** The encoding of a file that begins with the byte order mark of UTF-16, as spreadsheets write "Unicode text"; undefined: another one. */
export function utf16Of(head: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : undefined;
}

export interface DecodeOptions {
  readonly signal: AbortSignal;
  /** true: the reader works ahead of other threads already, so nothing is decompressed ahead. That saves 20 MB. */
  readonly isAhead?: boolean;
}

/**
 * A reader of the content of `raw`: decompressed if it is gzip, in UTF-8 if it is UTF-16, without a byte order mark. Waits for the first
 * bytes. The caller closes both readers. Raises what reading raises.
 */
export async function decode(raw: StreamReader, { signal, isAhead }: DecodeOptions): Promise<StreamReader> {
  const plain = isGzip(await raw.peek(2)) ? new StreamReader(raw.file, await unzipped(raw, isAhead), signal) : raw;
  const utf16 = utf16Of(await plain.peek(2));
  const reader =
    utf16 === undefined
      ? plain
      : new StreamReader(raw.file, Readable.from(transcoded(plain, utf16), { objectMode: false }), signal);
  reader.skip(markLength(await reader.peek(3)));
  return reader;
}

/** UTF-16 as UTF-8; half a character at the end becomes U+FFFD. */
async function* transcoded(reader: StreamReader, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of reader.chunks()) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** The decompressed stream; it raises errors of both streams. */
async function unzipped(raw: StreamReader, isAhead = false): Promise<Readable> {
  const { createGunzip } = await import("node:zlib"); // loaded on demand
  const compressed = Readable.from(raw.chunks(), { objectMode: false });
  // An option of every Transform, which the types do not declare.
  const ahead = isAhead ? {} : { readableHighWaterMark: AHEAD_BYTES };
  const options: ZlibOptions & TransformOptions = { chunkSize: CHUNK_BYTES, ...ahead };
  return pipeline(compressed, createGunzip(options), () => {});
}
