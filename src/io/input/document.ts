import { close, fstat, read } from "node:fs";
import { promisify } from "node:util";
import type { Extent } from "../../core/document/scan-types.ts";
import { ProblemError } from "../../problem.ts";
import { inputProblem } from "../attempt.ts";
import { Spool } from "../spool.ts";
import { inputOf } from "./input.ts";
import { type InputOptions, type OpenFile, open } from "./open.ts";

/** An input of any size whose bytes can be read in any order, repeatedly: decompressed, without a byte order mark. */
export interface Document {
  /** As the user named it; "-" is stdin. */
  readonly path: string;
  readonly bytes: number;
  /** Users of the file who were not selected are left out. */
  readonly isSelection?: true;
  /** A chunk is valid until the next one is requested. Raises input.changed, input.unreadable. */
  read(extent: Extent): AsyncIterable<Buffer>;
  /** For a joined document: the file and line that a line comes from. */
  place?(line: number): { readonly file: string; readonly line: number };
  close(): Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Opens a document. Streams (stdin, a FIFO, gzip) are read into a spool first. Raises
 * input.missing, input.directory, input.unreadable, input.terminal, input.gzip, output.full.
 */
export async function openDocument(path: string, options: Omit<InputOptions, "flag" | "twice">): Promise<Document> {
  const { cwd, stdin, signal, cleanUp } = options;
  const opened = open(path, { cwd, stdin, signal, cleanUp, flag: "the file argument" });
  if (opened.kind === "file") return fileDocument(path, opened);
  const input = inputOf(path, opened, { cwd, stdin, signal, cleanUp, flag: "" });
  const spool = new Spool(cleanUp);
  try {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    for (let length = await input.read(chunk); length > 0; length = await input.read(chunk)) {
      spool.append(chunk.subarray(0, length));
    }
    return spoolDocument(path, spool);
  } catch (error) {
    spool.remove();
    throw error;
  } finally {
    await input.close();
  }
}

/** What a spool holds, as a document of this name. Closing it removes the spool. */
export function spoolDocument(path: string, spool: Spool): Document {
  return {
    path,
    bytes: spool.bytes,
    read: ({ start, end }) => spool.chunks(start, end),
    close: async () => spool.remove(),
  };
}

/** Other threads read the file: a slow disk must not hold up calls. */
function fileDocument(path: string, { fd, size, mtimeMs, start }: OpenFile): Document {
  return {
    path,
    bytes: size - start,
    async *read(extent) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, extent.end - extent.start));
      for (let at = extent.start; at < extent.end; ) {
        const into = chunk.subarray(0, Math.min(chunk.length, extent.end - at));
        const { bytesRead } = await promisify(read)(fd, into, 0, into.length, start + at).catch(toProblem(path));
        if (bytesRead === 0) throw new ProblemError({ code: "input.changed", file: path });
        at += bytesRead;
        yield into.subarray(0, bytesRead);
      }
      const now = await promisify(fstat)(fd).catch(toProblem(path));
      if (now.mtimeMs !== mtimeMs || now.size !== size) throw new ProblemError({ code: "input.changed", file: path });
    },
    close: () => promisify(close)(fd),
  };
}

function toProblem(path: string): (cause: unknown) => never {
  return (cause) => {
    throw inputProblem(path)(cause);
  };
}
