import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { jsonLine } from "../../core/json/line.ts";
import { extensionOf, type InputShape } from "../../core/merge/input-shape.ts";
import type { RowFrame } from "../../core/rows/row-file.ts";
import { ProblemError, type RowProblem } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import { type BufferedOutput, bufferedOutput } from "./buffered-output.ts";
import { type OutputOptions, openOutput } from "./output.ts";
import { removeOrphans } from "./temporary-file.ts";

const REASONS = "reasons.ndjson";
const NEWLINE = 0x0a;
const SPACE = 0x20;

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Raises output.unwritable where a folder is to be and something else is: what is found at the end only has cost the whole run. */
export function refuseOtherThanFolder(dir: string, { cwd }: Pick<OutputOptions, "cwd">): void {
  const stat = attempt(() => statSync(resolve(cwd, dir), { throwIfNoEntry: false }), outputProblem(dir));
  if (stat?.isDirectory() === false)
    throw new ProblemError({ code: "output.unwritable", file: dir, reason: "ENOTDIR", flag: "--rejects" });
}

/** An input whose rows a rejects folder takes. */
export interface RejectedInput {
  readonly flag: string;
  readonly shape: InputShape;
}

/** The files of a rejects folder (design: "Nothing is lost"): one for each input's rows, and the reasons. */
export function rejectFiles(inputs: readonly RejectedInput[]): readonly string[] {
  return [...inputs.map(({ flag, shape }) => `${flag}.${extensionOf(shape)}`), REASONS];
}

/** A reason as it stands in `reasons.ndjson`; no key where there is no field, and none for a row that is not kept. */
export type Reason = Pick<RowProblem, "code" | "file" | "line"> & {
  readonly rejectLine: number | undefined;
  readonly field: string | undefined;
  readonly message: string;
};

/**
 * Where rejected rows go, verbatim and ready to be fixed and fed back, with the reasons beside them. The folder is made only
 * when there is something to put in, and a run replaces what an earlier one left there.
 */
export class RejectsFolder {
  readonly path: string;
  readonly #inputs: readonly RejectedInput[];
  readonly #options: OutputOptions;
  readonly #outputs = new Map<string, BufferedOutput>();
  /** What stands behind the last row of each. */
  readonly #ends = new Map<BufferedOutput, string>();
  /** How many lines of each are full. */
  readonly #lines = new Map<BufferedOutput, number>();

  constructor(path: string, inputs: readonly RejectedInput[], options: OutputOptions) {
    this.path = path;
    this.#inputs = inputs;
    this.#options = options;
  }

  /** True when a row or reason was put in. */
  get isUsed(): boolean {
    return this.#outputs.size > 0;
  }

  /**
   * Adds a row to the file of its input, ready to be fed back. A row of JSON that spans lines becomes one line: its breaks turn into
   * spaces. Returns the line that it begins on, from 1.
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
    void output.write(kept); // a file: nothing to wait for
    const full = (this.#lines.get(output) ?? 0) + newlinesIn(Buffer.from(before));
    this.#lines.set(output, isOneLine ? full : full + breaks);
    return full + 1;
  }

  reason(reason: Reason): void {
    this.#output(REASONS).text(jsonLine(reason));
  }

  /** Shows the files and removes those an earlier run left and this one does not write. */
  async commit(): Promise<void> {
    // A folder with reasons in it is one of ours; in any other, files of these names are somebody else's.
    const wasOurs = existsSync(resolve(this.#options.cwd, this.path, REASONS));
    for (const output of this.#outputs.values()) {
      output.text(this.#ends.get(output) ?? "");
      await output.commit();
    }
    const folder = resolve(this.#options.cwd, this.path);
    this.#removeLeftOver(folder, wasOurs);
    removeOrphans(join(folder, REASONS)); // also when this run had nothing to put in
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
    // The first one may have made the folder, and takes it away when the others are gone.
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
