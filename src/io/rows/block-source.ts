import type { RowsShape } from "../../core/merge/input-shape.ts";
import { DocumentFramer } from "../../core/rows/document-framer.ts";
import { type DocumentShape, Documents } from "../../core/rows/documents.ts";
import { Framer } from "../../core/rows/framer.ts";
import type { RowBlock, Shape } from "../../core/rows/row-block.ts";
import { type BlockSource, LINES, type RowFrame, type TableForm } from "../../core/rows/row-file.ts";
import type { Input } from "../input/input.ts";

/** How an input is split into rows. */
export interface RowForm {
  readonly shape: RowsShape;
  /** One object per line, without detection of other layouts (--multiline). */
  readonly strictLines: boolean;
  /** The name of the document to read, if the input holds several. */
  readonly document?: string | undefined;
  readonly table?: TableForm | undefined;
}

/** Splits a file into blocks of whole rows. @param documents those found in the previous files of the same input. */
export async function blocksOf(
  input: Input,
  form: RowForm,
  { blockBytes, documents }: { readonly blockBytes?: number; readonly documents?: Documents } = {},
): Promise<BlockSource> {
  const { shape, strictLines, document, table } = form;
  if (shape.kind === "table") return (await import("./table-rows.ts")).tableRowsOf(input, table); // loaded on demand
  if (shape.kind === "rows") return framedRows(input, new Framer(input.file, strictLines, blockBytes), () => LINES);
  const bytes = blockBytes ?? documentBlockBytes(input);
  const framer = new DocumentFramer(input.file, documents ?? new Documents(shape, document), bytes);
  return framedRows(input, framer, () => documentFrame(shape, framer.name));
}

const DOCUMENT_BLOCK_BYTES = 256 * 2 ** 10;
const SMALL_BLOCK_BYTES = 16 * 2 ** 10;

/** Not larger than the file: a folder may hold thousands of small ones. */
function documentBlockBytes({ sizeBytes, isCompressed }: Input): number {
  const size = sizeBytes === undefined || isCompressed ? DOCUMENT_BLOCK_BYTES : sizeBytes;
  return Math.min(DOCUMENT_BLOCK_BYTES, Math.max(SMALL_BLOCK_BYTES, size));
}

/** The text around the rows of a document, with the document's name if that is known. */
function documentFrame({ list, name: key }: DocumentShape, name: string | undefined): RowFrame {
  const named = key === undefined || name === undefined ? "" : `${JSON.stringify(key.key)}:${JSON.stringify(name)},`;
  const path = list.map((one) => `${JSON.stringify(one)}:`).join("{");
  return { extension: "json", head: `{${named}${path}[\n`, separator: ",\n", end: `\n]${"}".repeat(list.length)}\n` };
}

/** The common part of `Framer` and `DocumentFramer`. */
interface RowFramer {
  readonly shape: Shape | undefined;
  free(): Buffer;
  filled(length: number): RowBlock;
  end(): RowBlock;
  check(): void;
}

function framedRows(input: Input, framer: RowFramer, frame: () => RowFrame): BlockSource {
  return {
    shape: () => framer.shape,
    frame,
    async close() {},
    async *blocks() {
      for (;;) {
        const length = await input.read(framer.free());
        if (length === 0) break;
        const block = framer.filled(length);
        if (block.count > 0) yield block;
      }
      const last = framer.end();
      if (last.count > 0) yield last;
      framer.check();
    },
  };
}
