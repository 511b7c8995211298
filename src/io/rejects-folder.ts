import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { jsonLine } from "../core/json/line.ts";
import type { RowProblem } from "../problem.ts";
import { type BufferedOutput, bufferedOutput } from "./buffered-output.ts";
import { type OutputOptions, openOutput } from "./output.ts";

const REASONS = "reasons.ndjson";

/** The files of a rejects folder (design: "Nothing is lost"): one for each input's rows, by its flag and form, and the reasons. */
export function rejectFiles(inputs: readonly string[]): readonly string[] {
  return [...inputs.flatMap((input) => [`${input}.ndjson`, `${input}.csv`]), REASONS];
}

const NEWLINE = 0x0a;
const SPACE = 0x20;

/** A reason as it stands in `reasons.ndjson`; no key where there is no field. */
export type Reason = Pick<RowProblem, "code" | "file" | "line"> & {
  readonly field: string | undefined;
  readonly message: string;
};

/**
 * Where rejected rows go, verbatim and ready to be fixed and fed back, with the reasons beside them. The folder is made only
 * when there is something to put in, and a run replaces what an earlier one left there.
 */
export class RejectsFolder {
  readonly path: string;
  readonly #inputs: readonly string[];
  readonly #options: OutputOptions;
  readonly #outputs = new Map<string, BufferedOutput>();

  /** @param inputs the inputs whose rows it takes, by their flags. */
  constructor(path: string, inputs: readonly string[], options: OutputOptions) {
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
   * spaces. @param head what stands in front of the rows of a table; undefined for rows of JSON.
   */
  row(input: string, bytes: Uint8Array, head: string | undefined): void {
    if (head !== undefined) {
      this.#tableRow(`${input}.csv`, bytes, head);
      return;
    }
    const output = this.#output(`${input}.ndjson`);
    void output.write(bytes.includes(NEWLINE) ? bytes.map((byte) => (byte === NEWLINE ? SPACE : byte)) : bytes);
    output.text("\n"); // a file: nothing to wait for
  }

  #tableRow(name: string, bytes: Uint8Array, head: string): void {
    const isNew = !this.#outputs.has(name);
    const output = this.#output(name);
    if (isNew) output.text(`${head}\n`);
    void output.write(bytes);
    output.text("\n"); // a file: nothing to wait for
  }

  reason(reason: Reason): void {
    this.#output(REASONS).text(jsonLine(reason));
  }

  /** Shows the files and removes those an earlier run left and this one does not write. */
  async commit(): Promise<void> {
    // A folder with reasons in it is one of ours; in any other, files of these names are somebody else's.
    const wasOurs = existsSync(resolve(this.#options.cwd, this.path, REASONS));
    for (const output of this.#outputs.values()) await output.commit();
    const folder = resolve(this.#options.cwd, this.path);
    this.#removeLeftOver(folder, wasOurs);
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
