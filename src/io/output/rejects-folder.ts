import { newlinesIn } from "../../core/json/newlines.ts";
import { extensionsOf, type InputShape } from "../../core/merge/input-shape.ts";
import type { RowFrame } from "../../core/rows/row-file.ts";
import type { RowProblem } from "../../problem.ts";
import type { BufferedOutput } from "./buffered-output.ts";
import { type FolderFiles, OwnFiles, type OwnFilesOptions, REASONS } from "./own-files.ts";

const NEWLINE = 0x0a;
const SPACE = 0x20;

/** An input whose rejected rows go to the folder. */
export interface RejectedInput {
  readonly flag: string;
  readonly shape: InputShape;
}

/** The names of the files in a rejects folder (design: "Nothing is lost"): those of each input, and the reasons. */
export function rejectFiles(inputs: readonly RejectedInput[]): readonly string[] {
  return [
    ...inputs.flatMap(({ flag, shape }) => extensionsOf(shape).map((extension) => `${flag}.${extension}`)),
    REASONS,
  ];
}

/** A line of `reasons.ndjson`. `field` is missing if no field is at fault, `rejectLine` if the row is not kept. */
export type Reason = Pick<RowProblem, "code" | "file" | "line"> & {
  readonly rejectLine: number | undefined;
  readonly field: string | undefined;
  readonly message: string;
};

/**
 * The folder of rejected rows, unchanged and ready to be fixed and read again, and of the reasons. A run replaces the
 * files of an earlier run, but none that was edited.
 */
export class RejectsFolder {
  readonly #files: OwnFiles;
  /** The text after the last row of each. */
  readonly #ends = new Map<BufferedOutput, string>();
  /** How many complete lines each has. */
  readonly #lines = new Map<BufferedOutput, number>();

  constructor(path: string, files: FolderFiles, options: OwnFilesOptions) {
    this.#files = new OwnFiles(path, files, options);
  }

  /** After `commit`: the folder that has the files. */
  get path(): string {
    return this.#files.path;
  }

  /** True if the folder has a row or a reason. */
  get isUsed(): boolean {
    return this.#files.isUsed;
  }

  /**
   * Adds a row to the file of its input. Line breaks in a JSON row become spaces. Returns the line of the file on which the row begins,
   * from 1.
   */
  row(input: string, bytes: Uint8Array, frame: RowFrame): number {
    const name = `${input}.${frame.extension}`;
    const isFirst = !this.#files.has(name);
    const output = this.#files.open(name);
    const before = isFirst ? frame.head : frame.separator;
    output.text(before);
    this.#ends.set(output, frame.end);
    const breaks = newlinesIn(bytes);
    const isOneLine = frame.extension !== "csv" || breaks === 0;
    const kept = isOneLine && breaks > 0 ? bytes.map((byte) => (byte === NEWLINE ? SPACE : byte)) : bytes;
    output.write(kept);
    const full = (this.#lines.get(output) ?? 0) + newlinesIn(Buffer.from(before));
    this.#lines.set(output, isOneLine ? full : full + breaks);
    return full + 1;
  }

  reason(reason: Reason): void {
    this.#files.open(REASONS).line(reason);
  }

  /** Makes the files visible and deletes those of an earlier run that this run does not write. */
  async commit(): Promise<void> {
    for (const [output, end] of this.#ends) output.text(end);
    await this.#files.commit();
  }

  discard(): void {
    this.#files.discard();
  }
}
