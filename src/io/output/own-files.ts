import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt, outputProblem } from "../attempt.ts";
import { type BufferedOutput, bufferedOutput } from "./buffered-output.ts";
import { hasContentMark } from "./content-mark.ts";
import { type OutputOptions, openOutput } from "./output.ts";
import { removeOrphans } from "./temporary-file.ts";

/**
 * The folder, or its first numbered name (`rejects-2`), in which every one of these files is missing or as orgferry wrote it: a file that
 * was edited is neither replaced nor deleted. Raises output.unwritable.
 */
export function folderToWrite(dir: string, names: readonly string[], { cwd }: { readonly cwd: string }): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? dir : `${dir.replace(/[/\\]+$/, "")}-${number}`;
    if (attempt(() => isUnchanged(resolve(cwd, name), names), outputProblem(name))) return name;
  }
}

function isUnchanged(folder: string, names: readonly string[]): boolean {
  return filesOf(folder, names).every(hasContentMark);
}

function filesOf(folder: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

export interface OwnFilesOptions extends OutputOptions {
  /** Called if a file of the folder was edited while the run wrote: its files go to another folder. */
  readonly onMoved: (from: string, to: string) => void;
}

/**
 * The files that a run writes into a folder where people edit them. They become visible together. Files of an earlier run are replaced,
 * and deleted if this run does not write them, but none that was edited: `folderToWrite` finds the folder, also once more at the end.
 */
export class OwnFiles {
  readonly #names: readonly string[];
  readonly #options: OwnFilesOptions;
  readonly #outputs = new Map<string, BufferedOutput>();
  #path: string;

  /** @param names all files that a run may write. */
  constructor(path: string, names: readonly string[], options: OwnFilesOptions) {
    this.#path = path;
    this.#names = names;
    this.#options = { ...options, isMarked: true };
  }

  /** The folder; after `commit`, the one that has the files. */
  get path(): string {
    return this.#path;
  }

  /** True if the folder gets a file. */
  get isUsed(): boolean {
    return this.#outputs.size > 0;
  }

  has(name: string): boolean {
    return this.#outputs.has(name);
  }

  /** The file of this name. The folder is created with its first file. Raises output.unwritable, output.planted. */
  open(name: string): BufferedOutput {
    const known = this.#outputs.get(name);
    if (known !== undefined) return known;
    const output = bufferedOutput(openOutput(join(this.#path, name), this.#options));
    this.#outputs.set(name, output);
    return output;
  }

  /** Raises output.unwritable, output.full. */
  async commit(): Promise<void> {
    for (const output of this.#outputs.values()) output.close();
    const { cwd } = this.#options;
    const first = this.#path;
    const names = this.#names;
    this.#path = folderToWrite(first, names, { cwd });
    const isMoved = this.#path !== first;
    if (isMoved && this.isUsed) this.#options.onMoved(first, this.#path);
    const folder = resolve(cwd, this.#path);
    for (const [name, output] of this.#outputs) await output.commit(isMoved ? join(this.#path, name) : undefined);
    attempt(() => {
      for (const path of filesOf(
        folder,
        names.filter((name) => !this.has(name)),
      ))
        rmSync(path);
    }, outputProblem(this.#path));
    removeOrphans(join(resolve(cwd, first), "any")); // also if this run wrote nothing
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
  }

  discard(): void {
    // The first output may have created the folder and removes it when it is empty.
    for (const output of [...this.#outputs.values()].reverse()) output.discard();
  }
}
