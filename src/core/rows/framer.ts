import { ProblemError } from "../../problem.ts";
import { enlarged } from "../json/words.ts";
import { detectShape, isUnlikeLines } from "./detect-shape.ts";
import { LineSplitter } from "./line-splitter.ts";
import { type RowBlock, RowList, type Shape } from "./row-block.ts";
import { type StructureFault, ValueSplitter } from "./value-splitter.ts";

/** No real row comes near it; without a limit a file that is no JSON would be read into memory whole. */
export const MAX_ROW_BYTES = 16 * 2 ** 20;
const BLOCK_BYTES = 256 * 2 ** 10;
/** So much is looked at to find out whether lines are objects, where they were said to be. */
const DETECT_BYTES = 64 * 2 ** 10;

/**
 * Bytes in, blocks of whole rows out, with no more than one block and one row in memory. The caller fills `free()` and tells
 * how much of it, so that a file is read straight into the block.
 */
export class Framer {
  readonly #file: string;
  readonly #strictLines: boolean;
  #shape: Shape | undefined;
  readonly #blockBytes: number;
  #buffer: Buffer;
  #length = 0;
  /** First byte still needed. */
  #from = 0;
  /** First byte the value splitter has not seen. */
  #scanned = 0;
  /** What ends the input early, once the rows before it have been returned. */
  #fault: StructureFault | undefined;
  #rows = new RowList();
  #lines = new LineSplitter();
  #values: ValueSplitter | undefined;

  /**
   * @param strictLines one object per line, without looking at the first byte (--multiline).
   * @param blockBytes bytes that `free` offers at a time.
   */
  constructor(file: string, strictLines: boolean, blockBytes = BLOCK_BYTES) {
    this.#file = file;
    this.#blockBytes = blockBytes;
    this.#buffer = Buffer.allocUnsafe(blockBytes * 2);
    this.#strictLines = strictLines;
  }

  /** Undefined until enough of the input is known. */
  get shape(): Shape | undefined {
    return this.#shape;
  }

  /** Raises input.malformed or input.unclosed when the structure broke behind the rows of the last block. */
  check(): void {
    if (this.#fault === undefined) return;
    const { fault, line } = this.#fault;
    throw new ProblemError({ code: `input.${fault}`, file: this.#file, line });
  }

  /** Where the next bytes go: one block's length of them. Raises what `check` raises. */
  free(): Buffer {
    this.check();
    if (this.#from > 0) {
      this.#buffer.copyWithin(0, this.#from, this.#length);
      this.#values?.moved(0);
      this.#length -= this.#from;
      this.#scanned -= this.#from;
      this.#from = 0;
    }
    if (this.#buffer.length - this.#length < this.#blockBytes)
      this.#buffer = enlarged(this.#buffer, this.#length, this.#buffer.length * 2);
    return this.#buffer.subarray(this.#length, this.#length + this.#blockBytes);
  }

  /** Takes the first `length` bytes of `free()` and returns the rows they complete. Raises input.row-too-long, input.not-lines. */
  filled(length: number): RowBlock {
    this.#length += length;
    this.#rows.count = 0;
    this.#shape ??= this.#detect(false);
    if (this.#shape === "lines") this.#from = this.#lines.split(this.#buffer, 0, this.#length, this.#rows);
    else if (this.#shape !== undefined) this.#splitValues();
    if (this.#fault === undefined) this.#refuseLongRow();
    return this.#block();
  }

  /** The rows that end with the input. `check` says whether it ended as it should. Raises input.not-lines. */
  end(): RowBlock {
    this.#rows.count = 0;
    const detected = this.#shape === undefined;
    this.#shape ??= this.#detect(true) ?? "lines";
    const from = this.#from;
    this.#from = this.#length;
    if (this.#shape === "lines") {
      const rest = detected ? this.#lines.split(this.#buffer, from, this.#length, this.#rows) : from;
      this.#lines.finish(this.#buffer, rest, this.#length, this.#rows);
      return this.#block();
    }
    if (detected) this.#splitValues();
    this.#fault ??= this.#values?.finish(this.#length, this.#rows);
    return this.#block();
  }

  /** Raises input.not-lines. */
  #detect(atEnd: boolean): Shape | undefined {
    const shape = detectShape(this.#buffer, this.#length, atEnd);
    if (this.#strictLines) {
      if (isUnlikeLines(shape, this.#buffer, this.#length)) {
        throw new ProblemError({ code: "input.not-lines", file: this.#file, shape });
      }
      return shape === undefined && !atEnd && this.#length < DETECT_BYTES ? undefined : "lines";
    }
    if (shape === "array" || shape === "values") this.#values = new ValueSplitter(shape);
    return shape;
  }

  #splitValues(): void {
    const splitter = this.#values as ValueSplitter; // made with the shape
    const rest = splitter.split(this.#buffer, this.#scanned, this.#length, this.#rows);
    this.#scanned = this.#length;
    if (typeof rest === "number") this.#from = rest;
    else this.#fault = rest;
  }

  #block(): RowBlock {
    const { count, starts, ends, lines } = this.#rows;
    return { bytes: this.#buffer, count, starts, ends, lines };
  }

  #refuseLongRow(): void {
    if (this.#length - this.#from <= MAX_ROW_BYTES) return;
    const line = this.#values === undefined ? this.#lines.line : this.#values.rowLine;
    throw new ProblemError({ code: "input.row-too-long", file: this.#file, line, limitBytes: MAX_ROW_BYTES });
  }
}
