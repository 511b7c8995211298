import { pipeline, Readable, type TransformOptions } from "node:stream";
import type { ZlibOptions } from "node:zlib";
import { StreamReader } from "./stream-reader.ts";

const CHUNK_BYTES = 256 * 1024;
/** Decompressed bytes that wait for whoever reads: with fewer, decompressing and reading would wait for each other. */
const AHEAD_BYTES = 4 * CHUNK_BYTES;

/** True when the first bytes of a file are those of gzip. */
export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Length of the byte order mark that a file begins with. */
export function markLength(head: Buffer): number {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
}

export interface DecodeOptions {
  readonly signal: AbortSignal;
  /** true: whoever reads works ahead of others already, so that nothing is decompressed ahead, which takes 20 MB. */
  readonly isAhead?: boolean;
}

/**
 * Reads what `raw` holds: decompressed if it is gzip, and without a byte order mark. Waits for its first bytes. The caller closes
 * both readers. Raises what reading raises.
 */
export async function decode(raw: StreamReader, { signal, isAhead }: DecodeOptions): Promise<StreamReader> {
  const reader = isGzip(await raw.peek(2)) ? new StreamReader(raw.file, await unzipped(raw, isAhead), signal) : raw;
  reader.skip(markLength(await reader.peek(3)));
  return reader;
}

/** The decompressed stream; an error of either side comes out of it. */
async function unzipped(raw: StreamReader, isAhead = false): Promise<Readable> {
  const { createGunzip } = await import("node:zlib"); // loaded only where it is used
  const compressed = Readable.from(raw.chunks(), { objectMode: false });
  // Also an option of every Transform, which the types do not tell.
  const ahead = isAhead ? {} : { readableHighWaterMark: AHEAD_BYTES };
  const options: ZlibOptions & TransformOptions = { chunkSize: CHUNK_BYTES, ...ahead };
  return pipeline(compressed, createGunzip(options), () => {});
}
