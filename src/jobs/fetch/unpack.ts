import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ProblemError } from "../../problem.ts";

const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * Decompresses a file that is gzip by its first bytes; a proxy may have decompressed it already. Raises api.download-damaged, and
 * net.cut-off for an incomplete file.
 */
export async function* unpack(chunks: AsyncIterable<Buffer>, host: string): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let isOver = false;
  while (head.length < GZIP.length && !isOver) {
    const next = await source.next();
    if (next.done === true) isOver = true;
    else head = Buffer.concat([head, next.value]);
  }
  const rest = { [Symbol.asyncIterator]: () => source };
  async function* whole(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    if (!isOver) yield* rest;
  }
  if (head.subarray(0, GZIP.length).equals(GZIP)) yield* unzipped(whole(), host);
  else yield* whole();
}

async function* unzipped(chunks: AsyncIterable<Buffer>, host: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const piped = pipeline(Readable.from(chunks, { objectMode: false }), gunzip);
  piped.catch(() => {}); // gunzip raises it
  try {
    yield* gunzip as AsyncIterable<Buffer>; // buffers, since it has no encoding
    await piped;
  } catch (error) {
    throw asDamage(error, host);
  } finally {
    gunzip.destroy();
  }
}

function asDamage(error: unknown, host: string): unknown {
  const { code } = error as NodeJS.ErrnoException; // other errors have no code
  if (code === "Z_BUF_ERROR") return new ProblemError({ code: "net.cut-off", host }, { cause: error });
  if (code?.startsWith("Z_") !== true) return error;
  return new ProblemError({ code: "api.download-damaged", host, why: "gzip" }, { cause: error });
}
