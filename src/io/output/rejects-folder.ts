import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { extensionsOf, type InputShape } from "../../core/merge/input-shape.ts";
import type { RowFrame } from "../../core/rows/row-file.ts";
import { ProblemError, type RowProblem } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import { type BufferedOutput, bufferedOutput } from "./buffered-output.ts";
import { type OutputOptions, openOutput } from "./output.ts";
import { stampFiles } from "./own-files.ts";
import { removeOrphans } from "./temporary-file.ts";

const REASONS = "reasons.ndjson";
const NEWLINE = 0x0a;
const SPACE = 0x20;

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Raises output.unwritable if the path exists and is no folder, before the run does any work. */
export function refuseOtherThanFolder(dir: string, { cwd }: Pick<OutputOptions, "cwd">): void {
  const stat = attempt(() => statSync(resolve(cwd, dir), { throwIfNoEntry: false }), outputProblem(dir));
  if (stat?.isDirectory() === false)
    throw new ProblemError({ code: "output.unwritable", file: dir, reason: "ENOTDIR", flag: "--rejects" });
}

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
 * The folder of rejected rows, unchanged and ready to be fixed and read again, and of the reasons. The folder is created with its first
 * file. A run replaces the files of an earlier run; `folderToWrite` finds a folder without changed files.
 */
export class RejectsFolder {
  readonly path: string;
  readonly #inputs: readonly RejectedInput[];
  readonly #options: OutputOptions;
  readonly #outputs = new Map<string, BufferedOutput>();
  /** The text after the last row of each. */
  readonly #ends = new Map<BufferedOutput, string>();
  /** How many complete lines each has. */
  readonly #lines = new Map<BufferedOutput, number>();

  constructor(path: string, inputs: readonly RejectedInput[], options: OutputOptions) {
    this.path = path;
    this.#inputs = inputs;
    this.#options = options;
  }

  /** True if the folder has a row or a reason. */
  get isUsed(): boolean {
    return this.#outputs.size > 0;
  }

  /**
   * Adds a row to the file of its input. Line breaks in a JSON row become spaces. Returns the line of the file on which the row begins,
   * from 1.
   */
  row(input: string, bytes: Uint8Array, frame: RowFrame): number {
    const name = `${input}.${frame.extension}`;
    const isFirst = !this.#outputs.has(name);
    const output = this.#output(name);
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
    this.#output(REASONS).line(reason);
  }

  /** Makes the files visible and deletes those of an earlier run that this run does not write. */
  async commit(): Promise<void> {
    // Only a folder with a file of reasons is ours.
    const wasOurs = existsSync(resolve(this.#options.cwd, this.path, REASONS));
    for (const output of this.#outputs.values()) {
      output.text(this.#ends.get(output) ?? "");
      await output.commit();
    }
    const folder = resolve(this.#options.cwd, this.path);
    this.#removeLeftOver(folder, wasOurs);
    stampFiles(this.path, rejectFiles(this.#inputs), this.#options);
    removeOrphans(join(folder, REASONS)); // also if this run rejected nothing
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
  }

  #removeLeftOver(folder: string, wasOurs: boolean): void {
    if (!wasOurs) return;
    for (const name of rejectFiles(this.#inputs)) {
      const path = join(folder, name);
      if (!this.#outputs.has(name) && statSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
    }
  }

  discard(): void {
    // The first output may have created the folder and removes it when it is empty.
    for (const output of [...this.#outputs.values()].reverse()) output.discard();
  }

  #output(name: string): BufferedOutput {
    const known = this.#outputs.get(name);
    if (known !== undefined) return known;
    const output = bufferedOutput(openOutput(join(this.path, name), this.#options));
    this.#outputs.set(name, output);
    return output;
  }
}
