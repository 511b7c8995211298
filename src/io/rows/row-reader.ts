import { Documents } from "../../core/rows/documents.ts";
import { parseRow, splitLine } from "../../core/rows/parse-row.ts";
import type { ParsedRow, RowBlock } from "../../core/rows/row-block.ts";
import { type BlockSource, LINES, type RawRow, type RowFile, type RowFrame } from "../../core/rows/row-file.ts";
import { ProblemError } from "../../problem.ts";
import { expectedBytes, type Input } from "../input/input.ts";
import { blocksOf, type RowForm } from "./block-source.ts";

/** The files that rows are read from, in order. */
export interface RowInputs {
  /** A file as the user named it ("-" for stdin), or a folder. */
  readonly name: string;
  /** One, unless it is a folder. */
  readonly files: readonly Input[];
  /** Members of the document, as JSON without braces, that rejected rows need around them, too. */
  readonly around?: string;
}

/** Options of a pass over the files. */
export interface PassOptions {
  /** A thread that reads the only file ahead. */
  readonly ahead?: BlockSource;
  /** true: `close` closes the files. */
  readonly ownsFiles?: boolean;
  /** Replaces the next pass, for example by one that a thread reads ahead. */
  readonly again?: ((next: RowReader) => RowReader) | undefined;
}

/** One pass over the rows of a file, or of the files of a folder. */
export class RowReader implements RowFile {
  readonly inputs: RowInputs;
  readonly form: RowForm;
  readonly options: PassOptions;
  #next: RowReader | undefined;
  #source: BlockSource | undefined;
  #rows = 0;
  #unreadable = 0;
  #hasSplitLines = false;

  constructor(inputs: RowInputs, form: RowForm, options: PassOptions = {}) {
    this.inputs = inputs;
    this.form = form;
    this.options = options;
    this.#source = options.ahead;
  }

  get name(): string {
    return this.inputs.name;
  }

  get expectedBytes(): number {
    return this.inputs.files.reduce((sum, file) => sum + expectedBytes(file), 0);
  }

  get frame(): RowFrame {
    const frame = this.#source?.frame() ?? LINES;
    const { around } = this.inputs;
    return around === undefined || frame.extension !== "json"
      ? frame
      : { ...frame, head: frame.head.replace("{", () => `{${around},`) };
  }

  get columns(): readonly string[] | undefined {
    return this.#source?.columns?.();
  }

  get hasSplitLines(): boolean {
    return this.#hasSplitLines;
  }

  /** Raises input.* problems; at the end input.no-rows and input.no-readable-row, by what was counted. */
  async *blocks(): AsyncGenerator<RowBlock> {
    const { name, files } = this.inputs;
    const { shape, document } = this.form;
    const isFolder = files.length !== 1 || files[0]?.file !== name;
    const documents = shape.kind === "document" ? new Documents(shape, document) : undefined;
    for (const file of files) {
      const found = documents === undefined ? {} : { documents };
      const source = this.options.ahead ?? (await blocksOf(file, this.form, found));
      this.#source = source;
      if (isFolder) for await (const block of source.blocks()) yield { ...block, file: file.file };
      else yield* source.blocks();
    }
    const problem = documents?.problem(name);
    if (problem !== undefined) throw new ProblemError(problem);
    if (this.#rows === 0) throw new ProblemError({ code: "input.no-rows", file: name });
    if (this.#unreadable === this.#rows) {
      throw new ProblemError({ code: "input.no-readable-row", file: name, rows: this.#rows });
    }
  }

  async close(): Promise<void> {
    await this.#source?.close();
    if (this.options.ownsFiles === true) for (const file of this.inputs.files) await file.close();
  }

  parse(row: RawRow, visit: (parsed: ParsedRow, row: RawRow) => void): number {
    const parsed = row.parsed ?? this.#source?.parse?.(row.bytes) ?? parseRow(row.bytes);
    const isMalformed = "fault" in parsed && parsed.fault.code === "row.malformed";
    const shape = this.#source?.shape();
    if (isMalformed && (shape === "array" || shape === "document")) {
      throw new ProblemError({ code: "input.malformed", file: row.file ?? this.name, line: row.line });
    }
    const several = isMalformed && !this.form.strictLines ? splitLine(row.bytes) : undefined;
    if (several === undefined) {
      // All rows of a table may have another number of cells than the header, if quotes are missing.
      if ("fault" in parsed && shape !== "table") this.#unreadable += 1;
      visit(parsed, row);
      return 1;
    }
    this.#hasSplitLines = true;
    for (const bytes of several) this.parse({ ...row, bytes }, visit);
    return several.length;
  }

  counted(rows: number): void {
    this.#rows += rows;
  }

  /** How many bytes of the files were read, in this pass and the later ones. */
  takenBytes(): number {
    return this.inputs.files.reduce((sum, file) => sum + file.takenBytes(), this.#next?.takenBytes() ?? 0);
  }

  /** Another pass over the same files, in this thread unless `options.again` replaces it. */
  async again(): Promise<RowReader> {
    const files: Input[] = [];
    for (const file of this.inputs.files) files.push(await file.again());
    const next = new RowReader({ ...this.inputs, files }, this.form, { ownsFiles: true });
    this.#next = this.options.again?.(next) ?? next;
    return this.#next;
  }
}
