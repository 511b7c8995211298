import { pipeline, Readable } from "node:stream";
import { StreamReader } from "./stream-reader.ts";

const CHUNK_BYTES = 256 * 1024;

/** True when the first bytes of a file are those of gzip. */
export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** Length of the byte order mark that a file begins with. */
export function markLength(head: Buffer): number {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
}

/**
 * Reads what `raw` holds: decompressed if it is gzip, and without a byte order mark. Waits for its first bytes. The caller closes
 * both readers. Raises what reading raises.
 */
export async function decode(raw: StreamReader, signal: AbortSignal): Promise<StreamReader> {
  const reader = isGzip(await raw.peek(2)) ? new StreamReader(raw.file, await unzipped(raw), signal) : raw;
  reader.skip(markLength(await reader.peek(3)));
  return reader;
}

/** The decompressed stream; an error of either side comes out of it. */
async function unzipped(raw: StreamReader): Promise<Readable> {
  const { createGunzip } = await import("node:zlib"); // loaded only where it is used
  const compressed = Readable.from(raw.chunks(), { objectMode: false });
  return pipeline(compressed, createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
}
