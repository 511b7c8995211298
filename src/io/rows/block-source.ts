import type { InputShape } from "../../core/merge/input-shape.ts";
import { DocumentFramer } from "../../core/rows/document-framer.ts";
import { Framer } from "../../core/rows/framer.ts";
import type { RowBlock, Shape } from "../../core/rows/row-block.ts";
import { type BlockSource, LINES, type RowFrame } from "../../core/rows/row-file.ts";
import type { Input } from "../input/input.ts";

/** How an input is cut into rows. */
export interface RowForm {
  readonly shape: InputShape;
  /** One object a line, whatever the file looks like (--multiline). */
  readonly strictLines: boolean;
}

/** Cuts an input into blocks of whole rows. */
export async function blocksOf(input: Input, form: RowForm, blockBytes?: number): Promise<BlockSource> {
  const { shape, strictLines } = form;
  if (shape.kind === "table") return (await import("./table-rows.ts")).tableRowsOf(input); // loaded only where it is used
  if (shape.kind === "rows") return framedRows(input, new Framer(input.file, strictLines, blockBytes), LINES);
  const frame: RowFrame = {
    extension: "json",
    head: `{${JSON.stringify(shape.list)}:[\n`,
    separator: ",\n",
    end: "\n]}\n",
  };
  return framedRows(input, new DocumentFramer(input.file, shape.list, blockBytes), frame);
}

/** What `Framer` and `DocumentFramer` have in common. */
interface RowFramer {
  readonly shape: Shape | undefined;
  free(): Buffer;
  filled(length: number): RowBlock;
  end(): RowBlock;
  check(): void;
}

function framedRows(input: Input, framer: RowFramer, frame: RowFrame): BlockSource {
  return {
    shape: () => framer.shape,
    frame: () => frame,
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
